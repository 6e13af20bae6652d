//! Class loaders whose own code is rewritten, and loaders that do not know
//! all classes of `java.lang`: the program does as it does without the agent.
//!
//! The program is `tests/life_cycle/life_cycle/LoaderProbe.java`.

use ducktrack_tests::Jdk;

use crate::recording::Recording;
use crate::tracked_jvm::{TrackedJvm, jdks_in_turn};

/// `LoaderProbe.OBJECTS`.
const OBJECTS: i64 = 1_000;

/// Runs the program in a mode of its own and one of the agent.
fn run(jdk: &Jdk, loader: &str, mode: &str) -> Recording {
    let place = tempfile::tempdir().expect("temporary folder");
    let output = place.path().join("out");
    let outcome = TrackedJvm::recording(jdk, &format!("mode={mode}"), &output)
        .run_program("LoaderProbe", &[loader]);
    assert!(
        outcome.status.success() && outcome.out == "DONE\n",
        "{jdk} {loader} {mode}: {outcome:?}"
    );
    Recording::of(&output)
}

fn made(recording: &Recording) -> i64 {
    let sites = recording.report.sites.iter();
    let own = sites.filter(|site| site.class == "LoaderProbe$Part");
    own.map(|site| site.count).sum()
}

fn modes(jdk: &Jdk) -> &'static [&'static str] {
    if jdk.can_be_traced() {
        &["count", "trace"]
    } else {
        &["count"]
    }
}

#[test]
fn a_loader_whose_own_code_is_rewritten() {
    for jdk in jdks_in_turn(11, 2) {
        for mode in modes(&jdk) {
            let recording = run(&jdk, "asks-itself", mode);
            // Some more while it was asked for classes.
            let made = made(&recording);
            assert!((OBJECTS..OBJECTS + 20).contains(&made), "{made}");
        }
    }
}

#[test]
fn a_loader_that_makes_its_parts_when_it_is_asked() {
    for jdk in jdks_in_turn(11, 3) {
        let recording = run(&jdk, "busy", "count");
        let made = made(&recording);
        assert!((OBJECTS..OBJECTS + 20).contains(&made), "{made}");
        let notes = &recording.report.notes;
        assert!(
            notes.iter().any(|note| note.contains("loader was busy")),
            "{notes:?}"
        );
    }
}

#[test]
fn a_loader_that_does_not_know_the_helper() {
    for jdk in jdks_in_turn(11, 4) {
        for mode in modes(&jdk) {
            let recording = run(&jdk, "knows-little", mode);
            assert_eq!(made(&recording), 0);
            let reasons = &recording.report.refusals.by_reason;
            let reason = "loader-without-java-lang";
            assert!(
                reasons.iter().any(|refused| refused.reason == reason),
                "{reasons:?}"
            );
        }
    }
}
