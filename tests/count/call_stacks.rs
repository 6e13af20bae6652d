//! Sampled call stacks: exact sums, true intervals, and a sampler that other tools can have.
//!
//! Programs: `CallStacks` of `tests/java`, and `sampler_agent.c`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use ducktrack_reports::{Document, StackMethodDoc};
use ducktrack_tests::{
    Finished, Jdk, agent_argument, checked, compiled, count_report, installed_jdks, jdks_in_turn,
    native_library, printed_by, skipped, trace_command, trace_text,
};
use tempfile::TempDir;

/// Objects of a run, of 120 bytes each.
const OBJECTS: i64 = 6_000_000;
const PATHS: usize = 20;

fn programs() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| compiled(&["CallStacks"], 11)).path()
}

fn java(jdk: &Jdk, options: &str, trace: &Path, more: &[String]) -> Command {
    let mut java = jdk.java(programs());
    java.args(more).args(["-Xmx256m", "-XX:-UsePerfData"]);
    java.arg(agent_argument(options, trace)).arg("CallStacks");
    java
}

/// The output of `ducktrack` with these words.
fn ducktrack(words: &[&str], trace: &Path) -> String {
    trace_text(words[0], trace, &words[1..])
}

fn report(trace: &Path) -> Document {
    count_report(trace, &[])
}

/// A run that ends by itself; objects by path, as the program counted them.
fn run_shares(jdk: &Jdk, options: &str, trace: &Path) -> Vec<i64> {
    let text = printed_by(java(jdk, options, trace, &[]).args(["shares", &OBJECTS.to_string()]));
    let counts = text
        .lines()
        .filter_map(|line| line.split_once(' ')?.1.parse().ok());
    counts.collect()
}

fn method<'a>(report: &'a Document, name: &str) -> &'a StackMethodDoc {
    let methods = &report.stacks.as_ref().expect("stacks").methods;
    let found = methods.iter().find(|method| method.method == name);
    found.unwrap_or_else(|| panic!("{name} is on no stack"))
}

#[test]
fn leaves_are_exact_and_intervals_of_callers_hold() {
    let (mut held, mut all) = (0, 0);
    for jdk in installed_jdks() {
        let place = tempfile::tempdir().expect("temporary folder");
        let trace = place.path().join("out");
        let taken = run_shares(&jdk, "stacks=256k", &trace);
        assert_eq!(taken.len(), PATHS);
        check_keys(&trace);
        let report = report(&trace);
        let leaf = method(&report, "make");
        assert_eq!((leaf.own_count, leaf.own_bytes), (OBJECTS, OBJECTS * 120));
        let total = report.totals.bytes as f64;
        for (path, count) in taken.iter().enumerate() {
            let method = method(&report, &format!("path{path}"));
            let truth = (count * 120) as f64 / total;
            let [low, high] = method.interval;
            all += 1;
            held += u32::from(low <= truth && truth <= high);
            assert!(high - low < 0.05, "path{path}: {low} to {high} says little");
        }
        let stacks = report.stacks.as_ref().expect("stacks");
        assert!(stacks.share > 0.99, "{jdk}: {}", stacks.share);
        assert!(stacks.samples > 1000, "{jdk}: {stacks:?}");
    }
    // The intervals of one run depend on each other (shares sum to one), so a few
    // more may miss; `crates/profile` has 1,200 runs of which 95 of 100 must hold.
    assert!(held * 100 >= all * 90, "{held} of {all} intervals hold");
    checked(&format!(
        "intervals of callers with known shares: {held} of {all} hold"
    ));
}

