//! `ducktrack impact`: to remove a leak saves time of collections, and what the program uses later is no leak.
//!
//! The program is `tests/leaks/ImpactProgram.java`. `DUCKTRACK_FULL` takes all JDKs and collectors and asks that the saving is
//! significant; else the oldest JDK, and times are not compared: two short trials on a busy machine prove nothing.

use std::path::Path;

use ducktrack_tests::{
    Finished, Jdk, agent_library, checked, compiled, compiled_with_leaky, ducktrack_command,
    is_full_run, traced_jdks,
};
use serde_json::Value;

const LEAK: &str = "ImpactProgram$Node->ImpactProgram$Leaf";
const IDLE: &str = "ImpactProgram$Idle[]->ImpactProgram$Idle";
const RARE: &str = "ImpactProgram$Slot->ImpactProgram$Rare";
const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
/// Two leaves a step, in the first fifth of the steps.
const LEAVES: f64 = 4800.0;

fn impact(jdk: &Jdk, classes: &Path, words: &[&str], options: &[&str]) -> Finished {
    let (java, mut command) = (jdk.java(classes), ducktrack_command());
    command
        .arg("impact")
        .args(words)
        .arg("--library")
        .arg(agent_library())
        .arg("--")
        .arg(java.get_program())
        .args(java.get_args())
        .args(["-Xmx64m", "-Xmn8m", "-XX:MaxTenuringThreshold=1"])
        .args(options);
    Finished::of(command.arg("ImpactProgram"))
}

