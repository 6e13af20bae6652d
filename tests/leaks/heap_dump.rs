//! Heap dumps of traced JVMs, joined with their traces: every object of a dump
//! is in the trace at its address, and what is retained and by whom is right.
//!
//! The two know nothing of each other: the JVM writes the dump, the trace adds up allocations, moves and
//! deaths since the start. Told apart by kind are fillers, which collectors put where objects have been.
//!
//! `DUCKTRACK_FULL` takes all workloads; else two small ones. To look at a few only: `DUCKTRACK_WORKLOADS=fop,batik`; under
//! ZGC, for one form: `DUCKTRACK_FORM=21g`. The figures under ZGC go to the file that `DUCKTRACK_TABLE` names, one line a run.

use std::path::{Path, PathBuf};

use ducktrack_tests::{
    Finished, Jdk, TracedRun, Turns, checked, compiled, ducktrack_command, harness_jar, note,
    trace_command, traced_jdks, workloads,
};
use serde_json::Value;

const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];

/// Runs a program under the agent until its heap dump is written; `None` where it skips itself.
fn dumped(
    jdk: &Jdk,
    options: &[&str],
    class_path: &[&Path],
    words: &[&str],
) -> Option<(TracedRun, PathBuf)> {
    let what = format!("{} {}", options.join(" "), words.join(" "));
    let run = TracedRun::new(jdk, &what);
    let dump = run.file("heap.hprof");
    let mut command = run.command("", class_path);
    command.args(["-Xms64m", "-Xmx512m"]).args(options);
    let command = command.arg("DumpAtExit").arg(&dump).args(words);
    run.has_finished(command).then_some((run, dump))
}

/// `ducktrack holders` as JSON.
fn holders(run: &TracedRun, dump: &Path, words: &[&str]) -> Value {
    let dump = dump.to_str().expect("a path in UTF-8");
    let words = [&["--dump", dump], words].concat();
    trace_command("holders", &run.trace(), &words)
}

#[test]
fn every_object_of_a_dump_is_in_the_trace() {
    let programs = compiled(&["DumpAtExit", "Sessions"], 17);
    let harness = harness_jar();
    let jdks = traced_jdks();
    let (workloads, mut turns) = (workloads(&["json"]), Turns::new());
    let mut compared = 0;
    for (number, jdk) in jdks.iter().enumerate() {
        for collector in turns.take(&COLLECTORS, number) {
            for name in &workloads {
                let words = [
                    "ducktrack.harness.Main",
                    name,
                    "--iterations",
                    "2",
                    "--size",
                    "1",
                ];
                let class_path = [programs.path(), &harness];
                if let Some((run, dump)) = dumped(jdk, &[collector], &class_path, &words) {
                    assert_joined(&run, &holders(&run, &dump, &[]));
                    compared += 1;
                }
            }
        }
    }
    assert!(compared >= jdks.len(), "only {compared} runs compared");
    turns.announce("heap dumps of workloads");
    checked(&format!(
        "heap dumps against traces, {compared} runs, every object found"
    ));
}

fn assert_joined(run: &TracedRun, report: &Value) {
    let join = &report["join"];
    let count = |key: &str| join[key].as_u64().expect("a number");
    assert_eq!(join["missing"], serde_json::json!([]), "{}", run.name());
    assert!(count("objects") > 10_000, "{}: {join}", run.name());
    let named = count("found") + count("fillers");
    assert_eq!(named, count("objects"), "{}", run.name());
    println!(
        "{}: {} objects found, {} fillers",
        run.name(),
        count("found"),
        count("fillers")
    );
}

#[test]
fn who_holds_the_sessions_and_who_made_them() {
    let programs = compiled(&["DumpAtExit", "Sessions"], 17);
    let mut runs = 0;
    for jdk in &traced_jdks() {
        for collector in COLLECTORS {
            let run = dumped(jdk, &[collector], &[programs.path()], &["Sessions"]);
            let (run, dump) = run.expect("a program of ours");
            check_sessions(&run, &sessions(&run, &dump), 24);
            runs += 1;
        }
    }
    checked(&format!(
        "paths and retained bytes of known objects, {runs} runs"
    ));
}

