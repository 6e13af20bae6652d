//! Cases with known answers.

use ducktrack_analyses::{HeapMoments, JudgedSpan, SurvivorRow, Survivors, SurvivorsBuilder};
use ducktrack_heap_replay::{CollectionNumber, HeapKnowledge, Moment};
use ducktrack_leaks::{History, Judgement, NotKnown, Verdict, judge};
use ducktrack_live_heap::Amount;
use ducktrack_trace_format::{
    CollectionKind, EventBlock, EventFile, EventWords, MovesLevel, SiteId,
};

use ducktrack_test_support::naive_vm::{Kind, NaiveVm, Piece, SITES, Step};

use crate::replaying::{replay, replay_all};

fn allocate(site: usize) -> Step {
    Step::Allocate {
        thread: 0,
        site,
        length: 0,
    }
}

fn young(chance: u32) -> Step {
    Step::Collect {
        kind: Kind::Young,
        chance,
        straggler: None,
        sync: false,
    }
}

#[test]
fn an_empty_trace() {
    let model = replay_all(&[], 0, 1);
    assert_eq!(model.info.sums.events, 0);
    assert_eq!(model.heaps, [None]);
    assert!(matches!(model.info.knowledge, HeapKnowledge::Never { .. }));
}

#[test]
fn a_program_without_a_collection_has_only_new_objects() {
    let vm = NaiveVm::run(&[allocate(0), allocate(1), allocate(0)]);
    let model = replay_all(&vm.pieces, 0, 1);
    let end = model.heaps[0].as_ref().unwrap();
    assert_eq!(
        end.total,
        Amount {
            count: 3,
            bytes: 72
        }
    );
    assert_eq!((end.not_yet_collected, end.collection), (end.total, None));
    assert_eq!(model.info.knowledge, HeapKnowledge::NoCollection);
    assert_eq!(model.lifetimes.total.not_yet_collected.count, 3);
}

#[test]
fn without_moves_there_are_allocations_and_collections_but_no_heap() {
    let mut vm = NaiveVm::run(&[allocate(0), young(8), allocate(1), young(8), allocate(2)]);
    for piece in &mut vm.pieces {
        match piece {
            Piece::File(header) => header.without_moves = true,
            Piece::Collection(collection, moves) => {
                collection.kind = CollectionKind::Other;
                collection.level = MovesLevel::Off;
                collection.counts = Default::default();
                moves.clear();
            }
            _ => {}
        }
    }
    let model = replay_all(&vm.pieces, 2, 2);
    assert!(
        matches!(&model.info.knowledge, HeapKnowledge::Never { reason } if reason.contains("not recorded"))
    );
    assert_eq!(model.heaps, [None, None, None]);
    let timeline = model.timeline;
    let allocated: Vec<u64> = timeline
        .points
        .iter()
        .map(|point| point.allocated.bytes)
        .collect();
    assert_eq!(allocated, [16, 40]);
    assert_eq!(
        timeline.allocated_after,
        Amount {
            count: 1,
            bytes: 16
        }
    );
    assert!(
        timeline
            .points
            .iter()
            .all(|point| point.live.is_none() && point.died.is_none())
    );
    let lifetimes = model.lifetimes;
    assert!(!lifetimes.known);
    assert_eq!(
        (lifetimes.total.allocated.count, lifetimes.total.dead()),
        (3, 0)
    );
    assert_eq!(model.info.level, "off");
    assert!(!model.survivors.known);
}

#[test]
fn a_fault_loses_the_heap_from_there_on() {
    let mut vm = NaiveVm::run(&[
        allocate(0),
        young(8),
        allocate(1),
        young(8),
        allocate(2),
        young(8),
    ]);
    let collections = vm.pieces.iter_mut().filter_map(|piece| match piece {
        Piece::Collection(collection, _) => Some(collection),
        _ => None,
    });
    collections.skip(1).take(1).for_each(|collection| {
        collection.fault = Some("a region does not parse".into());
    });
    let model = replay_all(&vm.pieces, 3, 1);
    assert!(model.heaps[0].is_some());
    assert_eq!(model.heaps[1..], [None, None, None]);
    let lost = HeapKnowledge::Lost {
        since: CollectionNumber(2),
        reason: "a region does not parse".into(),
    };
    assert_eq!(model.info.knowledge, lost);
}

