//! Loaded into a JVM that runs.

use ducktrack_tests::{Finished, Jdk, agent_library};

use crate::recording::Recording;
use crate::tracked_jvm::{RunningJvm, TrackedJvm, jdks};

/// `jcmd PID JVMTI.agent_load`; its output.
fn load(jdk: &Jdk, jvm: &RunningJvm, options: &str) -> String {
    let mut jcmd = jdk.tool("jcmd");
    jcmd.arg(jvm.pid().to_string()).arg("JVMTI.agent_load");
    let jcmd = jcmd.arg(agent_library()).arg(format!("\"{options}\""));
    Finished::of(jcmd).text()
}

fn jdks_with_jcmd() -> Vec<Jdk> {
    jdks(17).into_iter().filter(|jdk| jdk.has("jcmd")).collect()
}

#[test]
fn counts_from_then_on() {
    for jdk in jdks_with_jcmd() {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let mut jvm = TrackedJvm::bare(&jdk).start(&["twice"]);
        let answer = load(
            &jdk,
            &jvm,
            &format!("summary=off,output={}", output.display()),
        );
        assert!(answer.contains("return code: 0"), "{jdk}: {answer}");
        jvm.go_on();
        let outcome = jvm.end();
        assert!(
            outcome.status.success() && outcome.out.ends_with("DONE\n"),
            "{outcome:?}"
        );
        let recording = Recording::of(&output);
        recording.check(1, Some("exit"));
        assert!(recording.report.run.attached);
        // Before JDK 21 the classes of the boot loader come without frames, which nothing that is added to them needs.
        let refused = recording.report.refusals.by_reason.iter();
        let for_frames: Vec<_> = refused
            .filter(|refused| refused.reason == "missing-frame")
            .collect();
        assert!(for_frames.is_empty(), "{jdk}: {for_frames:?}");
        assert!(
            recording
                .text()
                .contains("loaded into the running VM: what was before is missing")
        );
        assert!(
            recording
                .report
                .completeness
                .before_ready_bytes
                .unwrap_or(0)
                > 100_000 * 40
        );
    }
}

#[test]
fn a_bad_option_leaves_the_program_alone() {
    for jdk in jdks_with_jcmd() {
        let mut jvm = TrackedJvm::bare(&jdk).start(&["twice"]);
        let answer = load(&jdk, &jvm, "colour=red");
        assert!(!answer.contains("return code: 0"), "{answer}");
        jvm.go_on();
        let outcome = jvm.end();
        assert!(
            outcome.status.success() && outcome.out.ends_with("DONE\n"),
            "{outcome:?}"
        );
        assert!(
            outcome.errors.contains("unknown option `colour`"),
            "{outcome:?}"
        );
    }
}

#[test]
fn a_second_load_with_options_is_refused_and_the_first_goes_on() {
    for jdk in jdks_with_jcmd() {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let options = format!("summary=off,output={}", output.display());
        let mut jvm = TrackedJvm::new(&jdk, &options).start(&["twice"]);
        let answer = load(&jdk, &jvm, &options);
        assert!(!answer.contains("return code: 0"), "{answer}");
        jvm.go_on();
        jvm.end_well();
        Recording::of(&output).check(2, Some("exit"));
        assert!(
            !place.path().join("out.1").exists(),
            "the refused one wrote nothing"
        );
    }
}
