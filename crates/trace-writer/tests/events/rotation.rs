//! Limits are kept, and every remaining file can be read alone.

use std::path::Path;
use std::sync::Arc;

use ducktrack_test_support::naive_vm::Kind;
use ducktrack_trace_writer::{CompressStrategy, EventOptions};

use crate::naive_reader::event_files;
use crate::program::Program;
use crate::round_trip::{compare, end, read_from, start};
use crate::test_host::{Host, SharedTally};

fn total(directory: &Path) -> u64 {
    let files = event_files(directory);
    let length = |path| std::fs::metadata(path).map_or(0, |data| data.len());
    files.iter().map(|(_, path)| length(path)).sum()
}

fn limited(max: u64) -> EventOptions {
    EventOptions {
        max_trace_size: Some(max),
        max_deviation: 0.25,
        queue_length: 8,
        ..EventOptions::default()
    }
}

#[test]
fn every_file_left_after_many_rotations_tells_the_whole_heap() {
    for compress in [CompressStrategy::Full, CompressStrategy::Off] {
        let directory = tempfile::tempdir().unwrap();
        let max = 400_000;
        let options = EventOptions {
            compress,
            ..limited(max)
        };
        let host = Arc::new(Host::default());
        let log = start(directory.path(), options, &host, &SharedTally::default());
        let mut program = Program::new(77);
        let mut largest = 0;
        for _ in 0..150 {
            for _ in 0..2_000 {
                program.patient_step(&log, &host);
            }
            program.collect(&log);
            largest = largest.max(total(directory.path()));
        }
        for _ in 0..100 {
            program.patient_step(&log, &host);
        }
        program.collect_as(Kind::Full, &log);
        let stats = log.finish(end());
        assert!(stats.rotations > 5, "{stats:?}");
        assert!(stats.sync_points > 5, "{stats:?}");
        assert_eq!(stats.rotations_without_sync + stats.contradictions, 0);
        assert!(largest <= max + max / 4, "{largest}");
        let files = event_files(directory.path());
        assert_eq!(files.len() as u64, stats.files - stats.rotations);
        assert!(files.len() >= 3, "{}", files.len());
        for first in 0..files.len() {
            compare(&read_from(directory.path(), first), &program.vm);
        }
    }
}

#[test]
fn without_a_collection_one_is_asked_for_and_the_limit_holds() {
    let directory = tempfile::tempdir().unwrap();
    let max = 200_000;
    let options = EventOptions {
        compress: CompressStrategy::Off,
        ..limited(max)
    };
    let host = Arc::new(Host::default());
    let log = start(directory.path(), options, &host, &SharedTally::default());
    let mut program = Program::new(5);
    for _ in 0..200_000 {
        program.patient_step(&log, &host);
        if program.below(1_000) == 0 {
            let bytes = total(directory.path());
            assert!(bytes <= max + max / 4, "{bytes} {:?}", log.stats());
        }
    }
    program.collect_as(Kind::Full, &log);
    let stats = log.finish(end());
    assert!(
        program.emergencies > 3 && stats.emergency_collections > 3,
        "{stats:?}"
    );
    assert_eq!(stats.rotations_without_sync, 0);
    for first in 0..event_files(directory.path()).len() {
        compare(&read_from(directory.path(), first), &program.vm);
    }
}

#[test]
fn without_moves_files_rotate_anywhere() {
    let directory = tempfile::tempdir().unwrap();
    let max = 100_000;
    let options = EventOptions {
        moves: false,
        compress: CompressStrategy::Off,
        ..limited(max)
    };
    let host = Arc::new(Host::default());
    let log = start(directory.path(), options, &host, &SharedTally::default());
    let mut program = Program::new(9);
    for _ in 0..100_000 {
        program.patient_step(&log, &host);
        if program.below(1_000) == 0 {
            assert!(total(directory.path()) <= max + max / 4);
        }
    }
    let stats = log.finish(end());
    assert!(stats.rotations > 10);
    assert_eq!(
        (
            stats.sync_points,
            stats.emergency_collections,
            stats.mirror_objects
        ),
        (0, 0, 0)
    );
}
