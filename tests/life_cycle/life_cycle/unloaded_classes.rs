//! Classes that are defined again and again and go: memory is bounded by the classes that are alive, equal class files share their sites,
//! and every count is exact.
//!
//! The program is `tests/life_cycle/life_cycle/ClassesThatGo.java`. The full run takes ten times as many classes, and a soak of 15 minutes.

use ducktrack_tests::{Jdk, checked, is_full_run};

use crate::recording::Recording;
use crate::tracked_jvm::{TrackedJvm, jdks, jdks_in_turn};

const CLASSES: i64 = 10_000;
const CLASSES_OF_FULL_RUN: i64 = 100_000;
/// From a fifth of the classes to the last, beyond the growth without the agent.
const MOST_GROWTH_KB: i64 = 20 << 10;
/// Pairs of runs of which one must be bounded. What is kept for classes comes in each run; 20 to 35 MB of the VM's
/// own come in some, with the agent and without, and do not grow with the classes (40,000 take what 10,000 take).
const ATTEMPTS: usize = 3;
/// The oldest JDK with hidden classes.
const WITH_HIDDEN: u32 = 17;

/// Method, type, objects of each class and their bytes together.
const MADE: [(&str, &str, i64, i64); 5] = [
    ("loop", "int[]", 10, 320),
    ("loop", "java.lang.StringBuilder", 5, 120),
    ("part", "ClassesThatGo$Part", 1, 32),
    ("itself", "ClassThatGoes", 1, 16),
    ("many", "java.lang.Object[]", 3, 80),
];

/// A heap that does not grow, so that what grows is something else.
const HEAP: [&str; 3] = ["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch"];

/// Classes, and how many of them a second; 0: as fast as it can.
type Amount = (i64, u32);

/// By how many kilobytes the process grows.
fn growth(jvm: TrackedJvm, vm: &str, kind: &str, (classes, per_second): Amount) -> i64 {
    let words = [kind, &classes.to_string(), &per_second.to_string()];
    let outcome = jvm
        .vm(&HEAP)
        .vm(&[vm])
        .run_program_well("ClassesThatGo", &words);
    let resident: Vec<i64> = outcome.out.lines().flat_map(str::parse).collect();
    let [early, late] = resident[..] else {
        panic!("{vm} {kind}: {outcome:?}");
    };
    late - early
}

fn run(jdk: &Jdk, vm: &str, mode: &str, kind: &str, amount: Amount) {
    let what = format!("{jdk} {vm} {mode} {kind}");
    let mut pairs: Vec<(i64, i64)> = Vec::new();
    while pairs.len() < ATTEMPTS && pairs.iter().all(|pair| !is_bounded(*pair)) {
        let grown = growth_of_recorded(jdk, (vm, mode, kind), amount, &what);
        let bare = growth(TrackedJvm::bare(jdk), vm, kind, amount);
        pairs.push((grown, bare));
    }
    let bounded = pairs.iter().any(|pair| is_bounded(*pair));
    assert!(bounded, "{what}: kB, with the agent and bare: {pairs:?}");
    checked(&format!(
        "{what}: {} classes that go, kB more, and bare: {pairs:?}",
        amount.0
    ));
}

fn is_bounded((grown, bare): (i64, i64)) -> bool {
    grown - bare <= MOST_GROWTH_KB
}

/// The same under the agent, whose recording must be exact.
fn growth_of_recorded(
    jdk: &Jdk,
    (vm, mode, kind): (&str, &str, &str),
    amount: Amount,
    what: &str,
) -> i64 {
    let place = tempfile::tempdir().expect("temporary folder");
    let output = place.path().join("out");
    let grown = growth(
        TrackedJvm::recording(jdk, &format!("mode={mode}"), &output),
        vm,
        kind,
        amount,
    );
    check_sites(&Recording::of(&output), amount.0, what);
    grown
}

/// A bounded number of rows for each line of source, and its objects and bytes.
fn check_sites(recording: &Recording, classes: i64, what: &str) {
    let of_class = || {
        let sites = recording.report.sites.iter();
        sites.filter(|site| site.class == "ClassThatGoes")
    };
    for (method, ty, count, bytes) in MADE {
        let rows: Vec<_> = of_class()
            .filter(|site| site.method == method && site.ty.as_deref() == Some(ty))
            .collect();
        let objects: i64 = rows.iter().map(|site| site.count).sum();
        let all: i64 = rows.iter().map(|site| site.bytes).sum();
        assert_eq!(
            (objects, all),
            (count * classes, bytes * classes),
            "{what}: {method} {ty} in {} rows",
            rows.len()
        );
    }
    // `many` has four sites. The class allocates one of another loader, so the first four loaders have sites of their own.
    let all = of_class().count();
    assert!(all <= 4 * (MADE.len() + 3), "{what}: {all} rows");
}

fn modes(jdk: &Jdk) -> &'static [&'static str] {
    if jdk.can_be_traced() {
        &["count", "trace"]
    } else {
        &["count"]
    }
}

fn kinds(jdk: &Jdk) -> &'static [&'static str] {
    if jdk.version >= WITH_HIDDEN {
        &["loader", "hidden"]
    } else {
        &["loader"]
    }
}

#[test]
fn classes_that_are_gone_take_no_memory() {
    let collectors = ["-XX:+UseG1GC", "-XX:+UseSerialGC", "-XX:+UseParallelGC"];
    let classes = match is_full_run() {
        true => CLASSES_OF_FULL_RUN,
        false => CLASSES,
    };
    for (turn, jdk) in jdks_in_turn(11, 7).into_iter().enumerate() {
        for kind in kinds(&jdk) {
            for mode in modes(&jdk) {
                let collector = collectors[turn % collectors.len()];
                run(&jdk, collector, mode, kind, (classes, 0));
            }
        }
    }
}

#[test]
fn a_service_that_defines_classes_all_day() {
    if !is_full_run() {
        return;
    }
    for jdk in jdks(17).into_iter().take(1) {
        for mode in modes(&jdk) {
            run(&jdk, "-XX:+UseG1GC", mode, "loader", (15 * 60 * 16, 16));
        }
    }
}
