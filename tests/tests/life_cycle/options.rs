//! Bad options keep the JVM from starting; good ones do what they say.

use std::fs;

use crate::recording::Recording;
use crate::tracked_jvm::{TrackedJvm, jdks};

/// The JVM does not start, and one line of the agent says why.
fn check_refused(options: &str, why: &str) {
    for jdk in jdks(17) {
        let place = tempfile::tempdir().expect("temporary folder");
        let outcome = TrackedJvm::new(&jdk, options)
            .directory(place.path())
            .run(&["return"]);
        assert!(!outcome.status.success(), "{options}: {outcome:?}");
        assert!(!outcome.out.contains("DONE"));
        let lines = outcome.agent_lines();
        assert!(
            lines.len() == 1 && lines[0].contains(why),
            "{options}: {lines:?}"
        );
        assert_eq!(
            fs::read_dir(place.path()).expect("folder").count(),
            0,
            "{options} left something behind"
        );
    }
}

#[test]
fn unknown_key() {
    check_refused("colour=red", "unknown option `colour`");
}

#[test]
fn malformed_values() {
    check_refused("interval=soon", "`interval=soon`");
    check_refused("summary", "option `summary` has no value");
    check_refused("counters=path,reinstrument=0", "`reinstrument=0`");
}

#[test]
fn missing_files() {
    check_refused(
        "@/no/such/options",
        "cannot read options file /no/such/options",
    );
    check_refused("context=/no/such/list", "`context=/no/such/list`");
}

#[test]
fn unwritable_output() {
    check_refused(
        "output=/dev/null/out",
        "cannot create the trace directory /dev/null/out",
    );
    check_refused(
        "output=/proc/out",
        "cannot create the trace directory /proc/out",
    );
}

#[test]
fn unwritable_log() {
    check_refused("log=/dev/null/log", "cannot open the log file");
}

#[test]
fn the_agent_twice() {
    for jdk in jdks(17) {
        let place = tempfile::tempdir().expect("temporary folder");
        let second = format!(
            "-agentpath:{}=output=second",
            crate::tracked_jvm::library().display()
        );
        let jvm = TrackedJvm::new(&jdk, "output=first")
            .vm(&[&second])
            .directory(place.path());
        let outcome = jvm.run(&["return"]);
        assert!(!outcome.status.success());
        assert!(
            outcome.err.contains("the agent is loaded already"),
            "{outcome:?}"
        );
        assert!(!place.path().join("second").exists());
    }
}

#[test]
fn help_lists_the_options() {
    for jdk in jdks(17) {
        let place = tempfile::tempdir().expect("temporary folder");
        let outcome = TrackedJvm::new(&jdk, "help")
            .directory(place.path())
            .run(&["return"]);
        assert!(outcome.status.success());
        for option in ["counters=path|site", "interval=SECONDS", "exclude=PATTERN"] {
            assert!(outcome.out.contains(option), "{option}");
        }
        assert!(!outcome.out.contains("DONE"), "there is nothing to run");
        assert_eq!(fs::read_dir(place.path()).expect("folder").count(), 0);
    }
}

#[test]
fn options_come_from_a_file() {
    for jdk in jdks(17) {
        let place = tempfile::tempdir().expect("temporary folder");
        let file = place.path().join("options");
        let output = place.path().join("out");
        let text = format!(
            "# as in production\ncounters=site\nsummary=off # quiet\noutput={}\n",
            output.display()
        );
        fs::write(&file, text).expect("options file");
        let outcome = TrackedJvm::new(&jdk, &format!("@{}", file.display())).run(&["return"]);
        assert_eq!(outcome.agent_lines(), [""; 0]);
        let recording = Recording::of(&output);
        recording.check(1, Some("exit"));
        assert_eq!(recording.report.run.counters, "site");
    }
}

#[test]
fn the_summary_is_on_unless_told() {
    for jdk in jdks(17) {
        let place = tempfile::tempdir().expect("temporary folder");
        let outcome = TrackedJvm::new(&jdk, "output=out")
            .directory(place.path())
            .run(&["return"]);
        assert!(outcome.status.success());
        assert_eq!(outcome.out, "DONE\n");
        let lines = outcome.agent_lines().join("\n");
        assert!(
            lines.contains("executed allocations:") && lines.contains("next: ducktrack report"),
            "{lines}"
        );
        assert!(lines.contains("100000 objects  int[]"), "{lines}");
    }
}

#[test]
fn messages_go_to_the_log_file() {
    for jdk in jdks(17) {
        let place = tempfile::tempdir().expect("temporary folder");
        let jvm = TrackedJvm::new(&jdk, "output=out,summary=off,log=log,level=info")
            .directory(place.path());
        let outcome = jvm.run(&["return"]);
        assert_eq!(outcome.agent_lines(), [""; 0]);
        let log = fs::read_to_string(place.path().join("log")).expect("log");
        assert!(
            log.contains("[ducktrack] info: counting, traces go to"),
            "{log}"
        );
    }
}
