//! `dump=on`: each way to end leaves a dump of what the program held before its shutdown hooks; the program ends as it does without.

use std::path::Path;

use ducktrack_heap_dump::{DumpFile, Extent, HeapGraph};
use ducktrack_tests::{Jdk, Turns, checked};

use crate::recording::Recording;
use crate::tracked_jvm::{TrackedJvm, jdks, jdks_in_turn};

/// The word for `HeldAtEnd`, the exit code, the lines of the program.
const ENDINGS: [(&str, i32, &str); 6] = [
    ("return", 0, "ready\nhook\n"),
    ("exit", 3, "ready\nhook\n"),
    ("halt", 4, "ready\n"),
    ("signal", 143, "ready\nhook\n"),
    ("memory", 1, "ready\nhook\n"),
    ("caught", 0, "ready\ncaught\nhook\n"),
];
const MODES: [&str; 2] = ["count", "trace"];
const Z: &[&str] = &["-XX:+UseZGC"];
const GENERATIONAL: &[&str] = &["-XX:+UseZGC", "-XX:+ZGenerational"];
const OTHERS: [&[&str]; 4] = [
    &["-XX:+UseSerialGC"],
    &["-XX:+UseParallelGC"],
    &["-XX:+UseG1GC"],
    &["-XX:+UseShenandoahGC"],
];

/// Under ZGC on each JDK: from JDK 21 on the VM stops it before it tells agents of its death.
#[test]
fn each_way_to_end_has_its_dump_under_zgc() {
    for (turn, jdk) in jdks(17).iter().enumerate() {
        check_endings(jdk, Z, turn);
        if jdk.version == 21 {
            check_endings(jdk, GENERATIONAL, turn + 1);
        }
    }
}

#[test]
fn each_way_to_end_has_its_dump() {
    for (turn, collector) in OTHERS.iter().enumerate() {
        for jdk in jdks_in_turn(17, turn) {
            if jdk.accepts(collector) {
                check_endings(&jdk, collector, turn);
            }
        }
    }
}

fn check_endings(jdk: &Jdk, collector: &[&str], turn: usize) {
    let (mut turns, mut taken) = (Turns::new(), 0);
    let of_two = |two: usize| turns.take(&ENDINGS[2 * two..2 * two + 2], turn + two);
    let endings: Vec<_> = (0..ENDINGS.len() / 2).flat_map(of_two).collect();
    for (number, (ending, exit_code, lines)) in endings.into_iter().enumerate() {
        taken += 1;
        let mode = MODES[(turn + number) % MODES.len()];
        let name = format!("{jdk} {collector:?} {mode} {ending}");
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let run = |jvm: TrackedJvm| {
            let jvm = jvm.vm(collector).vm(&["-Xms64m", "-Xmx64m"]);
            let outcome = jvm.ending_within(120).run_program("HeldAtEnd", &[ending]);
            let code = outcome.status.code();
            assert_eq!(code, Some(*exit_code), "{name}: {outcome:?}");
            outcome
        };
        let outcome = run(TrackedJvm::recording(
            jdk,
            &format!("mode={mode},dump=on"),
            &output,
        ));
        let mut lines_of_agent = outcome.agent_lines();
        // Said of Shenandoah, whatever the ending.
        lines_of_agent.retain(|line| !line.contains("the heap of this collector cannot be walked"));
        assert_eq!(lines_of_agent, [""; 0], "{name}");
        let exhaustion = output.join("oom.hprof");
        match *ending {
            "memory" | "caught" => assert_eq!(things(&exhaustion), 5000, "{name}"),
            _ => assert!(!exhaustion.exists(), "{name}"),
        }
        // In a heap that is full to the last object, as ZGC leaves it, the VM does not begin its shutdown: with and without the agent.
        if *ending == "memory" && run(TrackedJvm::bare(jdk)).out != *lines {
            continue;
        }
        assert_eq!(outcome.out, *lines, "{name}: {}", outcome.errors);
        assert_eq!(things(&output.join("heap.hprof")), 5000, "{name}");
        Recording::of(&output).check(0, Some("exit"));
    }
    checked(&format!("dumps of {taken} endings, {jdk} {collector:?}"));
}

/// The number of `HeldAtEnd.Thing` in a dump.
fn things(dump: &Path) -> usize {
    let file = DumpFile::new(dump).expect("a dump");
    let graph = HeapGraph::read(file, Extent::Whole).expect("a whole dump");
    let is_thing = |object: &u32| graph.class_name(*object) == "HeldAtEnd$Thing";
    (0..graph.objects()).filter(is_thing).count()
}
