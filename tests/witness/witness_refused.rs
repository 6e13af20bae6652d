//! `mode=full` where it cannot work: it prints the reason in one line, and the program runs on as with `mode=trace`.
//!
//! Collectors that move objects while the program runs, a heap that leaves no room for its shadows, and self-checks at the start that
//! fail. The last are asked for (`failing-check=`), because no JVM is known on which they do. The program is `tests/java/Deaths.java`.

use std::path::Path;
use std::process::Command;

use ducktrack_tests::{
    Finished, Jdk, TracedRun, Turns, checked, compiled, deaths_command, skipped, trace_command,
    traced_jdks,
};
use serde_json::Value;

/// The mode in which the recording goes on.
const TRACE: &str = "mode=full is off, and the recording continues as mode=trace: ";
/// Without records of updates and calls.
const DEATHS: &str = "mode=full is off, and the recording continues as mode=deaths: ";
/// A note of the trace; the program's terminal does not need to know.
const NOTE: &str = "Uses of arrays of references cost more in this VM: ";

/// Why a JVM has no witnesses, or fewer.
struct Refusal {
    options: &'static [&'static str],
    agent: &'static str,
    /// The mode that goes on, and why.
    line: (&'static str, &'static str),
    /// `level` of `ducktrack lifetimes --deaths`.
    level: &'static str,
}

const UNKNOWN: &str = "moves of objects are unknown, so uses cannot be assigned to objects";
/// The JIT compiles at once, so C2's code is there when its speed is tried.
const SERIAL: &[&str] = &["-XX:+UseSerialGC", "-Xmx64m", "-Xbatch"];

const fn of_collector(options: &'static [&'static str]) -> Refusal {
    Refusal {
        options,
        agent: "",
        line: (TRACE, UNKNOWN),
        level: "bounds",
    }
}

const fn of_check(
    agent: &'static str,
    line: (&'static str, &'static str),
    level: &'static str,
) -> Refusal {
    Refusal {
        options: SERIAL,
        agent,
        line,
        level,
    }
}

const UNLOCK: &str = "-XX:+UnlockExperimentalVMOptions";

const COLLECTORS: [Refusal; 4] = [
    of_collector(&["-XX:+UseZGC", "-Xmx128m"]),
    // For JDK 21.
    of_collector(&["-XX:+UseZGC", "-XX:+ZGenerational", "-Xmx128m"]),
    of_collector(&["-XX:+UseShenandoahGC", "-Xmx128m"]),
    of_collector(&[
        UNLOCK,
        "-XX:+UseEpsilonGC",
        "-XX:+AlwaysPreTouch",
        "-Xms128m",
        "-Xmx128m",
    ]),
];

/// 47 bits of addresses have room for a shadow of this heap, but not for two.
const TOO_LARGE: Refusal = Refusal {
    options: &["-XX:+UseSerialGC", "-Xmx45t"],
    agent: "",
    line: (TRACE, "there is no room for a shadow of the heap: "),
    level: "bounds",
};

const CHECKS: [Refusal; 4] = [
    of_check(
        ",failing-check=stamp",
        (TRACE, "a stamp by `instance` did not arrive in the shadow"),
        "bounds",
    ),
    of_check(
        ",failing-check=identity",
        (DEATHS, "the identity of an object is not its address"),
        "deaths",
    ),
    of_check(
        ",failing-check=hints",
        (NOTE, "the compiler cannot be told their type"),
        "full",
    ),
    of_check(
        ",failing-check=speed",
        (NOTE, "a stamp that should take less than 0 ps takes "),
        "full",
    ),
];

fn start(command: &mut Command, options: &[&str]) -> (String, String) {
    let command = command.args(options).args(["-Drepeated=10", "Deaths"]);
    let finished = Finished::well(command);
    (finished.out, finished.errors)
}

