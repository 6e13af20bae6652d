//! `ducktrack export --to jfr`: the parser of JDK Mission Control reads every event, and the bytes of the allocations are the report's.

use std::process::Command;

use ducktrack_reports::{Document, read_json};
use ducktrack_tests::{
    Jdk, TracedRun, checked, compile_java, compile_java_with, ducktrack_command, harness_folder,
    skipped, traced_jdks,
};

const OBJECTS: &str = "200000";

#[test]
fn mission_control_reads_every_event() {
    let parser = harness_folder().join("lib/jfr-readers/jmc");
    if !parser.exists() {
        skipped("jfr_in_mission_control: no parser; scripts/harness-build fetches it");
        return;
    }
    let classes = tempfile::tempdir().expect("temporary folder");
    assert!(compile_java(&["CallStacks"], 17, classes.path()).expect("javac"));
    let libraries = [parser.join("*"), classes.path().to_owned()];
    assert!(compile_java_with(&["ReadJfr"], 17, classes.path(), &libraries).expect("javac"));
    let jdks = traced_jdks().expect("JDKs");
    let run = TracedRun::new(&jdks[0], "mission-control").expect("folder");
    let mut java = run
        .command("stacks=64k", &[classes.path()])
        .expect("the agent");
    java.args(["-Xmx128m", "-Xmn16m", "CallStacks", "shares", OBJECTS]);
    run.finish(&mut java).expect("java");
    let file = classes.path().join("run.jfr");
    let trace = run.trace().display().to_string();
    ducktrack(&[
        "export",
        &trace,
        "--to",
        "jfr",
        "-o",
        &file.display().to_string(),
    ]);
    let report = ducktrack(&["report", &trace, "--format", "json"]);
    let report: Document = read_json(&report).expect("a report");

    let read = read(&jdks[0], &libraries, &file);
    let number = |word: &str| -> i64 {
        let line = read.lines().find_map(|line| line.strip_prefix(word));
        let number = line.and_then(|line| line.trim().parse().ok());
        number.unwrap_or_else(|| panic!("no {word}: {read}"))
    };
    assert_eq!(number("bytes "), report.totals.bytes, "{read}");
    assert!(number("jdk.ObjectAllocationSample ") > 0, "{read}");
    assert!(number("ducktrack.SiteCount ") > 0, "{read}");
    checked("a recording read by the parser of JDK Mission Control: its bytes are the report's");
}

fn ducktrack(words: &[&str]) -> String {
    let output = Command::new(ducktrack_command().expect("the command"))
        .args(words)
        .output()
        .expect("the command");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn read(jdk: &Jdk, class_path: &[std::path::PathBuf], file: &std::path::Path) -> String {
    let class_path = std::env::join_paths(class_path).expect("a class path");
    let mut java = jdk.tool("java");
    java.arg("-cp").arg(class_path).arg("ReadJfr").arg(file);
    let output = java.output().expect("java");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
