//! Each program of `tests/count/AdviceCases.java` stands beside its repaired version: what the advice predicts is what the repair saves.

use std::path::Path;

use ducktrack_tests::{
    Jdk, Turns, agent_argument, checked, compiled, count_report, matrix_jdks, printed_by,
    trace_command,
};
use serde_json::Value;

/// Executed between the marks.
const WINDOW: [&str; 4] = ["--from", "begin", "--until", "end"];
/// The thread of the programs. The JDK's others make objects of their own there: when
/// a collection wakes `Common-Cleaner`, it makes a node (32 bytes) to wait again.
const THREAD: [&str; 2] = ["--thread", "main"];
/// Programs whose repair saves the objects of one row, to the object and the byte.
const EXACT: &[(&str, &str)] = &[
    ("BoxInList", "box"),
    ("BoxByGenerics", "box"),
    ("BoxOfLong", "box"),
    ("VarargsEmpty", "varargs"),
    ("VarargsHash", "varargs"),
    ("VarargsLogger", "varargs"),
    ("IteratorOfList", "iterator"),
    ("IteratorOfArray", "iterator"),
    ("IteratorOfEmpty", "iterator"),
    ("ValuesInLoop", "values"),
    ("ValuesLength", "values"),
    ("ValuesOfIndex", "values"),
    ("GrownList", "growth"),
    ("GrownBuilder", "growth"),
    ("GrownMap", "growth"),
    ("GrownSet", "growth"),
    ("GrownDeque", "growth"),
    ("GrownBytes", "growth"),
    ("GrownIdentityMap", "growth"),
    ("GrownTwoSizes", "growth"),
];
/// Programs whose advice is a bound of what the repair saves; the part of the bound that the repair reaches at least.
const BOUNDS: &[(&str, &str, f64)] = &[
    ("CaptureInLoop", "capture", 1.0),
    ("CaptureOfThis", "capture", 1.0),
    ("CaptureReference", "capture", 1.0),
    ("OptionalChain", "optional", 1.0),
    ("OptionalFilter", "optional", 1.0),
    ("OptionalOfElement", "optional", 1.0),
    ("BufferPerCall", "buffer", 1.0),
    ("BufferOfChars", "buffer", 1.0),
    ("BufferForCopy", "buffer", 1.0),
    ("SplitByRegex", "regex", 0.8),
    ("RegexMatches", "regex", 0.8),
    ("RegexReplace", "regex", 0.8),
    ("ExceptionAsResult", "exception", 0.8),
    ("ExceptionOfParse", "exception", 0.8),
    ("ExceptionWithText", "exception", 0.8),
    ("TextForNothing", "string", 0.8),
    ("TextOfArray", "string", 0.8),
    ("TextOfNumber", "string", 0.8),
    ("TextOfBuilder", "string", 1.0),
    // The array has 90 elements, of which 70 are used; with 61 to 90, it would grow to the same one.
    ("GrownByUnion", "growth", 0.7),
    ("GrownToText", "growth", 1.0),
    ("CopyOfFilled", "copy", 1.0),
    ("CopyOfFiltered", "copy", 1.0),
    ("CopyOfMap", "copy", 0.8),
    ("CopyOfSet", "copy", 0.8),
    ("CopyOfParameters", "copy", 1.0),
    ("CopyToArray", "copy", 1.0),
    ("CopyOfBytes", "copy", 1.0),
    ("StreamSum", "stream", 0.8),
    ("StreamFilter", "stream", 0.8),
    ("StreamOfArray", "stream", 0.8),
    ("CostlyDateFormat", "costly", 0.8),
    ("CostlyDecimalFormat", "costly", 0.8),
    ("CostlyFormatter", "costly", 0.8),
];

/// Objects and bytes by which two runs of one program differ: what the JDK makes when it links a call.
const NOISE: (i64, i64) = (4, 256);

