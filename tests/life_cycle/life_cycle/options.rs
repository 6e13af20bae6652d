//! Bad options keep the JVM from starting; good ones do what they say.

use ducktrack_tests::agent_library;
use std::fs;
use std::path::Path;

use crate::recording::Recording;
use crate::tracked_jvm::{TrackedJvm, jar_of, jdks, jdks_in_turn, programs};

/// The JVM does not start, and one line of the agent has the reason.
fn check_refused(options: &str, why: &str) {
    for jdk in jdks_in_turn(17, options.len()) {
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
            "{options} left something"
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
    check_refused("counters=path:0", "`counters=path:0`");
}

#[test]
fn an_option_without_effect_in_the_mode() {
    check_refused(
        "max-trace-size=64m",
        "option `max-trace-size` has no effect in mode=count: it needs mode=trace",
    );
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
    for jdk in jdks_in_turn(17, 1) {
        let place = tempfile::tempdir().expect("temporary folder");
        let second = format!("-agentpath:{}=output=second", agent_library().display());
        let jvm = TrackedJvm::new(&jdk, "output=first")
            .vm(&[&second])
            .directory(place.path());
        let outcome = jvm.run(&["return"]);
        assert!(!outcome.status.success());
        assert!(
            outcome
                .errors
                .contains("this JVM is already being recorded"),
            "{outcome:?}"
        );
        assert!(!place.path().join("second").exists());
    }
}

#[test]
fn help_lists_the_options() {
    for jdk in jdks_in_turn(17, 2) {
        let place = tempfile::tempdir().expect("temporary folder");
        let outcome = TrackedJvm::new(&jdk, "help")
            .directory(place.path())
            .run_well(&["return"]);
        for option in [
            "counters=path[:EXECUTIONS[:SECONDS]]|path:off|site",
            "interval=SECONDS|off",
            "classes=[not:]PATTERN",
        ] {
            assert!(outcome.out.contains(option), "{option}");
        }
        assert!(!outcome.out.contains("DONE"), "there is nothing to run");
        assert_eq!(fs::read_dir(place.path()).expect("folder").count(), 0);
    }
}

#[test]
fn options_come_from_a_file() {
    for jdk in jdks_in_turn(17, 3) {
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
    for jdk in jdks_in_turn(17, 4) {
        let place = tempfile::tempdir().expect("temporary folder");
        let outcome = TrackedJvm::new(&jdk, "output=out")
            .directory(place.path())
            .run_well(&["return"]);
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
    for jdk in jdks_in_turn(17, 5) {
        let place = tempfile::tempdir().expect("temporary folder");
        let jvm =
            TrackedJvm::new(&jdk, "output=out,summary=off,log=info:log").directory(place.path());
        let outcome = jvm.run(&["return"]);
        assert_eq!(outcome.agent_lines(), [""; 0]);
        let log = fs::read_to_string(place.path().join("log")).expect("log");
        assert!(
            log.contains("[ducktrack] info: counting, traces go to"),
            "{log}"
        );
    }
}

#[test]
fn a_jvm_that_records_an_aot_cache() {
    let place = tempfile::tempdir().expect("temporary folder");
    let cache = |name: &str| format!("{name}={}", place.path().join("recorded").display());
    let record = [
        "-XX:AOTMode=record".to_owned(),
        cache("-XX:AOTConfiguration"),
    ];
    let output = [cache("-XX:AOTCacheOutput")];
    for jdk in jdks(24) {
        let Some(jar) = jar_of_probe(place.path()) else {
            return;
        };
        for options in [&record[..], &output[..]] {
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            if !jdk.accepts(&["-XX:AOTMode=off"]) || jdk.version < 25 && options.len() == 1 {
                continue;
            }
            let outcome = TrackedJvm::new(&jdk, "output=out")
                .vm(&["-cp", &jar])
                .vm(&options)
                .directory(place.path())
                .run_well(&["return", "1"]);
            let lines = outcome.agent_lines();
            assert!(
                lines.len() == 1 && lines[0].contains("records for an AOT cache"),
                "{lines:?}"
            );
            assert!(!place.path().join("out").exists());
            // Each JVM has recorded.
            fs::remove_file(place.path().join("recorded")).expect("what it has recorded");
        }
    }
}

/// Folders on the class path cannot be in a cache.
fn jar_of_probe(place: &Path) -> Option<String> {
    let programs = programs();
    let classes = std::fs::read_dir(programs).expect("programs");
    let classes: Vec<String> = classes
        .filter_map(|file| file.expect("a file").file_name().into_string().ok())
        .filter(|name| name.starts_with("LifeCycleProbe"))
        .collect();
    let classes: Vec<&str> = classes.iter().map(String::as_str).collect();
    let jar = jar_of(place, "Main-Class: LifeCycleProbe\n", &classes)?;
    Some(jar.display().to_string())
}

#[test]
fn a_jvm_that_uses_an_aot_cache() {
    for jdk in jdks(25) {
        let place = tempfile::tempdir().expect("temporary folder");
        let Some(jar) = jar_of_probe(place.path()) else {
            return;
        };
        let class_path = ["-cp", &jar];
        let cache = place.path().join("cache").display().to_string();
        let recorded = TrackedJvm::bare(&jdk)
            .vm(&class_path)
            .vm(&[&format!("-XX:AOTCacheOutput={cache}")])
            .run(&["return", "1"]);
        assert!(recorded.status.success(), "{recorded:?}");
        TrackedJvm::new(&jdk, "summary=off,output=out")
            .vm(&class_path)
            .vm(&[&format!("-XX:AOTCache={cache}")])
            .directory(place.path())
            .run_well(&["return", "1"]);
        Recording::of(&place.path().join("out")).check(1, Some("exit"));
    }
}
