//! Random methods with random exceptions, counted in three independent ways that must agree at every site:
//!
//! ```text
//! seed ─ classes ─┬─ without agent ─────── results, own counts ─┐
//!                 ├─ counters=path ─┬───── results, own counts ─┼─ equal
//!                 │                 └───── report ──────────────┤
//!                 └─ counters=site ─┬───── results, own counts ─┤
//!                                   └───── report ──────────────┘
//! ```
//!
//! A third of the methods do not count by themselves, so that nothing but the probes stands at their allocations. Two seeds: a
//! fixed one on every JDK, and one that is printed on the oldest; `DUCKTRACK_SEED=N` repeats that on every JDK.
//! `DUCKTRACK_KEEP=1` keeps the classes of a failure.

mod actions;
mod body;
mod comparison;
mod group;
mod ledger;
mod outcome;
mod program;
mod random;
mod structured;
mod unstructured;

use anyhow::{Result, ensure};
use ducktrack_tests::{Jdk, installed_jdks};

use comparison::{Comparison, Run};
use outcome::{FULL_VERIFICATION, Truth};
use program::{Extent, Program};

const EXTENT: Extent = Extent {
    groups: 40,
    methods: 8,
    rounds: 40,
    calls: 60,
};

/// On every JDK.
const RUNS: [Run; 3] = [
    Run {
        vm_options: &FULL_VERIFICATION,
        options: "counters=path",
        pace: 0,
        new_versions: false,
    },
    // Slow enough for several batches of new versions.
    Run {
        vm_options: &FULL_VERIFICATION,
        options: "counters=path,reinstrument=5",
        pace: 200,
        new_versions: true,
    },
    Run {
        vm_options: &FULL_VERIFICATION,
        options: "counters=site",
        pace: 0,
        new_versions: false,
    },
];

/// On the oldest one, too.
const MORE_RUNS: [Run; 2] = [
    Run {
        vm_options: &[],
        options: "counters=path",
        pace: 0,
        new_versions: false,
    },
    Run {
        vm_options: &["-Xint"],
        options: "counters=path",
        pace: 0,
        new_versions: false,
    },
];

#[test]
fn all_counts_are_equal() -> Result<()> {
    let jdks: Vec<Jdk> = installed_jdks()
        .into_iter()
        .filter(|jdk| jdk.version >= 17)
        .collect();
    for version in [17, 21, 25] {
        if !jdks.iter().any(|jdk| jdk.version == version) {
            println!("skipped: no JDK {version}");
        }
    }
    if let Ok(seed) = std::env::var("DUCKTRACK_SEED") {
        return check(seed.parse()?, &jdks, &RUNS);
    }
    check(1, &jdks, &RUNS)?;
    let oldest = jdks.get(..1).unwrap_or_default();
    check(1, oldest, &MORE_RUNS)?;
    let now = std::time::UNIX_EPOCH.elapsed()?.as_nanos();
    check(u64::try_from(now & 0xffff_ffff)?, oldest, &RUNS)
}

/// Runs of the program of one seed.
fn check(seed: u64, jdks: &[Jdk], runs: &[Run]) -> Result<()> {
    let Some(program) = Program::generate(seed, EXTENT)? else {
        println!("skipped: no compiler");
        return Ok(());
    };
    println!(
        "DUCKTRACK_SEED={seed}: {} sites, {} cells",
        program.ledger.sites.len(),
        program.ledger.cells()
    );
    let mut comparison = Comparison::new(&program, EXTENT.groups * EXTENT.methods);
    for jdk in jdks {
        let bare = Truth::of_bare_run(jdk, &program)?;
        for run in runs {
            comparison.run(jdk, run, &bare);
        }
    }
    let wrong = comparison.wrong;
    if !wrong.is_empty() && std::env::var_os("DUCKTRACK_KEEP").is_some() {
        println!("classes: {}", program.keep().display());
    }
    let shown = wrong
        .iter()
        .take(40)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join("\n");
    ensure!(
        wrong.is_empty(),
        "DUCKTRACK_SEED={seed}: {} wrong\n{shown}",
        wrong.len()
    );
    Ok(())
}
