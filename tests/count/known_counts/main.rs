//! Every program with known counts, under the agent: the report must have just these counts at just these sites.
//!
//! ```text
//! program ─┬─ without agent ─ CHECKSUM, exit status ──────────────┐
//!          └─ with agent, full verification ─┬─ CHECKSUM, status ─┴─ must be equal
//!                                            ├─ EXPECT lines ─────┐
//!                                            └─ trace ─ report ───┴─ must agree
//! ```
//!
//! The programs, JDKs and options are in `matrix`. A JDK or a program that is missing is a failure.

mod comparison;
mod elimination;
mod execution;
mod expectation;
mod kept_classes;
mod matrix;
mod program;
mod report;
mod work_queue;

use anyhow::ensure;
use ducktrack_tests::checked;

use execution::Execution;
use matrix::{Matrix, Task};

/// How many rows of a program's runs are exact, or what is wrong with them.
fn check(task: &Task<'_>) -> Result<usize, String> {
    let bare = Execution::bare(task.jdk, task.program);
    let bare = bare.map_err(|what| format!("{}: {what:#}", task.name("without agent")))?;
    let runs = task.options.iter();
    let (mut rows, mut wrong) = (0, Vec::new());
    for run in runs.map(|options| check_run(task, options, &bare)) {
        match run {
            Ok(exact) => rows += exact,
            Err(lines) => wrong.push(lines),
        }
    }
    match wrong.is_empty() {
        true => Ok(rows),
        false => Err(wrong.join("\n")),
    }
}

fn check_run(task: &Task<'_>, options: &str, bare: &Execution) -> Result<usize, String> {
    let name = task.name(options);
    let counted = Execution::counted(task.jdk, task.program, options)
        .map_err(|what| format!("{name}: {what:#}"))?;
    let mut mismatches = counted.differences(bare, task.program);
    if let Some(report) = &counted.report {
        mismatches.extend(comparison::mismatches(&counted.expectations, report));
    }
    let completeness = counted
        .report
        .as_ref()
        .map_or_else(String::new, report::Report::completeness);
    if mismatches.is_empty() {
        let rows = counted.expectations.len();
        println!("ok   {name}: {rows} rows exact, {completeness}");
        return Ok(rows);
    }
    Err(format!(
        "{name}: {} mismatches, {completeness}\n    {}",
        mismatches.len(),
        mismatches.join("\n    ")
    ))
}

#[test]
fn every_known_count_is_exact() -> anyhow::Result<()> {
    let matrix = Matrix::of_environment()?;
    let tasks = matrix.tasks();
    let results = work_queue::run(&tasks, check);
    let failed = results.iter().filter(|result| result.is_err()).count();
    ensure!(failed == 0, "{failed} of {} programs differ", tasks.len());
    let rows: usize = results.iter().flatten().sum();
    ensure!(rows > 0, "no row was compared");
    checked(&format!(
        "known counts: {rows} rows exact in {}",
        matrix::named(&tasks)
    ));
    Ok(())
}
