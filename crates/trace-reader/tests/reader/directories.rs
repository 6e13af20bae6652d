//! Directories and files that are not traces yield one clear line; a directory of several files is read in order.

use std::fs;

use crate::small_trace::{TraceBytes, end, records_of, run, size, small_trace};
use ducktrack_trace_format::{BlockKind, Damage, FORMAT_VERSION, FileHeader};
use ducktrack_trace_reader::TraceReader;

fn error_of(path: &std::path::Path) -> String {
    let text = TraceReader::open(path).unwrap_err().to_string();
    assert!(!text.contains('\n'), "one line: {text}");
    text
}

#[test]
fn a_directory_and_its_file_are_the_same_trace() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("ducktrack.trace");
    let trace = small_trace();
    fs::write(&file, &trace.bytes).unwrap();
    for path in [directory.path(), &file] {
        let mut reader = TraceReader::open(path).unwrap();
        assert!(reader.by_ref().eq(records_of(&trace).concat()));
        assert!(reader.damage().is_empty());
    }
}

#[test]
fn what_is_no_trace_is_said_so() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    assert!(error_of(&path.join("missing")).contains("cannot open"));
    assert!(error_of(path).contains("holds no ducktrack.trace"));
    let file = path.join("ducktrack.trace");
    fs::write(&file, b"").unwrap();
    assert!(error_of(path).contains("is empty"));
    fs::write(&file, b"PK\x03\x04 this is something else").unwrap();
    assert!(error_of(path).contains("not a ducktrack trace"));
    fs::write(&file, &FileHeader::current().encode()[..9]).unwrap();
    assert!(error_of(path).contains("ends after 9 bytes"));
    let newer = FileHeader {
        version: FORMAT_VERSION + 1,
        ..FileHeader::current()
    };
    fs::write(&file, newer.encode()).unwrap();
    assert!(error_of(path).contains(&format!("format version {}", FORMAT_VERSION + 1)));
}

#[test]
fn several_files_are_read_by_number_and_a_bad_one_is_left_out() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(directory.path().join(name), bytes).unwrap();
    let first = TraceBytes::new().block(BlockKind::DEFINITIONS, &[run(), size(1)]);
    let second = TraceBytes::new().block(BlockKind::DEFINITIONS, &[run(), size(2)]);
    let last = TraceBytes::new().block(BlockKind::END, &[end()]);
    write("ducktrack.10.trace", &last.bytes);
    write("ducktrack.2.trace", &second.bytes);
    write("ducktrack.trace", &first.bytes);
    write("ducktrack.3.trace", b"not a trace at all, really");
    write("ducktrack.trace-new", b"left over");
    write("notes.txt", b"x");
    let mut reader = TraceReader::open(directory.path()).unwrap();
    assert_eq!(reader.files().len(), 4);
    assert!(reader.by_ref().eq([run(), size(1), run(), size(2), end()]));
    let found: Vec<&str> = reader
        .damage()
        .iter()
        .map(|(_, damage)| damage.name())
        .collect();
    assert_eq!(found, ["no-end", "no-end", "not-a-trace"]);
    assert!(
        matches!(&reader.damage()[2].1, Damage::NotATrace { reason } if reason.contains("not a ducktrack trace"))
    );
}
