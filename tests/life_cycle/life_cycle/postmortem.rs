//! The JDK's tools that read a JVM from outside, method by method and object by object (`jhsdb`), work
//! beside an agent that was there from the start as without it. After an attach they may not: see LIMITS.

use ducktrack_tests::{Finished, Jdk, checked, skipped};

use crate::tracked_jvm::{RunningJvm, TrackedJvm, jdks_in_turn};

fn jhsdb(jdk: &Jdk, words: &[&str]) -> String {
    Finished::well(jdk.tool("jhsdb").args(words)).text()
}

/// A dump of the heap, and all stacks.
fn look(jdk: &Jdk, jvm: &RunningJvm, what: &str) {
    let place = tempfile::tempdir().expect("temporary folder");
    let dump = place.path().join("heap.bin");
    let (pid, file) = (jvm.pid().to_string(), dump.display().to_string());
    let said = jhsdb(
        jdk,
        &["jmap", "--binaryheap", "--dumpfile", &file, "--pid", &pid],
    );
    let bytes = std::fs::read(&dump).unwrap_or_default();
    assert!(
        bytes.starts_with(b"JAVA PROFILE 1.0.2") && bytes.len() > 100_000,
        "{jdk} {what}: {} bytes; {said}",
        bytes.len()
    );
    let stacks = jhsdb(jdk, &["jstack", "--pid", &pid]);
    for thread in ["\"main\"", "\"Reference Handler\"", "\"Finalizer\""] {
        assert!(stacks.contains(thread), "{jdk} {what}: {stacks}");
    }
    assert!(!stacks.contains("Exception"), "{jdk} {what}: {stacks}");
}

#[test]
fn heaps_and_stacks_can_be_read_from_outside() {
    let jdks: Vec<Jdk> = jdks_in_turn(17, 0)
        .into_iter()
        .filter(|jdk| jdk.has("jhsdb"))
        .collect();
    if jdks.is_empty() {
        skipped("life cycle: no JDK with jhsdb");
    }
    for jdk in jdks {
        let bare = TrackedJvm::bare(&jdk).start_program("ControlProbe", &[]);
        look(&jdk, &bare, "bare");
        drop(bare);
        for mode in ["count", "trace"] {
            let place = tempfile::tempdir().expect("temporary folder");
            let output = place.path().join("out");
            let mut jvm = TrackedJvm::recording(&jdk, &format!("mode={mode}"), &output)
                .start_program("ControlProbe", &[]);
            look(&jdk, &jvm, mode);
            jvm.ask("end", "END");
            jvm.end_well();
        }
        checked(&format!("{jdk}: jhsdb reads heap and stacks"));
    }
}
