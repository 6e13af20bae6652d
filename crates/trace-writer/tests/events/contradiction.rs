//! A cycle beside the program whose survivors contradict their events: the reader does not
//! know the heap from there on, and knows it again after the cycles that list everything.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ducktrack_test_support::naive_vm::{Kind, NaiveVm, SITES, heap_classes};
use ducktrack_trace_format::{
    Collection, CollectionCounts, CollectionKind, HeapClassId, SiteId, Survivor, SyncDecoder,
    SyncObject,
};
use ducktrack_trace_reader::{EventFiles, EventStep};
use ducktrack_trace_writer::{EventLog, EventOptions, FlushOutcome};

use crate::program::Program;
use crate::round_trip::{end, start};
use crate::test_host::{Host, SharedTally, facts};

/// How the machine's collections are told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cycles {
    /// Survivors of this one, which were born before it, seem to be 8 bytes smaller than their events say.
    wrong: u32,
    /// Full collections are told as ones of the old generation.
    generations: bool,
}

impl Cycles {
    pub(crate) fn hand_over(
        self,
        log: &EventLog,
        collection: &Collection,
        vm: &NaiveVm,
    ) -> FlushOutcome {
        let number = collection.number;
        let collection = Collection {
            counts: CollectionCounts::default(),
            collector_nanos: 1,
            kind: match collection.kind {
                CollectionKind::Full if self.generations => CollectionKind::Old,
                kind => kind,
            },
            ..collection.clone()
        };
        let all = vm.survivors[number as usize - 1].iter();
        let survivors: Vec<Survivor> = all
            .map(|one| {
                let cut = match number == self.wrong && is_newborn(vm, one.to, number) {
                    true => 8,
                    false => 0,
                };
                let class = HeapClassId(one.class);
                Survivor::new(one.from + cut, one.to, one.bytes - cut, class)
            })
            .collect();
        log.collection(collection, survivors);
        FlushOutcome::Taken
    }
}

/// Whether the object at this address has an event with its address since the collection before.
fn is_newborn(vm: &NaiveVm, at: u64, number: u32) -> bool {
    let mut live = vm.objects.iter().filter(|object| object.death.is_none());
    live.any(|object| {
        let is_placed = object.site.is_some() && !object.outside && !object.late;
        object.address == at && is_placed && object.birth + 1 == number && object.bytes >= 24
    })
}

/// What a reader gets: faults by collection, and synchronization points by the collection before them.
#[derive(Debug, Default)]
struct Reading {
    faults: BTreeMap<u32, String>,
    points: BTreeMap<u32, Vec<SyncObject>>,
}

fn reading(directory: &Path) -> Reading {
    let mut files = EventFiles::open(directory).expect("files");
    files.know(facts(), heap_classes());
    let (mut found, mut number) = (Reading::default(), 0);
    while let Some(step) = files.next_step() {
        match step {
            EventStep::Epoch(epoch) => {
                number = epoch.collection.number;
                let fault = epoch.collection.fault;
                found.faults.extend(fault.map(|fault| (number, fault)));
            }
            EventStep::Sync(point) => {
                let objects = SyncDecoder::new(&point.content).expect("a point");
                let objects = objects.map(|object| object.expect("an object"));
                found.points.entry(number).or_default().extend(objects);
            }
            _ => {}
        }
    }
    found
}

/// A machine with a wrong cycle, which ends with the cycles after which the heap
/// must be known again, if it was not before; and what a reader gets of it.
fn ran(seed: u64, cycles: Cycles) -> (NaiveVm, Reading) {
    let directory = tempfile::tempdir().expect("a folder");
    let options = EventOptions {
        match_later: true,
        queue_length: 4,
        ..EventOptions::default()
    };
    let host = Arc::new(Host::default());
    let log = start(directory.path(), options, &host, &SharedTally::default());
    let mut program = Program::new(seed);
    program.cycles = Some(cycles);
    program.chance = 3;
    let epoch = |program: &mut Program, kind| {
        for _ in 0..200 {
            program.patient_step(&log, &host);
        }
        program.collect_as(kind, &log);
    };
    while program.vm.epoch <= cycles.wrong {
        epoch(&mut program, Kind::Young);
    }
    let last = match cycles.generations {
        true => [Kind::Full, Kind::Young, Kind::Full, Kind::Young].as_slice(),
        false => [Kind::Young, Kind::Cleanup, Kind::Full].as_slice(),
    };
    for kind in last {
        epoch(&mut program, *kind);
    }
    let vm = program.vm.clone();
    epoch(&mut program, Kind::Young);
    let _ = log.finish(end());
    (vm, reading(directory.path()))
}

#[test]
fn the_heap_is_known_again_after_cycles_that_list_everything() {
    for generations in [false, true] {
        let mut regained = 0;
        for seed in 0..30 {
            let cycles = Cycles {
                wrong: 3,
                generations,
            };
            let (vm, reading) = ran(seed, cycles);
            let Some(fault) = reading.faults.get(&3) else {
                continue;
            };
            assert!(fault.contains("contradict"), "{fault}");
            let points: Vec<u32> = reading.points.keys().copied().collect();
            // No earlier: an old cycle has to begin after it.
            assert_eq!(points, [vm.epoch], "{reading:?}");
            compare(&vm, &reading.points[&vm.epoch], cycles.wrong);
            regained += 1;
        }
        assert!(regained > 20, "{regained}");
    }
}

/// Each object of the machine is in the point, and no other; its site is right, and known if it was born since.
fn compare(vm: &NaiveVm, point: &[SyncObject], wrong: u32) {
    let mut known: BTreeMap<u64, &SyncObject> = point
        .iter()
        .map(|object| (object.address, object))
        .collect();
    for object in vm.objects.iter().filter(|object| object.death.is_none()) {
        let seen = known.remove(&object.address);
        let seen = seen.unwrap_or_else(|| panic!("{object:x?} is missing"));
        assert_eq!(seen.bytes, object.bytes);
        // No collection has seen it yet: it has the class of its site.
        let class = Some(seen.class.0).filter(|class| *class != u32::MAX);
        assert_eq!(class.unwrap_or(object.class), object.class);
        let site = object.site.map_or(SiteId(0), |at| SiteId(SITES[at].0));
        let is_since = object.birth >= wrong && !object.outside && !object.late;
        let is_right = seen.site == site || !is_since && seen.site == SiteId(0);
        assert!(is_right, "{object:x?}: {seen:?}");
    }
    assert!(known.is_empty(), "{known:x?}");
}
