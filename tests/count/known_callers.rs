//! Objects that library methods allocate for their callers are filed under the calls that made them
//! do it, exactly: `tests/count/KnownCallers.java` says at the end of each line what it makes.

use std::path::Path;

use ducktrack_reports::Document;
use ducktrack_tests::{
    Jdk, Lines, Turns, agent_argument, blamed_lines, checked, compiled, count_report, matrix_jdks,
    pairs, printed_by, said_lines,
};

const PROGRAM: &str = include_str!("KnownCallers.java");
const TIMES: i64 = 20_000;
/// Bytes that may be missing to those that the VM says it allocated. The arrays of stack
/// traces, which no bytecode makes, are twenty times as many, and those of each type more.
const MOST_UNEXPLAINED: i64 = 4_000_000;

/// Compilers that a run is left to.
const COMPILERS: &[&[&str]] = &[&[], &["-XX:TieredStopAtLevel=1"], &["-Xint"]];
/// Each JDK has one of them with a compiler, other ones than the JDK before; the full run and the run on one JDK have all with all.
const AGENTS: [&str; 3] = ["counters=path", "counters=site", "mode=trace"];

#[test]
fn every_object_is_filed_under_the_call_that_is_to_blame() {
    let programs = compiled(&["KnownCallers"], 11);
    let expected = said_lines(PROGRAM, TIMES);
    assert!(expected.len() > 15, "only {} lines", expected.len());
    let (mut runs, mut turns) = (0, Turns::new());
    for (number, jdk) in matrix_jdks().iter().enumerate() {
        let agents = match jdk.can_be_traced() {
            true => &AGENTS[..],
            false => &AGENTS[..2],
        };
        for (options, agent) in turns.take(&pairs(COMPILERS, agents), number) {
            let report = report(jdk, options, agent, programs.path());
            let run = format!("{jdk} {options:?} {agent}");
            assert_eq!(found(&report), expected, "{run}");
            let completeness = &report.completeness;
            let is_explained = |rest| rest < MOST_UNEXPLAINED;
            assert!(
                completeness.rest_bytes.is_some_and(is_explained),
                "{run}: {completeness:?}"
            );
            runs += 1;
        }
    }
    turns.announce("known callers");
    checked(&format!(
        "callers with known counts, {runs} runs, every line exact"
    ));
}

/// The report's figures under lines of the program. Code that runs once, and objects made on the way to an exception, are not in the table.
fn found(report: &Document) -> Lines {
    let context = report.sites.iter().flat_map(|site| &site.context);
    blamed_lines(context, "KnownCallers", TIMES)
}

fn report(jdk: &Jdk, options: &[&str], agent: &str, programs: &Path) -> Document {
    let folder = tempfile::tempdir().expect("temporary folder");
    let output = folder.path().join("run");
    printed_by(
        jdk.java(programs)
            .args(options)
            .arg(agent_argument(agent, &output))
            .arg("KnownCallers"),
    );
    count_report(&output, &[])
}
