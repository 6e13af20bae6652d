//! Killed with no chance of a last word, and snapshots on the way.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::recording::{BLOCK, Recording};
use crate::tracked_jvm::{TrackedJvm, jdks};

/// Waits until a recording has a snapshot with a cause and so many blocks in it.
fn wait_for_snapshot(output: &Path, cause: &str, blocks: i64) -> Recording {
    let start = Instant::now();
    loop {
        let recording = Recording::of(output);
        let run = &recording.report.run;
        let counted = recording.count("work", "LifeCycleProbe$Marked");
        if run.snapshot_cause.as_deref() == Some(cause) && counted == blocks * BLOCK {
            return recording;
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
    for jdk in jdks(17) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let options = format!("summary=off,interval=1,output={}", output.display());
        let jvm = TrackedJvm::new(&jdk, &options).start(&["wait"]);
        wait_for_snapshot(&output, "interval", 1);
        jvm.signal("KILL");
        assert_eq!(jvm.end().status.code(), None);
        let recording = Recording::of(&output);
        recording.check(1, None);
        assert!(
            recording
                .text()
                .contains("the trace has no end, values are those of its last snapshot")
        );
    }
}

#[test]
fn kill_before_the_first_snapshot_is_said() {
    for jdk in jdks(17).into_iter().take(1) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let jvm = TrackedJvm::new(&jdk, &format!("summary=off,output={}", output.display()))
            .start(&["wait"]);
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
    for jdk in jdks(17) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let mut jvm = TrackedJvm::new(&jdk, &format!("summary=off,output={}", output.display()))
            .start(&["twice"]);
        jvm.signal("QUIT");
        wait_for_snapshot(&output, "demand", 1);
        jvm.go_on();
        let outcome = jvm.end();
        assert!(outcome.status.success());
        assert!(
            outcome.out.contains("Full thread dump"),
            "the VM's own answer is still there"
        );
        Recording::of(&output).check(2, Some("exit"));
    }
}
