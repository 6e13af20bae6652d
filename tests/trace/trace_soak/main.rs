//! A program whose threads do nothing but allocate, traced for a while with a small heap and a
//! small trace: it must not crash, the agent's memory must stay flat, the trace must keep its limit
//! through many rotations, and at the end the rebuilt heap must be the VM's own, class by class.
//!
//! `DUCKTRACK_SOAK_SECONDS` is the time on each JDK: 16 seconds by default, ten minutes in the full run.

mod agent_memory;
mod memory_watch;

use std::path::Path;
use std::process::Stdio;

use agent_memory::{AgentMemory, IN_A_LONG_RUN, IN_A_SHORT_RUN};
use ducktrack_tests::{
    Jdk, TracedRun, checked, compiled, is_full_run, jdks_in_turn, trace_command, traced_jdks,
};
use memory_watch::MemoryWatch;

/// Bytes of event files that `max-trace-size=32m` allows at most.
const MOST_BYTES: u64 = 40 << 20;
/// Bytes by which resident memory may grow from the second quarter of a long run to
/// the last: the JVM's code, metadata, malloc's slack, and what waits in the agent.
const MOST_GROWTH: u64 = 32 << 20;
/// A run that is shorter than this many seconds is still filling its cache in the second quarter, and may grow by more.
const LONG: u32 = 300;
const MOST_GROWTH_OF_SHORT: u64 = 128 << 20;

#[test]
fn it_runs_for_long_without_harm() {
    let usual = if is_full_run() { "600" } else { "16" };
    let seconds = std::env::var("DUCKTRACK_SOAK_SECONDS").unwrap_or_else(|_| usual.to_owned());
    let programs = compiled(&["HistogramAtExit", "SoakProbe"], 17);
    for jdk in &jdks_in_turn("soak", &traced_jdks(), 2) {
        soak(jdk, programs.path(), &seconds);
    }
}

fn soak(jdk: &Jdk, programs: &Path, seconds: &str) {
    let run = TracedRun::new(jdk, "soak");
    let histogram = run.file("histogram");
    let log = run.file("log");
    // A short queue: how full one of 64 MB is depends on who else uses the cores, and would look like growth, or hide it.
    let options = format!(
        "compress=off,max-trace-size=32m,queue=64,log=debug:{}",
        log.display()
    );
    let mut command = run.command(&options, &[programs]);
    let child = command
        .args([
            "-Xms192m",
            "-Xmx192m",
            "-XX:+AlwaysPreTouch",
            "-XX:+UseG1GC",
        ])
        .arg("HistogramAtExit")
        .arg(&histogram)
        .args(["SoakProbe", seconds])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("java");
    let watch = MemoryWatch::start(child.id());
    let output = child.wait_with_output().expect("java");
    let memory = watch.finish();
    let place = run.name();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{place}: {}\n{errors}",
        output.status
    );
    run.compare_heap(&histogram).expect("the rebuilt heap");
    check_trace(&run.trace(), place);
    let is_long = seconds.parse::<u32>().is_ok_and(|seconds| seconds >= LONG);
    let (most, most_of_agent) = if is_long {
        (MOST_GROWTH, IN_A_LONG_RUN)
    } else {
        (MOST_GROWTH_OF_SHORT, IN_A_SHORT_RUN)
    };
    let of_agent = AgentMemory::read(&log);
    of_agent.check(place, &most_of_agent);
    assert!(
        memory.growth() <= most,
        "{place}: resident memory grew from {} to {} bytes",
        memory.early(),
        memory.late()
    );
    checked(&format!(
        "{place}: {seconds} s of nothing but allocation, every class equal; resident {} MB (medians of quarters); at the end the agent uses {} MB",
        memory.medians().map(megabytes).join(", "),
        megabytes(of_agent.at_end())
    ));
}

fn megabytes(bytes: u64) -> String {
    (bytes >> 20).to_string()
}

/// Nothing was dropped, files went away, and the limit was kept.
fn check_trace(trace: &Path, place: &str) {
    let info = trace_command("info", trace, &[]);
    assert_eq!(info["dropped"], 0, "{place}");
    let mut bytes = 0;
    let mut first = u32::MAX;
    for entry in std::fs::read_dir(trace).expect("trace") {
        let entry = entry.expect("entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(number) = name.strip_prefix("events-") {
            bytes += entry.metadata().expect("metadata").len();
            let number = number.trim_end_matches(".trace").parse().expect("number");
            first = first.min(number);
        }
    }
    assert!(bytes <= MOST_BYTES, "{place}: {bytes} bytes of events");
    assert!(first > 0 && first < u32::MAX, "{place}: no rotation");
}