fn sessions(run: &TracedRun, dump: &Path) -> Value {
    holders(run, dump, &["--type", "Sessions$Session"])
}

/// ZGC's forms: their names, releases and options.
const ZGC: [(&str, u32, &[&str]); 4] = [
    ("17", 17, &["-XX:+UseZGC", "-Dcollect=true"]),
    ("21", 21, &["-XX:+UseZGC", "-Dcollect=true"]),
    (
        "21g",
        21,
        &["-XX:+UseZGC", "-XX:+ZGenerational", "-Dcollect=true"],
    ),
    ("25", 25, &["-XX:+UseZGC", "-Dcollect=true"]),
];

/// Of so many objects of a dump, one may have been made since the last cycle.
const MADE_SINCE_OF: u64 = 10_000;
/// The same of all objects on JDK 17, which does not collect for a dump:
/// asking for it makes a lambda, and hooks of the program go on beside it.
const MADE_SINCE_ON_17: u64 = 100;

#[test]
fn dumps_under_zgc_are_joined_by_addresses_without_colours() {
    let programs = compiled(&["DumpAtExit", "Sessions"], 17);
    let harness = harness_jar();
    let jdks = traced_jdks();
    let (workloads, mut runs) = (workloads(&["json"]), 0);
    for jdk in &jdks {
        for (form, _, options) in ZGC.iter().filter(|form| is_asked(form, jdk)) {
            // Without compressed references: a header of 12 bytes, and two of 8.
            let run = dumped(jdk, options, &[programs.path()], &["Sessions"]);
            let (run, dump) = run.expect("a program of ours");
            check_sessions(&run, &sessions(&run, &dump), 32);
            for name in &workloads {
                let main = ["ducktrack.harness.Main", name];
                let words = [&main[..], &["--iterations", "2", "--size", "1"]].concat();
                let class_path = [programs.path(), &harness];
                if let Some((run, dump)) = dumped(jdk, options, &class_path, &words) {
                    let report = holders(&run, &dump, &[]);
                    check_zgc_join(&run, (form, name), &report["join"]);
                    runs += 1;
                }
            }
        }
    }
    assert!(runs > 0, "no JDK that collects for a dump");
    checked(&format!(
        "heap dumps under ZGC against traces, {runs} runs, every object found that was there at the last cycle"
    ));
}

/// `DUCKTRACK_FORM` takes one form.
fn is_asked((name, release, _): &(&str, u32, &[&str]), jdk: &Jdk) -> bool {
    let only = std::env::var("DUCKTRACK_FORM").ok();
    *release == jdk.version && only.is_none_or(|only| only == *name)
}

fn check_zgc_join(run: &TracedRun, (form, program): (&str, &str), join: &Value) {
    let name = run.name();
    let count = |key: &str| join[key].as_u64().expect("a number");
    let (objects, found) = (count("objects"), count("found"));
    let line = serde_json::json!({
        "form": form, "program": program, "objects": objects, "found": found, "missing": join["missing"],
    });
    println!("{line}");
    note(&line.to_string());
    assert!(objects > 10_000, "{name}: {join}");
    let missing = objects - found;
    let most = match form {
        "17" => MADE_SINCE_ON_17,
        _ => objects / MADE_SINCE_OF,
    };
    assert!(missing <= most, "{name}: {join}");
}

