//! Little address space (`ulimit -v`): wherever the program gets by without the agent, it does with it and 64 MB more.

use ducktrack_tests::Finished;

use crate::tracked_jvm::{TrackedJvm, jdks_in_turn};

/// Sizes that leave the limit to the threads and to us, not to what the VM reserves and never uses.
const SMALL_VM: [&str; 4] = [
    "-Xmx64m",
    "-XX:CompressedClassSpaceSize=64m",
    "-XX:ReservedCodeCacheSize=48m",
    "-XX:+UseSerialGC",
];
/// In MB.
const LIMITS: [u32; 6] = [480, 540, 620, 760, 960, 1280];
/// In MB: the agent's library itself, and what it holds before the VM has reserved its own.
const OURS: u32 = 64;
/// malloc reserves 64 MB for each thread that comes first, depending on the moment; this makes runs comparable.
const ONE_ARENA: (&str, &str) = ("MALLOC_ARENA_MAX", "1");

fn run(jvm: TrackedJvm, megabytes: u32) -> Finished {
    let jvm = jvm.vm(&SMALL_VM).env(ONE_ARENA.0, ONE_ARENA.1);
    jvm.address_limit(megabytes << 10).run(&["return", "1"])
}

#[test]
fn little_address_space_ends_no_program() {
    let mut compared = 0;
    for jdk in jdks_in_turn(11, 0) {
        let modes: &[&str] = match jdk.can_be_traced() {
            true => &["count", "trace"],
            false => &["count"],
        };
        for megabytes in LIMITS {
            let bare = run(TrackedJvm::bare(&jdk), megabytes);
            if !bare.status.success() {
                continue;
            }
            for mode in modes {
                let place = tempfile::tempdir().expect("temporary folder");
                let options = format!("mode={mode},summary=off,output=out");
                let jvm = TrackedJvm::new(&jdk, &options).directory(place.path());
                let outcome = run(jvm, megabytes + OURS);
                assert!(
                    outcome.status.success() && outcome.out == bare.out,
                    "{jdk} {megabytes} MB + {OURS} MB {mode}: {outcome:?}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 0, "no limit lets the bare program run");
}

#[test]
fn a_limit_that_is_too_low_is_said_and_nothing_counted() {
    for jdk in jdks_in_turn(17, 1) {
        let limits = LIMITS.into_iter();
        let enough = |megabytes: &u32| run(TrackedJvm::bare(&jdk), *megabytes).status.success();
        let lowest = limits.clone().find(enough).expect("a limit that will do");
        let place = tempfile::tempdir().expect("temporary folder");
        let jvm = TrackedJvm::new(&jdk, "mode=trace,output=out").directory(place.path());
        let outcome = run(jvm, lowest + OURS);
        assert!(outcome.status.success(), "{outcome:?}");
        let lines = outcome.agent_lines();
        assert!(
            lines.iter().any(|line| line.contains("ulimit -v")),
            "{lines:?}"
        );
    }
}
