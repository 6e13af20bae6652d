//! The calls of `ducktrack-jvmti` in live VMs: the wrapper agent (`tests/agents/wrapper_agent`) compares what they give with
//! what is known, on every JDK.

use ducktrack_tests::{built_agent, installed_jdks, skipped, with_file};

const GROUPS: [&str; 9] = [
    "system",
    "errors",
    "classes",
    "retransformation",
    "threads",
    "values",
    "references",
    "heap",
    "tables",
];

#[test]
fn every_call_does_what_it_says() {
    let jdks = installed_jdks();
    if jdks.is_empty() {
        skipped("jvmti_wrapper: no JDK found");
        return;
    }
    let agent = built_agent("wrapper_agent");
    for jdk in &jdks {
        let report = tempfile::NamedTempFile::new().expect("file");
        let output = jdk
            .tool("java")
            .arg(with_file(&agent, report.path()))
            .args(["-Xmx200m", "-Xcheck:jni", "-version"])
            .output()
            .expect("java");
        let errors = String::from_utf8_lossy(&output.stderr);
        let printed = String::from_utf8_lossy(&output.stdout);
        let lines = std::fs::read_to_string(report.path()).expect("report");
        let expected: String = GROUPS.iter().map(|group| format!("{group} ok\n")).collect();
        assert_eq!(lines, expected + "done\n", "{jdk}: {printed}{errors}");
        assert!(output.status.success(), "{jdk}: {errors}");
        assert!(
            !printed.contains("FATAL ERROR in native"),
            "{jdk}: {printed}"
        );
        println!("{jdk}: {} groups", GROUPS.len());
    }
}
