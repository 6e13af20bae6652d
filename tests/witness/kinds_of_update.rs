//! `mode=full`: each way in which Java code can overwrite a reference is an update, with its source, its old and
//! its new target: fields, elements and static fields set by bytecode, reflection, method handles, `VarHandle`,
//! field updaters and `Unsafe`; copies; deserialization. The program is `tests/witness/KindsOfUpdate.java`.
//! (What collections do to identities is the matter of `update_identities`; here is none before the end.)

use std::collections::BTreeMap;
use std::path::Path;

use ducktrack_tests::{
    Jdk, ObjectNumber, ObjectUpdate, TracedRun, checked, compiled, is_full_run, traced_jdks,
    traced_objects, traced_updates,
};

const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
const ENGINES: [&str; 3] = ["-Xint", "-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation"];
const VALUE: &str = "KindsOfUpdate$Value";
/// Types with one object each. Its field takes one value after the other.
const CELLS: [&str; 19] = [
    "PutField",
    "ByReflection",
    "BySetter",
    "VarHandleSet",
    "VarHandleVolatile",
    "VarHandleRelease",
    "VarHandleOpaque",
    "CompareAndSet",
    "CompareAndExchange",
    "WeakCompareAndSet",
    "GetAndSet",
    "UpdaterSet",
    "UpdaterLazySet",
    "UpdaterCompareAndSet",
    "UpdaterGetAndSet",
    "UnsafePut",
    "UnsafePutVolatile",
    "UnsafePutOrdered",
    "UnsafeCompareAndSwap",
];
/// Arrays of one element that takes one value after the other: `aastore`, two
/// ways of `VarHandle`, `Array.set`, `Arrays.fill` and `System.arraycopy`.
const ARRAYS: usize = 6;
/// Arrays that are made in each round and hold the round's value only: two by an initializer, those of `clone`, `copyOf` and `copyOfRange`.
const NEW_ARRAYS: usize = 5;
/// `putstatic`. Reflection and `VarHandle` store a static field's value into the mirror of the class,
/// which is no object of the stream: then only the old target is named, as reachable until then.
const STATICS: usize = 1;
/// A type of objects that hold the value of the round that made them, and how many each round makes.
const CLONED: (&str, usize) = ("Cloned", 2);

/// The updates of each source whose new target is a value of the program's rounds.
struct Stored {
    /// Values in the order of the rounds.
    values: Vec<ObjectNumber>,
    by_source: BTreeMap<ObjectNumber, Vec<ObjectUpdate>>,
    types: BTreeMap<ObjectNumber, String>,
}

impl Stored {
    fn read(trace: &Path, rounds: usize) -> Self {
        let types = traced_objects(trace, "KindsOfUpdate*");
        let values = types.iter().filter(|(_, ty)| *ty == VALUE);
        // The first is the one that is serialized; a round makes one, and then reads one.
        let values: Vec<ObjectNumber> = values
            .skip(1)
            .map(|(object, _)| *object)
            .step_by(2)
            .collect();
        assert_eq!(values.len(), rounds, "values");
        let mut by_source: BTreeMap<_, Vec<ObjectUpdate>> = BTreeMap::new();
        for update in traced_updates(trace) {
            if values.binary_search(&update.new).is_ok() {
                by_source.entry(update.source).or_default().push(update);
            }
        }
        Self {
            values,
            by_source,
            types,
        }
    }

    fn of_type(&self, ty: &str) -> Vec<ObjectNumber> {
        let ty = format!("KindsOfUpdate${ty}");
        let fitting = self.types.iter().filter(|(_, of)| **of == ty);
        fitting.map(|(object, _)| *object).collect()
    }

    fn take(&mut self, source: ObjectNumber) -> Vec<ObjectUpdate> {
        self.by_source.remove(&source).unwrap_or_default()
    }

    /// The slot takes the values one after the other.
    fn is_sequence(&self, updates: &[ObjectUpdate]) -> bool {
        let before = [&[0], &self.values[..self.values.len() - 1]].concat();
        let slot = updates.first().map(|update| update.slot);
        updates.len() == self.values.len()
            && updates
                .iter()
                .zip(&self.values)
                .zip(before)
                .all(|((update, now), before)| {
                    update.new == *now && update.old == before && Some(update.slot) == slot
                })
    }
}

/// Each array by number, how many updates it has, and the first of them.
fn shown(arrays: &[(ObjectNumber, Vec<ObjectUpdate>)]) -> String {
    let shown = arrays.iter().map(|(array, updates)| {
        let first = &updates[..updates.len().min(4)];
        format!("\n  array {array}: {} updates: {first:?}", updates.len())
    });
    shown.collect()
}