fn check(jdk: &Jdk, refusal: &Refusal, programs: &Path) {
    let mut bare = jdk.java(programs);
    let (expected, _) = start(&mut bare, refusal.options);

    let run = TracedRun::new(jdk, &format!("{:?}{}", refusal.options, refusal.agent));
    let agent = format!("mode=full{}", refusal.agent);
    let mut command = run.command(&agent, &[programs]);
    let (said, messages) = start(&mut command, refusal.options);
    assert_eq!(said, expected, "{}", run.name());

    let (effect, why) = refusal.line;
    let line = format!("{effect}{why}");
    let lines = messages.lines().filter(|said| said.contains(&line)).count();
    assert_eq!(
        lines,
        usize::from(effect != NOTE),
        "{}: {messages}",
        run.name()
    );
    check_trace(&run, refusal, &line);
}

/// The trace has the same reason, the program's allocations, and every death that it can have.
fn check_trace(run: &TracedRun, refusal: &Refusal, line: &str) {
    let (trace, name) = (run.trace(), run.name());
    let report = trace_command("report", &trace, &[]);
    let notes = report["notes"].as_array().expect("notes").iter();
    let notes = notes.filter_map(Value::as_str);
    assert_eq!(
        notes.filter(|note| note.starts_with(line)).count(),
        1,
        "{name}: {}",
        report["notes"]
    );
    let info = trace_command("info", &trace, &[]);
    for none in ["malformed", "dropped", "sizeUnknown"] {
        assert_eq!(info[none], 0, "{name}: {none}");
    }
    assert_eq!(info["damage"], Value::Array(Vec::new()), "{name}");

    let deaths = trace_command("lifetimes", &trace, &["--deaths"]);
    assert_eq!(deaths["level"], refusal.level, "{name}");
    assert_eq!(deaths["contradictions"], Value::Array(Vec::new()), "{name}");
    let (objects, _) = deaths_command(&trace, &["--objects", "--type", "Deaths$Entry"]);
    let used = |line: &&str| line.rsplit(',').nth(2).is_some_and(|used| !used.is_empty());
    let rows: Vec<&str> = objects.lines().skip(1).collect();
    let used = rows.iter().filter(|line| used(line)).count();
    let expected = if refusal.level == "bounds" { 0 } else { 8 };
    assert_eq!((rows.len(), used), (8, expected), "{name}: {objects}");
}

#[test]
fn collectors_that_move_objects_meanwhile_are_refused() {
    let programs = compiled(&["Deaths"], 17);
    let mut runs = 0;
    for jdk in &traced_jdks() {
        let refused = COLLECTORS.iter().filter(|one| jdk.accepts(one.options));
        let before = runs;
        for refusal in refused {
            check(jdk, refusal, programs.path());
            runs += 1;
        }
        assert!(runs >= before + 2, "{jdk} has no such collector");
    }
    checked(&format!("{runs} runs"));
}

#[test]
fn a_heap_without_room_for_its_shadows_is_refused() {
    let programs = compiled(&["Deaths"], 17);
    let mut runs = 0;
    for jdk in &traced_jdks() {
        if jdk.accepts(TOO_LARGE.options) {
            check(jdk, &TOO_LARGE, programs.path());
            runs += 1;
        } else {
            skipped(&format!(
                "a heap of 45 TB on {jdk}: the machine gives no addresses for it"
            ));
        }
    }
    checked(&format!("{runs} runs"));
}

#[test]
fn a_self_check_that_fails_takes_away_what_depends_on_it() {
    let programs = compiled(&["Deaths"], 17);
    let mut runs = 0;
    let (jdks, mut turns) = (traced_jdks(), Turns::new());
    for (turn, refusal) in CHECKS.iter().enumerate() {
        for jdk in turns.take(&jdks, turn) {
            check(jdk, refusal, programs.path());
            runs += 1;
        }
    }
    turns.announce("self-checks that fail");
    checked(&format!("{runs} runs"));
}
