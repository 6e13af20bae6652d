//! Who is to blame for what is still alive: after young and full collections, and after the files that told
//! of the allocations have been rotated away, the live objects of library methods are filed under the calls
//! that made them, exactly. `tests/trace/LiveCallers.java` says at the end of each line what it keeps.

use std::path::Path;

use ducktrack_reports::HeapReport;
use ducktrack_tests::{
    Jdk, Lines, TracedRun, blamed_lines, checked, compiled, is_full_run, said_lines, trace_command,
    traced_jdks, traced_layouts,
};
use ducktrack_trace_reader::{Record, TraceReader};
use serde_json::Value;

const PROGRAM: &str = include_str!("LiveCallers.java");
const TIMES: i64 = 4_000;

/// Nothing is lost, or only what the last files hold is left.
const FILES: [&str; 2] = ["max-trace-size=off", "max-trace-size=1m,compress=off"];

/// Thread-local buffers fill the young space to its end, so that no object lies outside of them. Such objects have no address and are told
/// apart by class and size, which leaves one or the other of this program's objects without a site (`ambiguous` in `ducktrack info`).
const BUFFERS: [&str; 4] = [
    "-Xmn20m",
    "-XX:TLABSize=64k",
    "-XX:-ResizeTLAB",
    "-XX:TLABRefillWasteFraction=1",
];

#[test]
fn live_objects_are_filed_under_the_call_that_is_to_blame() {
    let programs = compiled(&["LiveCallers"], 17);
    let expected = said_lines(PROGRAM, TIMES);
    assert_eq!(expected.len(), 5);
    let jdks = traced_jdks();
    let mut runs = 0;
    for (turn, jdk) in jdks.iter().enumerate() {
        for (number, collector) in traced_layouts(jdk).enumerate() {
            // Another collector on each JDK; the full run takes all on all.
            if number != turn && !is_full_run() {
                continue;
            }
            for files in FILES {
                let run = traced(jdk, collector, files, programs.path());
                assert_eq!(live(&run), expected, "{}", run.name());
                assert!(called_sites(&run) > 5, "{}", run.name());
                if files != FILES[0] {
                    check_rotations(&run);
                }
                runs += 1;
            }
        }
    }
    assert!(runs >= 2 * jdks.len(), "only {runs} runs");
    checked(&format!(
        "callers of live objects with known counts, {runs} runs, every line exact"
    ));
}

fn traced(jdk: &Jdk, collector: &[&str], files: &str, programs: &Path) -> TracedRun {
    let what = format!("{} {files}", collector.join(" "));
    let run = TracedRun::new(jdk, &what);
    let mut command = run.command(files, &[programs]);
    command
        .args(["-Xms64m", "-Xmx64m"])
        .args(BUFFERS)
        .args(collector);
    run.finish(command.arg("LiveCallers"));
    run
}

/// The objects alive in the end under lines of the program; the last of those that die may be alive, too.
fn live(run: &TracedRun) -> Lines {
    let heap = trace_command("heap", &run.trace(), &["--only", "LiveCallers"]);
    let heap: HeapReport = serde_json::from_value(heap).expect("a report");
    let context = heap.sites.iter().flat_map(|site| &site.live.context);
    blamed_lines(context, "LiveCallers", TIMES / 2)
}

/// How many callers have a number together with the site that they are blamed for.
fn called_sites(run: &TracedRun) -> usize {
    let records = TraceReader::open(&run.trace()).expect("a trace");
    let called = records.filter(|record| matches!(record, Record::CalledSite(_)));
    called.count()
}

fn check_rotations(run: &TracedRun) {
    let info = trace_command("info", &run.trace(), &[]);
    let rotations = info["quality"]["rotations"].as_array();
    let rotations: Vec<&Value> = rotations.into_iter().flatten().collect();
    assert!(!rotations.is_empty(), "{}: no rotation", run.name());
    for rotation in rotations {
        let differences = rotation["differences"].as_u64().unwrap_or(0);
        assert_eq!(differences, 0, "{}: {rotation}", run.name());
    }
}
