//! A naive reader of the files gets exactly what happened on the naive heap.

use std::path::Path;
use std::sync::Arc;

use ducktrack_trace_format::{CollectionKind, End};
use ducktrack_trace_writer::{CompressStrategy, EventLog, EventOptions, EventStats};
use proptest::prelude::*;

use crate::naive_reader::{NaiveReader, blocks, event_files};
use crate::simulated_heap::Heap;
use crate::test_host::{Facts, Host, SharedTally};

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
    EventLog::start(directory, options, Arc::new(Facts), tally, host).unwrap()
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

/// Checks that the reader has every object of the heap and no other. `settled`: nothing was allocated since the last
/// collection.
pub(crate) fn compare(reader: &NaiveReader, heap: &Heap) {
    let mut known = reader.objects.clone();
    for object in &heap.objects {
        let seen = known.remove(&object.address);
        if object.hidden || (object.site.0 == 0 && object.unseen) {
            assert_eq!(seen, None);
            continue;
        }
        let seen = seen.unwrap_or_else(|| panic!("{object:x?} is missing"));
        assert_eq!(seen.bytes, object.bytes);
        if object.unrecorded {
            continue;
        }
        assert_eq!(seen.site, object.site, "{object:x?}");
        if let Some(class) = seen.class {
            assert_eq!(class, object.class, "{object:x?}");
        }
        if object.site.0 != 0 {
            assert_eq!(
                (seen.thread, seen.birth),
                (object.thread, object.birth),
                "{object:x?}"
            );
        }
    }
    // For the reader, objects that died outside of the collected ranges still exist.
    known.retain(|address, _| Heap::is_in_eden(*address));
    assert!(known.is_empty(), "{known:x?}");
}

pub(crate) fn run(
    seed: u64,
    options: EventOptions,
    directory: &Path,
    steps: u64,
    collections: u64,
) -> (Heap, EventStats, SharedTally) {
    let host = Arc::new(Host::default());
    let tally = SharedTally::default();
    let log = start(directory, options, &host, &tally);
    let mut heap = Heap::new(seed, 3);
    heap.mortality = 10 + seed % 6;
    for _ in 0..collections {
        for _ in 0..heap.below(steps) {
            heap.patient_step(&log, &host);
        }
        heap.collect(&log);
    }
    // Stopped threads record their allocations, and a full collection settles everything.
    for _ in 0..steps {
        heap.patient_step(&log, &host);
    }
    heap.collect_as(CollectionKind::Full, &log);
    let stats = log.finish(end());
    assert_eq!(*host.said.lock().unwrap(), Vec::<String>::new());
    (heap, stats, tally)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_heap_is_known_to_the_last_object(seed: u64, compress in 0..3, columns: bool, steps in 1_u64..600, collections in 1_u64..12) {
        let directory = tempfile::tempdir().unwrap();
        let compress = [CompressStrategy::Full, CompressStrategy::Partial(0.2), CompressStrategy::Off][compress as usize];
        let options = EventOptions { compress, columns, queue_length: 4, ..EventOptions::default() };
        let (heap, stats, tally) = run(seed, options, directory.path(), steps, collections);
        let reader = read_from(directory.path(), 0);
        compare(&reader, &heap);
        prop_assert!(reader.ended);
        prop_assert_eq!(reader.events, stats.events);
        prop_assert_eq!(stats.contradictions, 0);
        prop_assert_eq!(stats.late_buffers + stats.broken_buffers + stats.lost_blocks, 0);
        prop_assert_eq!(stats.mirror_objects, reader.objects.len() as u64);
        let unrecorded = heap.objects.iter().filter(|object| object.unrecorded).count();
        prop_assert!(unrecorded <= 3);
        let counted = *tally.0.lock().unwrap();
        prop_assert_eq!(counted, heap.sums);
    }
}
