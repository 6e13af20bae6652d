//! Where a thread's counters hang must not change a count: every place, with eight threads.

use ducktrack_tests::Jdk;

use crate::recording::Recording;
use crate::tracked_jvm::{TrackedJvm, jdks};

fn check_slot(jdk: &Jdk, forced: &str, name: &str) {
    for counters in ["path", "site"] {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        TrackedJvm::recording(jdk, &format!("counters={counters}"), &output)
            .env("DUCKTRACK_SLOT", forced)
            .run_well(&["return", "8"]);
        let recording = Recording::of(&output);
        recording.check(8, Some("exit"));
        assert_eq!(recording.report.run.slot, name);
        // Objects that a thread makes before it has its block and after it gave it back are counted into the shared one.
        let shared = recording.report.completeness.shared_objects;
        assert!(shared < 20, "{shared} objects in the shared block");
    }
}

#[test]
fn padding_of_the_thread_object() {
    for jdk in jdks(11).into_iter().filter(|jdk| jdk.version <= 18) {
        check_slot(&jdk, "padding", "thread-padding");
    }
}

#[test]
fn hash_of_the_native_thread() {
    for jdk in jdks(11) {
        check_slot(&jdk, "hash", "eetop-hash");
    }
}

#[test]
fn padding_that_is_not_there_becomes_a_hash() {
    for jdk in jdks(19) {
        check_slot(&jdk, "padding", "eetop-hash");
    }
}
