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
//! A third of the methods do not count by themselves, so that nothing but the probes stands at their allocations. Two seeds:
//! a fixed one on every JDK (with one of the three kinds of runs, with all three over all JDKs), and in the full run one that
//! is printed on the oldest; `DUCKTRACK_SEED=N` repeats that on every JDK. `DUCKTRACK_KEEP=1` keeps the classes of a failure.

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
use ducktrack_tests::{Jdk, Turns, installed_jdks, is_full_run, skipped};

use comparison::{Comparison, Run};
use outcome::{FULL_VERIFICATION, Truth};
use program::{Extent, Manner, Program};

const EXTENT: Extent = Extent {
    groups: 32,
    methods: 8,
    rounds: 30,
    calls: 60,
};

/// On every JDK one of them; in the full run all.
const RUNS: [Run; 3] = [
    plain(&FULL_VERIFICATION, "counters=path"),
    // Slow enough for several batches of new versions.
    Run {
        manner: Manner::Paced(200),
        new_versions: true,
        ..plain(&FULL_VERIFICATION, "counters=path:5:0.5")
    },
    plain(&FULL_VERIFICATION, "counters=site"),
];

/// On the oldest one, too.
const MORE_RUNS: [Run; 2] = [
    plain(&[], "counters=path"),
    plain(&["-Xint"], "counters=path"),
];

const fn plain(vm_options: &'static [&'static str], options: &'static str) -> Run {
    Run {
        vm_options,
        options,
        manner: Manner::Fast,
        new_versions: false,
        may_be_off_by: 0,
    }
}

/// The stack ends, everywhere: a million objects, and on the way exceptions in thousands of frames near the end.
const DEEP_RUNS: [Run; 3] = [
    deep(&["-Xint"], "counters=path", true, 0),
    deep(&[], "counters=path", true, LOST_IN_ABANDONED_CODE),
    deep(&[], "counters=path", false, LOST_IN_ABANDONED_CODE),
];

/// On one JDK, too.
const MORE_DEEP_RUNS: [Run; 4] = [
    deep(&["-Xint"], "counters=site", true, 0),
    deep(&[], "counters=site", true, LOST_IN_ABANDONED_CODE),
    deep(&[], "counters=site", false, LOST_IN_ABANDONED_CODE),
    deep(
        &["-XX:TieredStopAtLevel=1"],
        "counters=path",
        true,
        LOST_IN_ABANDONED_CODE,
    ),
];

/// Compiled code claims no stack for its probes, because they are inlined. When it is abandoned and the interpreter goes on in the
/// last bytes of the stack, a probe may still find its end.
const LOST_IN_ABANDONED_CODE: u64 = 30;

const fn deep(
    vm_options: &'static [&'static str],
    options: &'static str,
    cold: bool,
    may_be_off_by: u64,
) -> Run {
    Run {
        manner: Manner::Deep { cold },
        may_be_off_by,
        ..plain(vm_options, options)
    }
}

#[test]
fn all_counts_are_equal() -> Result<()> {
    let jdks = jdks();
    if let Ok(seed) = std::env::var("DUCKTRACK_SEED") {
        return check(seed.parse()?, &jdks, &RUNS);
    }
    check(1, &jdks, &RUNS)?;
    let oldest = jdks.get(..1).unwrap_or_default();
    if is_full_run() || jdks.len() == 1 {
        check(1, oldest, &MORE_RUNS)?;
    }
    if !is_full_run() {
        return Ok(());
    }
    let now = std::time::UNIX_EPOCH.elapsed()?.as_nanos();
    check(u64::try_from(now & 0xffff_ffff)?, oldest, &RUNS)
}

/// Runs of the program of one seed.
fn check(seed: u64, jdks: &[Jdk], runs: &[Run]) -> Result<()> {
    let program = Program::generate(seed, EXTENT)?;
    println!(
        "DUCKTRACK_SEED={seed}: {} sites, {} cells",
        program.ledger.sites.len(),
        program.ledger.cells()
    );
    let mut comparison = Comparison::new(&program, EXTENT.groups * EXTENT.methods);
    let mut turns = Turns::new();
    let takes_all = jdks.len() == 1 || std::env::var_os("DUCKTRACK_SEED").is_some();
    for (turn, jdk) in jdks.iter().enumerate() {
        let bare = Truth::of_bare_run(jdk, &program)?;
        let runs = match takes_all {
            true => runs,
            false => turns.take(runs, turn),
        };
        for run in runs {
            comparison.run(jdk, run, &bare);
        }
    }
    turns.announce("random methods");
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

#[test]
fn counts_are_equal_where_the_stack_ends() -> Result<()> {
    let jdks = jdks();
    if let Ok(seed) = std::env::var("DUCKTRACK_SEED") {
        check(seed.parse()?, &jdks, &DEEP_RUNS)?;
        return check(seed.parse()?, &jdks, &MORE_DEEP_RUNS);
    }
    check(2, &jdks, &DEEP_RUNS)?;
    let newest = jdks.last().map_or(&[][..], std::slice::from_ref);
    if is_full_run() || jdks.len() == 1 {
        check(2, newest, &MORE_DEEP_RUNS)?;
    }
    Ok(())
}

fn jdks() -> Vec<Jdk> {
    let jdks = installed_jdks();
    for version in [11, 17, 21, 25] {
        if !jdks.iter().any(|jdk| jdk.version == version) {
            skipped(&format!("random methods: no JDK {version}"));
        }
    }
    jdks
}
