//! `ducktrack leaks` on real programs that do not leak: the suite's, run for many collections with a heap dump at their end.
//!
//! Prints a table: collections, candidates, alarms, the verdict. `DUCKTRACK_FULL` takes
//! all programs, else a small one; to look at a few only: `DUCKTRACK_WORKLOADS=fop,batik`.

use std::path::Path;

use ducktrack_tests::{
    TracedRun, checked, compiled, harness_jar, trace_command, traced_jdks, workloads,
};
use serde_json::Value;

/// Most alarms over all programs.
const MOST_ALARMS: u64 = 2;
const ITERATIONS: u32 = 12;
/// One iteration of javac has as many collections as several of the others.
const ITERATIONS_OF_JAVAC: u32 = 4;

#[test]
fn programs_that_do_not_leak_raise_no_alarm() {
    let classes = compiled(&["DumpAtExit"], 17);
    println!("program    collections  candidates  alarms  verdict");
    let (mut programs, mut alarms) = (0, 0);
    for workload in workloads(&["json"]) {
        let Some(report) = leaks(classes.path(), &workload) else {
            continue;
        };
        programs += 1;
        alarms += row(&workload, &report);
    }
    assert!(alarms <= MOST_ALARMS, "{alarms} false alarms");
    checked(&format!(
        "real programs as controls of leaks, {programs} programs, {alarms} false alarms"
    ));
}

/// Prints the line of a program; its alarms.
fn row(workload: &str, report: &Value) -> u64 {
    let candidates = report["candidates"].as_array().expect("candidates");
    let alarms = report["alarms"].as_u64().expect("a number");
    println!(
        "{workload:<9}  {:>11}  {:>10}  {alarms:>6}  {}",
        report["span"]["collections"],
        candidates.len(),
        report["sentence"].as_str().unwrap_or_default()
    );
    for row in candidates.iter().filter(|row| row["alarm"] == true) {
        println!(
            "    {} -> {} of {}.{}",
            row["source"], row["target"], row["class"], row["method"]
        );
    }
    alarms
}

/// `ducktrack leaks` after a run of a workload with the stamps of uses; `None` where it skips itself.
fn leaks(classes: &Path, workload: &str) -> Option<Value> {
    let jdks = traced_jdks();
    let run = TracedRun::new(jdks.first().expect("a JDK"), workload);
    let harness = harness_jar();
    let iterations = match workload {
        "javac" => ITERATIONS_OF_JAVAC,
        _ => ITERATIONS,
    };
    let dump = run.file("heap.hprof");
    let mut command = run.command("staleness=on", &[classes, &harness]);
    command.args(["-XX:+UseParallelGC", "-Xmx384m", "-Xmn24m", "DumpAtExit"]);
    command
        .arg(&dump)
        .args(["ducktrack.harness.Main", workload]);
    command.args(["--iterations", &iterations.to_string(), "--size", "1"]);
    let dump = dump.to_str().expect("a path in UTF-8");
    let report = || trace_command("leaks", &run.trace(), &["--dump", dump]);
    run.has_finished(&mut command).then(report)
}
