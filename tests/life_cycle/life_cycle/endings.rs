//! Every way a program can end leaves a complete recording.

use ducktrack_tests::Jdk;
use serde_json::Value;

use crate::control::{done, ducktrack};
use crate::recording::Recording;
use ducktrack_tests::Finished;

use crate::tracked_jvm::{TrackedJvm, jdks_in_turn};

/// Runs an ending on the JDK of a turn, and checks the exit code and that this many blocks were counted.
fn check_ending(
    turn: usize,
    words: &[&str],
    exit_code: i32,
    blocks: i64,
    also: impl Fn(&Finished, &Recording),
) {
    for jdk in jdks_in_turn(17, turn) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let outcome =
            TrackedJvm::new(&jdk, &format!("summary=off,output={}", output.display())).run(words);
        assert_eq!(outcome.status.code(), Some(exit_code), "{jdk}: {outcome:?}");
        assert_eq!(outcome.agent_lines(), [""; 0]);
        let recording = Recording::of(&output);
        recording.check(blocks, Some("exit"));
        also(&outcome, &recording);
    }
}

#[test]
fn main_returns() {
    check_ending(0, &["return"], 0, 1, |outcome, recording| {
        assert_eq!(outcome.out, "DONE\n");
        assert!(!recording.report.run.attached);
    });
}

#[test]
fn threads_end_before_main() {
    check_ending(1, &["return", "8"], 0, 8, |_, _| {});
}

#[test]
fn system_exit() {
    check_ending(2, &["exit"], 3, 1, |_, _| {});
}

/// The dump is written by the thread that ends the JVM, and its collections
/// are of the trace as others. What the thread has allocated counts once.
#[test]
fn ends_by_the_main_thread_with_a_dump() {
    for (turn, (ending, exit_code)) in [("exit", 3), ("halt", 4)].into_iter().enumerate() {
        for jdk in jdks_in_turn(17, 7 + turn) {
            check_end_with_dump(&jdk, ending, exit_code);
        }
    }
}

fn check_end_with_dump(jdk: &Jdk, ending: &str, exit_code: i32) {
    let place = tempfile::tempdir().expect("temporary folder");
    let output = place.path().join("out");
    let outcome = TrackedJvm::recording(jdk, "mode=trace,dump=on", &output).run(&[ending]);
    assert_eq!(outcome.status.code(), Some(exit_code), "{outcome:?}");
    assert!(output.join("heap.hprof").exists(), "{outcome:?}");
    Recording::of(&output).check(1, Some("exit"));
    let output = output.to_str().expect("UTF-8");
    assert!(done(&["info", output]).contains("whole: nothing is missing"));
    for command in ["heap", "lifetimes", "leaks"] {
        let text = done(&[command, output]);
        assert!(!text.contains("damage"), "{command}: {text}");
    }
    let info = done(&["info", output, "--format", "json"]);
    let info: Value = serde_json::from_str(&info).expect("JSON");
    let gaps = info["gaps"]["bytes"].as_i64().expect("a number");
    // A block of work allocates more than 4 MB in this thread.
    assert!(gaps < 2_000_000, "{jdk} {ending}: {gaps}");
}

/// Daemons come and go while the program ends: their events after the end are not lost from it.
#[test]
fn short_threads_at_the_end_are_no_loss() {
    for jdk in jdks_in_turn(17, 10) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let outcome = TrackedJvm::recording(&jdk, "mode=trace", &output)
            .run_program("HeldAtEnd", &["threads"]);
        assert_eq!(outcome.status.code(), Some(0), "{outcome:?}");
        let info = done(&["info", output.to_str().expect("UTF-8")]);
        assert!(!info.contains("lost while recording"), "{info}");
        assert!(info.contains("whole: nothing is missing"), "{info}");
    }
}

#[test]
fn runtime_halt() {
    check_ending(3, &["halt"], 4, 1, |_, _| {});
}

#[test]
fn uncaught_exception() {
    check_ending(4, &["throw"], 1, 1, |outcome, _| {
        let expected = "Exception in thread \"main\" java.lang.IllegalStateException: as told\n";
        assert!(outcome.errors.starts_with(expected), "{}", outcome.errors);
    });
}

#[test]
fn daemons_still_allocate() {
    check_ending(5, &["daemons", "3"], 0, 3, |_, recording| {
        let endless = recording
            .report
            .sites
            .iter()
            .filter(|site| site.ty.as_deref() == Some("LifeCycleProbe$Endless"));
        assert!(endless.map(|site| site.count).sum::<i64>() > 0);
    });
}

#[test]
fn sigterm() {
    for jdk in jdks_in_turn(17, 9) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let jvm = TrackedJvm::new(&jdk, &format!("summary=off,output={}", output.display()))
            .start(&["wait"]);
        jvm.signal("TERM");
        let outcome = jvm.end();
        assert_eq!(outcome.status.code(), Some(143), "{outcome:?}");
        Recording::of(&output).check(1, Some("exit"));
    }
}

/// Nothing dies: commands say so at the top, and none advises a collection.
#[test]
fn a_heap_that_is_never_collected() {
    for jdk in jdks_in_turn(17, 8) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let jvm = TrackedJvm::recording(&jdk, "mode=trace", &output);
        let epsilon = ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC"];
        jvm.vm(&epsilon).run_well(&["return"]);
        Recording::of(&output).check(1, Some("exit"));
        let output = output.to_str().expect("UTF-8");
        let deaths = done(&["lifetimes", "--deaths", output]);
        let top: Vec<&str> = deaths.lines().take(5).collect();
        let top = top.join("\n");
        assert!(top.contains("no object is known to be dead"), "{top}");
        for command in [
            "lifetimes --deaths",
            "lifetimes",
            "cost",
            "heap --stale",
            "leaks",
        ] {
            let words: Vec<&str> = command.split(' ').chain([output]).collect();
            let (_, text) = ducktrack(&words);
            assert!(!text.contains("GC.run"), "{command}: {text}");
        }
    }
}
