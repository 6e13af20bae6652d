//! After a kill at any point, a deletion, or a second finish, the contents of the files stay readable.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use ducktrack_test_support::naive_vm::Kind;
use ducktrack_trace_format::BlockKind;
use ducktrack_trace_writer::{EventOptions, OnFull};

use crate::naive_reader::{NaiveReader, blocks, event_files};
use crate::program::Program;
use crate::round_trip::{compare, end, read_from, start};
use crate::test_host::{Host, SharedTally};

#[test]
fn a_file_cut_anywhere_is_readable_up_to_its_last_whole_block() {
    let directory = tempfile::tempdir().unwrap();
    let host = Arc::new(Host::default());
    let log = start(
        directory.path(),
        EventOptions::default(),
        &host,
        &SharedTally::default(),
    );
    let mut program = Program::new(3);
    for _ in 0..6 {
        for _ in 0..300 {
            program.patient_step(&log, &host);
        }
        program.collect(&log);
    }
    log.finish(end());
    let bytes = std::fs::read(&event_files(directory.path())[0].1).unwrap();
    let all = blocks(&bytes);
    let mut counts = Vec::new();
    for length in (16..=bytes.len()).step_by(7) {
        let read = blocks(&bytes[..length]);
        assert_eq!(read, all[..read.len()]);
        let mut reader = NaiveReader::default();
        for (kind, content) in &read {
            reader.follow(*kind, content);
        }
        counts.push(read.len());
    }
    assert!(counts.is_sorted() && counts.last().unwrap() + 1 >= all.len());
    assert_eq!(all.last().unwrap().0, BlockKind::END);
}

/// Removes the directory of a running log. The log may make a file in it in the meantime, so that it is not empty when its turn comes.
fn remove_while_written(directory: &Path) {
    loop {
        match std::fs::remove_dir_all(directory) {
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => {}
            result => return result.unwrap(),
        }
    }
}

#[test]
fn a_deleted_directory_comes_back_with_everything() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("trace");
    std::fs::create_dir(&directory).unwrap();
    let host = Arc::new(Host::default());
    let options = EventOptions {
        max_trace_size: Some(300_000),
        ..EventOptions::default()
    };
    let log = start(&directory, options, &host, &SharedTally::default());
    let mut program = Program::new(4);
    for round in 0..30 {
        for _ in 0..2_000 {
            program.patient_step(&log, &host);
        }
        program.collect(&log);
        if round == 20 {
            remove_while_written(&directory);
        }
    }
    program.collect_as(Kind::Full, &log);
    let stats = log.finish(end());
    assert_eq!(stats.lost_blocks, 0);
    let files = event_files(&directory);
    assert_eq!(files.len() as u64, stats.files - stats.rotations);
    for first in 0..files.len() {
        compare(&read_from(&directory, first), &program.vm);
    }
}

#[test]
fn a_full_queue_drops_and_counts() {
    let directory = tempfile::tempdir().unwrap();
    let host = Arc::new(Host::default());
    let options = EventOptions {
        on_full: OnFull::Drop,
        queue_length: 1,
        ..EventOptions::default()
    };
    let tally = SharedTally::default();
    let log = start(directory.path(), options, &host, &tally);
    let mut program = Program::new(6);
    let block = tally.0.lock().unwrap();
    while log.stats().dropped_buffers < 5 {
        for _ in 0..100 {
            program.step(&log);
        }
    }
    drop(block);
    let stats = log.finish(end());
    assert!(stats.dropped_events > 100);
    assert!(log.losses()[0].contains("queue"), "{:?}", log.losses());
}

/// What threads allocate after the end of a recording is not lost from it.
#[test]
fn after_the_end_nothing_is_taken_and_nothing_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    let host = Arc::new(Host::default());
    let log = start(
        directory.path(),
        EventOptions::default(),
        &host,
        &SharedTally::default(),
    );
    log.finish(end());
    let mut program = Program::new(6);
    for _ in 0..2_000 {
        program.patient_step(&log, &host);
    }
    log.wait_for_room();
    let stats = log.finish(end());
    assert_eq!((stats.dropped_buffers, stats.events), (0, 0));
    assert_eq!(log.losses(), [""; 0]);
}

#[test]
fn what_no_memory_is_left_for_is_dropped_for_that_reason() {
    let directory = tempfile::tempdir().unwrap();
    let host = Arc::new(Host::default());
    let log = start(
        directory.path(),
        EventOptions::default(),
        &host,
        &SharedTally::default(),
    );
    log.take_no_more();
    let mut program = Program::new(6);
    for _ in 0..2_000 {
        program.step(&log);
    }
    let stats = log.finish(end());
    assert!(stats.dropped_buffers > 0);
    assert!(log.losses()[0].contains("no memory"), "{:?}", log.losses());
}

#[test]
fn a_directory_that_cannot_be_written_is_an_error_of_one_line() {
    let host: Arc<Host> = Arc::default();
    let result = ducktrack_trace_writer::EventLog::start(
        std::path::Path::new("/proc/no-such-place"),
        EventOptions::default(),
        crate::test_host::facts(),
        Box::new(()),
        host,
    );
    let error = result.err().unwrap().to_string();
    assert!(
        error.contains("/proc/no-such-place") && !error.contains('\n'),
        "{error}"
    );
}
