//! `ducktrack leaks DIR` on memory outside of the heap: what leaks has the line, the
//! bytes and the owner, and what is released in any way is no leak, whoever releases it.
//!
//! Programs: `OffHeapLeaks`, `ArenaLeaks`. Each makes a block with each two megabytes that it allocates, so that its rate is known.

use std::path::Path;

use ducktrack_tests::{
    Jdk, TracedRun, checked, compile_java, compiled, jdks_in_turn, trace_command, traced_jdks,
};
use serde_json::Value;

/// What stays: shape, kind, method, bytes of a block, owner, and the field that holds it.
type Leak = (
    &'static str,
    &'static str,
    &'static str,
    f64,
    &'static str,
    Option<&'static str>,
);

const HELD: Option<&str> = Some("OffHeapLeaks.HELD");
const LEAKS: [Leak; 4] = [
    (
        "direct",
        "direct-buffer",
        "directHeld",
        100_000.0,
        "held",
        HELD,
    ),
    (
        "mapped",
        "mapped-file",
        "mappedHeld",
        100_000.0,
        "held",
        HELD,
    ),
    (
        "inflater",
        "inflater",
        "inflaterHeld",
        39_936.0,
        "held",
        HELD,
    ),
    (
        "thread",
        "thread-stack",
        "threadHeld",
        262_144.0,
        "held",
        None,
    ),
];
/// Arenas are final since JDK 22.
const ARENAS: [Leak; 2] = [
    (
        "held",
        "segment",
        "held",
        100_000.0,
        "held",
        Some("ArenaLeaks.HELD"),
    ),
    ("dropped", "segment", "dropped", 100_000.0, "dropped", None),
];
const NO_LEAKS: [&str; 8] = [
    "directDropped",
    "directReplaced",
    "directOnce",
    "mappedDropped",
    "inflaterEnded",
    "deflaterDropped",
    "threadEnded",
    "none",
];
const CLOSED_ARENAS: [&str; 2] = ["closed", "automatic"];
/// Megabytes (2^20 bytes) that a program allocates for each block: 2048 arrays of 1024 bytes.
const MB_PER_BLOCK: f64 = 2.0;

fn leaks(jdk: &Jdk, classes: &Path, (class, shape): (&str, &str)) -> Value {
    let run = TracedRun::new(jdk, shape);
    let mut command = run.command("dump=on", &[classes]);
    command.args(["-Xmx96m", "-Xmn8m", "-XX:+UseSerialGC", class, shape]);
    run.finish(&mut command);
    trace_command("leaks", &run.trace(), &[])
}

fn assert_leaks(jdk: &Jdk, classes: &Path, class: &str, leak: Leak) {
    let (shape, kind, method, block, owner, held_by) = leak;
    let report = leaks(jdk, classes, (class, shape));
    let what = format!("{jdk} {class} {shape}");
    assert_eq!(report["verdict"], "leaks", "{what}: {report}");
    let rows = report["offHeap"].as_array().expect("rows");
    let alarms: Vec<&Value> = rows.iter().filter(|row| row["alarm"] == true).collect();
    let [row] = alarms.as_slice() else {
        panic!("{what}: {rows:?}")
    };
    assert_eq!(row["kind"], kind, "{what}: {row}");
    assert_eq!(
        (&row["class"], &row["method"]),
        (&class.into(), &method.into()),
        "{what}"
    );
    assert!(row["line"].is_u64(), "{what}: {row}");
    assert_eq!(row["live"]["count"], 240, "{what}: {row}");
    let rate = row["bytesPerMb"]["value"].as_f64().expect("a rate");
    let expected = block / MB_PER_BLOCK;
    assert!(
        (rate / expected - 1.0).abs() < 0.02,
        "{what}: {rate} of {expected}"
    );
    assert_eq!(row["owner"], owner, "{what}: {row}");
    if held_by.is_some() {
        assert_eq!(row["heldBy"].as_str(), held_by, "{what}: {row}");
    }
    checked(&format!("{what}: {}", row["sentence"]));
}

/// Neither an alarm nor a doubt: what is released is known.
fn assert_no_leak(jdk: &Jdk, classes: &Path, (class, shape): (&str, &str)) {
    let report = leaks(jdk, classes, (class, shape));
    let what = format!("{jdk} {class} {shape}");
    assert_eq!(report["verdict"], "no leak", "{what}: {report}");
    assert_eq!(report["offHeap"], Value::Array(Vec::new()), "{what}");
    checked(&format!("{what}: {}", report["sentence"]));
}

#[test]
fn memory_outside_of_the_heap_that_stays_leaks_and_no_other() {
    let classes = compiled(&["OffHeapLeaks"], 17);
    for jdk in &jdks_in_turn("off_heap_leaks", &traced_jdks(), 1) {
        for leak in LEAKS {
            assert_leaks(jdk, classes.path(), "OffHeapLeaks", leak);
        }
        for shape in NO_LEAKS {
            assert_no_leak(jdk, classes.path(), ("OffHeapLeaks", shape));
        }
    }
}

#[test]
fn arenas_that_nobody_closes_leak() {
    let classes = tempfile::tempdir().expect("temporary folder");
    let jdks = traced_jdks();
    let jdks: Vec<Jdk> = jdks.into_iter().filter(|jdk| jdk.version >= 22).collect();
    if jdks.is_empty() {
        return;
    }
    compile_java(&["ArenaLeaks"], 22, classes.path(), &[]);
    for jdk in &jdks {
        for leak in ARENAS {
            assert_leaks(jdk, classes.path(), "ArenaLeaks", leak);
        }
        for shape in CLOSED_ARENAS {
            assert_no_leak(jdk, classes.path(), ("ArenaLeaks", shape));
        }
    }
}