fn check(jdk: &Jdk, options: &[&str], programs: &Path) -> usize {
    let rounds = if options.contains(&"-Xint") {
        100
    } else {
        1000
    };
    let run = TracedRun::new(jdk, &options.join(" "));
    let mut command = run.command("mode=full,calls=off", &[programs]);
    command
        .args(["-Xmx128m", "-Xmn64m", "-Xverify:all"])
        .arg(format!("-Drounds={rounds}"))
        .args(options);
    run.finish(command.arg("KindsOfUpdate"));
    let name = run.name();
    let mut stored = Stored::read(&run.trace(), rounds);

    for cell in CELLS {
        let cells = stored.of_type(cell);
        assert_eq!(cells.len(), 1, "{name}: {cell}");
        let updates = stored.take(cells[0]);
        assert!(
            stored.is_sequence(&updates),
            "{name}: {cell}: {} updates, {:?}",
            updates.len(),
            &updates[..updates.len().min(4)]
        );
    }
    let cloned = stored.of_type(CLONED.0);
    assert_eq!(cloned.len(), CLONED.1 * rounds, "{name}: clones");
    for (number, object) in cloned.into_iter().enumerate() {
        let updates = stored.take(object);
        let new = stored.values[number / CLONED.1];
        assert!(
            matches!(&*updates, [ObjectUpdate { old: 0, new: only, .. }] if *only == new),
            "{name}: clone {number}: {updates:?}"
        );
    }
    let in_statics = stored.take(0);
    let mut slots: BTreeMap<u64, Vec<ObjectUpdate>> = BTreeMap::new();
    for update in in_statics {
        slots.entry(update.slot).or_default().push(update);
    }
    assert_eq!(slots.len(), STATICS, "{name}: static fields");
    for (slot, updates) in &slots {
        assert!(stored.is_sequence(updates), "{name}: static field {slot}");
    }
    let arrays = stored.of_type("Value[]");
    let all = arrays.into_iter().map(|array| (array, stored.take(array)));
    let (new, long): (Vec<_>, Vec<_>) = all.partition(|(_, updates)| updates.len() == 1);
    assert_eq!(
        long.len(),
        ARRAYS,
        "{name}: arrays that are overwritten: {}",
        shown(&long)
    );
    for array in &long {
        let is_right = stored.is_sequence(&array.1);
        assert!(is_right, "{name}: {}", shown(std::slice::from_ref(array)));
    }
    assert_eq!(new.len(), NEW_ARRAYS * rounds, "{name}: new arrays");
    let wrong: Vec<_> = new
        .into_iter()
        .filter(|(_, updates)| updates[0].old != 0)
        .collect();
    assert!(wrong.is_empty(), "{name}: new arrays: {}", shown(&wrong));

    deserialized(&run.trace(), rounds, name);
    (CELLS.len() + ARRAYS + NEW_ARRAYS + CLONED.1 + STATICS + 1) * rounds
}

/// Objects that deserialization makes hold those that it read just before.
fn deserialized(trace: &Path, rounds: usize, name: &str) {
    let types = traced_objects(trace, "KindsOfUpdate*");
    let of = |ty: &str| -> Vec<ObjectNumber> {
        let fitting = types.iter().filter(|(_, of)| *of == ty);
        fitting.map(|(object, _)| *object).collect()
    };
    let read: Vec<ObjectNumber> = of(VALUE).into_iter().skip(2).step_by(2).collect();
    // The first is the one that was written.
    let holders = of("KindsOfUpdate$Deserialized").split_off(1);
    assert_eq!((read.len(), holders.len()), (rounds, rounds), "{name}");
    let updates = traced_updates(trace);
    let holds: BTreeMap<ObjectNumber, ObjectNumber> = updates
        .iter()
        .map(|update| (update.source, update.new))
        .collect();
    for (holder, value) in holders.iter().zip(&read) {
        assert_eq!(holds.get(holder), Some(value), "{name}: deserialized");
    }
}

#[test]
fn every_way_to_overwrite_a_reference_is_an_update() {
    let programs = compiled(&["KindsOfUpdate"], 17);
    let (mut runs, mut updates) = (0, 0);
    for (number, jdk) in traced_jdks().iter().enumerate() {
        for (at, collector) in COLLECTORS.iter().enumerate() {
            for (engine, option) in ENGINES.iter().enumerate() {
                // Each JDK with each collector once, each with another engine.
                if engine == (at + number) % ENGINES.len() && at == number || is_full_run() {
                    updates += check(jdk, &[collector, option], programs.path());
                    runs += 1;
                }
            }
        }
    }
    assert!(runs > 0, "no JDK");
    checked(&format!("{runs} runs, {updates} updates in 34 ways"));
}
