//! Events against the VM's own account: every byte that a thread allocates is an event's or a gap's, on every collector.
//!
//! ```text
//! TraceEvents, 4 threads ─┬─ ALLOCATED lines: what the VM said at the end of each thread ──┐
//!                         ├─ snapshot: the VM's count of each thread                       ├─ must agree
//!                         └─ event files: bytes on the heap + gaps, by thread ─────────────┘
//! report: objects of each site = events of the site
//! ```

mod run;
mod sums;

use ducktrack_tests::{checked, jdks_in_turn, skipped, trace_command, traced_jdks};

use run::Run;
use sums::Sums;

/// Bytes that a thread may allocate after it asked how many there are.
const AFTERWARDS: u64 = 4096;

/// Objects that whichever thread comes first makes for all (a cache, a class that is initialized).
const FIRST_TIMES: u64 = 16;

const COLLECTORS: [&str; 5] = [
    "-XX:+UseSerialGC",
    "-XX:+UseParallelGC",
    "-XX:+UseG1GC",
    "-XX:+UseZGC",
    "-XX:+UseShenandoahGC",
];

/// Figures of the program's own threads: by a run's event files, by its counts and by the VM.
fn check_balance(run: &Run, what: &str) -> u64 {
    let sums = Sums::of(&run.trace);
    assert_eq!(sums.unknown_bytes, 0, "{what}: events without a size");
    assert!(sums.damage.is_empty(), "{what}: {:?}", sums.damage);
    let mut told = 0;
    let mut writers = 0;
    for thread in sums.threads.values() {
        if !thread.name.starts_with("writer-") {
            continue;
        }
        writers += 1;
        told += thread.on_heap + thread.gaps;
        assert_eq!(
            thread.on_heap + thread.gaps,
            thread.vm_allocated,
            "{what}, {}: {} bytes by events, {} in gaps",
            thread.name,
            thread.on_heap,
            thread.gaps
        );
    }
    assert!(writers > 0, "{what}: no threads");
    let said: u64 = run.allocated.iter().sum();
    let most = said + run.allocated.len() as u64 * AFTERWARDS;
    assert!(
        (said..=most).contains(&told),
        "{what}: {told} bytes by events, {said} by the threads themselves"
    );
    let events: u64 = sums.events.values().sum();
    assert_eq!(Ok(sums.counted), i64::try_from(events), "{what}: counts");
    events
}

#[test]
fn every_byte_of_a_thread_is_told() {
    let mut runs = 0;
    let mut events = 0;
    for jdk in traced_jdks() {
        for collector in COLLECTORS {
            let vm = [collector, "-Xmx256m", "-Xmn24m"];
            let vm = match collector {
                "-XX:+UseZGC" | "-XX:+UseShenandoahGC" => &vm[..2],
                _ => &vm[..],
            };
            if !jdk.accepts(vm) {
                skipped(&format!("trace_events: {jdk} has no {collector}"));
                continue;
            }
            let what = format!("{jdk} {collector}");
            let run = Run::of(&jdk, vm, "buffer-size=1k", &["4", "8000", "gc"]);
            events += check_balance(&run, &what);
            runs += 1;
        }
    }
    checked(&format!(
        "trace_events: {events} events in {runs} runs balance"
    ));
}

#[test]
fn the_end_of_the_stack_loses_nothing_silently() {
    for jdk in jdks_in_turn("trace_events, the end of the stack", &traced_jdks(), 1) {
        let run = Run::of(
            &jdk,
            &["-Xss400k"],
            "buffer-size=512",
            &["2", "6000", "deep"],
        );
        let sums = Sums::of(&run.trace);
        let writers = sums.threads.values();
        for thread in writers.filter(|thread| thread.name.starts_with("writer-")) {
            assert_eq!(
                thread.on_heap + thread.gaps,
                thread.vm_allocated,
                "{jdk}, {}",
                thread.name
            );
        }
    }
}

#[test]
fn dropped_events_are_counted() {
    for jdk in jdks_in_turn("trace_events, dropped events", &traced_jdks(), 2) {
        let plain = ["3", "300000", "plain"];
        let whole = Sums::of(&Run::of(&jdk, &[], "", &plain).trace);
        let options = "on-full=drop,queue=1,buffer-size=256";
        let short = Sums::of(&Run::of(&jdk, &[], options, &plain).trace);
        assert!(short.dropped_by("writer-") > 0, "nothing was dropped");
        let told = short.events_of("writer-") + short.dropped_by("writer-");
        let all = whole.events_of("writer-");
        assert!(
            told.abs_diff(all) <= FIRST_TIMES,
            "{jdk}: {told} events told, {all} of all"
        );
    }
}

#[test]
fn the_vms_checker_of_jni_has_nothing_to_say() {
    for jdk in jdks_in_turn("trace_events, the checker of JNI", &traced_jdks(), 3) {
        let run = Run::of(&jdk, &["-Xcheck:jni"], "", &["2", "500", "gc"]);
        let complaints: Vec<&str> = run
            .output
            .lines()
            .filter(|line| line.contains("WARNING") || line.contains("FATAL"))
            .collect();
        assert!(complaints.is_empty(), "{complaints:?}");
    }
}

/// Threads that end after a few events have the same small cost for each event as others: what states a thread's first event and its end is
/// short, and so are the events of arrays.
#[test]
fn short_threads_with_arrays_take_less_than_six_bytes_an_event() {
    const THREADS: u64 = 20_000;
    /// Each thread's rounds, with 15 arrays of one level.
    const EVENTS_OF_THREAD: u64 = 10 * 15;
    for jdk in jdks_in_turn("trace_events, short threads", &traced_jdks(), 4) {
        let run = Run::of_program("ShortThreads", &jdk, &["-Xmx256m"], "", &["20000"]);
        let info = trace_command("info", &run.trace, &[]);
        let events = info["events"].as_u64().expect("events");
        let bytes = info["bytesPerEvent"].as_f64().expect("bytes");
        assert!(events >= THREADS * EVENTS_OF_THREAD, "{events} events");
        assert!(bytes < 6.0, "{jdk}: {bytes} bytes an event");
        checked(&format!(
            "trace_events: {bytes:.2} bytes for each of {events} events of {THREADS} threads, {jdk}"
        ));
    }
}
