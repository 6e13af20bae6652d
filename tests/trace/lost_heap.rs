//! A fault on the way, and the heap known again: after the next full collection the rebuilt heap
//! equals the VM's own class histogram, class by class, after young and full collections more; and the
//! commands name the collections between which it is not known, and the facts known of the others.
//!
//! The fault is asked for (`fault-at=2`): the second pause is reported as one that could not be read. Or the
//! disk is full for a while, and events and survivors are lost. The program is `tests/trace/LostHeap.java`.

use std::fs;
use std::path::Path;
use std::process::Command;

use ducktrack_tests::{
    Jdk, TracedRun, Turns, checked, compiled, ducktrack_command, jdks_in_turn, printed_by,
    refused_by, skipped, trace_command, traced_jdks, traced_layouts,
};
use serde_json::Value;

#[test]
fn the_heap_is_known_again_after_the_next_full_collection() {
    let programs = compiled(&["LostHeap"], 17);
    let mut runs = 0;
    let jdks = traced_jdks();
    let mut turns = Turns::new();
    for (turn, jdk) in jdks.iter().enumerate() {
        let layouts: Vec<_> = traced_layouts(jdk).collect();
        for options in turns.take(&layouts, turn) {
            check(jdk, options, programs.path());
            runs += 1;
        }
    }
    turns.announce("lost heaps");
    assert!(runs >= jdks.len(), "only {runs} runs");
    checked(&format!(
        "the heap is known again after a full collection, {runs} runs, every class equal"
    ));
}

/// Runs a program with a small disk in the folder of its trace; what is on the disk in the end goes to the other folder.
const ON_SMALL_DISK: &str = "trace=$1; copy=$2; shift 2; mount -t tmpfs -o size=24m none \"$trace\" || exit 1; \"$@\"; code=$?; cp -r \"$trace\" \"$copy\"; exit $code";

/// The disk is full for a part of the run. The program notices nothing, the gap
/// has its bounds and what was lost, and after the gap the heap is known as ever.
#[test]
fn the_heap_is_known_again_after_a_full_disk() {
    if !can_mount() {
        return skipped("heaps on a full disk: no small disk can be mounted");
    }
    let programs = compiled(&["LostHeap"], 17);
    let jdks = traced_jdks();
    let mut turns = Turns::new();
    for (turn, jdk) in jdks_in_turn("full disks", &jdks, 1).iter().enumerate() {
        let layouts: Vec<_> = traced_layouts(jdk).collect();
        for options in turns.take(&layouts, turn) {
            check_full_disk(jdk, options, programs.path());
        }
    }
    turns.announce("heaps after full disks");
}

/// Whether a small disk can be mounted here.
fn can_mount() -> bool {
    let folder = tempfile::tempdir().expect("temporary folder");
    let mut nothing = on_small_disk(folder.path(), &folder.path().join("copy"));
    let ended = nothing.arg("true").output();
    ended.is_ok_and(|ended| ended.status.success())
}

fn on_small_disk(trace: &Path, copy: &Path) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", ON_SMALL_DISK, "sh"]);
    command.arg(trace).arg(copy);
    command
}

fn check_full_disk(jdk: &Jdk, options: &[&str], programs: &Path) {
    let run = TracedRun::new(jdk, &options.join(" "));
    let (trace, copy, histogram) = (run.trace(), run.file("copy"), run.file("histogram"));
    fs::create_dir(&trace).expect("folder");
    let java = run.command("compress=off", &[programs]);
    let mut command = on_small_disk(&trace, &copy);
    command.arg(java.get_program()).args(java.get_args());
    command.args(["-Xms64m", "-Xmx64m"]).args(options);
    command.arg("LostHeap").arg(&histogram);
    let said = printed_by(command.arg(trace.join("filler")));
    let name = run.name();
    assert!(said.contains("full: "), "{name}: {said}");
    fs::remove_dir(&trace).expect("it was only mounted there");
    fs::rename(&copy, &trace).expect("what was on the disk");
    let info = trace_command("info", &trace, &[]);
    assert_eq!(info["knowledge"]["state"], "known", "{name}: {info}");
    let gaps = info["knowledge"]["gaps"].as_array().expect("gaps");
    assert!(!gaps.is_empty(), "{name}: {info}");
    let lost = info["lost"]["blocks"].as_u64().expect("blocks");
    let said = format!("{lost} blocks of events (");
    assert!(
        lost > 0 && info["losses"].to_string().contains(&said),
        "{name}: {info}"
    );
    let classes = run.compare_heap(&histogram).expect("the rebuilt heap");
    let heap = trace_command("heap", &trace, &["--type", "LostHeap$After"]);
    let sites = heap["sites"].as_array().expect("sites");
    let known: u64 = sites.iter().filter_map(|site| site["count"].as_u64()).sum();
    assert_eq!(
        (heap["selected"]["count"].as_u64(), known),
        (Some(1000), 1000),
        "{name}"
    );
    checked(&format!(
        "{name}: {lost} blocks lost on a full disk, the heap is known again after it, {classes} classes equal"
    ));
}