#[test]
fn the_repair_saves_what_the_advice_predicts() {
    let programs = compiled(&["AdviceCases"], 11);
    let (mut runs, mut turns) = (0, Turns::new());
    let mut jdks = matrix_jdks();
    jdks.retain(|jdk| jdk.version >= 17);
    for (turn, &(name, rule)) in EXACT.iter().enumerate() {
        for jdk in turns.take(&jdks, turn) {
            let (row, saved) = case(jdk, name, rule, programs.path());
            let run = format!("{jdk} {name}: {row}");
            assert_eq!(row["sure"], "exact", "{run}");
            assert_eq!(amounts(&row), saved, "{run}");
            runs += 1;
        }
    }
    for (turn, &(name, rule, least)) in BOUNDS.iter().enumerate() {
        for jdk in turns.take(&jdks, turn) {
            let (row, saved) = case(jdk, name, rule, programs.path());
            let run = format!("{jdk} {name}: {row}, saved {saved:?}");
            let (objects, bytes) = most(&row);
            assert!(
                saved.0 <= objects + NOISE.0 && saved.1 <= bytes + NOISE.1,
                "{run}"
            );
            // A bound has the objects that nobody is seen to ask for, too: those of the JDK's threads.
            let reached = |saved: i64, bound: i64| saved as f64 >= least * bound as f64;
            assert!(reached(saved.0 + NOISE.0, objects), "{run}");
            assert!(reached(saved.1 + NOISE.1, bytes), "{run}");
            runs += 1;
        }
    }
    turns.announce("programs beside their repaired versions");
    checked(&format!("{runs} programs beside their repaired versions"));
}

/// Of the objects that a row is about, a heap dump says how many are equal, and how much of them was never written.
#[test]
fn a_dump_tells_equal_strings_and_buffers_that_are_too_large() {
    let programs = compiled(&["AdviceCases"], 11);
    let jdks = matrix_jdks().into_iter();
    let mut runs = 0;
    for jdk in jdks.filter(|jdk| jdk.version == 17) {
        // 500 arrays of 4,096 bytes would be of 100; of 500 texts, ten would do.
        let cases = [
            ("KeptBuffers", "buffer", "zero-tailed-bytes", 500),
            ("KeptTexts", "string", "equal-strings-latin1", 490),
        ];
        for (name, rule, kind, objects) in cases {
            let folder = tempfile::tempdir().expect("temporary folder");
            let output = folder.path().join("run");
            let options = "mode=trace,dump=on,";
            record_with(&jdk, [name, "before"], programs.path(), (options, &output));
            let advice = advise(&output, &[]);
            let rows = advice["advice"].as_array().expect("a list").iter();
            let mut rows = rows.filter(|row| row["rule"] == rule);
            let row = rows.next().unwrap_or_else(|| panic!("{name}: {advice}"));
            let waste = row["inDump"].as_array().into_iter().flatten();
            let mut waste = waste.filter(|waste| waste["kind"] == kind);
            let found = waste.next().map(|waste| waste["objects"].clone());
            assert_eq!(found, Some(objects.into()), "{name}: {row}");
            runs += 1;
        }
    }
    checked(&format!("{runs} programs with heap dumps"));
}

fn amounts(row: &Value) -> (i64, i64) {
    let number = |key: &str| row[key].as_i64().expect("a number");
    (number("objects"), number("bytes"))
}

/// The most that a row says.
fn most(row: &Value) -> (i64, i64) {
    let end = |key: &str| row["interval"][key][1].as_i64();
    let (objects, bytes) = amounts(row);
    (
        end("objects").unwrap_or(objects),
        end("bytes").unwrap_or(bytes),
    )
}

/// The row of the rule in the program's class, and the objects and bytes that the repair saves.
fn case(jdk: &Jdk, name: &str, rule: &str, programs: &Path) -> (Value, (i64, i64)) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let [before, after] = ["before", "after"].map(|version| {
        let output = folder.path().join(version);
        record(jdk, name, version, programs, &output);
        output
    });
    let window = [&WINDOW[..], &THREAD].concat();
    let [first, second] = [&before, &after].map(|trace| count_report(trace, &window).selected);
    let saved = (first.count - second.count, first.bytes - second.bytes);
    let class = format!("AdviceCases${name}");
    let advice = advise(&before, &WINDOW);
    let rows = advice["advice"].as_array().expect("a list");
    let row = rows
        .iter()
        .find(|row| row["class"] == class.as_str() && row["rule"] == rule);
    let row = row.unwrap_or_else(|| panic!("{jdk} {name}: no {rule} in {rows:?}"));
    (row.clone(), saved)
}

fn record(jdk: &Jdk, name: &str, version: &str, programs: &Path, output: &Path) {
    record_with(jdk, [name, version], programs, ("", output));
}

fn record_with(jdk: &Jdk, case: [&str; 2], programs: &Path, (options, output): (&str, &Path)) {
    printed_by(
        jdk.java(programs)
            .arg(agent_argument(options, output))
            .arg("AdviceCases")
            .args(case),
    );
}

fn advise(trace: &Path, window: &[&str]) -> Value {
    trace_command("advise", trace, window)
}
