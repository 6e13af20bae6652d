//! `mode=trace` when the JVM dies: every event up to the last one of each thread
//! is there, its size and its site are known, and the heap names what filled it.
//!
//! The program counts in a mapped file of its own the objects that it has made, so the trace is compared with the real number.

mod killed_program;

use std::time::Duration;

use ducktrack_tests::{Jdk, Turns, checked, is_full_run, jdks_in_turn, trace_command, traced_jdks};
use killed_program::{Ending, KilledProgram, Left};
use serde_json::Value;

const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];

/// Moments are spread over the first half second; the same in every run.
struct Moments(u64);

impl Moments {
    fn next(&mut self) -> Duration {
        // A linear congruential generator (Knuth, MMIX).
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        Duration::from_micros((self.0 >> 33) % 500_000)
    }
}

/// As many events as objects, but for the one that each thread has under way; all of known size; nothing wrong but the missing end.
fn check(left: &Left, threads: i64, what: &str) {
    let more = left.events - left.published;
    assert!(
        (0..=threads).contains(&more),
        "{what}: {} events of {} objects, {:?}",
        left.events,
        left.published,
        left.damage
    );
    assert_eq!(left.size_unknown, 0, "{what}");
    assert_eq!(left.reported, left.events, "{what}: report and lifetimes");
    assert_eq!(left.topped, left.events, "{what}: top and lifetimes");
    // The last block of a file may be there in part: its piece is elsewhere then.
    let expected = |name: &String| name == "no-end" || name == "cut";
    assert!(
        left.damage.iter().all(expected),
        "{what}: {:?}",
        left.damage
    );
}

#[test]
fn killed_at_any_moment() {
    let jdks = traced_jdks();
    assert!(!jdks.is_empty(), "nothing would be checked");
    let of_each = if is_full_run() { 200 } else { 3 };
    let mut moments = Moments(7);
    for round in 0..of_each * jdks.len() {
        let jdk = &jdks[round % jdks.len()];
        let collector = COLLECTORS[round / jdks.len() % COLLECTORS.len()];
        let threads = 1 + round % 3;
        let moment = moments.next();
        let what = format!("{} {collector}, {threads} threads, {moment:?}", jdk.version);
        let program = KilledProgram::start(jdk, collector, "", threads).expect(&what);
        std::thread::sleep(moment);
        let left = program.end(&Ending::Signal("KILL")).expect(&what);
        check(&left, i64::try_from(threads).expect("few"), &what);
    }
    checked(&format!(
        "{of_each} kills at random moments on each of {} JDKs, every event there",
        jdks.len()
    ));
}

#[test]
fn other_signals_that_end_a_jvm() {
    for jdk in jdks_in_turn("other signals than KILL", &traced_jdks(), 0) {
        for signal in ["SEGV", "ABRT"] {
            let what = format!("{} {signal}", jdk.version);
            let program = KilledProgram::start(&jdk, COLLECTORS[2], "", 2).expect(&what);
            std::thread::sleep(Duration::from_millis(300));
            let left = program.end(&Ending::Signal(signal)).expect(&what);
            check(&left, 2, &what);
        }
    }
}

/// Of each generation at most the cycle under way is lost: the pauses between cycles are there, too.
#[test]
fn cycles_of_generations_are_there() {
    for jdk in traced_jdks() {
        let vm: &[&str] = match jdk.version {
            ..21 => continue,
            21 => &["-XX:+UseZGC", "-XX:+ZGenerational", "-Xmx300m"],
            _ => &["-XX:+UseZGC", "-Xmx300m"],
        };
        let what = format!("{} {vm:?}", jdk.version);
        let mut program = KilledProgram::start_with(&jdk, vm, "", 2).expect(&what);
        std::thread::sleep(Duration::from_secs(6));
        program.stop(&Ending::Signal("KILL")).expect(&what);
        let timeline = trace_command("timeline", &program.trace(), &[]);
        let collections = timeline["collections"].as_array().expect("collections");
        let of_kind = |kind: &str, is_known: bool| {
            let is_one = |one: &&Value| one["kind"] == kind && one["live"].is_null() != is_known;
            collections.iter().filter(is_one).count()
        };
        assert!(of_kind("young", true) > 3, "{what}: {timeline}");
        for kind in ["young", "old"] {
            assert!(of_kind(kind, false) <= 1, "{what}: {timeline}");
        }
        checked(&format!("cycles of a killed JVM, {what}"));
    }
}

