//! The heap is full to the last object, and stays so: nothing that the agent
//! does needs an object of it, whether the program ends by the error or goes on.
//!
//! `tests/life_cycle/killed_counts/allocation_watch.c` tells what is allocated from the
//! first error on, by the VM's own sampler at an interval of 0, and which allocations fail.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ducktrack_tests::{
    Jdk, Turns, agent_argument, checked, ducktrack_command, is_full_run, matrix_jdks,
    native_library, skipped, trace_command,
};

use crate::probe::{Place, Process, programs};

const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
/// Objects that the program makes after its heap is free again.
const AFTER: i64 = 1000;

/// How it is recorded.
const WAYS: [&str; 3] = [
    "mode=count,interval=1",
    "mode=trace,interval=1",
    "mode=count,counters=site,record=materialized,record=lengths",
];

/// A run, and the watching agent's lines about it.
struct Watched {
    place: Place,
    process: Process,
}

/// The target of the watching agent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Watch {
    /// Allocations, and those that fail.
    All,
    /// Those that fail: the VM's sampler stays with the recording.
    Failures,
}

impl Watched {
    fn start(
        jdk: &Jdk,
        watcher: &Path,
        watch: Watch,
        vm: &[&str],
        agent: Option<&str>,
        words: &[&str],
    ) -> Self {
        let place = Place::new();
        let log = place.beside("watched").display().to_string();
        let watcher = match watch {
            Watch::All => format!("-agentpath:{}={log}", watcher.display()),
            Watch::Failures => format!("-agentpath:{}={log},failures", watcher.display()),
        };
        let mut command = jdk.java(programs());
        command
            .args(["-Xmx16m", "-XX:-UsePerfData", "-XX:-UseGCOverheadLimit"])
            .args(vm)
            .arg(&watcher);
        if let Some(agent) = agent {
            command.arg(agent_argument(agent, &place.output()));
        }
        // Once more: it also prints a line when the end has passed the other agents.
        command
            .arg(&watcher)
            .arg("FullHeap")
            .args(words)
            .arg(place.published_file());
        let process = Process::start(&mut command);
        Self { place, process }
    }

    fn told(&self) -> Vec<String> {
        told(&self.place.beside("watched"))
    }

    fn set_word(&self, index: u64) {
        let file = OpenOptions::new()
            .write(true)
            .open(self.place.published_file());
        let one = 1_i64.to_le_bytes();
        file.and_then(|file| file.write_all_at(&one, index * 8))
            .expect("the file");
    }

    /// Waits for its end; its standard error, and the watching agent's lines.
    fn end(self) -> (Place, String, Vec<String>) {
        let Self { place, process } = self;
        let errors = process.end();
        let told = told(&place.beside("watched"));
        (place, errors, told)
    }
}

fn told(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Threads of the bare VM and its library that may find that the heap is full, or
/// have room later. The thread that ends the VM has no object or no name at first.
const OTHERS: [&str; 8] = [
    "main",
    "DestroyJavaVM",
    "Reference_Handler",
    "Finalizer",
    "Common-Cleaner",
    "Signal_Dispatcher",
    "-",
    "",
];

/// Whether a line is of a thread or a method that the bare program does not have. Allocations
/// of the VM to compile a method (the strings that it names) are on the thread of the program.
fn is_ours(line: &str) -> bool {
    let thread = line.split(' ').nth(1).unwrap_or_default();
    line != "end" && (!OTHERS.contains(&thread) || line.contains("DuckTrack"))
}

/// Objects of a type, by the report or (of a trace) by its events.
fn objects(place: &Place, way: &str, ty: &str) -> i64 {
    if way.starts_with("mode=trace") {
        let lifetimes = trace_command("lifetimes", &place.output(), &[]);
        let sites = lifetimes["sites"].as_array().expect("sites").iter();
        let sites = sites.filter(|site| site["type"] == ty);
        return sites.filter_map(|site| site["count"].as_i64()).sum();
    }
    let report = place.report();
    let sites = report.sites.iter();
    let sites = sites.filter(|site| site.ty.as_deref() == Some(ty));
    sites.map(|site| site.count).sum()
}

/// The report has as many nodes as the program published.
fn check_nodes(place: &Place, way: &str, what: &str) {
    let (counted, published) = (objects(place, way, "FullHeap$Node"), place.word(3));
    assert!(published > 10_000, "{what}: {published}");
    // The last one found no room, or was not published.
    assert!(
        (published..=published + 1).contains(&counted),
        "{what}: {counted} of {published}"
    );
}

fn watcher() -> Option<(tempfile::TempDir, PathBuf)> {
    let folder = tempfile::tempdir().expect("temporary folder");
    let library = native_library(folder.path(), "allocation_watch");
    if library.is_none() {
        skipped("full heap: no C compiler");
    }
    Some((folder, library?))
}

/// Each collector is recorded in another way on the next JDK.
fn way_of(number: usize) -> &'static str {
    WAYS[(number + number / COLLECTORS.len()) % WAYS.len()]
}

