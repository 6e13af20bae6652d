//! DaCapo by name, on a jar that prints what DaCapo prints (`java-harness/dacapo-stand-in`): `scripts/steps/dacapo-run`
//! tells passed from failed from absent, with the agent as without, and what the agent leaves can be read.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ducktrack_reports::read_json;
use ducktrack_tests::{Jdk, agent_library, checked, harness_folder, trace_text, traced_jdks};

const AGENTS: [&str; 3] = ["counters=path:10000:0.5", "counters=site", "mode=trace"];

#[test]
fn benchmarks_pass_or_fail_by_name() {
    let runs: usize = traced_jdks().iter().map(check).sum();
    assert!(runs > 0);
    checked(&format!("DaCapo's stand-in by name, {runs} runs"));
}

/// The number of runs.
fn check(jdk: &Jdk) -> usize {
    let jar = harness_folder().join("dacapo-stand-in.jar");
    let jar = jar.to_str().expect("a path in UTF-8");
    let expect = |words: &[&str], status: i32, line: &str| {
        let output = dacapo(jdk, words);
        let text = String::from_utf8_lossy(&output.stdout);
        let place = format!("{jdk} {words:?}");
        assert_eq!(output.status.code(), Some(status), "{place}: {output:?}");
        assert!(text.contains(line), "{place}: {text}");
    };
    expect(&["standin"], 77, "DaCapo skipped: no jar");
    expect(&["--dacapo-jar", "no.jar", "standin"], 2, "");
    for (benchmarks, status, line) in [
        (&["standin"][..], 0, "standin PASSED in"),
        (&["standin", "broken"], 1, "DaCapo broken: FAILED"),
        (&["thrower"], 1, "DaCapo thrower: FAILED"),
        (&["nosuch"], 1, "DaCapo nosuch: FAILED"),
        (&["standin", "--", "-XX:NoSuchOption"], 1, "standin: FAILED"),
    ] {
        expect(&[&["--dacapo-jar", jar], benchmarks].concat(), status, line);
    }
    for agent in AGENTS {
        let folder = tempfile::tempdir().expect("temporary folder");
        let trace = folder.path().join("trace");
        let flag = flag(agent, &trace);
        let words = ["--dacapo-jar", jar, "--iterations", "2", "standin", "--"];
        expect(&[&words[..], &[&flag]].concat(), 0, "standin PASSED in");
        check_report(&trace);
    }
    7 + AGENTS.len()
}

fn flag(agent: &str, trace: &Path) -> String {
    let library = agent_library();
    format!(
        "-agentpath:{}={agent},summary=off,output={}",
        library.display(),
        trace.display()
    )
}

fn dacapo(jdk: &Jdk, words: &[&str]) -> Output {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../scripts/steps/dacapo-run");
    Command::new(script)
        .env_remove("DACAPO_JAR")
        .arg("--java")
        .arg(jdk.home.join("bin/java"))
        .args(words)
        .output()
        .expect("scripts/steps/dacapo-run")
}

/// The stand-in makes 100,000 arrays in each of two iterations.
fn check_report(trace: &Path) {
    let report = trace_text(
        "report",
        trace,
        &["--only", "ducktrack.dacapo", "--format", "json"],
    );
    let report = read_json(&report).expect("a report");
    let is_array = |ty: &Option<String>| ty.as_deref() == Some("int[]");
    let arrays = report.sites.iter().filter(|site| is_array(&site.ty));
    let counts: Vec<i64> = arrays.map(|site| site.count).collect();
    assert_eq!(counts, [200_000]);
}
