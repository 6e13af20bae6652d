//! `ducktrack top` on programs that go on: its figures are those of the report, with a trace and without.

use ducktrack_tests::{ducktrack_command, printed_by, trace_command};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::recording::Recording;
use crate::tracked_jvm::{RunningJvm, TrackedJvm, jdks_in_turn};

/// Events that a thread may have in its buffer and that the agent has not seen yet.
const IN_A_BUFFER: i64 = 10_000;

fn top(target: &str, by: &str) -> Value {
    let words = ["--by", by, "--once", "--interval", "0.2"];
    let rows = ["--top", "100000", "--sort", "objects"];
    trace_command("top", Path::new(target), &[&words[..], &rows].concat())
}

/// Objects of the rows whose name has this text.
fn objects(document: &Value, name: &str) -> i64 {
    let rows = document["rows"].as_array().expect("rows").iter();
    rows.filter(|row| row["name"].as_str().is_some_and(|text| text.contains(name)))
        .map(|row| row["objects"].as_i64().expect("a number"))
        .sum()
}

fn end(mut jvm: RunningJvm) {
    jvm.ask("end", "END");
    jvm.end_well();
}

fn path(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn a_traced_program_has_rows_collections_and_a_live_heap() {
    for jdk in jdks_in_turn(17, 0) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let jvm =
            TrackedJvm::recording(&jdk, "mode=trace", &output).vm(&["-XX:+UseSerialGC", "-Xmn4m"]);
        let mut jvm = jvm.start_program("ControlProbe", &[]);
        jvm.ask("work 400000", "DONE");
        let types = top(&jvm.pid().to_string(), "types");
        let name = format!("{jdk}: {types}");
        let marked = objects(&types, "ControlProbe$Marked");
        assert!(
            (400_000 - IN_A_BUFFER..=400_001).contains(&marked),
            "{marked} of 400,000, {name}"
        );
        assert_eq!(types["state"], "running", "{name}");
        let last = &types["heap"]["last"];
        // 16 MB of objects in a young space of 4 MB.
        assert!(last["number"].as_u64().is_some_and(|n| n > 2), "{name}");
        assert_eq!(last["kind"], "young", "{name}");
        // Objects that live are worked out from the files, for the rows of the live heap alone.
        assert!(last["liveBytes"].is_null(), "{name}");
        let used = last["usedBytes"].as_u64().unwrap_or(0);
        assert!(used > 100_000, "{name}");
        let sites = top(&path(&output), "sites");
        assert!(
            objects(&sites, "ControlProbe.work") >= 2 * (400_000 - IN_A_BUFFER),
            "{sites}"
        );
        let threads = top(&path(&output), "threads");
        assert!(objects(&threads, "looper") > 0, "{threads}");
        end(jvm);
        let recording = Recording::of(&output);
        assert!(recording.report.damage.is_empty(), "{name}");
    }
}

/// The rows of the live heap are exact after each collection, and become fewer again.
#[test]
fn the_live_heap_of_a_traced_program_has_its_sites() {
    for jdk in jdks_in_turn(17, 1) {
        for collector in ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"] {
            let place = tempfile::tempdir().expect("temporary folder");
            let output = place.path().join("out");
            let jvm =
                TrackedJvm::recording(&jdk, "mode=trace", &output).vm(&[collector, "-Xmx64m"]);
            let mut jvm = jvm.start_program("ControlProbe", &[]);
            let name = format!("{jdk} {collector}");
            let mut before = 0;
            for kept in [50_000, 20, 70_000] {
                jvm.ask(&format!("keep {kept}"), "DONE");
                jvm.ask("collect", "DONE");
                // Collections go to the files a moment after them.
                let patience = Instant::now();
                let document = loop {
                    let document = top(&path(&output), "heap");
                    let rows_of = document["heap"]["rowsOfCollection"].as_u64();
                    let is_new = rows_of.is_some_and(|number| number > before);
                    if is_new && objects(&document, "Kept") == kept {
                        before = rows_of.unwrap_or(0);
                        break document;
                    }
                    assert!(
                        patience.elapsed() < Duration::from_secs(20),
                        "{name}: {kept} objects are kept: {document}"
                    );
                };
                assert_eq!(document["by"], "heap", "{name}");
                assert_eq!(objects(&document, "ControlProbe.keep"), kept + 1, "{name}");
                let total = document["total"]["objects"].as_i64().expect("a number");
                let live = document["heap"]["last"]["liveObjects"].as_i64();
                let known = document["heap"]["last"]["number"] == before;
                assert!(!known || live == Some(total), "{name}: {document}");
            }
            end(jvm);
        }
    }
}

#[test]
fn calls_of_the_application_are_those_of_the_report() {
    for jdk in jdks_in_turn(11, 2) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let mut jvm =
            TrackedJvm::recording(&jdk, "app=auto", &output).start_program("ControlProbe", &[]);
        jvm.ask("thread 1000", "DONE");
        jvm.ask("where", "WHERE");
        let calls = top(&jvm.pid().to_string(), "calls");
        end(jvm);
        let causes = Recording::of(&output).report.causes;
        let is_of_place = |method: &str| method == "place";
        let known: i64 = causes
            .iter()
            .filter(|cause| is_of_place(&cause.method))
            .map(|cause| cause.charged_objects)
            .sum();
        // Nothing calls that method afterwards.
        assert!(known > 0, "{jdk}: {causes:?}");
        assert_eq!(objects(&calls, "ControlProbe.place"), known, "{calls}");
        assert!(calls["heap"].is_null(), "{calls}");
    }
}

/// `ducktrack snapshot PID --mark NAME` cuts a run: start-up is left out, and one can ask for what a request makes.
#[test]
fn marks_of_the_command_cut_a_run_into_windows() {
    for jdk in jdks_in_turn(11, 3) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let mut jvm = TrackedJvm::recording(&jdk, "", &output).start_program("ControlProbe", &[]);
        let pid = jvm.pid().to_string();
        let mark = |name: &str| {
            printed_by(ducktrack_command().args(["snapshot", &pid, "--mark", name]));
        };
        jvm.ask("work 5000", "DONE");
        mark("warm");
        for _ in 0..3 {
            mark("request");
            jvm.ask("work 1000", "DONE");
            mark("idle");
        }
        end(jvm);
        let marked = |words: &[&str]| -> i64 {
            let report = trace_command("report", &output, words);
            let sites = report["sites"].as_array().expect("sites").iter();
            sites
                .filter(|site| site["type"] == "ControlProbe$Marked" && site["method"] == "work")
                .map(|site| site["count"].as_i64().expect("a number"))
                .sum()
        };
        let name = format!("{jdk}");
        assert_eq!(marked(&[]), 8000, "{name}");
        assert_eq!(marked(&["--from", "warm"]), 3000, "{name}");
        assert_eq!(marked(&["--until", "warm"]), 5000, "{name}");
        assert_eq!(marked(&["--window", "request"]), 3000, "{name}");
        assert_eq!(marked(&["--window", "idle"]), 0, "{name}");
    }
}
