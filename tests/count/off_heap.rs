//! Memory outside of the heap: makers, sizes and releases of programs that know
//! them, beside the JVM's own count of its buffers and of its native memory.
//!
//! Programs: `OffHeapOwners`, `Arenas`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use ducktrack_tests::{
    Finished, Jdk, agent_argument, checked, compile_java, compiled, ducktrack_command,
    installed_jdks, printed_by, trace_command, traced_jdks,
};
use serde_json::Value;

/// What a method of the program makes of a kind: blocks and bytes made,
/// blocks and bytes that stay. `None`: the bytes are the JVM's business.
type Known = (&'static str, &'static str, [i64; 4]);

const MB: i64 = 1 << 20;
const OWNERS: &[Known] = &[
    ("directHeld", "direct-buffer", [10, 10_055, 10, 10_055]),
    ("directDropped", "direct-buffer", [20, 20 * MB, 0, 0]),
    ("mappedHeld", "mapped-file", [1, 12_345, 1, 12_345]),
    ("mappedDropped", "mapped-file", [2, 10_000, 0, 0]),
    ("zlib", "inflater", [8, 8 * INFLATER, 5, 5 * INFLATER]),
    ("zlib", "deflater", [1, DEFLATER, 1, DEFLATER]),
    ("threadsHeld", "thread-stack", [4, MB, 4, MB]),
    ("threadsEnded", "thread-stack", [6, 6 * MB, 0, 0]),
    ("unsafe", "unsafe", [9, 7 * 4096 + 300, 4, 3 * 4096 + 200]),
];
/// zlib's own formulas, with the window and the memory level that the JDK asks for.
const INFLATER: i64 = 32_768 + 7_168;
const DEFLATER: i64 = 2 * 131_072 + 6_144;

fn java(jdk: &Jdk, options: &str, trace: &Path, classes: &Path, more: &[&str]) -> Command {
    let mut command = jdk.java(classes);
    command.arg(agent_argument(options, trace)).args(more);
    command.args(["-Xmx64m", "-XX:ThreadStackSize=1024"]);
    command
}

fn off_heap(trace: &Path, words: &[&str]) -> Value {
    trace_command("report", trace, &[&["--off-heap"], words].concat())
}

/// Made and live of each method of a class and kind.
fn amounts(report: &Value, class: &str) -> BTreeMap<(String, String), [i64; 4]> {
    let rows = report["rows"].as_array().expect("rows");
    let text = |row: &Value, key: &str| row[key].as_str().expect("a text").to_owned();
    let mut amounts = BTreeMap::new();
    for row in rows.iter().filter(|row| row["class"] == class) {
        let key = (text(row, "method"), text(row, "kind"));
        // JDK 25 asks `Unsafe` for memory in which it passes names of files.
        if key.1 == "unsafe" && key.0 != "unsafe" {
            continue;
        }
        let sums = amounts.entry(key).or_insert([0; 4]);
        for (sum, pointer) in
            sums.iter_mut()
                .zip(["/made/count", "/made/bytes", "/live/count", "/live/bytes"])
        {
            *sum += row
                .pointer(pointer)
                .and_then(Value::as_i64)
                .expect("a number");
        }
        assert!(row["line"].is_u64(), "{row}");
    }
    amounts
}

fn assert_known(report: &Value, class: &str, known: &[Known], what: &str) {
    let known: BTreeMap<(String, String), [i64; 4]> = known
        .iter()
        .map(|(method, kind, amounts)| (((*method).to_owned(), (*kind).to_owned()), *amounts))
        .collect();
    assert_eq!(amounts(report, class), known, "{what}");
}

/// The live blocks of a kind, whoever made them.
fn live(report: &Value, kind: &str) -> (i64, i64) {
    let kinds = report["kinds"].as_array().expect("kinds");
    let found = kinds.iter().find(|row| row["kind"] == kind);
    let number = |pointer| found.and_then(|row| row.pointer(pointer)?.as_i64());
    (
        number("/live/count").unwrap_or(0),
        number("/live/bytes").unwrap_or(0),
    )
}