#[test]
fn collapsed_stacks_sum_to_the_report() {
    for jdk in jdks_in_turn("collapsed stacks", &installed_jdks(), 0) {
        let place = tempfile::tempdir().expect("temporary folder");
        let trace = place.path().join("out");
        run_shares(&jdk, "stacks=on", &trace);
        let report = report(&trace);
        for (sort, expected) in [
            ("bytes", report.totals.bytes),
            ("count", report.totals.count),
        ] {
            let text = ducktrack(&["report", "--format", "collapsed", "--sort", sort], &trace);
            let numbers = text.lines().map(|line| {
                let (_, number) = line.rsplit_once(' ').expect("a number");
                number.parse::<i64>().expect("a number")
            });
            assert_eq!(numbers.sum::<i64>(), expected, "{jdk} {sort}");
            let whole = text.lines().filter(|line| {
                line.starts_with("CallStacks.main:") && line.contains(";CallStacks.make:")
            });
            // The smallest paths make one of 210 objects: a few samples may miss them.
            assert!(whole.count() >= PATHS / 2, "{jdk}: {text}");
        }
        let tree = ducktrack(&["report", "--tree", "--invert"], &trace);
        let made = format!("{} B", grouped(OBJECTS * 120));
        let line = tree.lines().find(|line| line.contains("CallStacks.make:"));
        let line = line.unwrap_or_else(|| panic!("{tree}"));
        assert!(line.contains(&made) && line.contains("exact"), "{tree}");
    }
}

fn grouped(number: i64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).expect("digits"))
        .collect();
    groups.join(",")
}

/// The agreed keys of `stacks`.
fn check_keys(trace: &Path) {
    let report = trace_command("report", trace, &[]);
    let stacks = &report["stacks"];
    assert!(
        stacks["share"]
            .as_f64()
            .is_some_and(|share| share > 0.0 && share <= 1.0)
    );
    for method in stacks["methods"].as_array().expect("a list") {
        let interval = method["interval"].as_array().expect("two numbers");
        let [low, high] = [&interval[0], &interval[1]].map(|end| end.as_f64().expect("a number"));
        let share = method["share"].as_f64().expect("a number");
        assert!(
            0.0 <= low && low <= share && share <= high && high <= 1.0,
            "{method}"
        );
    }
}

#[test]
fn off_is_off() {
    for jdk in installed_jdks().into_iter().take(1) {
        let place = tempfile::tempdir().expect("temporary folder");
        let trace = place.path().join("out");
        run_shares(&jdk, "stacks=off", &trace);
        assert_eq!(report(&trace).stacks, None);
        let tree = ducktrack(&["report", "--tree"], &trace);
        assert!(tree.contains("No stacks were sampled"), "{tree}");
    }
}

/// The answer of JVMTI to the agent: 0 is yes.
fn answer(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_default()
}

#[test]
fn another_tool_that_comes_later_gets_the_sampler() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let Some(other) = native_library(folder.path(), "sampler_agent") else {
        skipped("call stacks: no C compiler or no jvmti.h, nothing is checked");
        return;
    };
    for jdk in installed_jdks().into_iter().filter(|jdk| jdk.has("jcmd")) {
        let trace = folder.path().join(format!("later-{}", jdk.version));
        let file = folder.path().join(format!("later-{}.txt", jdk.version));
        let mut jvm = java(&jdk, "", &trace, &[])
            .arg("wait")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("java");
        let mut lines = BufReader::new(jvm.stdout.take().expect("piped")).lines();
        assert_eq!(lines.next().expect("a line").expect("text"), "READY");
        let mut jcmd = jdk.tool("jcmd");
        jcmd.args([&jvm.id().to_string(), "JVMTI.agent_load"]);
        let load = Finished::of(jcmd.arg(&other).arg(&file));
        assert_eq!(answer(&file), "0\n", "{jdk}: {load:?}");
        let mut input = jvm.stdin.take().expect("piped");
        input.write_all(b"\n").expect("its input");
        drop(input);
        assert!(jvm.wait().expect("its end").success());
        let report = report(&trace);
        assert!(report.stacks.is_some_and(|stacks| stacks.samples > 0));
        let notes = report.notes.join("\n");
        assert!(notes.contains("sampler was given back"), "{notes}");
    }
}

#[test]
fn another_tool_that_was_there_first_keeps_the_sampler() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let Some(other) = native_library(folder.path(), "sampler_agent") else {
        skipped("call stacks: no C compiler or no jvmti.h, nothing is checked");
        return;
    };
    for jdk in jdks_in_turn("another tool that was there first", &installed_jdks(), 1) {
        for (asked, why) in [("stacks=on", "another tool has"), ("log=warn", "is loaded")] {
            let trace = folder
                .path()
                .join(format!("first-{}-{}", jdk.version, &asked[..2]));
            let file = folder.path().join("first.txt");
            let _ = std::fs::remove_file(&file);
            let first = format!("-agentpath:{}={}", other.display(), file.display());
            printed_by(java(&jdk, asked, &trace, &[first]).args(["shares", "1000"]));
            assert_eq!(answer(&file), "0\n", "{jdk}");
            let notes = report(&trace).notes.join("\n");
            assert!(
                notes.contains("No call stacks") && notes.contains(why),
                "{notes}"
            );
        }
    }
}

