//! The plugin for Gradle by the lines of the guide `gate-a-pull-request`, run by
//! Gradle: a limit that holds passes, and a broken one fails with its message.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ducktrack_tests::{
    Jdk, checked, has_program, install_java_artifacts, installed_jdks, offline_first, skipped,
};

const FILES: &[&str] = &[
    "build.gradle",
    "src/test/java/acme/AllTests.java",
    "src/test/java/acme/LimitTest.java",
];
/// The message of the broken limit.
const BROKEN: &[&str] = &[
    "acme.LimitTest.breaks allocated 2 objects",
    "the limit is 1",
    "1 java.lang.Object[] (",
    "at acme.LimitTest.breaks:",
    "To accept: @MaxObjects(2)",
];

#[test]
fn limits_hold_and_break_in_a_project_of_gradle() {
    // Debian's Gradle, 4.4.1, needs a JDK that still has a security manager.
    let jdk = installed_jdks()
        .into_iter()
        .find(|jdk| jdk.version == 17 && jdk.has("javac"));
    let Some(jdk) = jdk.filter(|_| has_program("gradle")) else {
        skipped("limits_in_gradle: no Gradle, or no JDK 17 with javac");
        return;
    };
    install_java_artifacts(&jdk);
    let project = project();
    let report = tested(project.path(), &jdk);
    let (holds, breaks) = (case(&report, "holds"), case(&report, "breaks"));
    assert!(
        !holds.contains("<failure") && !holds.contains("<skipped"),
        "{holds}"
    );
    for line in BROKEN {
        assert!(breaks.contains(line), "no {line:?}: {breaks}");
    }
    checked(
        "a project of Gradle by the lines of the guide, a limit that holds and one that breaks",
    );
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A copy of the project, with the lines of the guide.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    let source = root().join("tests/count/limits_in_gradle/project");
    for file in FILES {
        let target = folder.path().join(file);
        fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
        fs::copy(source.join(file), target).expect("a file");
    }
    let guide = root().join("crates/cli/guide/gate-a-pull-request.md");
    let guide = fs::read_to_string(guide).expect("the guide");
    let lines = guide
        .split_once("```groovy\n")
        .and_then(|(_, rest)| rest.split_once("```"));
    let (lines, _) = lines.expect("lines for Gradle in the guide");
    let build = folder.path().join("build.gradle");
    let own = fs::read_to_string(&build).expect("build.gradle");
    fs::write(build, own + lines).expect("build.gradle");
    folder
}

/// Runs the tests; returns Gradle's report.
fn tested(project: &Path, jdk: &Jdk) -> String {
    let test = || {
        let mut command = Command::new("gradle");
        command.args(["--no-daemon", "test"]);
        command.current_dir(project).env("JAVA_HOME", &jdk.home);
        command
    };
    let gradle = offline_first(test, "--offline");
    let reports = fs::read_dir(project.join("build/test-results/test"));
    let reports = reports
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let reports = reports.filter(|path| path.extension().is_some_and(|ending| ending == "xml"));
    let report: String = reports
        .map(|path| fs::read_to_string(path).expect("a report"))
        .collect();
    assert!(!report.is_empty(), "no report of tests: {gradle}");
    report
}

/// `<testcase name="LimitTest.holds()" ..`: the part of the report about a test.
fn case<'a>(report: &'a str, name: &str) -> &'a str {
    let cases = report.split("<testcase ").skip(1);
    let mut cases = cases.filter(|case| {
        let head = case.split('>').next().unwrap_or_default();
        head.contains(&format!("{name}()\""))
    });
    let case = cases
        .next()
        .unwrap_or_else(|| panic!("no test {name}: {report}"));
    case.split("</testcase>").next().unwrap_or(case)
}