#[test]
fn a_missing_collection_is_noticed() {
    let vm = NaiveVm::run(&[allocate(0), young(8), allocate(1), young(8), young(8)]);
    let mut pieces = vm.pieces;
    let second = pieces.iter().position(
        |piece| matches!(piece, Piece::Collection(collection, _) if collection.number == 2),
    );
    pieces.remove(second.unwrap());
    let model = replay_all(&pieces, 3, 1);
    assert!(matches!(
        model.info.knowledge,
        HeapKnowledge::Lost {
            since: CollectionNumber(3),
            ..
        }
    ));
}

#[test]
fn a_first_file_without_synchronization_point_that_is_not_the_first_of_the_run() {
    let header = EventFile {
        index: 4,
        epoch: 9,
        ..EventFile::default()
    };
    let model = replay_all(&[Piece::File(header)], 0, 1);
    assert!(
        matches!(&model.info.knowledge, HeapKnowledge::Never { reason } if reason.contains("missing"))
    );
}

/// What of each piece of the run stays, and the verdict on the row with most live bytes.
fn judged(program: &[Step]) -> (Survivors, Judgement) {
    let question = SurvivorsBuilder::new(JudgedSpan::default());
    let (_, survivors) = replay(&NaiveVm::run(program).pieces, question, 1);
    let first = survivors.rows.first().cloned().unwrap_or_default();
    let judged = judge(&survivors.clock, &SurvivorRow::default().history);
    let judged = match survivors.rows.is_empty() {
        true => judged,
        false => judge(&survivors.clock, &first.history),
    };
    (survivors, judged)
}

#[test]
fn a_leak_grows_and_a_cache_does_not() {
    let mut program = Vec::new();
    for round in 0..40 {
        program.extend((0..50).map(|_| allocate(0)));
        // Everything lives on, and the last collection looks at all of it.
        program.push(if round == 39 { full() } else { young(8) });
    }
    let (survivors, judgement) = judged(&program);
    assert!(survivors.known && survivors.is_at_look);
    assert_eq!(
        (judgement.verdict, survivors.live.objects),
        (Verdict::Leaks, 2_000)
    );
    // All that is allocated stays, and three callers share it.
    let rates = survivors
        .rows
        .iter()
        .map(|row| judge(&survivors.clock, &row.history).bytes_per_mb);
    let rate: f64 = rates.map(|rate| rate.value).sum();
    assert!((rate / 1_048_576.0 - 1.0).abs() < 0.01, "{rate}");

    let mut program = vec![allocate(1); 100];
    program.push(young(8));
    for _ in 0..40 {
        program.extend([allocate(0), young(0)]);
    }
    program.push(full());
    let (_, judgement) = judged(&program);
    assert!(!judgement.grows(), "{judgement:?}");
}

/// The events of one epoch are in order: its parts are cohorts.
#[test]
fn one_look_at_the_end_suffices() {
    let mut program = vec![allocate(0); 2_000];
    program.push(full());
    let (survivors, _) = judged(&program);
    assert_eq!((survivors.collections, survivors.live.objects), (1, 2_000));
    assert_eq!(
        judge(&survivors.clock, &all_rows(&survivors)).verdict,
        Verdict::Leaks
    );
    let cells = survivors.clock.cells();
    assert_eq!(cells.len(), 32);
    // As many bytes and objects in each, up to one object.
    let mean = survivors.live.bytes / 32;
    let off = cells.iter().map(|cell| cell.bytes.abs_diff(mean)).max();
    assert!(off <= Some(200), "{cells:?}");
    let sum = all_rows(&survivors);
    assert_eq!(sum.kept, sum.born);
    assert!(
        sum.kept
            .iter()
            .all(|kept| (61..=64).contains(&kept.objects)),
        "{sum:?}"
    );
    assert!(sum.unseen.iter().all(|undated| undated.is_zero()));
}

