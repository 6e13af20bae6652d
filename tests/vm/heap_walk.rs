//! The heap walk of `ducktrack-hotspot` against JVMTI's own heap iteration: at the
//! same safepoint, for every class the same number of objects and the same bytes.
//!
//! The probe agent walks all spaces and regions inside the first callback of `IterateThroughHeap` and compares class by class
//! (`tests/agents/probe_agent`, `tests/vm/HeapWalkProbe.java`). JVMTI leaves dead objects of old regions out and a walk does not, so a
//! full collection comes first, one that compacts everything, and without class data sharing (its archived objects may be dead, too).

use std::path::Path;

use ducktrack_tests::{
    Jdk, Turns, built_agent, compiled, installed_jdks, printed_by, skipped, with_file,
};

/// Collectors and object layouts; each is tried where the VM accepts it.
const LAYOUTS: &[&[&str]] = &[
    &["-XX:+UseSerialGC"],
    &["-XX:+UseParallelGC"],
    &["-XX:+UseG1GC"],
    &["-XX:+UseG1GC", "-XX:-UseCompressedOops"],
    &["-XX:+UseParallelGC", "-XX:-UseCompressedClassPointers"],
    &["-XX:+UseSerialGC", "-XX:ObjectAlignmentInBytes=16"],
    &[
        "-XX:+UnlockExperimentalVMOptions",
        "-XX:+UseCompactObjectHeaders",
        "-XX:+UseG1GC",
    ],
    &[
        "-XX:+UnlockExperimentalVMOptions",
        "-XX:+UseCompactObjectHeaders",
        "-XX:+UseSerialGC",
    ],
];

/// Options of every run.
const FIXED: &[&str] = &[
    "-Xmx300m",
    "-Xms300m",
    "-Xshare:off",
    "-XX:MarkSweepDeadRatio=0",
    "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
    "--add-exports=java.base/jdk.internal.vm=ALL-UNNAMED",
];

#[test]
fn every_object_is_found_once_with_its_size() {
    let jdks = installed_jdks();
    let folder = compiled(&["HeapWalkProbe"], 11);
    let agent = built_agent("probe_agent");
    let mut turns = Turns::new();
    for (turn, &options) in LAYOUTS.iter().enumerate() {
        let (able, others): (Vec<&Jdk>, Vec<&Jdk>) =
            jdks.iter().partition(|jdk| jdk.accepts(options));
        for jdk in others {
            skipped(&format!("heap_walk: {jdk} does not accept {options:?}"));
        }
        for jdk in turns.take(&able, turn) {
            let printed = run(jdk, options, &agent, folder.path());
            let place = format!("{jdk} {options:?}\n{printed}");
            check(&printed, jdk.version >= 21, &place);
            let walks: Vec<&str> = printed
                .lines()
                .filter(|line| line.starts_with("walked"))
                .collect();
            println!("{jdk} {options:?}: {}", walks.join("; "));
        }
    }
    turns.announce("heap_walk");
}

/// Three rounds, nothing different, nothing forgotten, and enough of everything to mean something.
fn check(printed: &str, has_virtual_threads: bool, place: &str) {
    assert!(printed.trim_end().ends_with("done"), "{place}");
    assert!(!printed.contains("DIFFERENT"), "{place}");
    // Fillers have a class of their own from JDK 19 on, which JVMTI may leave out. Nothing else may be missing there.
    let missing = printed
        .lines()
        .filter(|line| line.starts_with("not-visited"));
    for line in missing {
        assert!(line.contains("jdk/internal/vm/Filler"), "{place}");
    }
    let walked = numbers(printed, "walked ");
    let visited = numbers(printed, "visited ");
    assert_eq!((walked.len(), visited.len()), (3, 3), "{place}");
    assert!(visited.iter().all(|&count| count > 150_000), "{place}");
    assert!(
        walked
            .iter()
            .zip(&visited)
            .all(|(walked, visited)| walked >= visited),
        "{place}"
    );
    if has_virtual_threads {
        assert!(
            numbers(printed, "stack-chunks ")
                .iter()
                .all(|&count| count >= 200),
            "{place}"
        );
    }
}

/// The first number of each line with this start.
fn numbers(printed: &str, start: &str) -> Vec<u64> {
    let lines = printed.lines().filter_map(|line| line.strip_prefix(start));
    lines
        .filter_map(|rest| rest.split(' ').next()?.parse().ok())
        .collect()
}

fn run(jdk: &Jdk, options: &[&str], agent: &Path, folder: &Path) -> String {
    let facts = tempfile::NamedTempFile::new_in(folder).expect("file");
    let threads = match jdk.version {
        ..21 => "platform",
        _ => "virtual",
    };
    let mut java = jdk.java(folder);
    java.arg(with_file(agent, facts.path()));
    java.args(FIXED).args(options).arg("HeapWalkProbe");
    printed_by(java.arg(agent).arg(threads))
}