#[test]
fn makers_sizes_and_releases_are_those_of_the_program_and_of_its_pools() {
    let folder = compiled(&["OffHeapOwners"], 11);
    let mut runs = 0;
    for jdk in installed_jdks() {
        for mode in ["", "mode=trace"] {
            if !mode.is_empty() && !jdk.can_be_traced() {
                continue;
            }
            let trace = folder.path().join(format!("pools-{runs}"));
            let mut command = java(&jdk, mode, &trace, folder.path(), &[]);
            let output = printed_by(command.arg("OffHeapOwners"));
            let report = off_heap(&trace, &[]);
            let what = format!("{jdk} {mode}");
            assert_known(&report, "OffHeapOwners", OWNERS, &what);
            let pools = output;
            let (direct, mapped) = (live(&report, "direct-buffer"), live(&report, "mapped-file"));
            let counted = format!("{} {} {} {}", direct.0, direct.1, mapped.0, mapped.1);
            assert_eq!(pools.trim(), counted, "{what}");
            assert_gates(&trace, &what);
            assert_exports(&trace, &report, &what);
            runs += 1;
        }
    }
    checked(&format!("memory outside of the heap, {runs} runs"));
}

/// A run against itself grows by nothing; it makes more than a budget of less.
fn assert_gates(trace: &Path, what: &str) {
    let diff = |gate: &str| {
        let mut command = ducktrack_command();
        let command = command.arg("diff").args([trace, trace]);
        Finished::of(command.args(["--fail-on", gate]))
            .status
            .code()
    };
    assert_eq!(diff("native[OffHeapOwners]>+0"), Some(0), "{what}");
    assert_eq!(diff("native[OffHeapOwners.zlib()]>100k"), Some(1), "{what}");
    assert_eq!(diff("native[com.acme]>+0"), Some(2), "{what}");
}

/// A profile has the live blocks and bytes of the report, by the same stacks.
fn assert_exports(trace: &Path, report: &Value, what: &str) {
    let file = trace.join("speedscope.json");
    let mut command = ducktrack_command();
    let command = command
        .arg("export")
        .arg(trace)
        .args(["--to", "speedscope"]);
    printed_by(command.arg("--output").arg(&file));
    let text = std::fs::read_to_string(&file).expect("a file");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let kinds = report["kinds"].as_array().expect("kinds").iter();
    let sum = |key: &str| -> i64 {
        let numbers = kinds.clone().map(|kind| kind["live"][key].as_i64());
        numbers.map(|number| number.expect("a number")).sum()
    };
    let profiles = document["profiles"].as_array().expect("profiles");
    for (name, sum) in [
        ("live blocks outside of the heap", sum("count")),
        ("live bytes outside of the heap", sum("bytes")),
    ] {
        let found = profiles.iter().find(|one| one["name"] == name);
        assert_eq!(
            found.map(|one| &one["endValue"]),
            Some(&sum.into()),
            "{what}: {name}"
        );
    }
    let frames = document["shared"]["frames"].as_array().expect("frames");
    let names: Vec<&str> = frames
        .iter()
        .filter_map(|frame| frame["name"].as_str())
        .collect();
    let is_there = |start: &str| names.iter().any(|name| name.starts_with(start));
    // What is released is in no profile.
    for (method, kind, _) in OWNERS.iter().filter(|(_, _, [.., live])| *live > 0) {
        assert!(is_there(kind), "{what}: {kind}");
        let method = format!("OffHeapOwners.{method}:");
        assert!(is_there(&method), "{what}: {method}");
    }
}