/// A thread may hand over all its events together while others allocate as much: then the times of its allocations are not known.
#[test]
fn threads_that_overtake_each_other_are_undated() {
    let both = |thread: u32| Step::Allocate {
        thread,
        site: 0,
        length: 0,
    };
    let mut program: Vec<Step> = (0..2_000).map(|at| both(at % 2)).collect();
    program.push(full());
    let (survivors, _) = judged(&program);
    let sum = all_rows(&survivors);
    assert_eq!(sum.unseen, sum.kept);
    let judgement = judge(&survivors.clock, &sum);
    assert_eq!(judgement.verdict, Verdict::NotKnown(NotKnown::Unseen));
}

fn all_rows(survivors: &Survivors) -> History {
    let mut sum = History::default();
    survivors.rows.iter().for_each(|row| sum.add(&row.history));
    sum
}

fn full() -> Step {
    Step::Collect {
        kind: Kind::Full,
        chance: 8,
        straggler: None,
        sync: false,
    }
}

/// Young collections say nothing of the old space: what rises there may be dead.
#[test]
fn what_no_collection_has_looked_at_is_not_said_to_grow() {
    let mut program = Vec::new();
    for _ in 0..40 {
        program.extend((0..50).map(|_| allocate(0)));
        program.push(young(8));
    }
    let (survivors, judgement) = judged(&program);
    assert_eq!(judgement.verdict, Verdict::NotKnown(NotKnown::Unseen));
    assert_eq!(survivors.look, None);

    // The same, and a full collection finds all of it dead: nobody knows since when.
    program.push(Step::Collect {
        kind: Kind::Full,
        chance: 0,
        straggler: None,
        sync: false,
    });
    let (survivors, judgement) = judged(&program);
    assert_ne!(judgement.verdict, Verdict::Leaks);
    assert_eq!(survivors.look.map(|look| look.collection.0), Some(41));

    // Seen alive before: it grew until the program dropped it at its end.
    let at = program.len() - 1 - 6 * 51;
    program.insert(at, full());
    let (_, judgement) = judged(&program);
    assert!(
        judgement.released && judgement.verdict == Verdict::Leaks,
        "{judgement:?}"
    );
}

/// The bytes allocated since the last look are known; how many of them are alive, as far as young collections know.
#[test]
fn what_came_after_the_last_look_is_not_judged() {
    let mut program = Vec::new();
    for round in 0..40 {
        program.extend((0..50).map(|_| allocate(0)));
        // Up to the middle all dies, and then nothing does.
        program.push(match round {
            24 => full(),
            0..24 => young(0),
            _ => young(8),
        });
    }
    let (survivors, judgement) = judged(&program);
    assert!(survivors.is_at_look && !judgement.may_leak());
    let bytes = survivors.clock.bytes();
    let share = survivors.allocated_after as f64 / bytes as f64;
    assert!((0.5..0.7).contains(&share), "{share}");
    // All but the cell of the look.
    let alive = survivors.alive_since_look as f64 / survivors.allocated_after as f64;
    assert!((0.9..=1.0).contains(&alive), "{alive}");
}

/// A pause of a concurrent cycle does not look at new objects: what was
/// allocated before it is counted with the next collection, and so is the time.
#[test]
fn the_rate_after_a_cleanup_pause_is_that_of_all_the_time() {
    let cleanup = Step::Collect {
        kind: Kind::Cleanup,
        chance: 8,
        straggler: None,
        sync: false,
    };
    let mut program = vec![young(8)];
    program.extend(vec![allocate(0); 100]);
    program.push(young(8));
    program.extend(vec![allocate(0); 100]);
    program.extend([cleanup.clone(), cleanup, young(8)]);
    let vm = NaiveVm::run(&program);
    let timeline = replay_all(&vm.pieces, vm.epoch, 1).timeline;
    let points = timeline.points;
    let rates: Vec<_> = points
        .iter()
        .map(|point| point.bytes_per_second())
        .collect();
    let times: Vec<_> = points.iter().map(|point| point.mutator_micros).collect();
    assert_eq!((times[2], times[3]), (0, 0), "the pauses of the cycle");
    assert_eq!(times[4], 3 * times[1]);
    let usual = rates[1].unwrap();
    assert!(
        (rates[4].unwrap() * 3.0 - usual).abs() < 1e-6 * usual,
        "{rates:?}"
    );
    assert_eq!((rates[2], rates[3]), (None, None));
}

