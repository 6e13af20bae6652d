//! `ducktrack memory`: the parts add up to what the kernel charges, the JVM's own
//! count is met part by part, and the end of a leak in a control group is forecast.
//!
//! Control groups need root and a writable controller; where there is none that part
//! is skipped by name. `DUCKTRACK_FULL` forecasts four kinds of leaks, else two.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use ducktrack_tests::{
    Finished, Jdk, agent_argument, checked, compiled, ducktrack_command, is_full_run, jdks_in_turn,
    json_by, printed_by, skipped, traced_jdks,
};
use serde_json::Value;

const MB: u64 = 1 << 20;
/// Direct memory that the program has.
const DIRECT: u64 = 40 * MB;

fn programs() -> tempfile::TempDir {
    compiled(&["MemoryLeaks", "LiveSet"], 17)
}

/// A program that is ended when the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Running {
    /// Starts the program and waits for its first line.
    fn start(jdk: &Jdk, options: &[&str], programs: &Path, words: &[&str]) -> Self {
        let mut command = jdk.java(programs);
        command.args(options);
        Self::of(command.arg("MemoryLeaks").args(words))
    }

    fn of(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("java");
        let mut line = String::new();
        let out = child.stdout.take().expect("its output");
        BufReader::new(out).read_line(&mut line).expect("a line");
        assert_eq!(line.trim(), "ready");
        Self(child)
    }
}

fn memory(pid: u32, seconds: &str) -> Value {
    let words = ["--for", seconds, "--format", "json"];
    json_by(
        ducktrack_command()
            .args(["memory", &pid.to_string()])
            .args(words),
    )
}

fn part(report: &Value, name: &str) -> u64 {
    let parts = report["parts"].as_array().expect("parts");
    let found = parts.iter().find(|part| part["part"] == name);
    found.map_or(0, |part| part["bytes"].as_u64().expect("bytes"))
}

/// Committed bytes of a category of the JVM's own count.
fn counted(report: &Value, category: &str) -> u64 {
    let rows = report["nativeMemory"].as_array().expect("a count");
    let found = rows.iter().find(|row| row["category"] == category);
    found.map_or(0, |row| row["committed"].as_u64().expect("bytes"))
}

/// Kind, place, number and bytes of what made most of a part.
fn first_maker(report: &Value, part: &str) -> (String, String, u64, u64) {
    let parts = report["parts"].as_array().expect("parts");
    let part = parts.iter().find(|row| row["part"] == part).expect("part");
    let maker = &part["makers"][0];
    let text = |key: &str| maker[key].as_str().expect("a text").to_owned();
    let live = |key: &str| maker["live"][key].as_u64().expect("a number");
    (text("kind"), text("place"), live("count"), live("bytes"))
}

fn assert_adds_up(report: &Value, what: &str) {
    let parts = report["parts"].as_array().expect("parts");
    let sum: i64 = parts.iter().filter_map(|part| part["bytes"].as_i64()).sum();
    let rest = report["notInParts"].as_i64().expect("a rest");
    assert_eq!(
        Some(sum + rest),
        report["charged"].as_i64(),
        "{what}: {report}"
    );
}

#[test]
fn the_parts_are_those_that_the_jvm_counts() {
    let programs = programs();
    let mut runs = 0;
    for jdk in &traced_jdks() {
        for collector in [
            "-XX:+UseSerialGC",
            "-XX:+UseG1GC",
            "-XX:+UseParallelGC",
            "-XX:+UseZGC",
        ] {
            let options = [
                collector,
                "-XX:NativeMemoryTracking=summary",
                "-Xmx200m",
                "-Xms200m",
            ];
            let program = Running::start(jdk, &options, programs.path(), &["hold"]);
            let report = memory(program.0.id(), "0");
            let what = format!("{jdk} {collector}");
            assert_adds_up(&report, &what);
            let off_heap = part(&report, "off-heap");
            assert!(
                (DIRECT..DIRECT + 4 * MB).contains(&off_heap),
                "{what}: {off_heap} off-heap"
            );
            let heap = part(&report, "heap-used") + part(&report, "heap-free");
            assert!(
                (30 * MB..=210 * MB).contains(&heap),
                "{what}: {heap} in the heap"
            );
            let stacks = part(&report, "thread-stacks");
            assert!(stacks > 60 * 8192, "{what}: {stacks} of 60 stacks and more");
            let code = part(&report, "code-cache");
            // What is resident of it: the interpreter and the stubs at least.
            assert!(code > MB / 4, "{what}: {code} bytes of code");
            // Most classes of this program are in the archive.
            assert!(part(&report, "metaspace") > MB / 8, "{what}: metaspace");
            assert_eq!(report["maxHeap"].as_u64(), Some(200 * MB), "{what}");
            assert_eq!(counted(&report, "Java Heap"), 200 * MB, "{what}");
            assert!(counted(&report, "Other") >= DIRECT, "{what}: {report}");
            let (kind, loader, count, bytes) = first_maker(&report, "metaspace");
            assert_eq!(
                (kind.as_str(), loader.as_str(), count),
                ("class-loader", "<boot class loader>", 1),
                "{what}"
            );
            // The metadata of the loader of the JDK, in whichever unit this JDK prints it.
            let committed = counted(&report, "Metaspace") + counted(&report, "Class");
            assert!(
                bytes > MB / 16 && bytes <= committed,
                "{what}: {bytes} of {committed}"
            );
            runs += 1;
        }
    }
    checked(&format!("bills of memory, {runs} runs"));
}