/// JDKs, each with the collector of a turn (the full run: every collector), and the way in which it is recorded.
fn runs(test: &str, turn: usize) -> Vec<(Jdk, &'static str, &'static str)> {
    let (mut runs, mut turns) = (Vec::new(), Turns::new());
    let jdks = matrix_jdks().into_iter().filter(|jdk| jdk.version >= 17);
    for (number, jdk) in jdks.enumerate() {
        for &at in turns.take(&[0, 1, 2], number + turn) {
            let way = way_of(number * COLLECTORS.len() + at);
            runs.push((jdk.clone(), COLLECTORS[at], way));
        }
    }
    turns.announce(test);
    runs
}

/// The program catches the error and waits: a snapshot each second, the looks
/// at every quarter, status, mark and snapshot on demand, and not one object.
#[test]
fn a_full_heap_that_lives_on_gets_no_object_of_ours() {
    let Some((_folder, watcher)) = watcher() else {
        return;
    };
    let mut lines = 0;
    let runs = runs("full heaps that live on", 0);
    for (number, (jdk, collector, way)) in runs.into_iter().enumerate() {
        let watches = [Watch::All, Watch::Failures];
        let watches = match is_full_run() {
            true => &watches[..],
            false => &watches[number % 2..=number % 2],
        };
        for watch in watches {
            let what = format!("{jdk} {collector} {way}");
            let run = Watched::start(&jdk, &watcher, *watch, &[collector], Some(way), &["caught"]);
            lines += check_life(run, way, &what);
        }
    }
    assert!(lines > 0, "nothing was checked");
    checked(&format!(
        "{lines} lines of allocations in full heaps, none of the agent"
    ));
}

/// Lines of the watching agent.
fn check_life(mut run: Watched, way: &str, what: &str) -> usize {
    let place = &run.place;
    run.process.wait_until(|| place.published(0) != 0);
    let before = run.told();
    assert!(
        before.iter().any(|line| line.starts_with("failed")),
        "{what}: {before:?}"
    );
    std::thread::sleep(Duration::from_millis(1200));
    let pid = run.process.child.id().to_string();
    for words in [
        &["info", "--state"][..],
        &["snapshot"],
        &["snapshot", "--mark=full"],
        &["info", "--state"],
    ] {
        let mut command = ducktrack_command();
        let output = command.arg(words[0]).arg(&pid).args(&words[1..]).output();
        let output = output.expect("ducktrack");
        assert!(output.status.success(), "{what} {words:?}: {output:?}");
    }
    let full = run.told();
    run.set_word(1);
    let (place, errors, all) = run.end();
    let ours: Vec<&String> = full.iter().filter(|line| is_ours(line)).collect();
    assert!(ours.is_empty(), "{what}: {ours:?}");
    assert!(all.len() > full.len(), "{what}: it had ended before");
    let marked = objects(&place, way, "FullHeap$Marked");
    assert_eq!(marked, AFTER, "{what}: {errors}");
    full.len()
}

/// Nothing catches the error: the VM ends, the recording too, and no object is made for that.
#[test]
fn the_end_by_the_error_needs_no_object_of_ours() {
    let Some((_folder, watcher)) = watcher() else {
        return;
    };
    let mut lines = 0;
    for (jdk, collector, way) in runs("ends by a full heap", 1) {
        let what = format!("{jdk} {collector} {way}");
        let run = Watched::start(
            &jdk,
            &watcher,
            Watch::All,
            &[collector],
            Some(way),
            &["uncaught"],
        );
        let (place, errors, all) = run.end();
        assert!(errors.contains("OutOfMemoryError"), "{what}: {errors}");
        let ours: Vec<&String> = all.iter().filter(|line| is_ours(line)).collect();
        assert!(ours.is_empty(), "{what}: {ours:?}");
        // Between the two is the end of the recording. Without room for the thread that ends the VM there is none.
        let ends: Vec<usize> = (0..all.len()).filter(|at| all[*at] == "end").collect();
        let state = place.report().run.state;
        match ends[..] {
            [first, last] if last == first + 1 => assert_eq!(state, "ended", "{what}"),
            [] if all.iter().any(|line| line == "failed - -") => {
                assert_eq!(state, "killed", "{what}")
            }
            _ => panic!("{what}: {all:?}"),
        }
        check_nodes(&place, way, &what);
        lines += all.len();
    }
    assert!(lines > 0, "nothing was checked");
    checked(&format!(
        "{lines} lines of allocations in JVMs that ended by a full heap, none of the agent"
    ));
}

/// The VM exits in the middle of the allocation, without a word to any agent.
#[test]
fn the_exit_at_the_error_keeps_everything() {
    let Some((_folder, watcher)) = watcher() else {
        return;
    };
    for (jdk, collector, way) in runs("exits at a full heap", 2) {
        let what = format!("{jdk} {collector} {way}");
        let vm = [collector, "-XX:+ExitOnOutOfMemoryError"];
        let run = Watched::start(&jdk, &watcher, Watch::All, &vm, Some(way), &["uncaught"]);
        let (place, errors, all) = run.end();
        assert_eq!(all, Vec::<String>::new(), "{what}: {errors}");
        check_nodes(&place, way, &what);
    }
}