#[test]
fn a_leak_is_one_before_and_after_a_gap() {
    let mut program = Vec::new();
    for round in 0..60 {
        program.extend((0..50).map(|_| allocate(0)));
        if round == 30 {
            program.push(Step::LoseHeap);
        }
        let is_full = [29, 31, 59].contains(&round);
        program.push(if is_full { full() } else { young(8) });
    }
    let vm = NaiveVm::run(&program);
    let model = replay_all(&vm.pieces, vm.epoch, 1);
    let survivors = model.survivors;
    assert!(survivors.known);
    // What is older has lost its site.
    let of_site = survivors.rows.iter().find(|row| row.site.is_some());
    let judgement = judge(&survivors.clock, &of_site.unwrap().history);
    assert_eq!(judgement.verdict, Verdict::Leaks);
    let total = model.lifetimes.total;
    // Born in the epochs that ended in the gap, or alive when it began.
    assert_eq!(total.unknown_fate.count, 32 * 50);
    assert_eq!((total.alive.count, total.dead()), (28 * 50, 0));
}

#[test]
fn a_collection_that_the_trace_does_not_have_has_no_heap() {
    let vm = NaiveVm::run(&[allocate(0), young(8)]);
    let moments = [7, 1].map(|number| Moment::After(CollectionNumber(number)));
    let (_, heaps) = replay(&vm.pieces, HeapMoments::new(moments.to_vec()), 1);
    assert!(heaps[0].is_none() && heaps[1].is_some());
}

#[test]
fn quality_is_the_share_of_objects_with_a_site() {
    let program = [
        allocate(0),
        Step::Internal {
            thread: 0,
            units: 4,
        },
        allocate(1),
        Step::Collect {
            kind: Kind::Young,
            chance: 8,
            straggler: None,
            sync: true,
        },
        allocate(1),
        young(8),
    ];
    let vm = NaiveVm::run(&program);
    let start = vm
        .pieces
        .iter()
        .rposition(|piece| matches!(piece, Piece::File(_)))
        .unwrap();
    for (pieces, differences) in [(&vm.pieces[..], Some(0)), (&vm.pieces[start..], None)] {
        let info = replay(pieces, (), 1).0.info;
        let rotation = &info.rotations[0];
        assert_eq!((rotation.differences, rotation.objects), (differences, 3));
        let quality: Vec<(u64, u64)> = rotation
            .quality
            .iter()
            .map(|quality| (quality.with_site, quality.objects))
            .collect();
        assert_eq!(quality, [(2, 3), (3, 4)]);
        assert_eq!(info.quality(), Some(2.0 / 3.0));
    }
}

/// Sums of what a damaged file says stop at the limit.
#[test]
fn sizes_near_the_limit_of_numbers() {
    let mut vm = NaiveVm::run(&[allocate(0), young(8), allocate(0), young(8), allocate(0)]);
    let bytes = u64::MAX - 7;
    for piece in &mut vm.pieces {
        if let Piece::Events(content) = piece {
            let mut hostile = Vec::new();
            EventBlock::decode(content)
                .unwrap()
                .header
                .encode(&mut hostile);
            let mut words = EventWords::new();
            for (call_site, end) in [(0, 0), (0, 64), (1, 64), (2, 128)] {
                if call_site > 0 {
                    words = words.caller(call_site);
                }
                words = words.array(SiteId(SITES[0].0), bytes, end);
            }
            hostile.extend(words.into_bytes());
            *content = hostile;
        }
    }
    let model = replay_all(&vm.pieces, 2, 1);
    assert_eq!(
        (model.info.sums.events, model.info.sums.allocated.bytes),
        (12, u64::MAX)
    );
    let lives = model.lifetimes.total;
    assert_eq!((lives.died[0], lives.died_bytes[0]), (8, u64::MAX));
}