/// Sums of the values of all samples, as Go's own tool reads them; `None` where it is not installed.
fn sums_by_go(file: &Path) -> Option<Vec<i64>> {
    Command::new("go").arg("version").output().ok()?;
    let mut go = Command::new("go");
    let text = printed_by(go.args(["tool", "pprof", "-raw"]).arg(file));
    let (_, samples) = text.split_once("Samples:\n").expect("samples");
    let (samples, _) = samples.split_once("Locations").expect("locations");
    let mut sums: Vec<i64> = Vec::new();
    for line in samples.lines() {
        let Some((values, _)) = line.split_once(": ") else {
            continue;
        };
        let values: Vec<i64> = values
            .split_whitespace()
            .filter_map(|value| value.parse().ok())
            .collect();
        sums.resize(values.len().max(sums.len()), 0);
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += value;
        }
    }
    Some(sums)
}

#[test]
fn exports_sum_to_the_report_also_of_what_is_alive() {
    let Some(jdk) = installed_jdks().into_iter().find(|jdk| jdk.version >= 17) else {
        skipped("call stacks: no JDK from 17 on, nothing is exported");
        return;
    };
    let place = tempfile::tempdir().expect("temporary folder");
    let trace = place.path().join("out");
    run_shares(&jdk, "mode=trace", &trace);
    let report = report(&trace);
    let file = |name: &str| place.path().join(name);
    for to in ["pprof", "speedscope", "firefox", "collapsed"] {
        let path = file(to).display().to_string();
        ducktrack(&["export", "--to", to, "-o", &path], &trace);
    }
    let read = |name: &str| -> serde_json::Value {
        let text = std::fs::read_to_string(file(name)).expect("the export");
        serde_json::from_str(&text).expect("JSON")
    };
    let sum = |value: &serde_json::Value| -> i64 {
        let all = value.as_array().expect("an array").iter();
        all.map(|weight| weight.as_i64().expect("a number")).sum()
    };
    let speedscope = read("speedscope");
    let sums: Vec<i64> = (0..6)
        .map(|at| sum(&speedscope["profiles"][at]["weights"]))
        .collect();
    assert_eq!(sums[..2], [report.totals.count, report.totals.bytes]);
    assert!(sums[2] > 0 && sums[3] < report.totals.bytes, "{sums:?}");
    let off_heap = report.off_heap.iter().map(|row| &row.live);
    let not_released = off_heap.fold([0, 0], |[blocks, bytes], live| {
        [blocks + live.count, bytes + live.bytes]
    });
    assert!(not_released[0] > 0, "the stacks of threads at least");
    assert_eq!(sums[4..], not_released);
    let firefox = read("firefox");
    let mut by_name = std::collections::BTreeMap::<String, i64>::new();
    for thread in firefox["threads"].as_array().expect("threads") {
        let name = thread["processName"].as_str().expect("a name");
        let what = name.rsplit(": ").next().expect("the measure");
        *by_name.entry(what.to_owned()).or_default() += sum(&thread["samples"]["weight"]);
    }
    let names = [
        "allocated objects",
        "allocated bytes",
        "live objects",
        "live bytes",
        "live blocks outside of the heap",
        "live bytes outside of the heap",
    ];
    let found: Vec<i64> = names.iter().map(|name| by_name[*name]).collect();
    assert_eq!(found, sums);
    let collapsed = std::fs::read_to_string(file("collapsed")).expect("the export");
    let lines = collapsed.lines().filter_map(|line| line.rsplit_once(' '));
    let bytes: i64 = lines
        .map(|(_, number)| number.parse::<i64>().expect("a number"))
        .sum();
    assert_eq!(bytes, report.totals.bytes);
    match sums_by_go(&file("pprof")) {
        Some(by_go) => assert_eq!(by_go, sums),
        None => skipped("call stacks: Go is not installed, pprof files are not read by it"),
    }
}
