//! A program that the JVM ends because it does nothing but collect.

use std::time::Instant;

use ducktrack_tests::{checked, is_full_run};

use crate::control::done;
use crate::tracked_jvm::{TrackedJvm, jdks_in_turn};

/// Of the full run. Whether the limit ends the main thread is chance: without the
/// agent, too, some runs go on for minutes, because each collection frees a little.
const ATTEMPTS: usize = 2;
/// Seconds of a run.
const LONGEST: u32 = 30;

/// Under a trace, too: the agent reads no pauses while collections free
/// nothing, because its time there is none of the collector's to the JVM.
#[test]
fn the_overhead_limit_is_reached_under_a_trace() {
    for jdk in jdks_in_turn(17, 11) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let ends = |jvm: &dyn Fn() -> TrackedJvm| {
            // Its causes of collections are among the data that other programs of these tests run without.
            // The limit is 98 % of the time by default, which a JVM that waits for a core does not reach.
            let words = [
                "-Xmx128m",
                "-XX:+UseParallelGC",
                "-XX:+UsePerfData",
                "-XX:GCTimeLimit=80",
            ];
            let attempts = if is_full_run() { ATTEMPTS } else { 1 };
            (0..attempts).find_map(|_| {
                let begun = Instant::now();
                let jvm = jvm().vm(&words).ending_within(LONGEST);
                let outcome = jvm.run_program("FullOfWork", &[]);
                // Not every JVM still has room for the words "GC overhead limit exceeded".
                let ended = outcome.status.code() == Some(1);
                (ended && outcome.errors.contains("OutOfMemoryError")).then(|| begun.elapsed())
            })
        };
        let traced = ends(&|| TrackedJvm::recording(&jdk, "mode=trace", &output));
        if is_full_run() {
            let bare = ends(&|| TrackedJvm::bare(&jdk));
            assert!(traced.is_some() || bare.is_none(), "{jdk}: bare {bare:?}");
        }
        let timeline = done(&[
            "timeline",
            output.to_str().expect("UTF-8"),
            "--format",
            "json",
        ]);
        assert!(timeline.contains("freed nearly nothing"), "{timeline}");
        checked(&format!("the overhead limit, {jdk}: {traced:?}"));
    }
}
