//! Facts that cannot be known in this JVM are named when it starts, whatever `summary` is.

use std::path::Path;

use ducktrack_tests::skipped;

use crate::recording::Recording;
use crate::tracked_jvm::{TrackedJvm, jdks_in_turn};

/// The agent's lines while `LifeCycleProbe` runs.
fn said(jvm: TrackedJvm, place: &Path) -> Vec<String> {
    let outcome = jvm.directory(place).run_well(&["return", "1"]);
    let lines = outcome.agent_lines().into_iter();
    lines.map(str::to_owned).collect()
}

#[test]
fn collectors_whose_moves_cannot_be_followed() {
    for (jdk, collector) in jdks_in_turn(17, 24)
        .into_iter()
        .map(|jdk| (jdk, "-XX:+UseShenandoahGC"))
    {
        if !jdk.accepts(&[collector]) {
            skipped(&format!("{jdk} has no {collector}"));
            continue;
        }
        let place = tempfile::tempdir().expect("temporary folder");
        let jvm = TrackedJvm::new(&jdk, "mode=trace,summary=off,output=out").vm(&[collector]);
        let lines = said(jvm, place.path());
        assert!(
            lines.len() == 1 && lines[0].contains("Moves and deaths of objects are unknown"),
            "{jdk} {collector}: {lines:?}"
        );
        Recording::of(&place.path().join("out")).check(1, Some("exit"));
    }
}
