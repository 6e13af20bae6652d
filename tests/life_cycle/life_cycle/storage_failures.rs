//! A disk that takes nothing, a directory that goes away: the program does not notice, and the report does.

use std::fs;
use std::time::Duration;

use ducktrack_tests::trace_command;

use crate::recording::{BLOCK, Recording};
use ducktrack_tests::Finished;

use crate::tracked_jvm::{RunningJvm, TrackedJvm, jdks_in_turn};

#[test]
fn a_file_that_may_not_grow() {
    for jdk in jdks_in_turn(17, 0) {
        let place = tempfile::tempdir().expect("temporary folder");
        // Snapshots by interval meet the limit several times; the message comes once.
        let options = "summary=off,output=out,interval=0.3";
        let mut jvm = TrackedJvm::new(&jdk, options)
            .file_limit(16)
            .directory(place.path())
            .start(&["twice"]);
        std::thread::sleep(Duration::from_secs(2));
        jvm.go_on();
        let outcome = jvm.end_well();
        assert_eq!(outcome.out, "READY\nDONE\n");
        let lines = outcome.agent_lines();
        // No room for mapped counters, and none for the trace.
        assert!(
            matches!(lines.as_slice(), [private, line]
                if private.contains("are in private memory") && line.contains("cannot write to") && line.contains("(ulimit -f)")),
            "{lines:?}"
        );
        let recording = Recording::of(&place.path().join("out"));
        assert_eq!(
            recording.report.run.ended, None,
            "the trace does not claim to be complete"
        );
    }
}

/// As with any output that cannot be written, the JVM does not start; one line has the reason.
#[test]
fn no_file_may_have_a_byte() {
    for jdk in jdks_in_turn(17, 5) {
        let place = tempfile::tempdir().expect("temporary folder");
        let outcome = TrackedJvm::new(&jdk, "output=out")
            .file_limit(0)
            .directory(place.path())
            .run(&["return"]);
        assert!(!outcome.status.success(), "{outcome:?}");
        let lines = outcome.agent_lines();
        assert!(
            matches!(lines.as_slice(), [line] if line.contains("ducktrack.trace") && line.contains("(ulimit -f)")),
            "{lines:?}"
        );
    }
}

#[test]
fn event_files_that_may_not_grow() {
    for jdk in jdks_in_turn(17, 1) {
        let place = tempfile::tempdir().expect("temporary folder");
        // Enough for the counts, too little for the events of one block of work.
        let options = "mode=trace,compress=off,summary=off,output=out";
        let jvm = TrackedJvm::new(&jdk, options)
            .file_limit(700)
            .directory(place.path())
            .start(&["twice"]);
        let outcome = finish(jvm);
        let lines = outcome.agent_lines();
        assert!(
            matches!(lines.as_slice(), [line] if line.contains("cannot write to") && line.contains("events-")),
            "{lines:?}"
        );
        // Records written before the limit are there.
        let trace = place.path().join("out");
        let lifetimes = trace_command("lifetimes", &trace, &[]);
        let objects = lifetimes["total"]["count"].as_i64();
        assert!(
            objects.is_some_and(|objects| objects > BLOCK),
            "{objects:?}"
        );
        let losses = lifetimes["losses"].as_array().expect("losses");
        assert!(!losses.is_empty(), "{lifetimes}");
    }
}

#[test]
fn event_files_whose_directory_is_deleted_come_back() {
    for jdk in jdks_in_turn(17, 2) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let options = "mode=trace,compress=off,summary=off,output=out";
        let jvm = TrackedJvm::new(&jdk, options)
            .directory(place.path())
            .start(&["twice"]);
        fs::remove_dir_all(&output).expect("remove");
        let outcome = finish(jvm);
        assert_eq!(outcome.agent_lines(), Vec::<&str>::new());
        Recording::of(&output).check(2, Some("exit"));
        let lifetimes = trace_command("lifetimes", &output, &[]);
        assert_eq!(
            lifetimes["damage"].as_array().map(Vec::len),
            Some(0),
            "{lifetimes}"
        );
        let objects = lifetimes["total"]["count"].as_i64();
        assert!(
            objects.is_some_and(|objects| objects >= 4 * BLOCK),
            "{objects:?}"
        );
    }
}

/// Lets a program that is ready make its second block of work; it does not notice anything.
fn finish(mut jvm: RunningJvm) -> Finished {
    jvm.go_on();
    let outcome = jvm.end_well();
    assert_eq!(outcome.out, "READY\nDONE\n");
    outcome
}

#[test]
fn a_directory_that_is_deleted_comes_back() {
    for jdk in jdks_in_turn(17, 3) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let mut jvm = TrackedJvm::new(&jdk, "summary=off,output=out")
            .directory(place.path())
            .start(&["twice"]);
        fs::remove_dir_all(&output).expect("remove");
        jvm.go_on();
        let outcome = jvm.end_well();
        assert_eq!(outcome.out, "READY\nDONE\n");
        Recording::of(&output).check(2, Some("exit"));
    }
}

#[test]
fn a_directory_that_cannot_come_back() {
    for jdk in jdks_in_turn(17, 4) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("a");
        let mut jvm = TrackedJvm::new(&jdk, "summary=off,output=a/out")
            .directory(place.path())
            .start(&["twice"]);
        fs::remove_dir_all(&output).expect("remove");
        fs::write(&output, "a file in its place").expect("file");
        jvm.go_on();
        let outcome = jvm.end_well();
        assert_eq!(outcome.out, "READY\nDONE\n");
        let lines = outcome.agent_lines();
        assert!(
            matches!(lines.as_slice(), [line] if line.contains("was deleted while the JVM ran")),
            "{lines:?}"
        );
    }
}
