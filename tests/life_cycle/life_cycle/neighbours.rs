//! Other agents beside ours.

use std::fs;
use std::path::{Path, PathBuf};

use ducktrack_tests::{agent_argument, skipped, trace_text};

use crate::recording::Recording;
use crate::tracked_jvm::{TrackedJvm, jar_of, jdks_in_turn};

/// A jar with an agent that looks at every class and changes none; `None` where no JDK has the tool `jar`.
fn no_op_agent(place: &Path) -> Option<PathBuf> {
    let manifest = "Premain-Class: NoOpAgent\nCan-Retransform-Classes: true\n";
    jar_of(place, manifest, &["NoOpAgent.class"])
}

#[test]
fn a_java_agent_that_transforms() {
    for jdk in jdks_in_turn(17, 17) {
        let place = tempfile::tempdir().expect("temporary folder");
        let Some(jar) = no_op_agent(place.path()) else {
            return;
        };
        let java_agent = format!("-javaagent:{}", jar.display());
        let native_agent = agent_argument("", Path::new("out"));
        for order in [[&java_agent, &native_agent], [&native_agent, &java_agent]] {
            let jvm = TrackedJvm::bare(&jdk)
                .vm(&[order[0], order[1]])
                .directory(place.path());
            let outcome = jvm.run_well(&["return", "2"]);
            assert!(
                outcome.out.contains("TRANSFORMER SAW LifeCycleProbe"),
                "{outcome:?}"
            );
            Recording::of(&place.path().join("out")).check(2, Some("exit"));
            fs::remove_dir_all(place.path().join("out")).expect("remove");
        }
    }
}

#[test]
fn flight_recorder() {
    for jdk in jdks_in_turn(17, 18) {
        let place = tempfile::tempdir().expect("temporary folder");
        let recorder = format!(
            "-XX:StartFlightRecording=filename={}",
            place.path().join("r.jfr").display()
        );
        if !jdk.accepts(&[&recorder]) {
            skipped(&format!("{jdk} has no flight recorder"));
            continue;
        }
        let jvm = TrackedJvm::new(&jdk, "summary=off,output=out")
            .vm(&[&recorder])
            .directory(place.path());
        jvm.run_well(&["return", "2"]);
        Recording::of(&place.path().join("out")).check(2, Some("exit"));
        assert!(
            fs::metadata(place.path().join("r.jfr"))
                .expect("its recording")
                .len()
                > 10_000
        );
    }
}

/// The recorder's own objects, and its look at allocations, leave a trace whole.
#[test]
fn flight_recorder_beside_a_trace() {
    for (jdk, collector) in jdks_in_turn(17, 19)
        .into_iter()
        .flat_map(|jdk| ["-XX:+UseSerialGC", "-XX:+UseG1GC"].map(|name| (jdk.clone(), name)))
    {
        let place = tempfile::tempdir().expect("temporary folder");
        let recorder = format!(
            "-XX:StartFlightRecording=settings=profile,filename={}",
            place.path().join("r.jfr").display()
        );
        if !jdk.accepts(&[&recorder]) {
            skipped(&format!("{jdk} has no flight recorder"));
            continue;
        }
        let jvm = TrackedJvm::new(&jdk, "mode=trace,summary=off,output=out")
            .vm(&[&recorder, collector, "-Xmx48m", "-Xmn12m"])
            .directory(place.path());
        jvm.run_well(&["library", "2"]);
        let info = trace_text("info", &place.path().join("out"), &[]);
        assert!(
            info.contains("whole: nothing is missing or contradictory"),
            "{jdk} {collector}: {info}"
        );
    }
}