#[test]
fn a_trace_that_rotates() {
    for jdk in jdks_in_turn("kills while a trace rotates", &traced_jdks(), 1) {
        let what = format!("{} with max-trace-size", jdk.version);
        let options = ",max-trace-size=4m,buffer-size=4k";
        let program = KilledProgram::start(&jdk, COLLECTORS[1], options, 2).expect(&what);
        std::thread::sleep(Duration::from_secs(2));
        let left = program.end(&Ending::Signal("KILL")).expect(&what);
        assert_eq!(left.size_unknown, 0, "{what}");
        assert!(
            left.events > 0 && left.events <= left.published + 2,
            "{what}"
        );
    }
}

/// A collection comes between an object and its event, and the object is outside of
/// the thread's buffer: it is there all the same, also where the collection is lost.
#[test]
fn stopped_between_an_object_and_its_event() {
    for jdk in jdks_in_turn("kills between an object and its event", &traced_jdks(), 2) {
        let what = format!("{} without TLABs", jdk.version);
        let vm = [COLLECTORS[0], "-Xint", "-XX:-UseTLAB", "-Xmn1m"];
        let program = KilledProgram::start_with(&jdk, &vm, "", 3).expect(&what);
        std::thread::sleep(Duration::from_millis(1500));
        let left = program.end(&Ending::Signal("KILL")).expect(&what);
        check(&left, 3, &what);
    }
}

/// A trace that is read while the program runs has no event that it cannot explain, and says that there is more.
#[test]
fn read_while_it_runs() {
    for jdk in jdks_in_turn("traces that are read while they grow", &traced_jdks(), 3) {
        let what = format!("{} that runs", jdk.version);
        let program = KilledProgram::start(&jdk, COLLECTORS[2], "", 2).expect(&what);
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(200));
            let before = program.published().expect(&what);
            let info = trace_command("info", &program.trace(), &[]);
            let after = program.published().expect(&what);
            assert_eq!(info["sizeUnknown"], 0, "{what}: {info}");
            assert_eq!(info["recovered"]["isRunning"], true, "{what}: {info}");
            let events = info["events"].as_i64().unwrap_or(0);
            assert!(
                before < after && events < 2 * after + 1_000_000,
                "{what}: {events} events of {before} to {after} objects"
            );
        }
        let left = program.end(&Ending::Signal("KILL")).expect(&what);
        check(&left, 2, &what);
    }
}

#[test]
fn out_of_memory() {
    let endings = [
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:+CrashOnOutOfMemoryError",
        "",
    ];
    let mut turns = Turns::new();
    let jdks = traced_jdks();
    for (number, (jdk, collector)) in all_pairs(&jdks).enumerate() {
        for option in turns.take(&endings, number + number / COLLECTORS.len()) {
            let what = format!("{} {collector} {option}", jdk.version);
            let trace = killed_program::fill_heap(jdk, collector, option).expect(&what);
            let heap = trace_command("heap", &trace.path().join("trace"), &["--at", "last"]);
            let types = heap["types"].as_array().expect(&what);
            let named: Vec<&str> = types
                .iter()
                .take(5)
                .filter_map(|row| row["type"].as_str())
                .collect();
            assert!(named.contains(&"long[]"), "{what}: {named:?}");
            assert!(named.contains(&"KilledEvents$Filler"), "{what}: {named:?}");
        }
    }
    turns.announce("events of a JVM out of memory");
}

/// Each JDK with each collector.
fn all_pairs(jdks: &[Jdk]) -> impl Iterator<Item = (&Jdk, &'static str)> {
    jdks.iter()
        .flat_map(|jdk| COLLECTORS.map(|collector| (jdk, collector)))
}
