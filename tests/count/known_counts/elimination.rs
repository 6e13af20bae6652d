//! Counting leaves escape analysis alone, and `record=materialized` has the objects that were left of it.
//!
//! `ScalarReplacement` executes 80 million allocations that C2 replaces by their fields and 2 million that it cannot, and asks
//! the VM what its thread really allocated meanwhile.

use anyhow::{Context, ensure};
use ducktrack_tests::{Jdk, matrix_jdks};

use crate::comparison;
use crate::execution::Execution;
use crate::program::{self, Program};

const CLASS: &str = "ducktrack.known.ScalarReplacement";

/// 40 million points of 24 bytes and as many boxes of 16.
const EXECUTED: i64 = 1_600_000_000;

/// The objects allocated before C2 has compiled the loop may be this part of it; with the agent as without.
const WARM_UP_SHARE: i64 = 25;

/// Other objects that the thread allocates around the loop: text, and those of the management bean.
const OTHER_BYTES: i64 = 64 * 1024;

/// Events are only of objects that reached the heap.
const TRACE: &str = "mode=trace";

/// JDK 11 has counting only.
const OLDEST_WITH_EVENTS: u32 = 17;

fn check(jdk: &Jdk, program: &Program, options: &str) -> anyhow::Result<()> {
    let run = Execution::counted(jdk, program, options)?;
    let report = run.report.as_ref().context("no report")?;
    let wrong = comparison::mismatches(&run.expectations, report);
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    let replaced = run.allocated("eliminated").context("no ALLOCATED line")?;
    ensure!(
        replaced < EXECUTED / WARM_UP_SHARE,
        "{replaced} bytes on the heap: C2 does not replace them under the agent"
    );
    if options.contains("record=materialized") || options == TRACE {
        for method in ["eliminated", "escaping"] {
            let allocated = run.allocated(method).context("no ALLOCATED line")?;
            let materialized = report.materialized_bytes(CLASS, method);
            ensure!(
                (allocated - materialized).abs() < OTHER_BYTES,
                "{method}: {materialized} bytes materialized, {allocated} allocated"
            );
        }
    }
    Ok(())
}

#[test]
fn counting_leaves_escape_analysis_alone() -> anyhow::Result<()> {
    let programs = program::all()?;
    let program = programs.iter().find(|program| program.name == CLASS);
    let program = program.context("ScalarReplacement is not in the table")?;
    for jdk in matrix_jdks() {
        for options in [
            "counters=path:10000:0.5",
            "counters=site",
            "record=materialized",
            TRACE,
        ] {
            if options == TRACE && jdk.version < OLDEST_WITH_EVENTS {
                continue;
            }
            check(&jdk, program, options).with_context(|| format!("{jdk} {options}"))?;
        }
    }
    Ok(())
}
