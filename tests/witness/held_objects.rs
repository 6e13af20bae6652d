//! Holders of objects when a program ends (`roots=`), and that the objects alive then are those that can be reached from there.
//!
//! The program is `tests/witness/HeldObjects.java`, which lists at its top the holder of each object. The reader here follows
//! the updates of the trace on its own, in the text of Elephant Tracks, from the roots that `ducktrack lifetimes --roots` lists.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ducktrack_tests::{
    Jdk, ObjectNumber, TracedRun, Turns, checked, compiled, deaths_command, is_full_run,
    traced_jdks, traced_updates,
};

const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
/// Alive at the end: by type.
const ALIVE: [(&str, usize); 4] = [
    ("HeldObjects$Item", 7),
    ("HeldObjects$Item[]", 1),
    ("HeldObjects$Local", 1),
    ("HeldObjects$Node", 11),
];
/// Static fields and the types of what they hold.
const STATICS: [(&str, &str); 3] = [
    ("HeldObjects$Holder.only", "HeldObjects$Node"),
    ("HeldObjects.TABLE", "HeldObjects$Item[]"),
    ("HeldObjects.first", "HeldObjects$Node"),
];

/// The program's objects: by number, type and whether it is alive at the end.
fn objects(trace: &Path) -> BTreeMap<ObjectNumber, (String, bool)> {
    let (list, said) = deaths_command(trace, &["--objects", "--type", "HeldObjects*"]);
    assert!(
        !said.contains("their objects are not known"),
        "every object that a record names is known: {said}"
    );
    let rows = list.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = fields[0].parse().expect("a number");
        (number, (fields[1].to_owned(), line.ends_with(",,")))
    });
    rows.collect()
}

/// The references between objects at the end, as the updates in the trace leave them.
fn references(trace: &Path) -> BTreeMap<ObjectNumber, BTreeMap<u64, ObjectNumber>> {
    let mut references: BTreeMap<ObjectNumber, BTreeMap<u64, ObjectNumber>> = BTreeMap::new();
    for update in traced_updates(trace) {
        let of_source = references.entry(update.source).or_default();
        match update.new {
            0 => of_source.remove(&update.slot),
            new => of_source.insert(update.slot, new),
        };
    }
    references
}

struct Root {
    by: String,
    field: String,
    object: ObjectNumber,
    ty: String,
}

fn roots(trace: &Path) -> Vec<Root> {
    let (list, _) = deaths_command(trace, &["--roots"]);
    let rows = list.lines().skip(1).map(|line| {
        let mut fields = line.split(',').map(str::to_owned);
        let mut next = || fields.next().expect("a field");
        Root {
            by: next(),
            field: next(),
            object: next().parse().expect("a number"),
            ty: next(),
        }
    });
    rows.collect()
}

fn check(jdk: &Jdk, options: &[&str], programs: &Path) -> usize {
    let run = TracedRun::new(jdk, &options.join(" "));
    let mut command = run.command("mode=full", &[programs]);
    command
        .args(["-Xmx64m", "-Xmn4m", "-Xverify:all"])
        .args(options);
    run.finish(command.arg("HeldObjects"));
    let (trace, name) = (run.trace(), run.name());
    let objects = objects(&trace);

    let mut alive: BTreeMap<&str, usize> = BTreeMap::new();
    for (ty, is_alive) in objects.values() {
        *alive.entry(ty).or_default() += usize::from(*is_alive);
    }
    for (ty, count) in ALIVE {
        assert_eq!(alive.get(ty), Some(&count), "{name}: {ty} alive: {alive:?}");
    }

    let roots = roots(&trace);
    let own = roots
        .iter()
        .filter(|root| root.field.starts_with("HeldObjects"));
    let statics: Vec<(&str, &str)> = own.map(|root| (&*root.field, &*root.ty)).collect();
    for expected in STATICS {
        assert!(
            statics.contains(&expected),
            "{name}: {expected:?}: {statics:?}"
        );
    }
    assert!(
        !statics
            .iter()
            .any(|(field, _)| *field == "HeldObjects.dropped"),
        "{name}: it is null"
    );
    let in_frames = roots
        .iter()
        .filter(|root| root.by == "frame" && root.ty == "HeldObjects$Local");
    assert_eq!(in_frames.count(), 1, "{name}: the thread's local object");

    let references = references(&trace);
    let mut todo: Vec<ObjectNumber> = roots.iter().map(|root| root.object).collect();
    let mut reached = BTreeSet::new();
    while let Some(object) = todo.pop() {
        if reached.insert(object)
            && let Some(targets) = references.get(&object)
        {
            todo.extend(targets.values());
        }
    }
    for (object, (ty, is_alive)) in &objects {
        let is_own = ALIVE.iter().any(|(own, _)| own == ty);
        assert!(
            !is_own || reached.contains(object) == *is_alive,
            "{name}: object {object}, {ty}: alive at the end {is_alive}, reached {}",
            reached.contains(object)
        );
    }
    roots.len()
}

#[test]
fn what_is_alive_at_the_end_can_be_reached_from_the_roots() {
    let programs = compiled(&["HeldObjects"], 17);
    let (mut runs, mut roots) = (0, 0);
    let mut turns = Turns::new();
    for (turn, jdk) in traced_jdks().iter().enumerate() {
        for &collector in turns.take(&COLLECTORS, turn) {
            roots += check(jdk, &[collector], programs.path());
            runs += 1;
            if is_full_run() {
                roots += check(jdk, &[collector, "-Xint"], programs.path());
                roots += check(jdk, &[collector, "-XX:-UseCompressedOops"], programs.path());
                runs += 2;
            }
        }
    }
    turns.announce("held objects");
    checked(&format!("{runs} runs, {roots} roots"));
}
