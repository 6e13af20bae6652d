//! A program finds the objects that repetitions of a piece of it leave behind: types, numbers, the calls that made them, who holds them.
//! `tests/count/survivors/Staying.java` knows the answers, and prints `EXACT` where each was right.

use std::path::Path;

use ducktrack_tests::{
    Finished, Jdk, Turns, agent_argument, checked, compiled_with_api, matrix_jdks, pairs,
};

const COLLECTORS: &[&[&str]] = &[
    &["-XX:+UseSerialGC"],
    &["-XX:+UseParallelGC"],
    &["-XX:+UseG1GC"],
    &["-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC"],
];
const COMPILERS: &[&[&str]] = &[&[], &["-Xint"], &["-XX:TieredStopAtLevel=1"]];

#[test]
fn a_program_finds_what_it_leaves_behind() {
    let programs = compiled_with_api("Staying", &["count/survivors"]);
    let (mut runs, mut turns) = (0, Turns::new());
    for (number, jdk) in matrix_jdks().iter().enumerate() {
        for (collector, compiler) in turns.take(&pairs(COLLECTORS, COMPILERS), 5 * number) {
            let output = run(jdk, &[*collector, *compiler].concat(), programs.path());
            assert_eq!(
                output.lines().last(),
                Some("EXACT"),
                "{jdk} {collector:?} {compiler:?}:\n{output}"
            );
            runs += 1;
        }
    }
    turns.announce("survivors");
    checked(&format!(
        "what pieces of a program leave behind, with makers and holders, {runs} JVMs"
    ));
}

fn run(jdk: &Jdk, options: &[&str], programs: &Path) -> String {
    let folder = tempfile::tempdir().expect("temporary folder");
    let agent = agent_argument("stacks=off", &folder.path().join("run"));
    let mut command = jdk.java(programs);
    command.arg("-Xmx512m").args(options).arg(agent);
    Finished::of(command.arg("Staying")).text()
}