/// `own`: bytes of a session.
fn check_sessions(run: &TracedRun, report: &Value, own: u64) {
    let name = run.name();
    // An array of 16 and 1,000 bytes.
    let array = 1016;
    let selected = &report["selected"];
    assert_eq!(selected["count"], 4000, "{name}");
    assert_eq!(selected["bytes"], 4000 * own, "{name}");
    for key in ["retained", "exactlyRetained"] {
        assert_eq!(selected[key], 4000 * (own + array), "{name}: {key}");
    }
    let site = &report["sites"][0];
    assert_eq!(site["class"], "Sessions", "{name}: {site}");
    assert_eq!(site["method"], "open", "{name}");
    assert_eq!(site["retained"], 4000 * (own + array), "{name}");
    let path = &report["paths"][0];
    assert_eq!(path["root"]["name"], "static Sessions.OPEN", "{name}");
    assert_eq!(path["count"], 4000, "{name}");
    let steps = path["steps"].as_array().expect("steps");
    let types: Vec<&str> = steps
        .iter()
        .filter_map(|step| step["type"].as_str())
        .collect();
    let expected = [
        "java.util.HashMap",
        "java.util.HashMap$Node[]",
        "java.util.HashMap$Node",
        "Sessions$Session",
    ];
    assert_eq!(types, expected, "{name}");
    let last = steps.last().expect("a step");
    assert_eq!(last["by"], "value", "{name}");
    assert_eq!(last["made"]["method"], "open", "{name}");
    let (oldest, youngest) = (&selected["oldest"], &selected["youngest"]);
    assert!(oldest.as_u64() > youngest.as_u64(), "{name}: {selected}");
}

#[test]
fn a_dump_of_another_jvm_is_refused() {
    let programs = compiled(&["DumpAtExit", "Sessions"], 17);
    let jdks = traced_jdks();
    let jdk = jdks.first().expect("a JDK");
    // Two equal runs may have equal addresses.
    let run = |limit| {
        let options = [COLLECTORS[2], limit];
        dumped(jdk, &options, &[programs.path()], &["Sessions"]).expect("ours")
    };
    let ((first, dump), (second, _)) = (run("-Xmx512m"), run("-Xmx256m"));
    let asked = |trace: &Path, dump: &Path| {
        Finished::of(
            ducktrack_command()
                .arg("holders")
                .arg(trace)
                .arg("--dump")
                .arg(dump),
        )
    };
    let refusal = |trace: &Path, dump: &Path| {
        let finished = asked(trace, dump);
        assert_eq!(finished.status.code(), Some(2));
        let message = finished.errors;
        assert_eq!(message.trim_end().lines().count(), 1, "{message}");
        message
    };
    // The first dump is older than the second trace: it knows no collection for it.
    let message = refusal(&second.trace(), &dump);
    assert!(
        message.contains("no collection with which this dump"),
        "{message}"
    );
    // With the time of the second's dump it is taken for one of that run; its objects are strangers, and get no sites from the trace.
    let mut bytes = std::fs::read(&dump).expect("the dump");
    let other = std::fs::read(second.file("heap.hprof")).expect("the dump");
    let time = 23..31;
    bytes[time.clone()].copy_from_slice(&other[time]);
    let forged = first.file("forged.hprof");
    std::fs::write(&forged, &bytes).expect("a file");
    let joined = asked(&second.trace(), &forged);
    let text = joined.out;
    let words: Vec<&str> = text.split_whitespace().collect();
    let words = words.join(" ");
    assert!(joined.status.success(), "{text}");
    assert!(words.contains("not joined paths, and sizes"), "{text}");
    assert!(
        words.contains("are not in the trace at their address"),
        "{text}"
    );
    assert!(!words.contains("made at"), "{text}");
    let message = refusal(
        &second.trace(),
        &first.file("heap.hprof").with_file_name("none"),
    );
    assert!(message.contains("No such file"), "{message}");
    std::fs::write(&forged, &bytes[..bytes.len() / 2]).expect("a file");
    let message = refusal(&second.trace(), &forged);
    assert!(message.contains("cut off at byte"), "{message}");
    checked("dumps that do not belong to a trace, 3 refusals and one without sites");
}
