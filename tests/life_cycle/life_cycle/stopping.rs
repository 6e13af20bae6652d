//! A thread that is stopped right after its start ends, whatever the agent does in it at that moment.
//!
//! The program is `tests/life_cycle/life_cycle/StoppedAtStart.java`.

use ducktrack_tests::{Jdk, native_library, skipped};

use crate::tracked_jvm::{TrackedJvm, jdks_in_turn};

/// The last JDK whose `Thread.stop` stops a thread.
const LAST_WITH_STOP: u32 = 19;

fn check(jdk: &Jdk, words: &[&str], environment: Option<&str>) {
    let place = tempfile::tempdir().expect("temporary folder");
    let mut jvm = TrackedJvm::new(jdk, "summary=off,output=out").directory(place.path());
    if let Some(slot) = environment {
        jvm = jvm.env("DUCKTRACK_SLOT", slot);
    }
    let outcome = jvm.run_program("StoppedAtStart", words);
    assert_eq!(
        outcome.out.trim(),
        "STILL RUNNING 0",
        "{jdk} {environment:?}: {outcome:?}"
    );
}

#[test]
fn threads_stopped_by_the_program() {
    for jdk in jdks_in_turn(11, 25) {
        if jdk.version <= LAST_WITH_STOP {
            check(&jdk, &[], None);
            // Here a thread's slot is set by Java code.
            check(&jdk, &[], Some("padding"));
        }
    }
}

#[test]
fn threads_stopped_by_a_debugger() {
    let place = tempfile::tempdir().expect("temporary folder");
    let Some(library) = native_library(place.path(), "stop_thread") else {
        skipped("a debugger's StopThread: no C compiler or no jvmti.h");
        return;
    };
    let library = library.display().to_string();
    for jdk in jdks_in_turn(11, 26) {
        check(&jdk, &[&library], None);
    }
}
