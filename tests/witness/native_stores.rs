//! `mode=full`: references that native code stores through JNI are updates like others. The program
//! is `tests/witness/NativeStores.java`: it lists them, and the trace must have these and no others.

use std::collections::BTreeMap;
use std::path::Path;

use ducktrack_tests::{
    Jdk, ObjectNumber, ObjectUpdate, TracedRun, checked, compiled, native_library, skipped,
    traced_jdks, traced_objects, traced_updates,
};

const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
/// As in the program.
const ROUNDS: usize = 300;

/// The objects of a type, in the order of birth.
fn objects(trace: &Path, ty: &str) -> Vec<ObjectNumber> {
    traced_objects(trace, ty).into_keys().collect()
}

fn check(jdk: &Jdk, collector: &str, programs: &Path, library: &Path) -> usize {
    let run = TracedRun::new(jdk, collector);
    let mut command = run.command("mode=full", &[programs]);
    command.args(["-Xmx64m", "-Xmn3m", "-Xverify:all", collector]);
    run.finish(command.arg("NativeStores").arg(library));
    let (trace, name) = (run.trace(), run.name());
    let values = objects(&trace, "NativeStores$Value");
    assert_eq!(values.len(), ROUNDS, "{name}");
    let number: BTreeMap<ObjectNumber, usize> = values.iter().copied().zip(0..).collect();
    let cell = objects(&trace, "NativeStores$Cell")[0];

    let all = traced_updates(&trace);
    let of_values = all.iter().filter(|update| number.contains_key(&update.new));
    let mut by_source: BTreeMap<ObjectNumber, Vec<&ObjectUpdate>> = BTreeMap::new();
    for update in of_values {
        by_source.entry(update.source).or_default().push(update);
    }
    let numbers = |updates: &[&ObjectUpdate]| -> Vec<usize> {
        updates.iter().map(|update| number[&update.new]).collect()
    };
    let all_rounds: Vec<usize> = (0..ROUNDS).collect();
    let before = |updates: &[&ObjectUpdate], at: usize| {
        at.checked_sub(1).map_or(0, |before| updates[before].new)
    };

    let into_cell = by_source.remove(&cell).unwrap_or_default();
    assert_eq!(numbers(&into_cell), all_rounds, "{name}: the field");
    for (at, update) in into_cell.iter().enumerate() {
        assert_eq!(
            update.old,
            before(&into_cell, at),
            "{name}: the field, {at}"
        );
        assert_eq!(update.slot, into_cell[0].slot, "{name}: the field, {at}");
    }
    let into_class = by_source.remove(&0).unwrap_or_default();
    assert_eq!(numbers(&into_class), all_rounds, "{name}: the static field");
    for (at, update) in into_class.iter().enumerate() {
        assert_eq!(update.old, before(&into_class, at), "{name}: static, {at}");
    }
    let is_long = |(_, updates): &(&ObjectNumber, &Vec<&ObjectUpdate>)| updates.len() > 3;
    let array = *by_source.iter().find(is_long).expect("the array").0;
    let into_array = by_source.remove(&array).unwrap_or_default();
    assert_eq!(numbers(&into_array), all_rounds, "{name}: the array");
    for (at, update) in into_array.iter().enumerate() {
        let old = at.checked_sub(8).map_or(0, |before| values[before]);
        let slot = into_array[0].slot + (at % 8) as u64 * (into_array[1].slot - into_array[0].slot);
        assert_eq!(
            (update.old, update.slot),
            (old, slot),
            "{name}: element, {at}"
        );
    }
    assert_eq!(by_source.len(), ROUNDS, "{name}: arrays that were filled");
    let filled = by_source.values().flat_map(|updates| numbers(updates));
    let expected: Vec<usize> = (0..ROUNDS).flat_map(|round| [round; 3]).collect();
    let mut filled: Vec<usize> = filled.collect();
    filled.sort_unstable();
    assert_eq!(filled, expected, "{name}: arrays that were filled");
    all.len()
}

#[test]
fn stores_of_native_code_are_updates() {
    let programs = compiled(&["NativeStores"], 17);
    let Some(library) = native_library(programs.path(), "native_stores") else {
        return skipped("no JDK has jni.h");
    };
    let (mut runs, mut stores) = (0, 0);
    for jdk in &traced_jdks() {
        for collector in COLLECTORS {
            check(jdk, collector, programs.path(), &library);
            runs += 1;
            stores += ROUNDS * 6;
        }
    }
    checked(&format!("{runs} runs, {stores} stores of native code"));
}