/// Without the JVM's own count, a recording tells what Java code asked for, and who did.
#[test]
fn a_recording_names_the_lines() {
    let programs = programs();
    for jdk in &traced_jdks() {
        let trace = programs.path().join(format!("recording-{}", jdk.version));
        let agent = agent_argument("", &trace);
        let options = [agent.as_str(), "-Xmx200m"];
        let program = Running::start(jdk, &options, programs.path(), &["hold"]);
        // The agent looks at its own memory now and then: the first look may be to come.
        let mut looks = (0..40).map(|_| {
            std::thread::sleep(Duration::from_millis(250));
            memory(program.0.id(), "0")
        });
        let report = looks.find(|report| part(report, "agent") > 0);
        let report = report.expect("the agent's part within 10 s");
        let what = format!("{jdk}");
        assert_adds_up(&report, &what);
        assert_eq!(report["nativeMemoryTracking"], false, "{what}");
        let off_heap = part(&report, "off-heap");
        assert!(
            (DIRECT..DIRECT + MB).contains(&off_heap),
            "{what}: {off_heap}"
        );
        assert!(part(&report, "agent") > MB / 4, "{what}: {report}");
        let made = |name: &str, kind: &str| {
            let mut parts = report["parts"].as_array().expect("parts").iter();
            let part = parts.find(|part| part["part"] == name).expect("the part");
            let mut makers = part["makers"].as_array().expect("makers").iter();
            let maker = makers.find(|maker| maker["kind"] == kind).expect("a maker");
            let place = maker["place"].as_str().expect("a place").to_owned();
            let live = |key: &str| maker["live"][key].as_u64().expect("a number");
            (place, live("count"), live("bytes"))
        };
        let (place, count, bytes) = made("off-heap", "direct-buffer");
        assert!(place.starts_with("MemoryLeaks.main:"), "{what}: {place}");
        assert_eq!((count, bytes), (1, DIRECT), "{what}");
        let (place, count, bytes) = made("thread-stacks", "thread-stack");
        assert!(place.starts_with("MemoryLeaks.sleeper:"), "{what}: {place}");
        assert_eq!((count, bytes), (60, 60 * 2 * MB), "{what}");
    }
}

/// Megabytes that the program keeps.
const LIVE: u64 = 64;

/// `LiveSet` with a heap: per mille of its time in pauses; `None`: it ended with an OutOfMemoryError.
fn share_with(jdk: &Jdk, programs: &Path, (collector, heap): (&str, u64)) -> Option<u64> {
    let mut command = jdk.java(programs);
    command.args([collector, &format!("-Xmx{heap}m")]);
    command.args(["LiveSet", &LIVE.to_string(), "6"]);
    let finished = Finished::of(&mut command);
    if !finished.status.success() {
        let errors = finished.errors;
        assert!(errors.contains("OutOfMemoryError"), "{errors}");
        return None;
    }
    let share = finished
        .out
        .lines()
        .last()
        .and_then(|line| line.split(' ').next());
    Some(share.expect("a share").parse().expect("a number"))
}

/// What is alive is an upper bound: the least that the heap had at any look. On a machine that others use, the program makes so little that
/// hardly a look comes soon after a collection; then the JVM is asked for some.
fn near_need(jdk: &Jdk, pid: u32) -> Option<Value> {
    let is_near = |report: &Value| {
        let live = report["heapNeed"]["live"].as_u64();
        live.is_some_and(|bytes| bytes < MB * LIVE * 3 / 2)
    };
    let collect = || {
        for _ in 0..3 {
            sleep(Duration::from_millis(1500));
            printed_by(jdk.tool("jcmd").args([&pid.to_string(), "GC.run"]));
        }
    };
    let asked = || {
        std::thread::scope(|scope| {
            scope.spawn(collect);
            memory(pid, "6")
        })
    };
    let mut looks = std::iter::once(memory(pid, "6")).chain((0..3).map(|_| asked()));
    looks.find(is_near)
}

