//! Killed with no chance of a last word, and snapshots on the way.

use std::path::Path;
use std::time::{Duration, Instant};

use ducktrack_tests::{Jdk, trace_command};
use serde_json::Value;

use crate::recording::{BLOCK, Recording};
use crate::tracked_jvm::{TrackedJvm, jdks, jdks_in_turn};

/// Waits until the trace file itself has a snapshot with a cause and this many blocks
/// in it. The mapped counters are beside the file, so a copy of the file alone is read.
fn wait_for_snapshot(output: &Path, cause: &str, blocks: i64) {
    let start = Instant::now();
    let copy = tempfile::tempdir().expect("temporary folder");
    loop {
        for name in ["ducktrack.trace", "definitions.journal"] {
            let _ = std::fs::copy(output.join(name), copy.path().join(name));
        }
        let recording = Recording::of(copy.path());
        let run = &recording.report.run;
        let counted = recording.count("work", "LifeCycleProbe$Marked");
        if run.snapshot_cause.as_deref() == Some(cause) && counted == blocks * BLOCK {
            return;
        }
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "{:?} {counted}",
            run.snapshot_cause
        );
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn kill_leaves_the_last_snapshot() {
    for jdk in jdks_in_turn(17, 11) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        // The files that a kill leaves where memory is private.
        let jvm =
            TrackedJvm::recording(&jdk, "interval=1,memory=mapped:off", &output).start(&["wait"]);
        wait_for_snapshot(&output, "interval", 1);
        jvm.signal("KILL");
        assert_eq!(jvm.end().status.code(), None);
        let recording = Recording::of(&output);
        recording.check(1, None);
        assert!(
            recording
                .text()
                .contains("values are those of its last snapshot")
        );
    }
}

/// Objects of the marked sort whose events are in a trace, and what is wrong with it.
fn events(output: &Path) -> (i64, Vec<String>) {
    let lifetimes = trace_command("lifetimes", output, &[]);
    let is_marked =
        |site: &&Value| site["method"] == "work" && site["type"] == "LifeCycleProbe$Marked";
    let sites = lifetimes["sites"].as_array().into_iter().flatten();
    let count = sites
        .filter(is_marked)
        .filter_map(|site| site["count"].as_i64());
    let damage = lifetimes["damage"].as_array().into_iter().flatten();
    let names = damage.filter_map(|found| Some(found["name"].as_str()?.to_owned()));
    (count.sum(), names.collect())
}

/// A program that has made its marked objects is traced until a snapshot and all it
/// handed over must be on disk, and killed. [`events`] gives the events that are left.
fn kill_traced(jdk: &Jdk, options: &str, program: &[&str]) -> (i64, Vec<String>) {
    let place = tempfile::tempdir().expect("temporary folder");
    let output = place.path().join("out");
    let common = format!(
        "mode=trace,summary=off,interval=1,output={}",
        output.display()
    );
    let jvm = TrackedJvm::new(jdk, &format!("{common}{options}")).start(program);
    let start = Instant::now();
    while Recording::of(&output).report.run.snapshot.is_none() {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(200));
    }
    std::thread::sleep(Duration::from_millis(1200));
    jvm.signal("KILL");
    assert_eq!(jvm.end().status.code(), None);
    events(&output)
}

/// Marked objects that the last buffer of a thread can hold: events of four bytes, half of them of the marked sort.
const BUFFERED: i64 = 3_000;

#[test]
fn kill_leaves_the_events_of_a_program_that_has_nothing_to_do() {
    for jdk in jdks_in_turn(17, 12) {
        let (count, damage) = kill_traced(&jdk, "", &["wait"]);
        assert!(
            (BLOCK - BUFFERED..=BLOCK).contains(&count),
            "{count} {damage:?}"
        );
        assert!(damage.iter().all(|name| name == "no-end"), "{damage:?}");
    }
}

#[test]
fn kill_leaves_the_events_of_a_program_that_is_busy() {
    for jdk in jdks_in_turn(17, 13) {
        let (count, damage) = kill_traced(&jdk, ",compress=off", &["busy", "2"]);
        assert_eq!(count, 2 * BLOCK, "{damage:?}");
        // The last block may be there in part.
        assert!(
            damage.iter().all(|name| name == "no-end" || name == "cut"),
            "{damage:?}"
        );
    }
}

#[test]
fn kill_before_the_first_snapshot_loses_nothing() {
    for jdk in jdks(11) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let jvm = TrackedJvm::new(&jdk, &format!("summary=off,output={}", output.display()))
            .start(&["wait"]);
        jvm.signal("KILL");
        jvm.end();
        let recording = Recording::of(&output);
        recording.check(1, None);
        let text = recording.text();
        assert!(
            text.contains("the JVM was killed, or left by _exit; values are those of each thread's last instruction"),
            "{text}"
        );
    }
}

#[test]
fn kill_before_the_first_snapshot_is_said() {
    for jdk in jdks(17).into_iter().take(1) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let jvm = TrackedJvm::recording(&jdk, "memory=mapped:off", &output).start(&["wait"]);
        jvm.signal("KILL");
        jvm.end();
        let recording = Recording::of(&output);
        assert_eq!(
            (
                recording.report.run.snapshot,
                recording.report.run.ended.clone()
            ),
            (None, None)
        );
        assert!(recording.text().contains("the trace has no whole snapshot"));
    }
}

#[test]
fn sigquit_makes_a_snapshot() {
    for jdk in jdks_in_turn(17, 14) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let mut jvm = TrackedJvm::new(&jdk, &format!("summary=off,output={}", output.display()))
            .start(&["twice"]);
        jvm.signal("QUIT");
        wait_for_snapshot(&output, "demand", 1);
        jvm.go_on();
        let outcome = jvm.end_well();
        assert!(
            outcome.out.contains("Full thread dump"),
            "the VM's own answer is still there"
        );
        Recording::of(&output).check(2, Some("exit"));
    }
}
