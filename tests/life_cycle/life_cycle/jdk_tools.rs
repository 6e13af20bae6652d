//! Tools of the JDK with the agent in `JAVA_TOOL_OPTIONS`: they do what they do without it, and nothing of them is recorded.

use std::time::{Duration, Instant};

use ducktrack_tests::{Finished, Jdk, agent_argument, agent_library, checked};

use crate::tracked_jvm::{jdks, jdks_in_turn, programs};

/// Runs of which the time is printed. Beside other processes it has much noise, so nothing is asserted of it.
const RUNS: u32 = 3;

fn run(jdk: &Jdk, words: &[&str], options: Option<&str>) -> (Finished, Duration) {
    let mut command = jdk.tool(words[0]);
    command.args(&words[1..]);
    for variable in ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"] {
        command.env_remove(variable);
    }
    // Any option: the VM prints a line for the variable.
    command.env("JAVA_TOOL_OPTIONS", options.unwrap_or("-Dnothing=1"));
    let begun = Instant::now();
    let finished = Finished::of(&mut command);
    (finished, begun.elapsed())
}

/// The tool's output, without the VM's line about the variable.
fn printed(tool: &Finished) -> String {
    let text = tool.text();
    let lines = text.lines();
    let own = lines.filter(|line| !line.starts_with("Picked up JAVA_TOOL_OPTIONS"));
    own.collect::<Vec<_>>().join("\n")
}

#[test]
fn tools_print_the_same_and_leave_no_recording() {
    let jdks = jdks_in_turn(17, 0).into_iter();
    for jdk in jdks.filter(|jdk| jdk.has("javap")) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("run");
        let options = format!(
            "-agentpath:{}=output={}",
            agent_library().display(),
            output.display()
        );
        let classes = programs().display().to_string();
        for words in [
            &["javap", "-p", "-cp", &classes, "LifeCycleProbe"][..],
            &["javac", "--help"],
            &["jar", "--help"],
            &["keytool", "-help"],
        ] {
            let mut more = Duration::ZERO;
            for _ in 0..RUNS {
                let (bare, bare_time) = run(&jdk, words, None);
                let (with, time) = run(&jdk, words, Some(&options));
                assert!(bare.status.success(), "{bare:?}");
                assert_eq!(
                    bare.status.code(),
                    with.status.code(),
                    "{words:?}: {with:?}"
                );
                assert_eq!(printed(&bare), printed(&with), "{jdk} {words:?}");
                more += time.saturating_sub(bare_time);
            }
            assert!(!output.exists(), "{jdk} {words:?} was recorded");
            let mean = more / RUNS;
            checked(&format!("{jdk} {}: the same, {mean:?} longer", words[0]));
        }
    }
}

/// `only-main=` by the main class, and what it leaves out runs as without the agent.
#[test]
fn only_the_program_that_is_named_is_recorded() {
    let classes = programs().display().to_string();
    let place = tempfile::tempdir().expect("temporary folder");
    let words = ["java", "-cp", &classes, "LifeCycleProbe", "return"];
    for (turn, jdk) in jdks(17).into_iter().enumerate() {
        let (bare, _) = run(&jdk, &words, None);
        assert!(bare.status.success(), "{bare:?}");
        for (number, (patterns, is_recorded)) in [
            (&["com.acme.*"][..], false),
            (&["LifeCycle"], false),
            (&["LifeCycleProbe"], true),
            (&["com.acme.*", "*Probe"], true),
        ]
        .into_iter()
        .enumerate()
        {
            let output = place.path().join(format!("run-{turn}-{number}"));
            let patterns = patterns.iter().map(|one| format!("only-main={one}"));
            let patterns: Vec<String> = patterns.collect();
            let options = agent_argument(&patterns.join(","), &output);
            let (with, _) = run(&jdk, &words, Some(&options));
            assert_eq!(bare.status.code(), with.status.code(), "{with:?}");
            assert_eq!(printed(&bare), printed(&with), "{options}");
            assert_eq!(output.exists(), is_recorded, "{jdk}: {options}");
        }
    }
}