/// The program runs in the advised heap with the share of pauses that was foretold; with little more than is alive it does not.
#[test]
fn the_advised_heap_is_enough_and_less_is_not() {
    let programs = programs();
    for jdk in &jdks_in_turn("the advised heap", &traced_jdks(), 0) {
        for collector in ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"] {
            let what = format!("{jdk} {collector}");
            let mut command = jdk.java(programs.path());
            command.args([collector, "-Xmx400m", "-Xms400m"]);
            command.args(["LiveSet", &LIVE.to_string(), "60"]);
            let program = Running::of(&mut command);
            sleep(Duration::from_secs(4));
            let report = near_need(jdk, program.0.id());
            drop(program);
            let report = report.expect("a need whose live bytes are near the true ones");
            let need = &report["heapNeed"];
            let bytes = |key: &str| need[key].as_u64().expect("bytes") / MB;
            let (live, heap) = (bytes("live"), bytes("heap"));
            assert!(live >= LIVE, "{what}: {report}");
            assert!((3 * LIVE..5 * LIVE).contains(&heap), "{what}: {report}");
            let parts = report["parts"].as_array().expect("parts");
            let part = parts.iter().find(|part| part["part"] == "heap-used");
            let advice = part.and_then(|part| part["what"].as_str()).expect("advice");
            assert!(
                advice.starts_with(&format!("-Xmx{heap}m")),
                "{what}: {advice}"
            );
            let said = 1000.0 * need["shareThen"].as_f64().expect("a share");
            let enough = share_with(jdk, programs.path(), (collector, heap));
            // A machine that others use is slower by times.
            let is_as_said = enough.is_some_and(|share| share as f64 <= said + 20.0);
            assert!(is_as_said, "{what}: {enough:?} of {said}, {advice}");
            let less = share_with(jdk, programs.path(), (collector, LIVE + 6));
            assert!(less.is_none_or(|share| share > 50), "{what}: {less:?}");
            checked(&format!(
                "{what}: {advice}; it took {enough:?} per mille, and {less:?} with less"
            ));
        }
    }
}

#[test]
fn bad_input_is_one_line() {
    let mut memory = ducktrack_command();
    memory.args(["memory", &std::process::id().to_string()]);
    Finished::of(&mut memory).must_refuse(&["is no Java program"]);
}

/// A control group of memory, removed at the end.
struct Group(PathBuf);

impl Group {
    fn new(name: &str, limit: u64) -> Option<Self> {
        let one = Path::new("/sys/fs/cgroup/memory");
        let (root, file) = match one.is_dir() {
            true => (one, "memory.limit_in_bytes"),
            false => (Path::new("/sys/fs/cgroup"), "memory.max"),
        };
        let folder = root.join(format!("ducktrack-test-{}-{name}", std::process::id()));
        fs::create_dir(&folder).ok()?;
        let group = Self(folder);
        fs::write(group.0.join(file), limit.to_string()).ok()?;
        // Without swap the limit is the end.
        drop(fs::write(group.0.join("memory.swap.max"), "0"));
        drop(fs::write(
            group.0.join("memory.memsw.limit_in_bytes"),
            limit.to_string(),
        ));
        Some(group)
    }

    fn command(&self, java: &Path) -> Command {
        let mut command = Command::new("/bin/sh");
        let script = format!("echo $$ > {}/cgroup.procs && exec \"$@\"", self.0.display());
        command.args(["-c", &script, "sh"]).arg(java);
        command
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for _ in 0..50 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// The program leaks at an even rate until the kernel kills it; at half time the moment is forecast.
fn forecast(jdk: &Jdk, programs: &Path, kind: &str) -> Option<(f64, f64)> {
    let group = Group::new(kind, 200 * MB)?;
    let java = jdk.home.join("bin/java");
    let options = [
        "-XX:+UseSerialGC",
        "-Xmx2g",
        "-Xms16m",
        "-XX:MaxDirectMemorySize=2g",
    ];
    let mut command = group.command(&java);
    command.args(options).arg("-cp").arg(programs);
    let mut program = Running::of(command.args(["MemoryLeaks", kind]));
    let begun = Instant::now();
    std::thread::sleep(Duration::from_secs(8));
    let report = memory(program.0.id(), "8");
    let asked = Instant::now();
    assert_adds_up(&report, kind);
    assert_eq!(report["end"]["by"], "killed", "{kind}: {report}");
    let seconds = report["end"]["inSeconds"].as_f64().expect("seconds");
    let patience = Duration::from_secs(120);
    while program.0.try_wait().expect("its state").is_none() {
        assert!(begun.elapsed() < patience, "{kind}: it was not killed");
        std::thread::sleep(Duration::from_millis(100));
    }
    Some((seconds, asked.elapsed().as_secs_f64()))
}

#[test]
fn the_kill_is_forecast() {
    let programs = programs();
    let jdks = traced_jdks();
    let jdk = jdks.first().expect("a JDK");
    let kinds: &[&str] = match is_full_run() {
        true => &["heap", "direct", "threads", "loaders"],
        false => &["heap", "direct"],
    };
    for kind in kinds {
        let Some((forecast, truth)) = forecast(jdk, programs.path(), kind) else {
            skipped("no control group of memory can be made here: run as root");
            return;
        };
        println!("{kind}: forecast {forecast:.1} s, killed after {truth:.1} s");
        assert!(
            (forecast / truth - 1.0).abs() <= 0.25,
            "{kind}: {forecast} s, and it took {truth} s"
        );
    }
    checked(&format!("forecasts of {} kills", kinds.len()));
}
