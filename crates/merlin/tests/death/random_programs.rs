//! Merlin equals brute-force reachability on every object of random programs.

use std::collections::BTreeMap;

use ducktrack_merlin::{
    Contradictions, ElephantForm, ElephantReader, ElephantWriter, Fate, Names, ObjectId,
    OracleReader, OracleWriter, Record, Time,
};
use proptest::prelude::*;

use crate::program::{Machine, Step};
use crate::replay::replay;
use crate::stamps_only::stamps_only;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let local = 0..4_usize;
    let slot = 0..4_u32;
    let target = prop::option::weighted(0.8, 0..4_usize);
    let step = prop_oneof![
        4 => (local.clone(), any::<u8>()).prop_map(|(local, bytes)| Step::New { local, bytes }),
        5 => (local.clone(), slot.clone(), target.clone()).prop_map(|(source, slot, target)| Step::Put { source, slot, target }),
        2 => (slot.clone(), target).prop_map(|(slot, target)| Step::PutGlobal { slot, target }),
        3 => (local.clone(), local.clone(), slot.clone()).prop_map(|(local, source, slot)| Step::Get { local, source, slot }),
        1 => (local.clone(), slot).prop_map(|(local, slot)| Step::GetGlobal { local, slot }),
        2 => local.clone().prop_map(|local| Step::Use { local }),
        1 => local.clone().prop_map(|local| Step::Call { local }),
        1 => local.clone().prop_map(|local| Step::Throw { local }),
        1 => local.clone().prop_map(|local| Step::Root { local }),
        2 => local.prop_map(|local| Step::Drop { local }),
        1 => (any::<bool>(), any::<u8>()).prop_map(|(complete, kept)| Step::Collect { complete, kept }),
    ];
    prop::collection::vec(step, 1..160)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn deaths_are_those_of_brute_force(steps in steps()) {
        let machine = Machine::run(&steps);
        let expected = machine.deaths_by_brute_force();
        let (fates, totals) = replay(&machine.records);
        let found: BTreeMap<_, _> = fates.iter().map(|fate| (fate.object, fate.unreachable.expect("all are dead").time)).collect();
        prop_assert_eq!(&found, &expected);
        prop_assert_eq!(fates.len(), machine.born.len());
        prop_assert_eq!(totals.contradictions, Contradictions::default());
        for fate in &fates {
            prop_assert_eq!(fate.born.time, machine.born[&fate.object]);
            prop_assert_eq!(fate.collected.expect("dead").time, machine.dead[&fate.object]);
        }

        let (fates, totals) = replay(&stamps_only(&machine));
        let found: BTreeMap<_, _> = fates.iter().map(|fate| (fate.object, fate.unreachable.expect("all are dead").time)).collect();
        prop_assert_eq!(&found, &expected);
        prop_assert_eq!(totals.contradictions, Contradictions::default());

        // The oracle has the deaths in allocations.
        let oracle = oracle(&machine.records, &fates);
        let again = through_the_oracle(&oracle);
        let (of_oracle, totals) = replay(&again);
        prop_assert_eq!(totals.contradictions, Contradictions::default());
        prop_assert_eq!(&self::oracle(&again, &of_oracle), &oracle);
        let in_allocations: BTreeMap<_, _> = fates.iter().map(|fate| (fate.object, fate.unreachable.expect("all are dead").bytes)).collect();
        let found: BTreeMap<_, _> = of_oracle.iter().map(|fate| (fate.object, fate.unreachable.expect("all are dead").bytes)).collect();
        prop_assert_eq!(&found, &in_allocations);
        prop_assert!(of_oracle.iter().all(|fate| fate.used.is_none()));

        // The text of Elephant Tracks 1 has all that deaths need.
        let again = through_elephant_tracks(&machine.records, &fates);
        let (fates, _) = replay(&again);
        let found: BTreeMap<_, _> = fates.iter().map(|fate| (fate.object, fate.unreachable.expect("all are dead").time)).collect();
        prop_assert_eq!(&found, &idealized(&machine));
    }
}

/// Written with its deaths, and read again.
fn through_elephant_tracks(records: &[Record], fates: &[Fate]) -> Vec<Record> {
    let deaths = fates.iter().map(|fate| {
        (
            fate.object,
            fate.unreachable.expect("all are dead").time,
            fate.thread,
        )
    });
    let mut writer = ElephantWriter::new(Vec::new(), ElephantForm::Et1, Names::default(), deaths);
    records
        .iter()
        .for_each(|record| writer.record(record).expect("memory"));
    let lines = String::from_utf8(writer.finish().expect("memory")).expect("text");
    let (mut reader, mut again) = (ElephantReader::new(ElephantForm::Et1), Vec::new());
    for line in lines.lines() {
        reader.line(line, &mut again).expect("our line");
    }
    reader.finish(&mut again);
    again
}

fn oracle(records: &[Record], fates: &[Fate]) -> String {
    let deaths = fates.iter().map(|fate| {
        let at = fate.unreachable.expect("all are dead").time;
        (fate.object, at, fate.thread)
    });
    let mut writer = OracleWriter::new(Vec::new(), Names::default(), deaths);
    records.iter().for_each(|record| writer.record(record));
    String::from_utf8(writer.finish().expect("memory")).expect("text")
}

fn through_the_oracle(oracle: &str) -> Vec<Record> {
    let (mut reader, mut records) = (OracleReader::default(), Vec::new());
    for line in oracle.lines() {
        reader.line(line, &mut records).expect("our row");
    }
    reader.finish(&mut records);
    records
}

/// Deaths without what complete collections tell: those are not in the text.
fn idealized(machine: &Machine) -> BTreeMap<ObjectId, Time> {
    let incomplete = machine.records.iter().map(|record| match record {
        Record::Collection { number, .. } => Record::Collection {
            number: *number,
            complete: false,
        },
        record => record.clone(),
    });
    let (fates, _) = replay(&incomplete.collect::<Vec<_>>());
    fates
        .iter()
        .map(|fate| (fate.object, fate.unreachable.expect("all are dead").time))
        .collect()
}
