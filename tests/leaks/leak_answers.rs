//! The answers about a leak that a person and a program read: one screen of
//! `ducktrack leaks`, and the documented keys of `leaks`, `stale`, `holders` and `cost`.

use std::path::{Path, PathBuf};

use ducktrack_tests::{
    Finished, TracedRun, checked, compiled_with_leaky, ducktrack_command, trace_command,
    traced_jdks,
};
use serde_json::Value;

/// Lines of a terminal.
const SCREEN: usize = 40;

fn run() -> (TracedRun, PathBuf) {
    let classes = compiled_with_leaky(&["DumpAtExit"], &["SessionStore", "Work"]);
    let jdk = traced_jdks().remove(0);
    let run = TracedRun::new(&jdk, "SessionStore");
    let dump = run.file("heap.hprof");
    let mut command = run.command("staleness=on", &[classes.path()]);
    command.args(["-Xmx64m", "-Xmn12m", "-XX:+UseParallelGC"]);
    command.args(["-Dducktrack.leaks.steps=1500", "DumpAtExit"]);
    command.arg(&dump).arg("ducktrack.leaks.SessionStore");
    run.finish(&mut command);
    (run, dump)
}

#[test]
fn one_screen_and_all_keys() {
    let (run, dump) = run();
    let dump = dump.to_str().expect("a path in UTF-8");
    first_screen(&run.trace(), dump);
    let json = |what: &str, words: &[&str]| trace_command(what, &run.trace(), words);
    let leaks = json("leaks", &["--dump", dump]);
    has(
        &leaks,
        "dump verdict sentence span liveBytes alarms bytesPerMb bytesPerSecond maxHeap secondsUntilFull smallestBytesPerMb clock",
    );
    let candidate = first(&leaks, "candidates");
    has(
        candidate,
        "verdict alarm source target class method line made caller loaders objects bytes keptBytes retained share bytesPerMb sure bends \
         cohorts stays curve with staleness unusedFor unusedSinceMicros root path",
    );
    has(&candidate["share"], "value low high");
    has(first(candidate, "path"), "type by made age staleness");
    let stale = json("heap", &["--stale"]);
    has(
        &stale,
        "total selected stale staleFrom staleness unattributed points",
    );
    has(
        first(&stale, "sites"),
        "class method line count bytes staleness types context",
    );
    has(first(&stale, "types"), "type count bytes staleness");
    let holders = json("holders", &["--dump", dump]);
    has(
        &holders,
        "dump collection join total paths dominators unattributed",
    );
    has(
        first(&holders, "sites"),
        "class method line count bytes retained oldest youngest context",
    );
    has(first(&holders, "types"), "type count bytes retained");
    let cost = json("cost", &["--heap", "128m"]);
    has(&cost, "method unknown unusedFor total selected whatIf");
    let keys = "count bytes copied copiedByAge copiedInVain marked promoted promotedSoonDead pauseMicros pauseInterval collections without unused";
    has(
        first(&cost, "sites"),
        &format!("class method line context {keys}"),
    );
    has(first(&cost, "types"), &format!("type {keys}"));
    has(
        &cost["sites"][0]["without"],
        "collections pauseMicros pauseInterval",
    );
    has(
        first(&cost, "whatIf"),
        "what pauseMicros pauseInterval unknown",
    );
    let cost = json("cost", &["--dump", dump]);
    let candidate = first(&cost, "candidates");
    has(candidate, &format!("source target score held {keys}"));
    // The reference whose removal frees the sessions, and that the map does not use: the entry's to its session.
    assert_eq!(candidate["target"], "ducktrack.leaks.SessionStore$Session");
    assert!(candidate["held"].as_u64() > Some(1_000_000), "{candidate}");
    checked("one screen of leaks, and the keys of leaks, stale, holders and cost");
}

/// The answers: the leak, who made it, who holds it, since when unused, how fast it grows, when the heap is full.
fn first_screen(trace: &Path, dump: &str) {
    let mut command = ducktrack_command();
    let text = Finished::of(command.arg("leaks").arg(trace).args(["--dump", dump])).out;
    let screen: Vec<&str> = text.lines().take(SCREEN).collect();
    let screen = screen.join("\n");
    for (what, words) in [
        ("what leaks", "1. "),
        ("the type", "SessionStore$"),
        (
            "who made it",
            "made at        ducktrack.leaks.SessionStore.",
        ),
        (
            "who holds it",
            "held by        static ducktrack.leaks.SessionStore.",
        ),
        ("how fast", "of each MB allocated"),
        ("unused since", "(since about "),
        ("how sure", "that it rises"),
        ("what to change", "to do"),
        ("when the heap is full", "full in "),
        ("next", "next:"),
    ] {
        let is_there = match what {
            "next" => text.to_lowercase().contains(words),
            _ => screen.contains(words),
        };
        assert!(is_there, "{what}: {text}");
    }
}

fn first<'a>(report: &'a Value, list: &str) -> &'a Value {
    let first = report[list].as_array().and_then(|rows| rows.first());
    first.unwrap_or_else(|| panic!("{list} is empty: {report}"))
}

fn has(value: &Value, keys: &str) {
    for key in keys.split_whitespace() {
        assert!(value.get(key).is_some(), "no key {key}: {value}");
    }
}
