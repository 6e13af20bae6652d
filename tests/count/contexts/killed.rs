//! A program that is killed after its work, before any snapshot: what it counted is in the mapped file and in records.

use std::path::Path;
use std::process::Stdio;

use ducktrack_tests::{Jdk, agent_argument, checked, jdks_in_turn, matrix_jdks};

use super::report::{Expected, Found};
use super::{EXECUTIONS, Ended, lines_until_it_waits, programs, report};

/// The lines of a program until it waits after its work, when it is killed.
fn killed_after_its_work(
    jdk: &Jdk,
    programs: &Path,
    (options, recording): (&str, &Path),
    program: &[&str],
) -> String {
    let mut java = jdk.java(programs);
    java.arg(agent_argument(options, recording));
    java.args(program);
    let mut running = Ended(java.stdout(Stdio::piped()).spawn().expect("java"));
    lines_until_it_waits(&mut running.0)
}

#[test]
fn a_kill_loses_no_sums_of_folded_blocks_and_no_executions() {
    let programs = programs();
    let points = "contexts=route:ManyContexts.route(1),contexts=query:ManyContexts.query(1)";
    let mut figures = Vec::new();
    for jdk in jdks_in_turn("a kill with folded blocks", &matrix_jdks(), 2) {
        let folder = tempfile::tempdir().expect("temporary folder");
        let recording = folder.path().join("run");
        let output = killed_after_its_work(
            &jdk,
            programs.path(),
            (points, &recording),
            &["ManyContexts", "200", "50", "500", "0", "wait"],
        );
        let trace =
            std::fs::metadata(recording.join("ducktrack.trace")).map_or(0, |file| file.len());
        let report = report::by_context(&recording);
        let mut wrong = Expected::parse(&output).compare(&Found::of(&report, "ManyContexts"));
        wrong.extend(report::wrong_executions(&output, &report));
        assert!(
            wrong.is_empty(),
            "{jdk}, {} wrong:\n{}",
            wrong.len(),
            wrong.join("\n")
        );
        // No snapshot has come: all of it is in the mapped counters, and in records of folded blocks.
        let losses = report["losses"].to_string();
        assert!(!losses.contains("private memory"), "{losses}");
        for context in report["contexts"].as_array().expect("contexts") {
            let all = &context["executions"];
            let buckets = all["distribution"]
                .as_array()
                .expect("a distribution")
                .iter();
            let executions: u64 = buckets.filter_map(|bucket| bucket[1].as_u64()).sum();
            assert_eq!(Some(executions), all["count"].as_u64(), "{context}");
        }
        figures.push(format!("{} {} kB", jdk.version, trace >> 10));
    }
    checked(&format!(
        "contexts of killed programs with folded blocks, objects and executions exact; trace {}",
        figures.join(", ")
    ));
}

#[test]
fn a_kill_loses_no_objects_of_executions() {
    let programs = programs();
    let options = format!("contexts=objects,{EXECUTIONS}");
    let mut runs = 0;
    for jdk in jdks_in_turn("a kill with objects of executions", &matrix_jdks(), 1) {
        let folder = tempfile::tempdir().expect("temporary folder");
        let recording = folder.path().join("run");
        let output = killed_after_its_work(
            &jdk,
            programs.path(),
            (&options, &recording),
            &["Executions", "5000", "4", "wait"],
        );
        let report = report::by_context(&recording);
        report::compare_executions(&output, &report)
            .and_then(|()| report::compare_objects(&output, &report))
            .unwrap_or_else(|wrong| panic!("{jdk}: {wrong}\n{output}"));
        runs += 1;
    }
    checked(&format!("objects of executions of {runs} killed programs"));
}
