//! `ducktrack export --to jfr`: the parser of JDK Mission Control reads every event, and the bytes of the allocations are the report's.

use ducktrack_tests::{
    Jdk, TracedRun, checked, compile_java, compiled, count_report, ducktrack_command,
    harness_folder, printed_by, skipped, traced_jdks,
};

const OBJECTS: &str = "200000";

#[test]
fn mission_control_reads_every_event() {
    let parser = harness_folder().join("lib/jfr-readers/jmc");
    if !parser.exists() {
        skipped("jfr_in_mission_control: no parser; scripts/harness-build fetches it");
        return;
    }
    let classes = compiled(&["CallStacks"], 17);
    let libraries = [parser.join("*"), classes.path().to_owned()];
    compile_java(&["ReadJfr"], 17, classes.path(), &libraries);
    let jdks = traced_jdks();
    let run = TracedRun::new(&jdks[0], "mission-control");
    let mut java = run.command("stacks=64k", &[classes.path()]);
    java.args(["-Xmx128m", "-Xmn16m", "CallStacks", "shares", OBJECTS]);
    run.finish(&mut java);
    let file = classes.path().join("run.jfr");
    let trace = run.trace().display().to_string();
    let mut export = ducktrack_command();
    export.args(["export", &trace, "--to", "jfr", "-o"]);
    printed_by(export.arg(&file));
    let report = count_report(&run.trace(), &[]);

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

fn read(jdk: &Jdk, class_path: &[std::path::PathBuf], file: &std::path::Path) -> String {
    let class_path = std::env::join_paths(class_path).expect("a class path");
    let mut java = jdk.java(class_path);
    printed_by(java.arg("ReadJfr").arg(file))
}
