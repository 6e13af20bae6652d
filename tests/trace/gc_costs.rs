//! `ducktrack cost` on a program that makes three kinds of objects
//! (`tests/trace/GcCosts.java`): its copied and promoted bytes are those of the VM's own log.

use std::path::Path;

use ducktrack_tests::{Jdk, TracedRun, checked, compiled, is_full_run, trace_command, traced_jdks};
use serde_json::Value;

/// Rounds of the program: some 40 collections.
const ROUNDS: &str = "2000";

#[test]
fn copies_and_promotions_are_those_of_the_vms_log() {
    let programs = compiled(&["GcCosts"], 17);
    let jdks = traced_jdks();
    let chosen = if is_full_run() { jdks.len() } else { 1 };
    for jdk in jdks.iter().take(chosen) {
        let run = traced(jdk, programs.path());
        let log = std::fs::read_to_string(run.file("gc.log")).expect("the log");
        let report = trace_command("cost", &run.trace(), &[]);
        compare(&run, &report, &log);
        check_keys(&report);
        one_figure_for_what_reached_the_heap(&run);
    }
    checked(&format!(
        "copied and promoted bytes against the VM's log, {chosen} runs"
    ));
}

/// Room enough that nothing is collected but the young space; Serial, for its log has every space to a kilobyte.
fn traced(jdk: &Jdk, programs: &Path) -> TracedRun {
    let run = TracedRun::new(jdk, "Serial");
    let mut command = run.command("", &[programs]);
    command.args(["-XX:+UseSerialGC", "-Xms256m", "-Xmx256m", "-Xmn16m"]);
    let log = run.file("gc.log");
    command.arg(format!("-Xlog:gc+heap=info:file={}", log.display()));
    run.finish(command.args(["GcCosts", ROUNDS]));
    run
}

fn compare(run: &TracedRun, report: &Value, log: &str) {
    let (young, old) = (spaces(log, "DefNew: "), spaces(log, "Tenured: "));
    assert!(young.len() > 20, "{}: {log}", run.name());
    assert_eq!(young.len(), old.len());
    let promoted: u64 = old.iter().map(|(before, after)| after - before).sum();
    let survived: u64 = young.iter().map(|(_, after)| after).sum();
    // Each figure of the log is rounded down to a kilobyte.
    let close = |said: &Value, logged: u64, figures: usize| {
        let said = said.as_u64().expect("bytes");
        assert!(
            said.abs_diff(logged) <= 1_024 * figures as u64,
            "{}: {said} and {logged}",
            run.name()
        );
    };
    let pauses = report["pauses"].as_array().expect("a list");
    assert_eq!(pauses.len(), 1, "{}: only young collections", run.name());
    assert_eq!(pauses[0]["count"], young.len());
    close(
        &pauses[0]["workBytes"],
        survived + promoted,
        2 * young.len(),
    );
    let total = &report["total"];
    assert_eq!(total["copied"]["bytes"], pauses[0]["workBytes"]);
    close(&total["promoted"]["bytes"], promoted, young.len());
    check_kinds(run, report);
}

/// The agreed keys of `sites[]`.
fn check_keys(report: &Value) {
    let sites = report["sites"].as_array().expect("a list");
    assert!(!sites.is_empty());
    for site in sites {
        for key in ["copied", "promoted", "promotedSoonDead"] {
            assert!(
                site[key]["count"].is_u64() && site[key]["bytes"].is_i64(),
                "{key}: {site}"
            );
        }
        assert!(
            site["pauseMicros"].is_u64() && site["collections"].is_number(),
            "{site}"
        );
    }
}

/// Each command that counts the objects that reached the heap has the same count.
fn one_figure_for_what_reached_the_heap(run: &TracedRun) {
    let report = |command| trace_command(command, &run.trace(), &[]);
    let amount = |value: &Value| {
        let number = |key: &str| {
            value[key]
                .as_i64()
                .unwrap_or_else(|| panic!("{key}: {value}"))
        };
        (number("count"), number("bytes"))
    };
    let allocated = amount(&report("info")["allocated"]);
    assert!(allocated.0 > 400_000, "{allocated:?}");
    // Objects of the VM and of native code are there without a site.
    let lifetimes = report("lifetimes");
    let (all, unattributed) = (
        amount(&lifetimes["total"]),
        amount(&lifetimes["unattributed"]),
    );
    let at_sites = (all.0 - unattributed.0, all.1 - unattributed.1);
    assert_eq!(at_sites, allocated, "{}", run.name());
    let timeline = report("timeline");
    let collections = timeline["collections"].as_array().expect("a list").iter();
    let parts = collections.map(|one| amount(&one["allocated"]));
    let sum = parts.chain([amount(&timeline["allocatedAfter"])]);
    let sum = sum.fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    assert_eq!(sum, allocated, "{}", run.name());
    // Sites with callers do not record it in the counts: those that do have no more.
    let counted = amount(&report("report")["totals"]["materialized"]);
    assert!(counted.0 > 0 && counted.0 <= allocated.0, "{counted:?}");
    assert!(counted.1 <= allocated.1, "{counted:?}");
}

/// Bytes before and after each collection.
fn spaces(log: &str, name: &str) -> Vec<(u64, u64)> {
    let line = |line: &str| {
        let (before, rest) = line.split_once(name)?.1.split_once("K(")?;
        let after = rest.split_once("->")?.1.split_once("K(")?.0;
        Some((
            before.parse::<u64>().ok()? * 1_024,
            after.parse::<u64>().ok()? * 1_024,
        ))
    };
    log.lines().filter_map(line).collect()
}

/// Garbage brings on most collections and is never copied; what lives some
/// rounds is copied in vain; what lives longer is promoted, and pays for it.
fn check_kinds(run: &TracedRun, report: &Value) {
    let number = |value: &Value| value.as_f64().expect("a number");
    let of = |method: &str| {
        let sites = report["sites"].as_array().expect("a list");
        let is_it = |site: &&Value| site["class"] == "GcCosts" && site["method"] == method;
        sites.iter().find(is_it).expect(method)
    };
    let (garbage, window, queue) = (of("makeGarbage"), of("fillWindow"), of("fillQueue"));
    let share =
        |site: &Value| number(&site["collections"]) / number(&report["total"]["collections"]);
    // Of a round's 100 x 1,016, 80 x 520 and 60 x 416 bytes.
    for (site, expected) in [(garbage, 0.605), (window, 0.248), (queue, 0.149)] {
        let share = share(site);
        assert!((share - expected).abs() < 0.03, "{}: {share}", run.name());
    }
    let in_vain = |site: &Value| number(&site["copiedInVain"]) / number(&site["bytes"]);
    let promoted = |site: &Value| number(&site["promoted"]["bytes"]) / number(&site["bytes"]);
    let copied = |site: &Value| number(&site["copied"]["bytes"]) / number(&site["bytes"]);
    assert!(copied(garbage) < 0.01 && promoted(garbage) < 0.01);
    assert!(in_vain(window) > 0.05 && in_vain(queue) < in_vain(window));
    assert!(promoted(queue) > 0.5, "{}: {queue}", run.name());
}
