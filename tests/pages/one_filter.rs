//! `--only` of all commands is one filter: each command that has it keeps the same
//! objects, those that a class makes itself and those that the library makes for it.
//!
//! Program: `OneFilter`, all of whose objects stay alive, so that what was allocated and what lives are the same.

use std::collections::BTreeMap;
use std::path::Path;

use ducktrack_tests::{
    Jdk, agent_argument, checked, compiled, ducktrack_command, printed_by, trace_command,
    traced_jdks,
};
use serde_json::Value;

/// Rounds of both classes; and of the run that `diff` compares with the first.
const MINE: i64 = 2_000;
const OTHERS: i64 = 3_000;
const MORE: i64 = 500;
/// The classes with their rounds.
const CLASSES: [(&str, i64); 2] = [("Mine", MINE), ("Others", OTHERS)];
/// Commands with `--only` whose rows are sites with all their objects, by words; of which run, and the key of the number of objects.
const COMMANDS: [(&[&str], &str, &str); 8] = [
    (&["report"], "trace", "count"),
    (&["heap"], "trace", "count"),
    (&["lifetimes"], "trace", "count"),
    (&["timeline"], "trace", "counts"),
    (&["cost"], "trace", "count"),
    (&["heap", "--stale"], "trace", "count"),
    (&["leaks", "--sites"], "trace", "objects"),
    (&["lifetimes", "--deaths"], "deaths", "objects"),
];
/// Those whose answer has another form, each with a check of its own.
const OTHER_FORMS: [&str; 2] = ["export", "diff"];

/// Objects by type.
type Kept = BTreeMap<String, i64>;

fn expected(rounds: i64) -> Kept {
    let each = ["int[]", "byte[]", "java.lang.String"].map(|ty| (ty.to_owned(), rounds));
    let all = each
        .into_iter()
        .chain([("java.lang.Object[]".to_owned(), 1)]);
    all.collect()
}

fn record(jdk: &Jdk, classes: &Path, run: &Path, options: &str, rounds: [i64; 2]) {
    printed_by(
        jdk.java(classes)
            .args(["-XX:+UseSerialGC", "-Xmx128m"])
            .arg(agent_argument(options, run))
            .arg("OneFilter")
            .args(rounds.map(|rounds| rounds.to_string())),
    );
}

fn said(words: &[&str]) -> String {
    printed_by(ducktrack_command().args(words))
}

/// The objects that the rows of a command keep.
fn kept(report: &Value, key: &str) -> Kept {
    let mut kept = Kept::new();
    for site in report["sites"].as_array().expect("sites") {
        // The last of several moments.
        let number = match &site[key] {
            Value::Array(numbers) => numbers.last().and_then(Value::as_i64),
            number => number.as_i64(),
        };
        let ty = site["type"].as_str().expect("a type").to_owned();
        *kept.entry(ty).or_default() += number.expect("a number");
    }
    kept
}

/// How often each type, which is this field of a line, is in a list of `lifetimes`.
fn listed(run: &Path, list: &str, class: &str, field: usize) -> Kept {
    let run = run.to_str().expect("a path in UTF-8");
    let mut kept = Kept::new();
    for line in said(&["lifetimes", run, list, "--only", class])
        .lines()
        .skip(1)
    {
        let ty = line.split(',').nth(field).expect("a type").to_owned();
        *kept.entry(ty).or_default() += 1;
    }
    kept
}

#[test]
fn all_commands_keep_the_same_objects() {
    let classes = compiled(&["OneFilter"], 17);
    let jdks = traced_jdks();
    let (jdk, place) = (&jdks[0], tempfile::tempdir().expect("temporary folder"));
    let run = |name: &str| place.path().join(name);
    let record = |name: &str, options: &str, rounds| {
        record(jdk, classes.path(), &run(name), options, rounds);
    };
    record("trace", "mode=trace,staleness=on", [MINE, OTHERS]);
    record("deaths", "mode=deaths", [MINE, OTHERS]);
    record("count", "mode=count,stacks=4k", [MINE, OTHERS]);
    record("more", "mode=count,stacks=4k", [MINE + MORE, OTHERS]);
    for (words, of_run, key) in COMMANDS {
        for (class, rounds) in CLASSES {
            let only = [&words[1..], &["--only", class]].concat();
            let report = trace_command(words[0], &run(of_run), &only);
            assert_eq!(kept(&report, key), expected(rounds), "{words:?} {class}");
        }
    }
    for (class, rounds) in CLASSES {
        let objects = listed(&run("deaths"), "--objects", class, 1);
        assert_eq!(objects, expected(rounds), "deaths --objects {class}");
        let roots = listed(&run("deaths"), "--roots", class, 3);
        let array = [("java.lang.Object[]".to_owned(), 1)];
        assert_eq!(roots, array.into(), "deaths --roots {class}");
    }
    check_diff(&run("count"), &run("more"));
    check_stacks(&run("count"));
    checked("--only of all commands keeps the same objects");
}

fn check_diff(before: &Path, after: &Path) {
    let after = after.to_str().expect("a path in UTF-8");
    let changed = |class| {
        let report = trace_command("diff", before, &[after, "--only", class]);
        report["changed_sites"].as_i64().expect("a number")
    };
    // The array that holds all others is longer; its site makes one, as before.
    assert_eq!(changed("Mine"), 4);
    assert_eq!(changed("Others"), 0);
}

fn check_stacks(run: &Path) {
    let run_name = run.to_str().expect("a path in UTF-8");
    for (class, other) in [("Mine", "Others"), ("Others", "Mine")] {
        let file = run.join("stacks");
        let file = file.to_str().expect("a path in UTF-8");
        said(&[
            "export",
            run_name,
            "--to",
            "collapsed",
            "--only",
            class,
            "--output",
            file,
        ]);
        let stacks = std::fs::read_to_string(file).expect("stacks");
        let frame = |class: &str| format!("{class}.");
        assert!(stacks.lines().count() > 0, "no stacks of {class}");
        let is_of = |line: &str| line.contains(&frame(class)) && !line.contains(&frame(other));
        assert!(stacks.lines().all(is_of), "{class}:\n{stacks}");
    }
}

/// A command that gets `--only` must be in the test above.
#[test]
fn every_command_with_a_filter_is_looked_at() {
    let help = said(&["--help"]);
    let (_, commands) = help.split_once("Commands:\n").expect("commands");
    let names = commands
        .lines()
        .take_while(|line| !line.is_empty())
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help");
    let has_filter = |name: &&str| said(&[name, "--help"]).contains("--only ");
    let mut with_filter: Vec<&str> = names.filter(has_filter).collect();
    let looked_at = COMMANDS.iter().map(|(words, _, _)| words[0]);
    let mut looked_at: Vec<&str> = looked_at.chain(OTHER_FORMS).collect();
    with_filter.sort_unstable();
    looked_at.sort_unstable();
    // A command with several forms.
    looked_at.dedup();
    assert_eq!(with_filter, looked_at);
}
