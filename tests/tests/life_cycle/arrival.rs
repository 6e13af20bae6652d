//! How long the arrival of the agent stops a program that has loaded thousands of classes: by the agent's own word, and by the VM's log of its safepoints.

use std::path::Path;

use ducktrack_tests::checked;

use crate::control::{attach, done};
use crate::recording::Recording;
use crate::tracked_jvm::{TrackedJvm, jdks};

const CLASSES: u32 = 4000;
/// Of a stop, in milliseconds.
const AIM: f64 = 50.0;
/// The share of the stops that must be within the aim, however busy the machine is.
const WITHIN: f64 = 0.75;

/// Milliseconds of each safepoint in which classes were exchanged.
fn stops_by_the_vm(log: &Path) -> Vec<f64> {
    let text = std::fs::read_to_string(log).expect("the log of safepoints");
    let lines = text
        .lines()
        .filter(|line| line.contains("Safepoint \"RedefineClasses\""));
    let nanos = lines.filter_map(|line| {
        let total = line.split("Total:").nth(1)?;
        total.split_whitespace().next()?.parse::<f64>().ok()
    });
    nanos.map(|nanos| nanos / 1e6).collect()
}

#[test]
fn thousands_of_classes_are_exchanged_in_short_stops() {
    for jdk in jdks(17) {
        let place = tempfile::tempdir().expect("temporary folder");
        let (log, output) = (place.path().join("safepoints"), place.path().join("out"));
        let option = format!("-Xlog:safepoint:file={}", log.display());
        let jvm = TrackedJvm::bare(&jdk).vm(&[&option]);
        let mut jvm = jvm.start_program("ControlProbe", &[]);
        let loaded = jvm.ask(&format!("load {CLASSES}"), "LOADED");
        let loaded: u32 = loaded.trim_start_matches("LOADED ").parse().expect(&loaded);
        assert!(loaded > CLASSES / 2, "{loaded} classes");
        // Later batches are of other work.
        attach(
            &jvm,
            &output,
            &["--reinstrument", "off", "--context", "off"],
        );
        let by_the_vm = stops_by_the_vm(&log);
        let status = done(&["status", &jvm.pid().to_string(), "--json"]);
        let status: serde_json::Value = serde_json::from_str(&status).expect(&status);
        let what = format!("JDK {}: {status}, by the VM {by_the_vm:?}", jdk.version);
        let number = |name: &str| status[name].as_f64().expect(&what);

        assert!(
            number("classes_rewritten") > f64::from(loaded) / 4.0,
            "{what}"
        );
        assert_eq!(number("arrival_stops"), by_the_vm.len() as f64, "{what}");
        // How many there are depends on the machine: batches grow while their stops are short.
        assert!(by_the_vm.len() > 1, "one stop for all: {what}");
        let longest = by_the_vm.iter().copied().fold(0.0, f64::max);
        assert!(
            number("arrival_longest_stop_micros") / 1e3 >= longest,
            "{what}"
        );
        let short = by_the_vm.iter().filter(|stop| **stop <= AIM).count();
        assert!(short as f64 >= WITHIN * by_the_vm.len() as f64, "{what}");

        done(&["stop", &jvm.pid().to_string()]);
        let notes = Recording::of(&output).report.notes.join("\n");
        let sentence = format!("stopped the program {} times, ", by_the_vm.len());
        assert!(notes.contains(&sentence), "{sentence} {notes}");
        checked(&format!(
            "JDK {}: {} classes exchanged in {} stops, the longest {longest:.1} ms by the VM's log",
            jdk.version,
            status["classes_rewritten"],
            by_the_vm.len()
        ));
        jvm.ask("end", "END");
        assert!(jvm.end().status.success());
    }
}
