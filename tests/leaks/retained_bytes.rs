//! The bytes that each object of a real heap dump retains, against another reader
//! (shark) with another algorithm: byte for byte, all objects that roots hold.
//!
//! The program around shark is `tests/leaks/dump-readers/RetainedReader.java`;
//! sizes of objects are ours, references, roots and dominators are its own.

use std::path::Path;

use ducktrack_heap_dump::{DominatorTree, DumpFile, Extent, HeapGraph, Tier};
use ducktrack_tests::{
    Jdk, TracedRun, Turns, checked, compile_java, compiled, harness_folder, harness_jar,
    printed_by, traced_jdks,
};

const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
const WORKLOADS: [&str; 3] = ["json", "serial", "xalan"];

#[test]
fn another_reader_finds_the_same_retained_bytes() {
    let programs = compiled(&["DumpAtExit"], 17);
    let shark = harness_folder().join("lib/dump-readers/shark/*");
    compile_java(
        &["dump-readers/RetainedReader"],
        17,
        programs.path(),
        &[shark],
    );
    let jdks = traced_jdks();
    let (mut turns, mut dumps, mut objects) = (Turns::new(), 0, 0);
    for (number, jdk) in jdks.iter().enumerate() {
        let workload = WORKLOADS[number % WORKLOADS.len()];
        for collector in turns.take(&COLLECTORS, number) {
            let run = dumped(jdk, (collector, workload), programs.path());
            objects += compare(&jdks[0], &run, programs.path());
            dumps += 1;
        }
    }
    assert!(dumps >= 3, "only {dumps} dumps");
    turns.announce("retained bytes");
    checked(&format!(
        "retained bytes of {objects} objects in {dumps} dumps, byte for byte as another reader has them"
    ));
}

fn dumped(jdk: &Jdk, (collector, workload): (&str, &str), programs: &Path) -> TracedRun {
    let run = TracedRun::new(jdk, &format!("{workload} {collector}"));
    let class_path = std::env::join_paths([programs, &harness_jar()]);
    let mut command = jdk.java(class_path.expect("a class path"));
    command.args(["-Xmx512m", collector]);
    command.arg("DumpAtExit").arg(run.file("heap.hprof"));
    command.args(["ducktrack.harness.Main", workload]);
    command.args(["--iterations", "2", "--size", "1"]);
    printed_by(&mut command);
    run
}

/// From JDK 25 on the cleaners' list is arrays of cleaners. Cleaners that something else holds refer to the array's owner, so it
/// is held firmly, and its array by the list alone: we count what it frees, the other reader what roots hold without the list.
const OF_CLEANERS: &str = "jdk/internal/ref/CleanerImpl$CleanableList$Node";

/// The objects compared.
fn compare(reading: &Jdk, run: &TracedRun, programs: &Path) -> usize {
    let name = run.name();
    let dump = run.file("heap.hprof");
    let file = DumpFile::new(&dump).expect("a dump");
    let graph = HeapGraph::read(file, Extent::Whole).expect("a dump");
    let tiers = graph.tiers();
    let tree = DominatorTree::new(&tiers.held(&graph));
    let retained = tree.retained(|object| graph.bytes(object));
    let sizes = (0..graph.objects()).flat_map(|object| [graph.id(object), graph.bytes(object)]);
    let sizes: Vec<u8> = sizes.flat_map(u64::to_be_bytes).collect();
    let (sizes_file, out) = (run.file("sizes"), run.file("retained"));
    std::fs::write(&sizes_file, sizes).expect("a file");
    let shark = harness_folder().join("lib/dump-readers/shark/*");
    let mut command = reading.java(std::env::join_paths([programs, &shark]).expect("a class path"));
    command.args(["-Xmx2g"]);
    command.arg("RetainedReader").arg(&dump);
    printed_by(command.arg(&sizes_file).arg(&out));
    let theirs = std::fs::read(&out).expect("their answer");
    let words = theirs.as_chunks::<8>().0;
    let (mut held, mut differ) = (0, Vec::new());
    for (object, pair) in (0..graph.objects()).zip(words.as_chunks::<2>().0) {
        let [id, theirs] = pair.map(u64::from_be_bytes);
        assert_eq!(id, graph.id(object), "{name}");
        let number = tree.number(object) as usize;
        let ours = match tiers.of(object) {
            Tier::Firm => retained.get(number).copied().unwrap_or(0),
            _ => 0,
        };
        held += usize::from(ours > 0);
        let name = graph.class_name(object);
        if ours != theirs && name != OF_CLEANERS {
            differ.push((name.to_owned(), ours, theirs));
        }
    }
    assert_eq!(words.len(), 2 * graph.objects() as usize, "{name}");
    assert!(held > 10_000, "{name}: {held} objects are held");
    let first = &differ[..differ.len().min(12)];
    assert!(
        differ.is_empty(),
        "{name}: {} of {held} objects differ: {first:#?}",
        differ.len()
    );
    println!("{name}: {held} objects, retained bytes equal");
    held
}
