//! `ducktrack growth` on programs whose leaks are known (`tests/leaks/GrowthShapes.java`): before a collection has looked at the old space, after, and where all is
//! dropped as the program ends.

use std::path::Path;

use ducktrack_tests::{
    Jdk, TracedRun, checked, compile_java, is_full_run, trace_command, traced_jdks,
};
use serde_json::Value;

const HEAPS: [&str; 3] = ["-Xms160m", "-Xmx160m", "-Xmn8m"];

#[test]
fn leaks_grow_and_sessions_do_not() {
    let programs = tempfile::tempdir().expect("temporary folder");
    assert!(compile_java(&["GrowthShapes"], 17, programs.path()).expect("compile"));
    let jdks = traced_jdks().expect("JDKs");
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
    let run = TracedRun::new(jdk, &format!("{collector} {words:?}")).expect("folder");
    let mut command = run.command("", &[programs]).expect("java");
    command.args(HEAPS).arg(collector).arg("GrowthShapes");
    run.finish(command.args(words)).expect("the program");
    let report = trace_command("growth", &run.trace(), &[]).expect("growth");
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
    if report["oldSpace"].is_null() {
        for class in ["GrowthShapes$Session", "GrowthShapes$Listener"] {
            for site in sites(report, class) {
                assert_eq!(site["verdict"], "unknown", "{name}: {site}");
                assert!(
                    site["notYetCollected"]["count"].as_u64() > Some(1_000),
                    "{name}"
                );
            }
        }
        let listener = sites(report, "GrowthShapes$Listener")[0];
        assert_eq!(listener["mayGrow"], true, "{name}: {listener}");
    }
    let growing = |verdict: &String| verdict == "growing";
    let sessions = verdicts(report, "GrowthShapes$Session");
    assert!(!sessions.iter().any(growing), "{name}: {sessions:?}");
}

/// The two leaks are the first two groups, each with its driver; sessions are in none.
fn after_one((name, report): &(String, Value)) {
    assert_eq!(report["oldSpace"]["full"], true, "{name}");
    let sessions = verdicts(report, "GrowthShapes$Session");
    assert!(
        !sessions.contains(&"growing".to_owned()),
        "{name}: {sessions:?}"
    );
    let settings = verdicts(report, "GrowthShapes$Setting");
    assert!(
        !settings.contains(&"growing".to_owned()),
        "{name}: the start of the program: {settings:?}"
    );
    let groups = report["groups"].as_array().expect("a list");
    assert!(groups.len() >= 2, "{name}: {groups:?}");
    let driver = |at: usize| groups[at]["driver"]["type"].as_str().expect("a type");
    assert_eq!(
        [driver(0), driver(1)],
        ["GrowthShapes$Listener", "GrowthShapes$Page"],
        "{name}"
    );
    // With each listener: two events.
    let of_listeners = groups[0]["sites"].as_array().expect("a list").iter();
    let events = of_listeners.filter(|site| site["type"] == "GrowthShapes$Event");
    let each: f64 = events
        .map(|site| site["objectsEach"].as_f64().expect("a number"))
        .sum();
    assert!((each - 2.0).abs() < 0.1, "{name}: {each}");
    for group in &groups[..2] {
        assert!(group["objectsPerSecond"].as_f64() > Some(0.0), "{name}");
    }
}

fn dropped_at_the_end((name, report): &(String, Value)) {
    let list = sites(report, "int[]");
    let list = list.iter().find(|site| site["class"] == "GrowthShapes");
    let list = list.expect("the site of the list");
    assert_eq!(list["verdict"], "growing", "{name}: {list}");
    assert!(list["droppedAfter"].is_u64(), "{name}: {list}");
    assert_eq!(report["groups"][0]["driver"]["type"], "int[]", "{name}");
}
