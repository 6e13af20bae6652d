//! A program that measures pieces of itself finds exactly the objects that it makes: cold, warm, compiled in
//! the middle, inside each other, beside each other, on virtual threads. `tests/count/measured/Measured.java`
//! knows the figures, and prints `EXACT` where each of them was right in every run.

use std::path::Path;

use ducktrack_tests::{
    Jdk, Turns, agent_library, checked, compile_java_with, is_full_run, matrix_jdks, pairs, skipped,
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
    let programs = tempfile::tempdir().expect("temporary folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = [
        root.join("../agent/java/agent/src/main/java"),
        root.join("count/measured"),
    ];
    if !compile_java_with(&["Measured"], 11, programs.path(), &sources).expect("compile") {
        skipped("measured: no JDK with javac, nothing is checked");
        return;
    }
    let repeat = if is_full_run() { "100" } else { "30" };
    let (mut runs, mut turns) = (0, Turns::new());
    for (number, jdk) in matrix_jdks().expect("JDKs").iter().enumerate() {
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
                "Java {} {collector:?} {compiler:?} {agent}:\n{output}",
                jdk.version
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
    let agent = format!(
        "-agentpath:{}={agent},summary=off,output={}",
        agent_library().expect("agent").display(),
        folder.path().join("run").display()
    );
    let mut command = jdk.tool("java");
    command
        .arg("-Xmx512m")
        .args(options)
        .arg(agent)
        .arg("-cp")
        .arg(programs);
    let run = command.args(["Measured", repeat]).output().expect("java");
    format!(
        "{}{}",
        String::from_utf8_lossy(&run.stderr),
        String::from_utf8_lossy(&run.stdout)
    )
}
