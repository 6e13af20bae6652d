//! `ducktrack leaks` on programs whose leaks are known (`tests/leaks/GrowthShapes.java`): before
//! a collection has looked at the old space, after, and where all is dropped as the program ends.

use std::path::Path;

use ducktrack_tests::{Jdk, TracedRun, checked, compiled, is_full_run, trace_command, traced_jdks};
use serde_json::Value;

const HEAPS: [&str; 3] = ["-Xms160m", "-Xmx160m", "-Xmn8m"];

#[test]
fn leaks_grow_and_sessions_do_not() {
    let programs = compiled(&["GrowthShapes"], 17);
    let jdks = traced_jdks();
    let collectors: &[&str] = match is_full_run() {
        true => &["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"],
        false => &["-XX:+UseSerialGC"],
    };
    let chosen = if is_full_run() { jdks.len() } else { 1 };
    for jdk in jdks.iter().take(chosen) {
        for collector in collectors {
            before_a_full_collection(&growth(jdk, collector, programs.path(), &["service"]));
            after_one(&growth(
                jdk,
                collector,
                programs.path(),
                &["service", "full"],
            ));
            dropped_at_the_end(&growth(jdk, collector, programs.path(), &["list"]));
        }
    }
    checked(&format!(
        "leaks, sessions and a dropped list, {} runs",
        3 * chosen * collectors.len()
    ));
}

fn growth(jdk: &Jdk, collector: &str, programs: &Path, words: &[&str]) -> (String, Value) {
    let run = TracedRun::new(jdk, &format!("{collector} {words:?}"));
    let mut command = run.command("", &[programs]);
    command.args(HEAPS).arg(collector).arg("GrowthShapes");
    run.finish(command.args(words));
    let report = trace_command("leaks", &run.trace(), &["--sites"]);
    (run.name().to_owned(), report)
}

fn sites<'a>(report: &'a Value, class: &str) -> Vec<&'a Value> {
    let sites = report["sites"].as_array().expect("a list").iter();
    sites
        .filter(|site| site["class"] == class || site["type"] == class)
        .collect()
}

fn verdicts(report: &Value, class: &str) -> Vec<String> {
    let sites = sites(report, class);
    assert!(!sites.is_empty(), "{class}");
    let word = |site: &&Value| site["verdict"].as_str().expect("a word").to_owned();
    sites.iter().map(word).collect()
}

/// Nothing is known of the old space, and nothing is accused.
fn before_a_full_collection((name, report): &(String, Value)) {
    if report["span"]["look"].is_null() {
        for site in sites(report, "GrowthShapes$Listener") {
            assert_eq!(site["verdict"], "not known", "{name}: {site}");
            assert_eq!(site["reason"], "unseen", "{name}: {site}");
        }
        assert_eq!(report["verdict"], "not known", "{name}");
        assert_eq!(report["alarms"], 0, "{name}");
    }
    let sessions = verdicts(report, "GrowthShapes$Session");
    assert!(
        !sessions.contains(&"leaks".to_owned()),
        "{name}: {sessions:?}"
    );
}

/// The two leaks are the first two candidates, each with its driver; sessions are in none.
fn after_one((name, report): &(String, Value)) {
    assert_eq!(report["span"]["byLook"], true, "{name}");
    assert_eq!(report["span"]["ends"], "shutdown", "{name}");
    for class in ["GrowthShapes$Session", "GrowthShapes$Setting"] {
        let verdicts = verdicts(report, class);
        assert!(
            !verdicts.contains(&"leaks".to_owned()),
            "{name}: {class}: {verdicts:?}"
        );
    }
    let candidates = report["candidates"].as_array().expect("a list");
    assert!(candidates.len() >= 2, "{name}: {candidates:?}");
    let target = |at: usize| candidates[at]["target"].as_str().expect("a type");
    assert_eq!(
        [target(0), target(1)],
        ["GrowthShapes$Listener", "GrowthShapes$Page"],
        "{name}"
    );
    // With each listener: two events.
    let with = candidates[0]["with"].as_array().expect("a list").iter();
    let events = with.filter(|site| site["target"] == "GrowthShapes$Event");
    let each: u64 = events
        .map(|site| site["each"].as_u64().expect("a number"))
        .sum();
    assert_eq!(each, 2, "{name}");
    for candidate in &candidates[..2] {
        assert_eq!(candidate["alarm"], true, "{name}");
        assert!(
            candidate["bytesPerMb"]["low"].as_f64() > Some(0.0),
            "{name}"
        );
        assert!(candidate["bytesPerSecond"].as_f64() > Some(0.0), "{name}");
    }
}

fn dropped_at_the_end((name, report): &(String, Value)) {
    let candidate = &report["candidates"][0];
    assert_eq!(candidate["target"], "int[]", "{name}: {candidate}");
    assert_eq!(candidate["class"], "GrowthShapes", "{name}: {candidate}");
    assert_eq!(candidate["released"], true, "{name}: {candidate}");
    assert_eq!(report["verdict"], "leaks", "{name}");
}
