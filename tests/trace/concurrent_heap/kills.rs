//! A JVM that is killed in the middle of its cycles: of each generation, the trace lacks at most the cycle under way and the one before.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use ducktrack_tests::{Jdk, TracedRun, checked, is_full_run, trace_command};

use crate::{known_forms, programs};

#[test]
fn a_killed_jvm_lost_at_most_one_cycle_of_each_generation() {
    let programs = programs();
    let rounds = if is_full_run() { 10 } else { 1 };
    let mut runs = 0;
    for round in 0..rounds {
        for (jdk, form) in known_forms() {
            killed(&jdk, form, round, programs.path());
            runs += 1;
        }
    }
    checked(&format!(
        "{runs} kills under ZGC, at most one cycle of a generation lost"
    ));
}

/// Cycles of any kind that the VM's log has.
fn cycles(log: &Path) -> usize {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.matches(" Collection (").count()
}

fn killed(jdk: &Jdk, form: &[&str], round: u64, programs: &Path) {
    let run = TracedRun::new(jdk, &format!("{} killed", form.join(" ")));
    let log = run.file("gc.log");
    let mut command = run.command("", &[programs]);
    command.args(form).arg("-Xmx128m");
    command.arg(format!("-Xlog:gc*:file={}", log.display()));
    command.args(["ConcurrentHeap", "3", "1000000", "30000"]);
    let mut child = command.stdout(Stdio::null()).spawn().expect("java");
    let patience = Instant::now() + Duration::from_secs(60);
    while cycles(&log) < 6 && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_millis(round * 37));
    child.kill().expect("kill");
    let _ = child.wait();
    let log = std::fs::read_to_string(log).expect("the VM's log");
    let timeline = trace_command("timeline", &run.trace(), &[]);
    let name = run.name();
    for (kind, line) in [
        ("full", "Garbage Collection ("),
        ("young", "Young Generation "),
        ("old", "Old Generation "),
    ] {
        let is_end = |text: &&str| text.contains(line) && text.contains("->");
        let ended = log.lines().filter(is_end).count();
        let all = timeline["collections"].as_array().into_iter().flatten();
        let of_kind = all.filter(|one| one["kind"] == kind && one["fault"].is_null());
        let known = of_kind.count();
        println!("{name}: {known} of {ended} {kind} cycles");
        assert!(known + 1 >= ended, "{name}: {known} of {ended} {kind}");
    }
    let heap = trace_command("heap", &run.trace(), &["--at", "last"]);
    assert!(heap["total"]["count"].as_u64() > Some(10_000), "{name}");
}
