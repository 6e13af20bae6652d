//! Attached and stopped again and again: a stop leaves nothing behind, and the last recording is as good as the first.
//!
//! The full run takes 200 cycles.

use std::fs;
use std::path::Path;

use ducktrack_tests::{Jdk, checked, is_full_run};

use crate::control::{attach, done, work_counted};
use crate::recording::Recording;
use crate::tracked_jvm::{RunningJvm, TrackedJvm, jdks_in_turn};

const CYCLES: usize = 12;
const CYCLES_OF_FULL_RUN: usize = 200;
/// A heap that does not grow.
const HEAP: [&str; 3] = ["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch"];
/// The VM keeps versions of methods, and compiles the program anew: kilobytes of each cycle, and of all together.
const OF_CYCLE_KB: i64 = 1_500;
const OF_ALL_KB: i64 = 30 << 10;

/// The agent's own memory is nearly as large, whatever the recording's number: what frames of earlier ones may still write to stays.
const OF_CYCLE_BYTES: u64 = 120_000;
/// What waits to be written at a stop comes on top, up to megabytes on a loaded machine: the least of as many recordings in a row counts.
const LOOKS: usize = 4;

/// What a process holds.
#[derive(Debug)]
struct Held {
    descriptors: usize,
    /// What the descriptors are open on.
    open: Vec<String>,
    mappings: usize,
    resident_kb: i64,
}

impl Held {
    fn by(jvm: &RunningJvm) -> Self {
        let place = format!("/proc/{}", jvm.pid());
        let read = |name: &str| fs::read_to_string(format!("{place}/{name}")).expect("a process");
        let status = read("status");
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let resident = resident.and_then(|value| value.trim().strip_suffix(" kB"));
        let descriptors = fs::read_dir(format!("{place}/fd")).expect("a process");
        let targets = descriptors
            .flatten()
            .map(|entry| fs::read_link(entry.path()));
        let open: Vec<String> = targets
            .map(|target| target.unwrap_or_default().display().to_string())
            .collect();
        Self {
            descriptors: open.len(),
            open,
            mappings: read("maps").lines().count(),
            resident_kb: resident.and_then(|kb| kb.parse().ok()).expect("VmRSS"),
        }
    }
}

fn cycle(jvm: &mut RunningJvm, output: &Path, mode: &str) -> Recording {
    attach(jvm, output, &["--mode", mode]);
    jvm.ask("work 300", "DONE");
    done(&["stop", &jvm.pid().to_string()]);
    // The thread that takes commands ends a moment later.
    std::thread::sleep(std::time::Duration::from_millis(600));
    let recording = Recording::of(output);
    assert_eq!(work_counted(&recording), (300, 300), "{mode}");
    recording
}

fn check(jdk: &Jdk, mode: &str, cycles: usize) {
    let what = format!("{jdk} {mode}");
    let place = tempfile::tempdir().expect("temporary folder");
    let output = |number: usize| place.path().join(format!("out-{number}"));
    let mut jvm = TrackedJvm::bare(jdk)
        .vm(&HEAP)
        .start_program("ControlProbe", &[]);
    let cost = |recording: &Recording| {
        let cost = &recording.report.cost;
        (cost.counters, cost.memory_bytes)
    };
    cycle(&mut jvm, &output(1), mode);
    let (second, bytes) = cost(&cycle(&mut jvm, &output(2), mode));
    let before = Held::by(&jvm);
    let (mut last, mut bytes) = (second, vec![bytes]);
    for number in 3..=cycles {
        let of_cycle;
        (last, of_cycle) = cost(&cycle(&mut jvm, &output(number), mode));
        bytes.push(of_cycle);
        let _ = fs::remove_dir_all(output(number));
    }
    let least = |bytes: &[u64]| bytes.iter().copied().min().unwrap_or(0);
    let (first_bytes, last_bytes) = (least(&bytes[..LOOKS]), least(&bytes[bytes.len() - LOOKS..]));
    let after = Held::by(&jvm);
    assert!(
        after.descriptors <= before.descriptors,
        "{what}: {before:?} {after:?}"
    );
    let grown = after.resident_kb - before.resident_kb;
    let most = OF_ALL_KB + OF_CYCLE_KB * i64::try_from(cycles).unwrap_or(0);
    assert!(grown <= most, "{what}: {before:?} {after:?}");
    assert!(last <= second * 2, "{what}: {second:?} {last:?}");
    assert!(
        last_bytes <= first_bytes + OF_CYCLE_BYTES * cycles as u64,
        "{what}: the agent itself, in bytes: {bytes:?}"
    );
    let of_cache = before.open.iter().find(|file| file.contains(".classes"));
    assert_eq!(of_cache, None, "{what}");
    killed(jvm, &output(0), mode);
    checked(&format!(
        "{what}: {cycles} times attached and stopped, {grown} kB and {} mappings more; the agent itself had {first_bytes} B, then {last_bytes} B",
        after.mappings.saturating_sub(before.mappings)
    ));
}

/// One more recording, whose program is killed.
fn killed(mut jvm: RunningJvm, output: &Path, mode: &str) {
    attach(&jvm, output, &["--mode", mode]);
    jvm.ask("work 300", "DONE");
    jvm.signal("KILL");
    drop(jvm.end());
    let recording = Recording::of(output);
    assert_eq!(work_counted(&recording), (300, 300), "{mode}, killed");
    let notes = &recording.report.notes;
    assert!(
        !notes.iter().any(|note| note.contains("private memory")),
        "{notes:?}"
    );
}

#[test]
fn a_stop_leaves_nothing_behind() {
    let cycles = match is_full_run() {
        true => CYCLES_OF_FULL_RUN,
        false => CYCLES,
    };
    for jdk in jdks_in_turn(11, 9) {
        check(&jdk, "count", cycles);
        if jdk.can_be_traced() {
            check(&jdk, "trace", cycles);
        }
    }
}
