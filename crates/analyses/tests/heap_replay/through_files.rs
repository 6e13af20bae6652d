//! The naive machine's events through the agent's own event log, its files,
//! the reader and the replay; and files that were damaged on the way.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ducktrack_heap_replay::HeapKnowledge;
use ducktrack_test_support::naive_vm::{
    Kind, NaiveVm, Step, THREADS, hand_over, heap_classes, names,
};
use ducktrack_test_support::replay_files;
use ducktrack_trace_format::{End, SiteFacts};
use ducktrack_trace_writer::{CompressStrategy, EventHost, EventLog, EventOptions, FlushOutcome};
use proptest::prelude::*;

use crate::comparison::check_heaps;
use crate::program::{cases, programs};
use crate::replaying::{Replayed, all_questions};

/// A few collections fill it.
const MAX_TRACE_SIZE: u64 = 6_000;

struct Host;

impl EventHost for Host {
    fn want_collection(&self) {}

    fn say(&self, _line: &str) {}
}

/// Writes what the machine did, as an agent would.
fn write(vm: &NaiveVm, directory: &Path, options: EventOptions) {
    let facts: Arc<dyn SiteFacts + Send + Sync> = Arc::new(names(THREADS).1);
    let log = EventLog::start(directory, options, facts, Box::new(()), Arc::new(Host)).unwrap();
    log.classes(heap_classes().into());
    for piece in &vm.pieces {
        assert_eq!(hand_over(&log, piece, &vm.survivors), FlushOutcome::Taken);
    }
    log.finish(End {
        unix_millis: 1,
        cause: "exit".into(),
        losses: Vec::new(),
    });
}

fn read(vm: &NaiveVm, directory: &Path) -> Replayed {
    read_keeping(vm, directory, usize::MAX)
}

fn read_keeping(vm: &NaiveVm, directory: &Path, kept: usize) -> Replayed {
    replay_files(directory, names(THREADS), all_questions(vm.epoch), 2, kept).into()
}

fn options(compress: CompressStrategy) -> EventOptions {
    EventOptions {
        compress,
        queue_length: 1 << 20,
        ..EventOptions::default()
    }
}

/// Programs without objects whose address is not told: which of several alike the writer finds, is its own business.
fn told(mut program: Vec<Step>) -> Vec<Step> {
    for step in &mut program {
        if let Step::Outside { told, .. } = step {
            *told = true;
        }
    }
    program
}

fn event_files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn what_the_event_log_writes_is_what_happened(program in programs(), packed: bool, kept in prop_oneof![Just(0), Just(300), Just(usize::MAX)]) {
        let vm = NaiveVm::run(&told(program));
        let directory = tempfile::tempdir().unwrap();
        let compress = if packed { CompressStrategy::Full } else { CompressStrategy::Off };
        write(&vm, directory.path(), options(compress));
        let model = read_keeping(&vm, directory.path(), kept);
        check_heaps(&vm, &model, 0);
        prop_assert_eq!(model.info.unexplained_survivors, 0);
        prop_assert!(model.info.damage.is_empty(), "{:?}", model.info.damage);
    }

    /// Small files, so that many are rotated away: what is left answers for all later heaps.
    #[test]
    fn rotated_files(program in prop::collection::vec(programs(), 3..6)) {
        let vm = NaiveVm::run(&told(program.into_iter().flatten().collect()));
        let directory = tempfile::tempdir().unwrap();
        let options = EventOptions {
            max_trace_size: Some(MAX_TRACE_SIZE),
            max_deviation: 0.3,
            ..options(CompressStrategy::Off)
        };
        write(&vm, directory.path(), options);
        let model = read(&vm, directory.path());
        prop_assert!(model.info.damage.is_empty(), "{:?}", model.info.damage);
        prop_assert!(model.info.rotations.iter().all(|rotation| rotation.differences.unwrap_or(0) == 0), "{:?}", model.info.rotations);
        prop_assert_eq!(model.info.unexplained_survivors, 0);
        if let Some(first) = model.info.rotations.first() && first.differences.is_none() {
            check_heaps(&vm, &model, first.collection as usize - 1);
        } else {
            check_heaps(&vm, &model, 0);
        }
    }

    /// Bytes are changed, cut off, doubled, files are removed: there is always a result that names the damage.
    #[test]
    fn damaged_files(program in programs(), faults in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..5, any::<prop::sample::Index>(), any::<u8>()), 1..5)) {
        let vm = NaiveVm::run(&told(program));
        let directory = tempfile::tempdir().unwrap();
        let options = EventOptions { max_trace_size: Some(MAX_TRACE_SIZE), max_deviation: 0.3, ..options(CompressStrategy::Full) };
        write(&vm, directory.path(), options);
        let mut changed = false;
        for (file, sort, at, value) in faults {
            let files = event_files(directory.path());
            if files.is_empty() {
                break;
            }
            let path = file.get(&files);
            let mut bytes = fs::read(path).unwrap();
            let at = at.index(bytes.len().max(1));
            match sort {
                0 => fs::remove_file(path).unwrap(),
                1 => fs::write(path, &bytes[..at.min(bytes.len())]).unwrap(),
                2 => {
                    let tail = bytes.split_off(at.min(bytes.len()));
                    bytes.extend([value; 9]);
                    bytes.extend(tail);
                    fs::write(path, bytes).unwrap();
                }
                _ => {
                    if let Some(byte) = bytes.get_mut(at) {
                        changed |= *byte != value;
                        *byte = value;
                    }
                    fs::write(path, bytes).unwrap();
                }
            }
            changed |= sort < 3;
        }
        let model = read(&vm, directory.path());
        let is_lost = matches!(model.info.knowledge, HeapKnowledge::Lost { .. } | HeapKnowledge::Never { .. });
        prop_assert!(!is_lost || model.heaps.last().unwrap().is_none());
        let is_whole = model.info.damage.is_empty() && !is_lost && model.info.rotations.iter().all(|rotation| rotation.differences.is_some());
        // A change that left everything as it was may go unnoticed: a file of nothing that was removed, say.
        if changed && is_whole && model.info.collections == vm.heaps.len() as u64 {
            check_heaps(&vm, &model, 0);
        }
    }
}

