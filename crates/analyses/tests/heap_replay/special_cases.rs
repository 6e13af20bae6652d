//! Cases with known answers.

use ducktrack_analyses::{GrowthSubject, GrowthVerdict, Questions};
use ducktrack_heap_replay::{CollectionNumber, HeapKnowledge, Moment};
use ducktrack_live_heap::Amount;
use ducktrack_trace_format::{
    CollectionKind, EventBlock, EventFile, EventWords, MovesLevel, SiteId,
};

use crate::naive_object::Piece;
use crate::naive_vm::NaiveVm;
use crate::program::{Kind, Step};
use crate::replaying::{all_questions, replay};
use crate::trace_names::SITES;

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
    let model = replay(&[], &all_questions(0), 1);
    assert_eq!(model.info.events, 0);
    assert_eq!(model.heap_at, [None]);
    assert!(matches!(model.info.knowledge, HeapKnowledge::Never { .. }));
}

#[test]
fn a_program_without_a_collection_has_only_new_objects() {
    let vm = NaiveVm::run(&[allocate(0), allocate(1), allocate(0)]);
    let model = replay(&vm.pieces, &all_questions(0), 1);
    let end = model.heap_at[0].as_ref().unwrap();
    assert_eq!(
        end.total,
        Amount {
            count: 3,
            bytes: 72
        }
    );
    assert_eq!((end.not_yet_collected, end.collection), (end.total, None));
    assert_eq!(model.info.knowledge, HeapKnowledge::NoCollection);
    assert_eq!(model.lifetimes.unwrap().total.not_yet_collected.count, 3);
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
    let model = replay(&vm.pieces, &all_questions(2), 2);
    assert!(
        matches!(&model.info.knowledge, HeapKnowledge::Never { reason } if reason.contains("not recorded"))
    );
    assert_eq!(model.heap_at, [None, None, None]);
    let timeline = model.timeline.unwrap();
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
    let lifetimes = model.lifetimes.unwrap();
    assert!(!lifetimes.known);
    assert_eq!(
        (lifetimes.total.allocated.count, lifetimes.total.dead()),
        (3, 0)
    );
    assert_eq!(model.info.level, "off");
    assert!(!model.growth.unwrap().known);
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
    let model = replay(&vm.pieces, &all_questions(3), 1);
    assert!(model.heap_at[0].is_some());
    assert_eq!(model.heap_at[1..], [None, None, None]);
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
    let model = replay(&pieces, &all_questions(3), 1);
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
    let model = replay(&[Piece::File(header)], &all_questions(0), 1);
    assert!(
        matches!(&model.info.knowledge, HeapKnowledge::Never { reason } if reason.contains("missing"))
    );
}

#[test]
fn a_leak_grows_and_a_cache_does_not() {
    let mut program = Vec::new();
    for round in 0..40 {
        program.extend((0..50).map(|_| allocate(0)));
        // Everything lives on, and the last collection looks at all of it.
        program.push(if round == 39 { full() } else { young(8) });
    }
    let vm = NaiveVm::run(&program);
    let questions = Questions {
        growth: true,
        ..Questions::default()
    };
    let growth = replay(&vm.pieces, &questions, 1).growth.unwrap();
    assert!(growth.known);
    let row = &growth.rows[0];
    assert_eq!(
        (row.judged.verdict, row.live.count),
        (GrowthVerdict::Growing, 2_000)
    );
    assert!(
        (row.judged.slope_count - 50.0).abs() < 1e-6
            && (row.judged.slope_bytes - 800.0).abs() < 1e-3,
        "{row:?}"
    );
    assert!(
        growth
            .rows
            .iter()
            .any(|row| row.subject == GrowthSubject::Type(Some("La/Small;".into())))
    );

    let mut program = vec![allocate(1); 100];
    program.push(young(8));
    program.extend((0..40).flat_map(|_| [young(8)]));
    let growth = replay(&NaiveVm::run(&program).pieces, &questions, 1)
        .growth
        .unwrap();
    assert!(
        growth
            .rows
            .iter()
            .all(|row| row.judged.verdict == GrowthVerdict::Bounded),
        "{growth:?}"
    );
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
    let growth_of = |program: &[Step]| {
        let vm = NaiveVm::run(program);
        let model = replay(&vm.pieces, &all_questions(vm.epoch), 1);
        model.growth.unwrap()
    };
    let growth = growth_of(&program);
    let row = &growth.rows[0].judged;
    assert_eq!((row.verdict, row.may_grow), (GrowthVerdict::Unknown, true));
    assert_eq!(growth.last_look, None);
    assert!(growth.rows[0].unseen.count > 1_000 && growth.groups.is_empty());

    // The same, and a full collection finds all of it dead: it never grew.
    program.push(Step::Collect {
        kind: Kind::Full,
        chance: 0,
        straggler: None,
        sync: false,
    });
    let growth = growth_of(&program);
    let verdicts = growth.rows.iter().map(|row| row.judged.verdict);
    assert!(
        !verdicts
            .into_iter()
            .any(|verdict| verdict == GrowthVerdict::Growing)
    );
    assert_eq!(growth.last_look.map(|look| look.collection.0), Some(41));

    // Seen alive before: it grew until the program dropped it at its end.
    program.insert(program.len() - 1, full());
    let growth = growth_of(&program);
    let row = &growth.rows[0].judged;
    assert_eq!(
        (row.verdict, row.dropped_after),
        (GrowthVerdict::Growing, Some(41))
    );
    assert_eq!(growth.groups, [vec![0]]);
}

/// A pause of a concurrent cycle does not look at new objects: what was allocated before it is counted with the next collection, and so is the time.
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
    let timeline = replay(&vm.pieces, &all_questions(vm.epoch), 1).timeline;
    let points = timeline.unwrap().points;
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
    let model = replay(&vm.pieces, &all_questions(vm.epoch), 1);
    let growth = model.growth.unwrap();
    let stretches = growth.stretches.iter();
    let stretches: Vec<_> = stretches.map(|one| (one.since.0, one.until.0)).collect();
    assert_eq!(
        (stretches, growth.collections),
        (vec![(0, 30), (32, 60)], 58)
    );
    let row = &growth.rows[0];
    assert_eq!(row.stretch, 1);
    for stretch in &row.stretches {
        assert_eq!(stretch.verdict, GrowthVerdict::Growing);
        assert!((stretch.slope_count - 50.0).abs() < 2.0, "{row:?}");
    }
    let total = model.lifetimes.unwrap().total;
    // Born in the epochs that ended in the gap, or alive when it began.
    assert_eq!(total.unknown_fate.count, 32 * 50);
    assert_eq!((total.alive.count, total.dead()), (28 * 50, 0));
}

#[test]
fn only_what_was_asked_for_is_answered() {
    let vm = NaiveVm::run(&[allocate(0), young(8)]);
    let questions = Questions {
        heap_at: vec![
            Moment::After(CollectionNumber(7)),
            Moment::After(CollectionNumber(1)),
        ],
        ..Questions::default()
    };
    let model = replay(&vm.pieces, &questions, 1);
    assert!(model.heap_at[0].is_none() && model.heap_at[1].is_some());
    assert!(model.lifetimes.is_none() && model.timeline.is_none() && model.growth.is_none());
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
        let info = replay(pieces, &Questions::default(), 1).info;
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
    let model = replay(&vm.pieces, &all_questions(2), 1);
    assert_eq!(
        (model.info.events, model.info.allocated.bytes),
        (12, u64::MAX)
    );
    let lives = model.lifetimes.unwrap().total;
    assert_eq!((lives.died[0], lives.died_bytes[0]), (8, u64::MAX));
}
