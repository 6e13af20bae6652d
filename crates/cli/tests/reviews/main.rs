//! `diff --format sarif` against the published schema of SARIF, and `--format junit` as a
//! parser from PyPI reads it. A test whose program is missing is skipped, with a line about it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use ducktrack_test_support::{Finished, Place, printed_by, python_with, sample_run};

use serde_json::Value;

fn place() -> Place {
    Place::new(env!("CARGO_BIN_EXE_ducktrack"))
}

const SCHEMA: &str =
    ".cache/viewers/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json";
/// One gate that any change breaks, and one that holds.
const GATES: [&str; 4] = ["--fail-on", "count>+0", "--fail-on", "count>+100000%"];
/// Prints the number of faults; then the same for a document that has one more.
const VALIDATE: &str = "
import json, sys, jsonschema
schema, log = (json.load(open(path)) for path in sys.argv[1:])
validator = jsonschema.validators.validator_for(schema)(schema)
print(*[fault.message for fault in validator.iter_errors(log)], sep='\\n')
log['runs'][0]['results'][0]['level'] = 'fatal'
print('of the wrong one', len(list(validator.iter_errors(log))))
";
const READ: &str = "
import sys
from junitparser import JUnitXml
suites = JUnitXml.fromfile(sys.argv[1])
for suite in suites:
    print(suite.tests, suite.failures, suite.errors)
    for test in suite:
        print(test.name, *[type(result).__name__ for result in test.result])
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn skipped(why: &str) {
    _ = writeln!(std::io::stdout(), "skipped: {why}");
}

fn asked(python: &Path, script: &str, arguments: &[PathBuf]) -> String {
    printed_by(Command::new(python).args(["-c", script]).args(arguments))
}

/// The sample run against itself with half of the objects: each site has grown.
fn review(place: &Place, format: &str) -> PathBuf {
    place.trace("t", sample_run::records());
    let mut baseline = place.json("report t");
    for site in baseline["sites"].as_array_mut().expect("sites") {
        for key in ["count", "bytes"] {
            site[key] = Value::from(site[key].as_i64().expect("a number") / 2);
        }
    }
    fs::write(place.path("before.json"), baseline.to_string()).expect("a file");
    let file = format!("review.{format}");
    let mut diff = place.command(&format!("diff before.json t --format {format} -o {file}"));
    let printed = Finished::of(diff.args(GATES));
    assert_eq!(printed.status.code(), Some(1), "{printed}");
    place.path(&file)
}

#[test]
fn sarif_is_as_its_schema_demands() {
    let Some(python) = python_with("jsonschema") else {
        return;
    };
    let schema = root().join(SCHEMA);
    if !schema.exists() {
        skipped("no schema of SARIF; scripts/install-viewers brings it");
        return;
    }
    let place = place();
    let file = review(&place, "sarif");
    let log: Value = serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert!(results.len() > 1, "{results:?}");
    let faults = asked(&python, VALIDATE, &[schema, file]);
    assert_eq!(faults, "\nof the wrong one 1\n");
}

#[test]
fn a_parser_of_junit_finds_both_gates() {
    let Some(python) = python_with("junitparser") else {
        return;
    };
    let place = place();
    let file = review(&place, "junit");
    let read = asked(&python, READ, &[file]);
    assert_eq!(read, "2 1 0\ncount>+0 Failure\ncount>+100000%\n");
}