fn check(jdk: &Jdk, options: &[&str], programs: &Path) {
    let run = TracedRun::new(jdk, &options.join(" "));
    let histogram = run.file("histogram");
    let mut command = run.command("fault-at=2", &[programs]);
    command.args(["-Xms64m", "-Xmx64m"]).args(options);
    run.finish(command.arg("LostHeap").arg(&histogram));
    let classes = run.compare_heap(&histogram).expect("the rebuilt heap");
    let (trace, name) = (run.trace(), run.name());
    let info = trace_command("info", &trace, &[]);
    let until = check_gap(&info, name);
    check_heaps(&trace, until, name);
    check_sites(&run, options);
    for command in ["timeline", "lifetimes", "leaks"] {
        let report = trace_command(command, &trace, &[]);
        let missing = report["missing"].to_string();
        assert!(
            missing.contains("not known from collection 2 up to"),
            "{name} {command}: {missing}"
        );
    }
    check_lifetimes(&run, until);
    println!("{name}: {classes} classes equal, known again after collection {until}");
}

/// One gap, from collection 2 on; the collection that ends it.
fn check_gap(info: &Value, name: &str) -> u64 {
    assert_eq!(info["knowledge"]["state"], "known", "{name}: {info}");
    let gaps = info["knowledge"]["gaps"].as_array().expect("gaps");
    assert_eq!(gaps.len(), 1, "{name}: {gaps:?}");
    assert_eq!(gaps[0]["since"], 2, "{name}");
    assert!(
        gaps[0]["reason"].to_string().contains("asked for"),
        "{name}: {gaps:?}"
    );
    assert_eq!(info["collections"]["unexplained"], 0, "{name}");
    assert_eq!(info["collections"]["conflicts"], 0, "{name}");
    let until = gaps[0]["until"].as_u64().expect("until");
    let last = info["collections"]["last"].as_u64().expect("last");
    assert!(2 < until && until < last, "{name}: {until} of {last}");
    until
}

/// The heap is there before and after the gap, not in it.
fn check_heaps(trace: &Path, until: u64, name: &str) {
    for at in [1, until, until + 1] {
        let heap = trace_command("heap", trace, &["--at", &at.to_string()]);
        assert!(heap["total"]["count"].as_u64() > Some(1000), "{name}: {at}");
    }
    for at in [2, until - 1] {
        let mut heap = ducktrack_command();
        let heap = heap.arg("heap").arg(trace).args(["--at", &at.to_string()]);
        let text = refused_by(heap);
        assert!(text.contains("from collection 2 up to"), "{name}: {text}");
    }
}

/// Objects made after the gap, or in the epoch that ended it, have their site; older ones have none. Up to
/// JDK 21 Parallel collects the young spaces first, which is a collection of its own that is not known.
fn check_sites(run: &TracedRun, options: &[&str]) {
    let (trace, name) = (run.trace(), run.name());
    let is_two = options.contains(&"-XX:+UseParallelGC") && run.jdk().version <= 21;
    let just_before = if is_two { 0 } else { 100 };
    for (class, objects, with_site) in [
        ("Early", 1000, 0),
        ("Between", 1000, 0),
        ("JustBefore", 100, just_before),
        ("After", 1000, 1000),
    ] {
        let class = format!("LostHeap${class}");
        let heap = trace_command("heap", &trace, &["--type", &class]);
        assert_eq!(heap["selected"]["count"], objects, "{name}: {class}");
        let sites = heap["sites"].as_array().expect("sites");
        let known: u64 = sites.iter().filter_map(|site| site["count"].as_u64()).sum();
        assert_eq!(known, with_site, "{name}: {class}");
    }
}

/// Objects made after the gap are alive, older ones have an unknown fate, and each is counted once.
fn check_lifetimes(run: &TracedRun, until: u64) {
    let lifetimes = trace_command("lifetimes", &run.trace(), &[]);
    let name = run.name();
    assert_eq!(lifetimes["known"], true, "{name}");
    check_stretches(&lifetimes["knowledge"]["known"], until, name);
    let total = &lifetimes["total"];
    let died = total["died"].as_array().expect("died");
    let died: u64 = died.iter().filter_map(Value::as_u64).sum();
    let ends = ["alive", "notYetCollected", "unknownFate"];
    let ends = ends.map(|end| total[end]["count"].as_u64().expect("count"));
    assert_eq!(died + ends.iter().sum::<u64>(), total["count"], "{name}");
    assert!(died > 10_000, "{name}: {died}");
    let sites = lifetimes["sites"].as_array().expect("sites");
    for (class, key) in [
        ("Early", "unknownFate"),
        ("Between", "unknownFate"),
        ("JustBefore", "unknownFate"),
        ("After", "alive"),
    ] {
        let class = format!("LostHeap${class}");
        let site = sites.iter().find(|site| site["type"] == *class);
        let site = site.expect("a site");
        assert_eq!(site[key]["count"], site["count"], "{name}: {class}");
    }
}

/// Up to collection 1, and from the collection that ends the gap on.
fn check_stretches(stretches: &Value, until: u64, name: &str) {
    let stretches = stretches.as_array().expect("stretches");
    assert_eq!(stretches.len(), 2, "{name}: {stretches:?}");
    assert_eq!(stretches[0]["since"], 0, "{name}");
    assert_eq!(stretches[0]["until"], 1, "{name}");
    assert_eq!(stretches[1]["since"], until, "{name}");
    assert!(stretches[1]["until"].as_u64() > Some(until), "{name}");
}