fn report(finished: &Finished, name: &str) -> Value {
    assert!(finished.status.success(), "{name}: {finished}");
    serde_json::from_str(&finished.out).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// JDKs and collectors.
fn matrix() -> Vec<(Jdk, &'static str)> {
    let mut jdks = traced_jdks();
    let collectors = match is_full_run() {
        true => &COLLECTORS[..],
        false => &COLLECTORS[..1],
    };
    jdks.truncate(if is_full_run() { jdks.len() } else { 1 });
    let of = |jdk: Jdk| {
        collectors
            .iter()
            .map(move |collector| (jdk.clone(), *collector))
    };
    jdks.into_iter().flat_map(of).collect()
}

#[test]
fn a_leak_costs_and_what_is_used_again_is_none() {
    let programs = compiled(&["ImpactProgram"], 17);
    let mut runs = 0;
    for (jdk, collector) in matrix() {
        check_impact(&jdk, collector, programs.path());
        runs += 1;
    }
    checked(&format!(
        "impact of a leak and of what is none, {runs} runs"
    ));
}

fn check_impact(jdk: &Jdk, collector: &str, classes: &Path) {
    let name = format!("{} {collector}", jdk.version);
    let trials = if is_full_run() { "5" } else { "2" };
    let mut words = vec!["--trials", trials, "--format", "json"];
    words.extend(["--pair", LEAK, "--pair", RARE]);
    if is_full_run() {
        words.extend(["--pair", IDLE]);
    }
    let report = report(&impact(jdk, classes, &words, &[collector]), &name);
    println!("{name}: {report}");
    let base = &report["base"];
    assert_eq!(
        (&base["failed"], &base["otherOutput"]),
        (&0.into(), &0.into())
    );
    let rows = report["candidates"].as_array().expect("candidates");
    let [leak, rare, idle @ ..] = rows.as_slice() else {
        panic!("{name}: {report}");
    };
    check_leak(&name, leak);
    check_used(&name, rare);
    for idle in idle {
        assert_eq!(idle["objects"], 200.0, "{name}: {idle}");
        assert_ne!(idle["verdict"], "not-a-leak", "{name}: {idle}");
    }
}

fn check_leak(name: &str, leak: &Value) {
    let objects = number(&leak["objects"]);
    // How soon looks find them depends on the machine.
    assert!(objects > LEAVES * 0.2, "{name}: {leak}");
    assert!(objects <= LEAVES, "{name}: {leak}");
    assert!(
        number(&leak["stillHeld"]) <= objects / 2.0,
        "{name}: {leak}"
    );
    // Each is one object in one field.
    assert_eq!(leak["references"], leak["objects"], "{name}");
    // Both are means over trials, rounded to six places.
    let bytes = number(&leak["bytes"]);
    assert!(
        (bytes - objects * 24.0).abs() < 1e-3,
        "{name}: {bytes} of {objects}"
    );
    assert_eq!(leak["finals"], 0.0, "{name}");
    assert_eq!(leak["usedAgain"], 0, "{name}");
    assert_eq!(leak["removal"]["otherOutput"], 0, "{name}");
    if is_full_run() {
        assert_eq!(leak["verdict"], "saves", "{name}: {leak}");
    }
}

/// Half of the objects are used through the field that is null by then, half by another path.
fn check_used(name: &str, rare: &Value) {
    assert_eq!(rare["verdict"], "not-a-leak", "{name}: {rare}");
    assert!(number(&rare["objects"]) > 0.0, "{name}: {rare}");
    assert!(rare["usedAgain"].as_u64() > Some(0), "{name}: {rare}");
    let place = &rare["nullUses"][0];
    assert_eq!(place["class"], "ImpactProgram", "{name}: {rare}");
    assert_eq!(place["method"], "useRare", "{name}");
    assert!(place["count"].as_u64() > Some(0), "{name}");
}

const LIST: &str = "java.util.LinkedList$Node->ducktrack.leaks.ListLeak$Item";

/// With `at=oom` nothing is removed before the memory is full: nothing at all in a run that does not fill it, and all in one that does.
#[test]
fn at_oom_removes_when_memory_is_full_and_not_before() {
    // A list that grows by 1,656 bytes a step.
    let classes = compiled_with_leaky(&[], &["ListLeak", "Work"]);
    let mut runs = 0;
    for (jdk, collector) in matrix() {
        check_at_oom(&jdk, collector, classes.path());
        runs += 8;
    }
    checked(&format!(
        "references removed when memory is full, {runs} trials"
    ));
}

fn check_at_oom(jdk: &Jdk, collector: &str, classes: &Path) {
    const MEGABYTE: f64 = 1_048_576.0;
    let name = format!("{} {collector}", jdk.version);
    let trial = |steps: u32| {
        let mut command = ducktrack_command();
        command.args(["impact", "--at", "oom", "--trials", "2", "--format", "json"]);
        command.args(["--pair", LIST, "--library"]);
        command.arg(agent_library()).arg("--");
        let java = jdk.java(classes);
        command.arg(java.get_program()).args(java.get_args());
        command.args([collector, "-Xmx24m", "-Xmn1m"]);
        command.arg(format!("-Dducktrack.leaks.steps={steps}"));
        // So slow that references are looked for several times between full memory and the end.
        command.arg("-Dducktrack.leaks.pace=200");
        let finished = Finished::of(command.arg("ducktrack.leaks.ListLeak"));
        report(&finished, &format!("{name}, {steps} steps"))
    };
    let (room, full) = (trial(3000), trial(12300));
    println!("{name}: {full}");
    for report in [&room, &full] {
        assert_eq!(report["at"], "oom");
        assert_eq!(report["base"]["failed"], 0, "{name}: {report}");
    }
    let used = |report: &Value| number(&report["base"]["mostUsedBytes"]) / MEGABYTE;
    assert!(used(&room) < 16.0, "{name}: {room}");
    let candidate = &room["candidates"][0];
    assert_eq!(candidate["verdict"], "nothing-removed", "{name}: {room}");
    assert!(used(&full) > 19.0, "{name}: {full}");
    let candidate = &full["candidates"][0];
    assert!(number(&candidate["objects"]) > 8000.0, "{name}: {full}");
    assert_eq!(candidate["usedAgain"], 0, "{name}: {full}");
}

#[test]
fn what_cannot_be_tried_is_one_line() {
    let programs = compiled(&["ImpactProgram"], 17);
    let jdk = traced_jdks().remove(0);
    let refusal = |words: &[&str], options: &[&str]| {
        let refused = impact(&jdk, programs.path(), words, options);
        assert_eq!(refused.status.code(), Some(2), "{words:?}");
        refused.errors
    };
    let bad = refusal(&["--pair", "Slot"], &[]);
    assert!(bad.contains("SOURCE->TARGET"), "{bad}");
    let words = ["--pair", LEAK, "--trials", "2"];
    let without = refusal(&words, &["-XX:+UseZGC", "-Dsteps=1"]);
    assert!(without.contains("has a result"), "{without}");
    assert_eq!(without.trim().lines().count(), 1, "{without}");
}
