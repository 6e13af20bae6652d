//! Real programs with `mode=deaths` and `mode=full`, all classes verified (`-Xverify:all`): what they
//! compute is what they compute without the agent, and everything that the trace has can be read.

use ducktrack_tests::{
    Jdk, TracedRun, Turns, checked, harness_jar, is_full_run, printed_by, trace_command,
    traced_jdks,
};
use std::process::Command;

const COLLECTORS: [&str; 3] = ["-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:+UseSerialGC"];
const PROGRAMS: [&str; 3] = ["json", "serial", "streams"];
const LEVELS: [&str; 2] = ["full", "deaths"];

/// The program's own checksum of its results.
fn checksum(said: &str) -> &str {
    let end = said.lines().find(|line| line.contains("\"event\":\"end\""));
    let (_, sum) = end
        .and_then(|end| end.split_once("\"checksum\":\""))
        .unwrap_or_else(|| panic!("no checksum: {said}"));
    sum.split('"').next().expect("a checksum")
}

fn finish(command: &mut Command, program: &str) -> String {
    let command = command.args(["-Xmx256m", "ducktrack.harness.Main", program]);
    printed_by(command.args(["--iterations", "1", "--size", "1"]))
}

/// Updates and calls in the trace.
fn check(jdk: &Jdk, collector: &str, program: &str, level: &str) -> u64 {
    let harness = harness_jar();
    let mut bare = jdk.java(&harness);
    bare.arg(collector);
    let expected = finish(&mut bare, program);

    let run = TracedRun::new(jdk, &format!("{collector} {program} {level}"));
    let options = format!("mode={level}");
    let mut witnessed = run.command(&options, &[&harness]);
    let said = finish(witnessed.args([collector, "-Xverify:all"]), program);
    assert_eq!(checksum(&said), checksum(&expected), "{}", run.name());

    let info = trace_command("info", &run.trace(), &[]);
    for none in ["malformed", "dropped", "sizeUnknown"] {
        assert_eq!(info[none], 0, "{}: {none}", run.name());
    }
    assert_eq!(info["collections"]["unexplained"], 0, "{}", run.name());
    let complete = |key: &str| info["complete"][key].as_u64().unwrap_or(0);
    let records = [complete("updates"), complete("calls")];
    let are_there = records.iter().all(|count| *count > 100_000);
    assert_eq!(are_there, level == "full", "{}: {records:?}", run.name());
    records.iter().sum()
}

#[test]
fn programs_compute_the_same() {
    let (mut runs, mut records, mut turns) = (0, 0, Turns::new());
    for (number, jdk) in traced_jdks().iter().enumerate() {
        let levels = turns.take(&LEVELS, number);
        for (at, collector) in COLLECTORS.iter().enumerate() {
            for (which, program) in PROGRAMS.iter().enumerate() {
                // Each JDK has a collector, which has a program of its own for each level.
                let distance = (which + 3 - at) % 3;
                let level = LEVELS[usize::from(distance == 2)];
                let is_turn = at == number % 3 && distance > 0 && levels.contains(&level);
                if is_full_run() || is_turn {
                    records += check(jdk, collector, program, level);
                    runs += 1;
                }
            }
        }
    }
    turns.announce("levels of witnesses of real programs");
    checked(&format!(
        "{runs} runs, {records} records of updates and calls"
    ));
}
