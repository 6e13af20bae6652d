//! A program that measures pieces of itself finds exactly the objects that it makes: cold, warm, compiled in
//! the middle, inside each other, beside each other, on virtual threads. `tests/count/measured/Measured.java`
//! knows the figures, and prints `EXACT` where each of them was right in every run.

use std::path::Path;

use ducktrack_tests::{
    Finished, Jdk, Turns, agent_argument, checked, compiled_with_api, is_full_run, matrix_jdks,
    pairs,
};

const COLLECTORS: &[&[&str]] = &[
    &["-XX:+UseSerialGC"],
    &["-XX:+UseParallelGC"],
    &["-XX:+UseG1GC"],
    &["-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC"],
];
/// Compilers that a run is left to.
const COMPILERS: &[&[&str]] = &[
    &[],
    &["-XX:TieredStopAtLevel=1"],
    &["-XX:-TieredCompilation"],
    &["-Xint"],
];
/// Methods are to be rewritten early.
const AGENTS: &[&str] = &["counters=path:1000:1", "counters=site"];

#[test]
fn a_program_counts_its_own_objects_exactly() {
    let programs = compiled_with_api("Measured", &["count/measured"]);
    let repeat = if is_full_run() { "100" } else { "30" };
    let (mut runs, mut turns) = (0, Turns::new());
    for (number, jdk) in matrix_jdks().iter().enumerate() {
        for (collector, compiler) in turns.take(&pairs(COLLECTORS, COMPILERS), 5 * number) {
            let agent = AGENTS[runs % AGENTS.len()];
            let output = run(
                jdk,
                &[*collector, *compiler].concat(),
                agent,
                (programs.path(), repeat),
            );
            let is_exact = output
                .lines()
                .last()
                .is_some_and(|line| line.starts_with("EXACT"));
            assert!(
                is_exact,
                "{jdk} {collector:?} {compiler:?} {agent}:\n{output}"
            );
            runs += 1;
        }
    }
    turns.announce("measured");
    checked(&format!(
        "pieces of a program measured from inside, {runs} JVMs, each figure exact in {repeat} runs"
    ));
}

fn run(jdk: &Jdk, options: &[&str], agent: &str, (programs, repeat): (&Path, &str)) -> String {
    let folder = tempfile::tempdir().expect("temporary folder");
    let agent = agent_argument(agent, &folder.path().join("run"));
    let mut command = jdk.java(programs);
    command.arg("-Xmx512m").args(options).arg(agent);
    Finished::of(command.args(["Measured", repeat])).text()
}