#[test]
fn the_oldest_of_many_files_are_gone_and_every_heap_since_is_known() {
    let mut program = Vec::new();
    for round in 0..60 {
        program.extend((0..40).map(|at| Step::Allocate {
            thread: at % THREADS,
            site: (at % 5) as usize,
            length: at,
        }));
        let kind = if round % 9 == 8 {
            Kind::Full
        } else {
            Kind::Young
        };
        program.push(Step::Collect {
            kind,
            chance: 4,
            straggler: None,
            sync: false,
        });
    }
    let vm = NaiveVm::run(&program);
    let directory = tempfile::tempdir().unwrap();
    let options = EventOptions {
        max_trace_size: Some(MAX_TRACE_SIZE),
        max_deviation: 0.3,
        ..options(CompressStrategy::Off)
    };
    write(&vm, directory.path(), options);
    let model = read(&vm, directory.path());
    let rotations = &model.info.rotations;
    assert!(
        rotations.len() >= 2 && rotations[0].file > 3,
        "{rotations:?}"
    );
    assert_eq!(rotations[0].differences, None);
    assert!(
        rotations[1..]
            .iter()
            .all(|rotation| rotation.differences == Some(0)),
        "{rotations:?}"
    );
    assert!(model.heaps[0].is_none() && model.heaps[60].is_some());
    check_heaps(&vm, &model, rotations[0].collection as usize - 1);
    // All objects of this program have a site.
    assert_eq!(model.info.quality(), Some(1.0));
}

#[test]
fn foreign_empty_and_newer_files_are_named() {
    let vm = NaiveVm::run(&[Step::Allocate {
        thread: 0,
        site: 0,
        length: 0,
    }]);
    let directory = tempfile::tempdir().unwrap();
    write(&vm, directory.path(), options(CompressStrategy::Off));
    let path = |index: u32| directory.path().join(format!("events-{index:08}.trace"));
    fs::write(path(1), b"").unwrap();
    fs::write(path(2), b"GIF89a, not a trace at all").unwrap();
    let mut newer = ducktrack_trace_format::FileHeader::current();
    newer.version += 1;
    fs::write(path(3), newer.encode()).unwrap();
    fs::write(directory.path().join("events-1.trace"), b"no such name").unwrap();
    let model = read(&vm, directory.path());
    assert_eq!(model.info.sums.events, 1);
    let reasons: Vec<String> = model
        .info
        .damage
        .iter()
        .map(|found| found.damage.to_string())
        .collect();
    assert_eq!(reasons.len(), 3, "{reasons:?}");
    assert!(
        reasons[0].contains("empty")
            && reasons[1].contains("not a ducktrack trace")
            && reasons[2].contains(&format!("format version {}", newer.version)),
        "{reasons:?}"
    );
}

#[test]
fn files_of_two_runs_are_not_mixed() {
    let program = [Step::Allocate {
        thread: 0,
        site: 0,
        length: 0,
    }];
    let vm = NaiveVm::run(&program);
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(
        &vm,
        one.path(),
        EventOptions {
            pid: 1,
            ..options(CompressStrategy::Off)
        },
    );
    write(
        &vm,
        other.path(),
        EventOptions {
            pid: 2,
            ..options(CompressStrategy::Off)
        },
    );
    fs::copy(
        other.path().join("events-00000000.trace"),
        one.path().join("events-00000001.trace"),
    )
    .unwrap();
    let model = read(&vm, one.path());
    assert_eq!(model.info.sums.events, 1);
    assert!(
        model.info.damage[0]
            .damage
            .to_string()
            .contains("another run"),
        "{:?}",
        model.info.damage
    );
}

#[test]
fn a_directory_without_events_is_empty_and_not_wrong() {
    let directory = tempfile::tempdir().unwrap();
    let vm = NaiveVm::run(&[]);
    let model = read(&vm, directory.path());
    assert_eq!((model.info.files.len(), model.info.damage.len()), (0, 0));
}
