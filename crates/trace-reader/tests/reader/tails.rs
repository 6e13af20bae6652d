//! Files that grow are read from where they were read to; what is cut is read when it is whole.

use std::fs;

use crate::small_trace::{TraceBytes, run, size, small_trace, snapshot};
use ducktrack_trace_format::{
    BlockKind, Collection, CollectionKind, EventFile, FileHeader, Record,
};
use ducktrack_trace_reader::{CollectionTail, TraceTail};

#[test]
fn each_look_gives_the_records_that_are_new_and_whole() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("ducktrack.trace");
    let trace = small_trace();
    let all = crate::small_trace::records_of(&trace).concat();
    fs::write(&file, FileHeader::current().encode()).unwrap();
    let mut tail = TraceTail::open(directory.path()).unwrap();
    let mut found: Vec<Record> = Vec::new();
    // By steps that cut most blocks somewhere.
    for length in (FileHeader::LENGTH..trace.bytes.len()).step_by(23) {
        fs::write(&file, &trace.bytes[..length]).unwrap();
        found.extend(tail.look().unwrap());
    }
    fs::write(&file, &trace.bytes).unwrap();
    found.extend(tail.look().unwrap());
    assert_eq!(found, all);
    assert_eq!(tail.look().unwrap(), []);
}

#[test]
fn a_file_that_was_made_short_is_read_again() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("ducktrack.trace");
    let long = TraceBytes::new()
        .block(BlockKind::DEFINITIONS, &[run(), size(1)])
        .block(BlockKind::VALUES, &[snapshot(0, 5), snapshot(1, 6)]);
    fs::write(&file, &long.bytes).unwrap();
    let mut tail = TraceTail::open(directory.path()).unwrap();
    assert_eq!(tail.look().unwrap().len(), 4);
    let short = TraceBytes::new().block(BlockKind::DEFINITIONS, &[run(), size(1)]);
    let other = directory.path().join("new");
    fs::write(&other, &short.bytes).unwrap();
    fs::rename(&other, &file).unwrap();
    assert_eq!(tail.look().unwrap(), [run(), size(1)]);
}

#[test]
fn collections_are_found_among_events_also_in_the_next_file() {
    let directory = tempfile::tempdir().unwrap();
    let collection = |number| Collection {
        number,
        kind: CollectionKind::Full,
        ..Collection::default()
    };
    let write = |index: u32, numbers: &[u32]| {
        let mut trace = TraceBytes::new().raw_block(BlockKind::EVENTS, &[7; 100]);
        for number in numbers {
            let mut content = Vec::new();
            collection(*number).encode(&mut content).unwrap();
            trace = trace
                .raw_block(BlockKind::COLLECTION, &content)
                .raw_block(BlockKind::EVENTS, &[9; 300]);
        }
        fs::write(directory.path().join(EventFile::name(index)), &trace.bytes).unwrap();
    };
    let mut tail = CollectionTail::new(directory.path());
    assert_eq!(tail.look().unwrap(), []);
    write(0, &[1, 2]);
    assert_eq!(tail.look().unwrap(), [collection(1), collection(2)]);
    write(0, &[1, 2, 3]);
    write(1, &[4]);
    assert_eq!(tail.look().unwrap(), [collection(3), collection(4)]);
    assert_eq!(tail.look().unwrap(), []);
}
