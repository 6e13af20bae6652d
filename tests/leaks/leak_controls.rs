//! `ducktrack leaks` on real programs that do not leak: the suite's, run for many collections with a heap dump at their end.
//!
//! Prints a table: collections, candidates, alarms, the verdict. `DUCKTRACK_FULL` takes
//! all programs, else a small one; to look at a few only: `DUCKTRACK_WORKLOADS=fop,batik`.

use std::path::Path;

use ducktrack_tests::{
    TracedRun, checked, compile_java, harness_folder, is_full_run, skipped, trace_command,
    traced_jdks,
};
use serde_json::Value;

/// The exit code of a workload whose input is not there.
const SKIPPED: i32 = 77;
const SMALL: &[&str] = &["json"];
const ALL: &[&str] = &[
    "json", "streams", "sunflow", "jython", "lusearch", "h2", "xalan", "fop", "tomcat", "javac",
    "serial", "batik",
];
/// Most alarms over all programs.
const MOST_ALARMS: u64 = 2;
const ITERATIONS: u32 = 12;
/// One iteration of javac has as many collections as several of the others.
const ITERATIONS_OF_JAVAC: u32 = 4;

fn workloads() -> Vec<String> {
    if let Ok(names) = std::env::var("DUCKTRACK_WORKLOADS") {
        return names.split(',').map(str::to_owned).collect();
    }
    let names = if is_full_run() { ALL } else { SMALL };
    names.iter().map(|&name| name.to_owned()).collect()
}

#[test]
fn programs_that_do_not_leak_raise_no_alarm() {
    let classes = tempfile::tempdir().expect("temporary folder");
    assert!(compile_java(&["DumpAtExit"], 17, classes.path()).expect("compile"));
    println!("program    collections  candidates  alarms  verdict");
    let (mut programs, mut alarms) = (0, 0);
    for workload in workloads() {
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
    let jdks = traced_jdks().expect("JDKs");
    let run = TracedRun::new(jdks.first().expect("a JDK"), workload).expect("folder");
    let harness = harness_folder().join("harness.jar");
    let iterations = match workload {
        "javac" => ITERATIONS_OF_JAVAC,
        _ => ITERATIONS,
    };
    let dump = run.file("heap.hprof");
    let mut command = run
        .command("staleness=on", &[classes, &harness])
        .expect("the agent");
    command.args(["-XX:+UseParallelGC", "-Xmx384m", "-Xmn24m", "DumpAtExit"]);
    command
        .arg(&dump)
        .args(["ducktrack.harness.Main", workload]);
    let output = command
        .args(["--iterations", &iterations.to_string(), "--size", "1"])
        .output();
    let output = output.expect("java");
    if output.status.code() == Some(SKIPPED) {
        let printed = String::from_utf8_lossy(&output.stdout);
        skipped(&format!("{}: {}", run.name(), printed.trim()));
        return None;
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {errors}", run.name());
    let dump = dump.to_str().expect("a path in UTF-8");
    let report = trace_command("leaks", &run.trace(), &["--dump", dump]);
    Some(report.unwrap_or_else(|error| panic!("{}: {error:#}", run.name())))
}
