//! Options that change how the heap lies in memory: large pages, a heap over 4 GB, objects at every 16 bytes, references and class pointers
//! of full width. Under each the rebuilt heap equals the VM's own class histogram, class by class, after young and full collections.
//!
//! The program is `tests/trace/LostHeap.java`, which here loses nothing. Without large pages or a second NUMA
//! node the VM starts all the same; for two NUMA nodes a library stands in (`tests/trace/two_numa_nodes.c`):
//! Parallel then cuts eden in two, and at the end of a collection lets the system forget what is in it. There
//! the program is `tests/trace/StoppedThreads.java`, for the parts of eden belong to threads.

use std::path::Path;
use std::process::Command;

use ducktrack_tests::{
    Jdk, TracedRun, Turns, checked, compiled, is_full_run, program_source, skipped, trace_command,
    traced_jdks, traced_layouts,
};

const SMALL_HEAP: [&str; 2] = ["-Xms64m", "-Xmx64m"];
/// References are shifted; the young spaces stay as small as before, so that there are collections.
const OVER_4_GB: &[&str] = &["-Xms6g", "-Xmx6g", "-Xmn64m"];

const OPTIONS: [&[&str]; 5] = [
    &["-XX:+UseLargePages"],
    &["-XX:+UseTransparentHugePages", "-XX:+UseNUMA"],
    &["-XX:ObjectAlignmentInBytes=16"],
    OVER_4_GB,
    &["-XX:-UseCompressedOops", "-XX:-UseCompressedClassPointers"],
];

#[test]
fn the_rebuilt_heap_is_that_of_the_vm_however_it_lies_in_memory() {
    let programs = compiled(&["LostHeap"], 17);
    let jdks = traced_jdks();
    let mut runs = 0;
    for (turn, jdk) in jdks.iter().enumerate() {
        let layouts: Vec<_> = traced_layouts(jdk).collect();
        for (number, options) in OPTIONS.into_iter().enumerate() {
            for (at, layout) in layouts.iter().enumerate() {
                // Each with another collector on each JDK; the full run takes all with all.
                let is_turn = at == (turn + number) % layouts.len();
                let all = [layout, options].concat();
                if (is_turn || is_full_run()) && jdk.accepts(&all) {
                    check(jdk, &all, programs.path());
                    runs += 1;
                }
            }
        }
    }
    assert!(runs >= 4 * jdks.len(), "only {runs} runs");
    checked(&format!(
        "heaps that lie in memory in other ways, {runs} runs, every class equal"
    ));
}

#[test]
fn the_rebuilt_heap_is_that_of_the_vm_where_eden_has_a_part_for_each_node() {
    let program = ["HistogramAtExit", "StoppedThreads"];
    let programs = compiled(&program, 17);
    if !has_two_nodes(programs.path()) {
        return skipped("eden of two NUMA nodes: no C compiler");
    }
    let (mut runs, mut turns) = (0, Turns::new());
    let collectors = ["-XX:+UseParallelGC", "-XX:+UseG1GC"];
    for (turn, jdk) in traced_jdks().into_iter().enumerate() {
        for &collector in turns.take(&collectors, turn) {
            let options = [collector, "-XX:+UseNUMA", "-XX:+PrintFlagsFinal"];
            let run = TracedRun::new(&jdk, &options.join(" "));
            let histogram = run.file("histogram");
            let mut command = run.command("", &[programs.path()]);
            command.env("LD_LIBRARY_PATH", programs.path());
            command
                .args(SMALL_HEAP)
                .args(options)
                .arg("HistogramAtExit");
            command.arg(&histogram).args(["StoppedThreads", "1"]);
            let printed = run.finish(&mut command);
            let flag = printed.lines().find(|line| line.contains(" UseNUMA "));
            assert!(flag.is_some_and(|line| line.contains("true")), "{flag:?}");
            check_heap(&run, &histogram);
            runs += 1;
        }
    }
    checked(&format!(
        "heaps of two NUMA nodes, {runs} runs, every class equal"
    ));
}

/// Makes a library for machines of two nodes. `false`: there is no C compiler.
fn has_two_nodes(folder: &Path) -> bool {
    let versions = program_source("two_numa_nodes.map");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-O1", "-shared", "-fPIC"])
        .arg(format!("-Wl,--version-script={}", versions.display()))
        .arg("-o")
        .arg(folder.join("libnuma.so.1"))
        .arg(program_source("two_numa_nodes.c"));
    let Ok(status) = compiler.status() else {
        return false;
    };
    assert!(status.success(), "two_numa_nodes.c does not compile");
    true
}

fn check(jdk: &Jdk, options: &[&str], programs: &Path) {
    let run = TracedRun::new(jdk, &options.join(" "));
    let histogram = run.file("histogram");
    let mut command = run.command("", &[programs]);
    // Later objects count.
    command.args(SMALL_HEAP).args(options);
    run.finish(command.arg("LostHeap").arg(&histogram));
    check_heap(&run, &histogram);
}

fn check_heap(run: &TracedRun, histogram: &Path) {
    let classes = run.compare_heap(histogram).expect("the rebuilt heap");
    let info = trace_command("info", &run.trace(), &[]);
    let name = run.name();
    assert_eq!(info["knowledge"]["state"], "known", "{name}: {info}");
    assert!(info["knowledge"].get("gaps").is_none(), "{name}: {info}");
    let collections = &info["collections"];
    assert!(collections["count"].as_u64() >= Some(3), "{name}: {info}");
    assert_eq!(collections["unexplained"], 0, "{name}");
    assert_eq!(collections["conflicts"], 0, "{name}");
    println!("{name}: {classes} classes equal");
}
