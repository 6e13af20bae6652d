//! Every program with known counts, under the agent: the report must have just these counts at just these sites.
//!
//! ```text
//! program ─┬─ without agent ─ CHECKSUM, exit status ──────────────┐
//!          └─ with agent, full verification ─┬─ CHECKSUM, status ─┴─ must be equal
//!                                            ├─ EXPECT lines ─────┐
//!                                            └─ trace ─ report ───┴─ must agree
//! ```
//!
//! On every JDK that is there with `counters=path`, and on one of them with `counters=site` too. To look at a few only:
//! `DUCKTRACK_KNOWN=Lambda,Boxing DUCKTRACK_KNOWN_JDKS=17,25 DUCKTRACK_KNOWN_OPTIONS=counters=site`.

mod comparison;
mod elimination;
mod execution;
mod expectation;
mod product;
mod program;
mod report;
mod work_queue;

use ducktrack_tests::{Jdk, installed_jdks};

use execution::Execution;
use program::Program;

/// The JDK on which one counter per site is tried too.
const SITE_COUNTERS_ON: u32 = 17;

/// One program on one JDK with one set of options of the agent.
struct Task<'a> {
    jdk: &'a Jdk,
    program: &'a Program,
    options: String,
}

fn chosen(variable: &str) -> Option<Vec<String>> {
    let value = std::env::var(variable).ok()?;
    Some(value.split(',').map(str::to_owned).collect())
}

fn tasks<'a>(jdks: &'a [Jdk], programs: &'a [Program]) -> Vec<Task<'a>> {
    let only = chosen("DUCKTRACK_KNOWN");
    let versions = chosen("DUCKTRACK_KNOWN_JDKS");
    let options = std::env::var("DUCKTRACK_KNOWN_OPTIONS").ok();
    let mut tasks = Vec::new();
    for jdk in jdks {
        if versions
            .as_ref()
            .is_some_and(|versions| !versions.contains(&jdk.version.to_string()))
        {
            continue;
        }
        for program in programs
            .iter()
            .filter(|program| program.level <= jdk.version)
        {
            if only
                .as_ref()
                .is_some_and(|only| !only.iter().any(|name| *name == program.short_name()))
            {
                continue;
            }
            let task = |options: &str| Task {
                jdk,
                program,
                options: options.to_owned(),
            };
            match &options {
                Some(options) => tasks.push(task(options)),
                None => {
                    tasks.push(task("counters=path"));
                    if jdk.version == SITE_COUNTERS_ON {
                        tasks.push(task("counters=site"));
                    }
                }
            }
        }
    }
    tasks
}

/// What is wrong with one run; the first line names it.
fn check(task: &Task<'_>) -> Result<String, String> {
    let name = format!(
        "JDK {} {} {}",
        task.jdk.version,
        task.options,
        task.program.short_name()
    );
    let wrong = |what: anyhow::Error| format!("{name}: {what:#}");
    let bare = Execution::bare(task.jdk, task.program).map_err(wrong)?;
    let counted = Execution::counted(task.jdk, task.program, &task.options).map_err(wrong)?;
    let mut mismatches = counted.differences(&bare, task.program);
    if let Some(report) = &counted.report {
        mismatches.extend(comparison::mismatches(&counted.expectations, report));
    }
    let completeness = counted
        .report
        .as_ref()
        .map_or_else(String::new, report::Report::completeness);
    if mismatches.is_empty() {
        return Ok(format!(
            "{name}: {} sites exact, {completeness}",
            counted.expectations.len()
        ));
    }
    Err(format!(
        "{name}: {} mismatches, {completeness}\n    {}",
        mismatches.len(),
        mismatches.join("\n    ")
    ))
}

#[test]
fn every_known_count_is_exact() {
    let programs = match program::all() {
        Ok(programs) => programs,
        Err(why) => {
            println!("skipped: {why:#}");
            return;
        }
    };
    let jdks = installed_jdks();
    for version in [11, 17, 21, 25] {
        if !jdks.iter().any(|jdk| jdk.version == version) {
            println!("skipped: no JDK {version}");
        }
    }
    let tasks = tasks(&jdks, &programs);
    let results = work_queue::run(&tasks, check);
    let failed: Vec<&String> = results
        .iter()
        .filter_map(|result| result.as_ref().err())
        .collect();
    assert!(
        failed.is_empty(),
        "{} of {} runs differ",
        failed.len(),
        tasks.len()
    );
}
