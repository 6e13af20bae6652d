//! A copy of the project, Maven's runs of it, and the reports that Surefire writes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ducktrack_tests::{Finished, Jdk};

/// The outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed,
    Skipped,
}

/// The tests of Surefire's reports: class, name, outcome, the text inside.
pub(crate) struct Outcomes(Vec<(String, String, Outcome, String)>);

impl Outcomes {
    /// The tests of a class and of those nested in it: name, outcome, text.
    pub(crate) fn of(&self, class: &str) -> Vec<(&str, Outcome, &str)> {
        let nested = format!("{class}$");
        let tests = self.0.iter();
        let tests = tests.filter(|test| test.0 == class || test.0.starts_with(&nested));
        tests
            .map(|test| (test.1.as_str(), test.2, test.3.as_str()))
            .collect()
    }
}

pub(crate) struct Project {
    folder: tempfile::TempDir,
    java_home: PathBuf,
    options: Vec<String>,
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("count/limits_in_maven/project")
}

impl Project {
    /// A copy of it, whose tests run on a JDK.
    pub(crate) fn new(compiler: &Jdk, jdk: &Jdk, junit: &str) -> Self {
        let folder = tempfile::tempdir().expect("temporary folder");
        copy(&source(), folder.path());
        let release = if junit.starts_with('6') { 17 } else { 11 };
        let options = vec![
            format!("-Djunit.version={junit}"),
            format!("-Dmaven.compiler.release={release}"),
            format!("-Djvm={}", jdk.home.join("bin/java").display()),
            "-Dmaven.test.failure.ignore".to_owned(),
        ];
        Self {
            folder,
            java_home: compiler.home.clone(),
            options,
        }
    }

    /// Runs the tests anew.
    pub(crate) fn test(&self, more: &[&str]) -> Outcomes {
        let reports = self.folder.path().join("target/surefire-reports");
        let _ = fs::remove_dir_all(&reports);
        if !self.maven(&["-o"], more) {
            let _ = fs::remove_dir_all(&reports);
            assert!(self.maven(&[], more), "{}", self.log());
        }
        let files = fs::read_dir(&reports).expect("reports of Surefire");
        let mut found = Vec::new();
        for file in files.flatten().map(|entry| entry.path()) {
            if file.extension().is_some_and(|ending| ending == "xml") {
                read_report(&fs::read_to_string(file).expect("a report"), &mut found);
            }
        }
        Outcomes(found)
    }

    fn maven(&self, mode: &[&str], more: &[&str]) -> bool {
        let mut command = Command::new("mvn");
        command.args(["-B", "-q", "test"]).args(mode).args(more);
        command.args(&self.options).current_dir(&self.folder);
        command.env("JAVA_HOME", &self.java_home);
        let maven = Finished::of(&mut command);
        fs::write(self.folder.path().join("maven.log"), maven.text()).expect("a file");
        maven.status.success()
    }

    /// Maven's last output.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("maven.log")).unwrap_or_default()
    }

    fn baseline_file(&self, class: &str) -> PathBuf {
        let folder = self.folder.path().join("src/test/allocations");
        folder.join(format!("{class}.txt"))
    }

    pub(crate) fn baseline(&self, class: &str) -> String {
        fs::read_to_string(self.baseline_file(class)).expect("a baseline")
    }

    pub(crate) fn set_baseline(&self, class: &str, text: &str) {
        fs::write(self.baseline_file(class), text).expect("a baseline");
    }
}

/// The sources, not what was built.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.file_name() == "target" {
            continue;
        }
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).expect("a file")),
        }
    }
}

/// Surefire's XML: `<testcase name=".." classname=".." ..>` with `<failure>`, `<error>` or `<skipped>` inside.
fn read_report(xml: &str, found: &mut Vec<(String, String, Outcome, String)>) {
    for part in xml.split("<testcase ").skip(1) {
        let (head, rest) = part.split_once('>').expect("the end of a tag");
        let inside = match head.ends_with('/') {
            true => "",
            false => rest.split("</testcase>").next().unwrap_or_default(),
        };
        let outcome = match inside {
            inside if inside.contains("<failure") || inside.contains("<error") => Outcome::Failed,
            inside if inside.contains("<skipped") => Outcome::Skipped,
            _ => Outcome::Passed,
        };
        let name = attribute(head, "name");
        let name = name.split(['(', '{']).next().unwrap_or_default().to_owned();
        found.push((
            attribute(head, "classname"),
            name,
            outcome,
            unescaped(inside),
        ));
    }
}

fn attribute(head: &str, name: &str) -> String {
    let start = format!(" {name}=\"");
    let head = format!(" {head}");
    let value = head.split_once(&start).map(|(_, rest)| rest);
    let value = value.and_then(|value| value.split('"').next());
    unescaped(value.unwrap_or_default())
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&#10;", "\n")
        .replace("&amp;", "&")
}
