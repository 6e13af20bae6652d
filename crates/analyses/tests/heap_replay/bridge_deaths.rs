//! Deaths from a trace of several threads equal brute-force reachability, object by object, at levels `deaths` and `full`.
//!
//! ```text
//! random steps ─> machine ─┬─ words, stamps, moves ─> bridge ─> Merlin ─> deaths
//!                          └─ every state of its heap ─> brute force ─> deaths
//! ```

mod machine;
mod states;
mod trace;

use std::collections::BTreeMap;

use ducktrack_merlin::{Contradictions, Level, Merlin};
use proptest::prelude::*;

use machine::{Machine, Operation, Step};
use trace::Part;

fn operation() -> impl Strategy<Value = Operation> {
    let local = 0..3_usize;
    let slot = 0..3_u32;
    let target = prop::option::weighted(0.7, 0..3_usize);
    prop_oneof![
        5 => local.clone().prop_map(|local| Operation::New { local }),
        5 => (local.clone(), slot.clone(), target.clone()).prop_map(|(source, slot, target)| Operation::Put { source, slot, target }),
        3 => (slot.clone(), target).prop_map(|(slot, target)| Operation::PutGlobal { slot, target }),
        3 => (local.clone(), local.clone(), slot.clone()).prop_map(|(local, source, slot)| Operation::Get { local, source, slot }),
        2 => (local.clone(), slot).prop_map(|(local, slot)| Operation::GetGlobal { local, slot }),
        2 => local.clone().prop_map(|local| Operation::Use { local }),
        2 => local.prop_map(|local| Operation::Drop { local }),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        12 => (0..3_usize, operation()).prop_map(|(thread, operation)| Step::Run { thread, operation }),
        1 => any::<bool>().prop_map(|full| Step::Collect { full }),
        1 => (0..3_usize).prop_map(|thread| Step::Flush { thread }),
    ];
    prop::collection::vec(step, 1..120)
}

/// The death of each object, by number, and what else Merlin says.
fn check(steps: &[Step], level: Level) -> Result<(), TestCaseError> {
    let machine = Machine::run(steps, level);
    let (mut merlin, mut fates) = (Merlin::default(), Vec::new());
    let mut bridge = trace::bridge();
    for part in &machine.trace {
        let mut hand = |records: Vec<_>| {
            for record in &records {
                merlin.apply(record, &mut fates);
            }
        };
        match part {
            Part::Piece(content) => bridge.queue(content).expect("a head"),
            Part::Collection {
                stamps,
                collection,
                runs,
            } => {
                for content in stamps {
                    let kind = ducktrack_trace_format::BlockKind::STAMPS;
                    bridge.extension(kind, content.clone()).expect("stamps");
                }
                let taken = bridge.collection(collection, runs, true, &mut hand);
                taken.expect("a possible collection");
            }
        }
    }
    bridge.end(&mut |records| {
        for record in &records {
            merlin.apply(record, &mut fates);
        }
    });
    let losses = bridge.losses();
    prop_assert_eq!(
        (
            losses.unplaced,
            losses.damaged_buffers,
            losses.unknown_references
        ),
        (0, 0, 0)
    );
    let totals = merlin.finish(&mut fates);
    prop_assert_eq!(totals.contradictions, Contradictions::default());
    prop_assert_eq!((totals.unseen_updates, totals.unstamped), (0, 0));
    let deaths = fates
        .iter()
        .map(|fate| (fate.object.get(), fate.unreachable.map(|at| at.time)));
    let found: BTreeMap<u64, Option<u64>> = deaths.collect();
    let mut expected = machine.deaths_by_brute_force();
    expected.retain(|object, _| found.contains_key(object));
    let expected: BTreeMap<u64, Option<u64>> = expected
        .into_iter()
        .map(|(object, at)| (object, Some(at)))
        .collect();
    prop_assert_eq!(found.len() as u64, machine.objects());
    prop_assert_eq!(found, expected);
    for fate in &fates {
        prop_assert_eq!(fate.born.time, machine.born(fate.object.get()));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn deaths_of_threads_are_those_of_brute_force(steps in steps()) {
        check(&steps, Level::Full)?;
        check(&steps, Level::Deaths)?;
    }
}
