//! `--per NAME` divides by marks, by contexts of a name, and by those of a kind (tests): what one request makes more.

use std::path::Path;
use std::process::Command;

use ducktrack_tests::{
    Jdk, agent_argument, checked, compiled, ducktrack_command, json_by, matrix_jdks, printed_by,
    refused_by,
};
use serde_json::Value;

/// Objects of a request of 32 bytes, and requests: of the first run and of the second.
const RUNS: [(u32, u32); 2] = [(300, 3), (500, 5)];

#[test]
fn one_request_makes_two_hundred_objects_more() {
    let programs = compiled(&["PerPart"], 11);
    let jdks = matrix_jdks();
    for jdk in &jdks {
        let folder = tempfile::tempdir().expect("temporary folder");
        let names = ["before", "after"].map(|name| folder.path().join(name));
        for ((objects, times), output) in RUNS.into_iter().zip(&names) {
            record(jdk, programs.path(), [objects, times], output);
        }
        // The warm-up call is in the context and before the first mark.
        for (name, times) in [("request", 3), ("PerPart.request", 4), ("test", 4)] {
            let per = &json(&["diff"], &names, &["--per", name])["per"];
            let run = format!("{jdk} {name}: {per}");
            assert_eq!(per["before_times"].as_u64(), Some(times), "{run}");
            let more = |key: &str| {
                let of = |side: &str| per[format!("{side}_{key}")].as_f64().expect("a number");
                of("after") - of("before")
            };
            assert!((more("count") - 200.0).abs() < 0.5, "{run}");
            assert!((more("bytes") - 6400.0).abs() < 32.0, "{run}");
        }
        let text = refused_by(&mut run(&["diff"], &names, &["--per", "nothing"]));
        assert!(
            text.contains("request") && text.contains("PerPart.request"),
            "{text}"
        );
        let advice = json(&["advise"], &names[..1], &["--per", "test", "--all"]);
        assert_eq!(advice["format"], "ducktrack-advise");
        assert_eq!(advice["per"]["times"], 4, "{advice}");
    }
    checked(&format!("{} JDKs divide by marks and contexts", jdks.len()));
}

/// Methods with JUnit's annotation are contexts: each test has its own changes and savings.
#[test]
fn each_test_has_its_own_savings() {
    let programs = compiled(&["AdvisedTests", "Test"], 11);
    let jdks = matrix_jdks();
    for jdk in &jdks {
        let folder = tempfile::tempdir().expect("temporary folder");
        let output = [folder.path().join("run")];
        let program = ["AdvisedTests".to_owned()];
        record_in(jdk, programs.path(), ("tests", &program), &output[0]);
        let all = json(&["advise"], &output, &["--per", "tests"]);
        assert_eq!(all["per"]["times"], 3, "{jdk}: {all}");
        let tests = [
            ("boxes", Some(("box", 2000, 32_000))),
            ("colors", Some(("values", 3000, 96_000))),
            ("nothing", None),
        ];
        for (name, wanted) in tests {
            let test = format!("AdvisedTests.{name}");
            let advice = json(&["advise"], &output, &["--per", &test]);
            let run = format!("{jdk} {test}: {advice}");
            assert_eq!(advice["per"]["times"], 1, "{run}");
            let rows = advice["advice"].as_array().expect("a list");
            assert_eq!(rows.len(), usize::from(wanted.is_some()), "{run}");
            if let Some((rule, objects, bytes)) = wanted {
                let row = &rows[0];
                assert_eq!(row["method"], name, "{run}");
                assert_eq!(
                    (&row["rule"], &row["objects"], &row["bytes"], &row["sure"]),
                    (
                        &rule.into(),
                        &objects.into(),
                        &bytes.into(),
                        &"exact".into()
                    ),
                    "{run}"
                );
            }
        }
    }
    checked(&format!("{} JDKs advise each test", jdks.len()));
}

fn record(jdk: &Jdk, programs: &Path, arguments: [u32; 2], output: &Path) {
    let [objects, times] = arguments.map(|number| number.to_string());
    let program = ["PerPart".to_owned(), objects, times];
    record_in(jdk, programs, ("test:PerPart.request", &program), output);
}

fn record_in(jdk: &Jdk, programs: &Path, (contexts, program): (&str, &[String]), output: &Path) {
    let agent = agent_argument(&format!("contexts={contexts}"), output);
    printed_by(jdk.java(programs).arg(agent).args(program));
}

fn run(command: &[&str], runs: &[impl AsRef<Path>], options: &[&str]) -> Command {
    let mut ducktrack = ducktrack_command();
    ducktrack.args(command);
    ducktrack.args(runs.iter().map(|run| run.as_ref().as_os_str()));
    ducktrack.args(options);
    ducktrack
}

fn json(command: &[&str], runs: &[impl AsRef<Path>], options: &[&str]) -> Value {
    json_by(&mut run(
        command,
        runs,
        &[options, &["--format", "json"]].concat(),
    ))
}
