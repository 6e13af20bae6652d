//! A naive reader of the files gets exactly what happened on the naive heap.

use std::path::Path;
use std::sync::Arc;

use ducktrack_test_support::naive_vm::{Kind, NaiveVm, Object, SITES, heap_classes};
use ducktrack_trace_format::{End, HeapClassId, SiteId, ThreadId};
use ducktrack_trace_writer::{CompressStrategy, EventLog, EventOptions, EventStats};
use proptest::prelude::*;

use crate::naive_reader::{Known, NaiveReader, blocks, event_files};
use crate::program::Program;
use crate::test_host::{Host, SharedTally, facts};

pub(crate) fn end() -> End {
    End {
        unix_millis: 1,
        cause: "exit".into(),
        losses: vec![],
    }
}

pub(crate) fn start(
    directory: &Path,
    options: EventOptions,
    host: &Arc<Host>,
    tally: &SharedTally,
) -> EventLog {
    let host = Arc::clone(host);
    let tally = Box::new(tally.clone());
    let log = EventLog::start(directory, options, facts(), tally, host).unwrap();
    log.classes(heap_classes().into());
    log
}

/// Reads all files from `first` on.
pub(crate) fn read_from(directory: &Path, first: usize) -> NaiveReader {
    let mut reader = NaiveReader::default();
    for (_, path) in event_files(directory).into_iter().skip(first) {
        for (kind, content) in blocks(&std::fs::read(path).unwrap()) {
            reader.follow(kind, &content);
        }
    }
    reader
}

/// Checks that the reader has every object of the heap and no other. Nothing was allocated since the last collection.
pub(crate) fn compare(reader: &NaiveReader, vm: &NaiveVm) {
    let mut known = reader.objects.clone();
    for object in vm.objects.iter().filter(|one| one.death.is_none()) {
        let seen = known.remove(&object.address);
        if object.hidden {
            assert_eq!(seen, None);
            continue;
        }
        let seen = seen.unwrap_or_else(|| panic!("{object:x?} is missing"));
        check(object, &seen);
    }
    assert!(known.is_empty(), "{known:x?}");
}

fn check(object: &Object, seen: &Known) {
    assert_eq!(seen.bytes, object.bytes);
    let site = object.site.map_or(SiteId(0), |at| SiteId(SITES[at].0));
    assert_eq!(seen.site, site, "{object:x?}");
    if let Some(class) = seen.class {
        assert_eq!(class, HeapClassId(object.class), "{object:x?}");
    }
    if object.site.is_some() {
        let made = (ThreadId(object.thread), object.birth);
        assert_eq!((seen.thread, seen.birth), made, "{object:x?}");
    }
}

pub(crate) fn run(
    seed: u64,
    options: EventOptions,
    directory: &Path,
    steps: u64,
    collections: u64,
) -> (Program, EventStats, SharedTally) {
    let host = Arc::new(Host::default());
    let tally = SharedTally::default();
    let log = start(directory, options, &host, &tally);
    let mut program = Program::new(seed);
    program.chance = 1 + (seed % 3) as u32;
    for _ in 0..collections {
        for _ in 0..program.below(steps) {
            program.patient_step(&log, &host);
        }
        program.collect(&log);
    }
    // A full collection settles everything.
    for _ in 0..steps {
        program.patient_step(&log, &host);
    }
    program.collect_as(Kind::Full, &log);
    let stats = log.finish(end());
    assert_eq!(*host.said.lock().unwrap(), Vec::<String>::new());
    (program, stats, tally)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_heap_is_known_to_the_last_object(seed: u64, compress in 0..3, columns: bool, steps in 1_u64..600, collections in 1_u64..12) {
        let directory = tempfile::tempdir().unwrap();
        let compress = [CompressStrategy::Full, CompressStrategy::Partial(0.2), CompressStrategy::Off][compress as usize];
        let options = EventOptions { compress, columns, queue_length: 4, ..EventOptions::default() };
        let (program, stats, tally) = run(seed, options, directory.path(), steps, collections);
        let reader = read_from(directory.path(), 0);
        compare(&reader, &program.vm);
        prop_assert!(reader.ended);
        prop_assert_eq!(reader.events, stats.events);
        prop_assert_eq!(stats.contradictions, 0);
        prop_assert_eq!(stats.late_buffers + stats.broken_buffers + stats.lost_blocks, 0);
        prop_assert_eq!(stats.mirror_objects, reader.objects.len() as u64);
        let counted = *tally.0.lock().unwrap();
        prop_assert_eq!(counted, program.sums());
    }
}
