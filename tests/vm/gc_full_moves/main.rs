//! Full collections, read inside the pause: every claimed move and death is checked against the heap itself, on every JDK and collector.
//!
//! The agent `tests/agents/full_moves_agent` takes a picture of the heap when marking has ended and another when the collection is over;
//! the program `tests/vm/gc_full_moves/FullMovesProbe.java` writes ids into its objects. `DUCKTRACK_FULL=1` adds longer runs: heaps that
//! fill up, humongous objects, classes that come and go, allocations that fail after two full collections, other layouts of objects.

mod facts;
mod run;

use anyhow::ensure;
use ducktrack_tests::{built_agent, compiled, is_full_run, skipped, traced_jdks};

use crate::facts::Facts;
use crate::run::{Bench, Run};

const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
const COMPACT: [&str; 2] = [
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:+UseCompactObjectHeaders",
];
const SHORT: &[&str] = &["30000", "5000", "collect=10000", "references"];

/// Nothing wrong, nothing uncovered, and enough of everything to mean something.
fn check(facts: &Facts, least_full: u64) -> anyhow::Result<()> {
    for name in ["wrong", "uncovered", "faults", "hook-failed"] {
        let number = facts.number(name)?;
        ensure!(number == 0, "{name} {number}\n{}", facts.text());
    }
    for (name, least) in [
        ("full", least_full),
        ("moved", 1_000),
        ("ids", 1_000),
        ("dead", 100),
        ("looks-most", 20),
    ] {
        let number = facts.number(name)?;
        ensure!(number >= least, "only {name} {number}\n{}", facts.text());
    }
    Ok(())
}

/// Runs all, also after one that fails.
fn check_all(runs: &[Run<'_>], least_full: u64) {
    let bench = Bench {
        agent: built_agent("full_moves_agent"),
        folder: compiled(&["FullMovesProbe"], 11),
    };
    let mut failed = Vec::new();
    for run in runs {
        if !run.jdk.accepts(&run.vm_options) {
            skipped(&format!("gc_full_moves: {} is not accepted", run.name()));
            continue;
        }
        let checked = bench.run(run).and_then(|facts| {
            println!("{}: {}", run.name(), facts.line());
            check(&facts, least_full)
        });
        if let Err(error) = checked {
            failed.push(format!("{}: {error:#}", run.name()));
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {} runs:\n{}",
        failed.len(),
        runs.len(),
        failed.join("\n")
    );
}

#[test]
fn every_move_and_death_on_every_jdk_and_collector() {
    let jdks = traced_jdks();
    let mut runs = Vec::new();
    for jdk in &jdks {
        for collector in COLLECTORS {
            runs.push(Run::new(jdk, &[collector, "-Xmx64m"], SHORT));
            if jdk.version >= 25 {
                let options = [collector, "-Xmx64m", COMPACT[0], COMPACT[1]];
                runs.push(Run::new(jdk, &options, SHORT));
            }
        }
    }
    check_all(&runs, 3);
}

#[test]
fn longer_runs_of_every_kind() {
    if !is_full_run() {
        skipped("gc_full_moves: DUCKTRACK_FULL is not set");
        return;
    }
    let programs: [&[&str]; 4] = [
        &["600000", "60000", "pressure", "humongous", "references"],
        &["600000", "60000", "loaders", "humongous", "last"],
        &["400000", "40000", "collect=50000", "loaders", "references"],
        &["300000", "40000", "pressure", "last", "loaders"],
    ];
    let layouts: [&[&str]; 5] = [
        &["-Xmx64m"],
        &["-Xmx96m", "-XX:-UseCompressedOops"],
        &["-Xmx96m", "-XX:-UseCompressedClassPointers"],
        &["-Xmx96m", "-XX:ObjectAlignmentInBytes=16"],
        &["-Xmx64m", COMPACT[0], COMPACT[1]],
    ];
    let jdks = traced_jdks();
    let mut runs = Vec::new();
    for jdk in &jdks {
        for collector in COLLECTORS {
            for program in programs {
                runs.push(Run::new(jdk, &[collector, "-Xmx64m"], program));
            }
            for layout in layouts {
                let options = [&[collector], layout].concat();
                runs.push(Run::new(jdk, &options, programs[2]));
            }
        }
    }
    check_all(&runs, 1);
}
