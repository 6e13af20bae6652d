//! A program finds the objects that repetitions of a piece of it leave behind: types, numbers, the calls that made them, who holds them.
//! `tests/count/survivors/Staying.java` knows the answers, and prints `EXACT` where each was right.

use std::path::Path;

use ducktrack_tests::{
    Jdk, Turns, agent_library, checked, compile_java_with, matrix_jdks, pairs, skipped,
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
    let programs = tempfile::tempdir().expect("temporary folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources = [
        root.join("../agent/java/agent/src/main/java"),
        root.join("count/survivors"),
    ];
    if !compile_java_with(&["Staying"], 11, programs.path(), &sources).expect("compile") {
        skipped("survivors: no JDK with javac, nothing is checked");
        return;
    }
    let (mut runs, mut turns) = (0, Turns::new());
    for (number, jdk) in matrix_jdks().expect("JDKs").iter().enumerate() {
        for (collector, compiler) in turns.take(&pairs(COLLECTORS, COMPILERS), 5 * number) {
            let output = run(jdk, &[*collector, *compiler].concat(), programs.path());
            assert_eq!(
                output.lines().last(),
                Some("EXACT"),
                "Java {} {collector:?} {compiler:?}:\n{output}",
                jdk.version
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
    let agent = format!(
        "-agentpath:{}=stacks=off,summary=off,output={}",
        agent_library().expect("agent").display(),
        folder.path().join("run").display()
    );
    let mut command = jdk.tool("java");
    command.arg("-Xmx512m").args(options).arg(agent);
    let run = command.arg("-cp").arg(programs).arg("Staying");
    let run = run.output().expect("java");
    format!(
        "{}{}",
        String::from_utf8_lossy(&run.stderr),
        String::from_utf8_lossy(&run.stdout)
    )
}
