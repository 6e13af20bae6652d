//! Counts and bytes are exact under every collector, object layout and compiler setting.

use ducktrack_tests::{Jdk, skipped};

use crate::recording::{BLOCK, Recording};
use crate::tracked_jvm::{TrackedJvm, jdks_in_turn};

/// What the agent counts for one method equals the VM's own counter, to the byte.
fn check_bytes(jdk: &Jdk, vm_options: &[&str]) {
    let place = tempfile::tempdir().expect("temporary folder");
    let output = place.path().join("out");
    let outcome = TrackedJvm::recording(jdk, "", &output)
        .vm(vm_options)
        .run_well(&["measure"]);
    let allocated = outcome
        .out
        .lines()
        .find_map(|line| line.strip_prefix("ALLOCATED "))
        .expect("a measure");
    let allocated: i64 = allocated.parse().expect("a number");
    let recording = Recording::of(&output);
    let made = |ty: &str| recording.count("layouts", ty);
    assert_eq!(made("LifeCycleProbe$Mixed"), BLOCK, "{jdk} {vm_options:?}");
    assert_eq!(
        (made("byte[]"), made("double[]"), made("java.lang.Object[]")),
        (BLOCK, BLOCK, BLOCK)
    );
    assert_eq!((made("int[][]"), made("int[]")), (BLOCK, 3 * BLOCK));
    assert_eq!(
        recording.bytes("layouts"),
        allocated,
        "{jdk} {vm_options:?}"
    );
    assert!(
        recording.report.damage.is_empty(),
        "{:?}",
        recording.report.damage
    );
}

/// Eight threads under an option, counted exactly.
fn check_threads(jdk: &Jdk, vm_options: &[&str]) -> Recording {
    let place = tempfile::tempdir().expect("temporary folder");
    let output = place.path().join("out");
    TrackedJvm::recording(jdk, "", &output)
        .vm(vm_options)
        .run_well(&["return", "8"]);
    let recording = Recording::of(&output);
    recording.check(8, Some("exit"));
    recording
}

/// Runs a check on every JDK that takes the options.
fn on_every_jdk(vm_options: &[&str], check: impl Fn(&Jdk)) {
    for jdk in jdks_in_turn(17, 27) {
        if jdk.accepts(vm_options) {
            check(&jdk);
        } else {
            skipped(&format!("{jdk} does not take {vm_options:?}"));
        }
    }
}

fn check_collector(option: &str, name: &str) {
    on_every_jdk(&[option], |jdk| {
        assert_eq!(check_threads(jdk, &[option]).report.run.collector, name);
        check_bytes(jdk, &[option]);
    });
}

#[test]
fn serial() {
    check_collector("-XX:+UseSerialGC", "Serial");
}

#[test]
fn parallel() {
    check_collector("-XX:+UseParallelGC", "Parallel");
}

#[test]
fn g1() {
    check_collector("-XX:+UseG1GC", "G1");
}

#[test]
fn zgc() {
    check_collector("-XX:+UseZGC", "ZGC");
}

#[test]
fn shenandoah() {
    check_collector("-XX:+UseShenandoahGC", "Shenandoah");
}

fn check_layout(vm_options: &[&str]) {
    on_every_jdk(vm_options, |jdk| check_bytes(jdk, vm_options));
}

#[test]
fn compact_object_headers() {
    check_layout(&["-XX:+UseCompactObjectHeaders"]);
}

#[test]
fn wide_references() {
    check_layout(&["-XX:-UseCompressedOops"]);
}

#[test]
fn wide_class_pointers() {
    check_layout(&["-XX:-UseCompressedClassPointers"]);
}

#[test]
fn objects_aligned_to_16_bytes() {
    check_layout(&["-XX:ObjectAlignmentInBytes=16"]);
}

#[test]
fn interpreter() {
    check_layout(&["-Xint"]);
}

#[test]
fn first_compiler() {
    check_layout(&["-XX:TieredStopAtLevel=1"]);
}

#[test]
fn no_shared_classes() {
    check_layout(&["-Xshare:off"]);
}

#[test]
fn checked_native_calls_and_full_verification() {
    check_layout(&["-Xcheck:jni", "-Xrs", "-Xverify:all"]);
}
