//! The heap that is rebuilt from a trace under ZGC, whose cycles go on while the program runs, against what the program itself counts
//! at its end: threads keep and drop objects of all sizes at random (`ConcurrentHeap`), the heap is small, so that there are many
//! cycles, and at the end each class must have exactly the objects that are reachable, and these must be at the sites that made them.
//!
//! `DUCKTRACK_FULL` takes each form of ZGC on each JDK; else each form takes one kind of heap, in turn.

mod addresses;
mod cost;
mod deaths;
mod first_page;
mod gaps;
mod held_buffers;
mod kills;
mod said;
mod stops;
mod uses;

use std::path::Path;

use ducktrack_tests::{
    Jdk, TracedRun, Turns, checked, compiled, is_full_run, skipped, trace_command, traced_jdks,
};
use said::Sites;
use tempfile::TempDir;

/// The forms of ZGC; a JDK that does not take the options has not the form.
const FORMS: [&[&str]; 4] = [
    &["-XX:+UseZGC"],
    // For JDK 21.
    &["-XX:+UseZGC", "-XX:+ZGenerational"],
    // For JDK 25.
    &["-XX:+UseZGC", "-XX:+UseCompactObjectHeaders"],
    &["-XX:+UseZGC", "-XX:-UseCompressedClassPointers"],
];

/// Their buffers are small, so some objects lie outside of them: without an address, and with no site where others are alike.
const MANY_THREADS: [&str; 3] = ["1000", "2", "200000"];

/// Kinds of heaps: options of the VM, and the words of the program. A JDK that does not take the options has not the kind.
const HEAPS: [(&[&str], [&str; 3]); 7] = [
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
    (&["-Xmx768m"], MANY_THREADS),
    // Pages that are relocated into themselves.
    (
        &[
            "-Xmx192m",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:+ZStressRelocateInPlace",
        ],
        ["3", "100", "40000"],
    ),
    // Threads that wait for memory.
    (&["-Xmx64m"], ["8", "40", "12000"]),
    (&["-Xmx256m", "-XX:+UseNUMA"], ["3", "100", "40000"]),
];

/// Releases whose structures are known.
const KNOWN: [u32; 3] = [17, 21, 25];

/// Later releases take the option, and ignore it.
const LAST_WITH_CHOICE: u32 = 23;

fn has_form(jdk: &Jdk, form: &[&str]) -> bool {
    let is_ignored = jdk.version > LAST_WITH_CHOICE && form.contains(&"-XX:+ZGenerational");
    !is_ignored && jdk.accepts(form)
}

/// The JDKs whose structures are known, with the forms of ZGC that are
/// worth a run each: both kinds of structures. In turn: one on each JDK.
fn known_forms() -> Vec<(Jdk, &'static [&'static str])> {
    let (mut all, mut turns) = (Vec::new(), Turns::new());
    let mut jdks = traced_jdks();
    jdks.retain(|jdk| KNOWN.contains(&jdk.version));
    for (turn, jdk) in jdks.into_iter().enumerate() {
        let forms = FORMS
            .into_iter()
            .take(2)
            .filter(|form| has_form(&jdk, form));
        let forms: Vec<_> = forms.collect();
        let taken = turns.take(&forms, turn);
        all.extend(taken.iter().map(|form| (jdk.clone(), *form)));
    }
    turns.announce("forms of ZGC");
    all
}

const PROGRAMS: [&str; 6] = [
    "Addresses",
    "ConcurrentHeap",
    "CycleCost",
    "FirstPage",
    "KnownDeaths",
    "KnownUses",
];

fn programs() -> TempDir {
    compiled(&PROGRAMS, 17)
}

#[test]
fn the_rebuilt_heap_is_what_the_program_reaches() {
    let programs = programs();
    let jdks = traced_jdks();
    let jdks: Vec<&Jdk> = jdks
        .iter()
        .filter(|jdk| KNOWN.contains(&jdk.version))
        .collect();
    let mut runs = 0;
    for (place, jdk) in jdks.iter().enumerate() {
        for (turn, form) in FORMS.into_iter().enumerate() {
            if !has_form(jdk, form) {
                skipped(&format!("{jdk} has no {form:?}"));
                continue;
            }
            for (number, (heap, words)) in HEAPS.iter().enumerate() {
                let is_its_turn = number == (turn * jdks.len() + place) % HEAPS.len();
                let options = [form, heap].concat();
                if (is_its_turn || is_full_run()) && jdk.accepts(&options) {
                    compare(jdk, &options, words, programs.path());
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
    let run = TracedRun::new(jdk, &options.join(" "));
    let mut command = run.command("", &[programs]);
    command.args(options).arg("ConcurrentHeap").args(words);
    let said = run.finish(&mut command);
    let name = run.name();
    let info = trace_command("timeline", &run.trace(), &[]);
    let collections = info["collections"].as_array().map_or(0, Vec::len);
    assert!(collections >= 3, "{name}: {collections} collections");
    let sites = match words == MANY_THREADS {
        true => Sites::NotAll,
        false => Sites::Known,
    };
    said::compare(&run.trace(), &said, sites, name);
}
