//! The heap that is rebuilt from a trace under ZGC, whose cycles go on while the program runs, against what the program itself counts at its end: threads keep and drop objects of
//! all sizes at random (`ConcurrentHeap`), the heap is small, so that there are many cycles, and at the end each class must have exactly the objects that are reachable, and these
//! must be at the sites that made them.
//!
//! `DUCKTRACK_FULL` takes each form of ZGC on each JDK; else each form takes one kind of heap, in turn.

use std::path::Path;

use ducktrack_tests::{
    Jdk, TracedRun, checked, compile_java, is_full_run, skipped, trace_command, traced_jdks,
};
use serde_json::Value;

/// The forms of ZGC; a JDK that does not take the options has not the form.
const FORMS: [&[&str]; 4] = [
    &["-XX:+UseZGC"],
    // For JDK 21.
    &["-XX:+UseZGC", "-XX:+ZGenerational"],
    // For JDK 25.
    &["-XX:+UseZGC", "-XX:+UseCompactObjectHeaders"],
    &["-XX:+UseZGC", "-XX:-UseCompressedClassPointers"],
];

/// Kinds of heaps: options of the VM, and the words of the program.
const HEAPS: [(&[&str], [&str; 3]); 3] = [
    (&["-Xmx96m"], ["3", "120", "20000"]),
    (&["-Xmx512m"], ["4", "250", "200000"]),
    (
        &[
            "-Xmx192m",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:ZCollectionInterval=1",
        ],
        ["2", "200", "100000"],
    ),
];

/// Releases whose structures are known.
const KNOWN: [u32; 3] = [17, 21, 25];

#[test]
fn the_rebuilt_heap_is_what_the_program_reaches() {
    let programs = tempfile::tempdir().expect("temporary folder");
    assert!(compile_java(&["ConcurrentHeap"], 17, programs.path()).expect("compile"));
    let jdks = traced_jdks().expect("JDKs");
    let jdks: Vec<&Jdk> = jdks
        .iter()
        .filter(|jdk| KNOWN.contains(&jdk.version))
        .collect();
    let mut runs = 0;
    for jdk in &jdks {
        for (turn, form) in FORMS.into_iter().enumerate() {
            if !jdk.accepts(form) {
                skipped(&format!("JDK {} has no {form:?}", jdk.version));
                continue;
            }
            for (number, (heap, words)) in HEAPS.iter().enumerate() {
                if number == turn % HEAPS.len() || is_full_run() {
                    compare(jdk, &[form, heap].concat(), words, programs.path());
                    runs += 1;
                }
            }
        }
    }
    assert!(runs >= 2 * jdks.len(), "only {runs} runs");
    checked(&format!(
        "heaps under ZGC against what the program reaches, {runs} runs, each class equal"
    ));
}

fn compare(jdk: &Jdk, options: &[&str], words: &[&str], programs: &Path) {
    let run = TracedRun::new(jdk, &options.join(" ")).expect("folder");
    let mut command = run.command("", &[programs]).expect("the agent");
    command.args(options).arg("ConcurrentHeap").args(words);
    let said = run.finish(&mut command).expect("the program");
    let name = run.name();
    assert!(!said.contains("unknown"), "{name}: {said}");
    let info = trace_command("timeline", &run.trace(), &[]).expect("timeline");
    let collections = info["collections"].as_array().map_or(0, Vec::len);
    assert!(collections >= 3, "{name}: {collections} collections");
    let heap = trace_command("heap", &run.trace(), &["--top", "1000"]).expect("heap");
    let mut compared = 0;
    for line in said.lines() {
        let Some((class, count)) = line.split_once(' ') else {
            continue;
        };
        let expected: u64 = count.parse().unwrap_or(u64::MAX);
        let wanted = match class {
            "Small" | "Chain" | "Bytes" => format!("ConcurrentHeap${class}"),
            "short[]" => class.to_owned(),
            _ => continue,
        };
        let placed = at_sites(&heap, &wanted);
        if class == "short[]" {
            // Large arrays have no address in their events: of several threads' it is not known which is whose.
            let least = expected - number_after(&said, "large ");
            assert!(
                (least..=expected).contains(&placed),
                "{name}: {placed} of {expected}"
            );
        } else {
            assert_eq!(placed, expected, "{name}: sites of {wanted}");
            assert_eq!(of_type(&heap, &wanted), expected, "{name}: {wanted}");
        }
        compared += 1;
    }
    assert_eq!(compared, 4, "{name}: {said}");
}

/// The number in the line that begins like this.
fn number_after(said: &str, start: &str) -> u64 {
    let line = said.lines().find_map(|line| line.strip_prefix(start));
    line.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Live objects of a type.
fn of_type(heap: &Value, name: &str) -> u64 {
    let types = heap["types"].as_array().into_iter().flatten();
    let of_name = types.filter(|row| row["type"] == name);
    of_name.filter_map(|row| row["count"].as_u64()).sum()
}

/// Those of them whose site is one of the program.
fn at_sites(heap: &Value, name: &str) -> u64 {
    let sites = heap["sites"].as_array().into_iter().flatten();
    let of_program = sites.filter(|row| {
        row["type"] == name
            && row["class"]
                .as_str()
                .is_some_and(|class| class.starts_with("ConcurrentHeap"))
    });
    of_program.filter_map(|row| row["count"].as_u64()).sum()
}
