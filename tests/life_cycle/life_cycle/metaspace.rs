//! A JVM whose metaspace has a bound (`-XX:MaxMetaspaceSize`) loads its
//! classes under an attach and after `stop`: what does not fit stays as it is.

use crate::control::{attach, done, work_counted};
use crate::recording::Recording;
use crate::tracked_jvm::{TrackedJvm, jdks_in_turn};

/// `ControlProbe` loads that many classes of the JDK. Alone, it takes about 10 MB then.
const CLASSES: u32 = 2500;

#[test]
fn an_attach_fits_into_a_metaspace_with_a_bound() {
    // How much fits: all, a part, nothing but the program's own classes.
    let bounds = [("256m", true), ("28m", false), ("20m", false)];
    for (turn, (bound, is_all)) in bounds.into_iter().enumerate() {
        for jdk in jdks_in_turn(17, turn) {
            let place = tempfile::tempdir().expect("temporary folder");
            let output = place.path().join("out");
            let option = format!("-XX:MaxMetaspaceSize={bound}");
            let jvm = TrackedJvm::bare(&jdk).vm(&[&option, "-XX:TieredStopAtLevel=1"]);
            let mut jvm = jvm.start_program("ControlProbe", &[]);
            jvm.ask(&format!("load {CLASSES}"), "LOADED");
            attach(&jvm, &output, &[]);
            let what = format!("{jdk}, {bound}");
            let status = done(&["info", "--state", "--format=json", &jvm.pid().to_string()]);
            let status: serde_json::Value = serde_json::from_str(&status).expect(&status);
            let left_out = status["arrival_classes_left_out"].as_u64().expect(&what);
            assert_eq!(left_out == 0, is_all, "{what}: {status}");
            jvm.ask("work 1000", "DONE");
            // New classes need metaspace, too.
            jvm.ask(&format!("load {}", CLASSES + 500), "LOADED");
            let stopped = done(&["stop", &jvm.pid().to_string()]);
            assert!(!stopped.contains("keep"), "{what}: {stopped}");
            jvm.ask("end", "END");
            let outcome = jvm.end_well();
            assert!(
                !outcome.errors.contains("OutOfMemoryError"),
                "{what}: {outcome:?}"
            );
            let recording = Recording::of(&output);
            assert_eq!(work_counted(&recording), (1000, 1000), "{what}");
            let notes = recording.report.notes.join("\n");
            assert!(
                notes.contains("Metaspace is limited to "),
                "{what}: {notes}"
            );
            assert_eq!(notes.contains("would not fit"), !is_all, "{what}: {notes}");
        }
    }
}