/// `top` of the running program has what is not released.
fn assert_top(trace: &Path, what: &str) {
    let once = ["--by", "off-heap", "--once", "--interval", "0.1"];
    let words = [&once[..], &["--filter", "OffHeapOwners", "--top", "1000"]];
    let document = trace_command("top", trace, &words.concat());
    for (method, kind, [.., blocks, bytes]) in OWNERS {
        let start = format!("{kind}  OffHeapOwners.{method}:");
        let rows = document["rows"].as_array().expect("rows").iter();
        let rows = rows.filter(|row| {
            row["name"]
                .as_str()
                .is_some_and(|name| name.starts_with(&start))
        });
        let found = rows.fold((0, 0), |(blocks, bytes), row| {
            let number = |key: &str| row[key].as_i64().expect("a number");
            (blocks + number("objects"), bytes + number("bytes"))
        });
        assert_eq!(found, (*blocks, *bytes), "{what}: {start} {document}");
    }
}

#[test]
fn a_killed_program_leaves_them_too() {
    let folder = compiled(&["OffHeapOwners"], 11);
    for jdk in traced_jdks() {
        let trace = folder.path().join(format!("killed-{}", jdk.version));
        let mut command = java(&jdk, "", &trace, folder.path(), &[]);
        command.args(["OffHeapOwners", "wait"]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("java");
        let mut line = String::new();
        let out = child.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let what = format!("{jdk}");
        assert_top(&trace, &what);
        child.kill().expect("killed");
        child.wait().expect("ended");
        let report = off_heap(&trace, &["--only", "OffHeapOwners"]);
        assert_known(&report, "OffHeapOwners", OWNERS, &what);
    }
}

#[test]
fn arenas_release_their_segments() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let jdks = traced_jdks();
    // The foreign memory API is final from JDK 22 on.
    for jdk in jdks.iter().filter(|jdk| jdk.version >= 22) {
        compile_java(&["Arenas"], 25, folder.path(), &[]);
        let trace = folder.path().join("arenas");
        let mut command = java(jdk, "", &trace, folder.path(), &[]);
        printed_by(command.arg("Arenas"));
        let known = [
            ("closed", "segment", [6, 12_000, 0, 0]),
            ("held", "segment", [4, 12_000, 4, 12_000]),
        ];
        assert_known(&off_heap(&trace, &[]), "Arenas", &known, "arenas");
    }
}

/// What the JVM counts as *Other* is what `Unsafe` has allocated and not freed.
#[test]
fn the_jvm_counts_as_many_bytes_of_unsafe() {
    let folder = compiled(&["OffHeapOwners"], 11);
    for jdk in traced_jdks() {
        let trace = folder.path().join(format!("native-{}", jdk.version));
        let tracking = ["-XX:NativeMemoryTracking=summary"];
        let mut command = java(&jdk, "", &trace, folder.path(), &tracking);
        command.args(["OffHeapOwners", "wait"]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("java");
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("its output"));
        out.read_line(&mut line).expect("a line");
        let pid = child.id().to_string();
        let mut jcmd = jdk.tool("jcmd");
        let jcmd = Finished::of(jcmd.args([&pid, "VM.native_memory", "scale=b"]));
        child.kill().expect("killed");
        child.wait().expect("ended");
        drop(out.read_to_string(&mut line));
        let other = other_bytes(&jcmd.out);
        let report = off_heap(&trace, &[]);
        let kinds = ["direct-buffer", "segment", "unsafe"];
        let counted: i64 = kinds.iter().map(|kind| live(&report, kind).1).sum();
        // Each of the 14 blocks is a multiple of 8 bytes; a few bytes were allocated before recording began.
        assert!(
            (counted..counted + 14 * 8 + 4096).contains(&other),
            "{jdk}: {counted} counted, {other} by the JVM"
        );
    }
}

/// Committed bytes of the category *Other*.
fn other_bytes(text: &str) -> i64 {
    let line = text
        .lines()
        .find(|line| line.contains("Other ("))
        .expect("Other");
    let committed = line.split("committed=").nth(1).expect("committed");
    let digits: String = committed.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}
