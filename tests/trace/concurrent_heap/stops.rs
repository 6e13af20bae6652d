//! Recordings that end and begin in the middle of cycles, while the program's threads allocate: the heap
//! of one that was stopped is known, the next one knows the heap again, and the program is as without any.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use ducktrack_tests::{
    Finished, Jdk, TracedRun, agent_library, checked, ducktrack_command, is_full_run, trace_command,
};

use crate::said::{self, Sites};
use crate::{known_forms, programs};

#[test]
fn recordings_stop_and_begin_under_load() {
    let programs = programs();
    let recordings = if is_full_run() { 6 } else { 2 };
    let forms = known_forms();
    for (jdk, form) in &forms {
        stopped(jdk, form, recordings, programs.path());
    }
    checked(&format!(
        "{} recordings stopped under ZGC's load, the next one with each class equal",
        recordings * forms.len()
    ));
}

fn stopped(jdk: &Jdk, form: &[&str], recordings: usize, programs: &Path) {
    let run = TracedRun::new(jdk, &format!("{} stopped", form.join(" ")));
    let (name, enough) = (run.name(), run.file("enough"));
    let mut command = jdk.java(programs);
    command.args(form).arg("-Xmx128m");
    command.args(["ConcurrentHeap", "3", "100", "30000"]);
    let mut child = command
        .arg(&enough)
        .stdout(Stdio::piped())
        .spawn()
        .expect("java");
    std::thread::sleep(Duration::from_millis(1500));
    let pid = child.id().to_string();
    let mut outcome = Ok(());
    for number in 0..recordings {
        let trace = run.file(&format!("trace-{number}"));
        outcome = outcome.and_then(|()| attach(&pid, &trace));
        // Not always at the same moment of a cycle.
        std::thread::sleep(Duration::from_millis(1900 + 137 * number as u64));
        outcome = outcome.and_then(|()| done(ducktrack_command().args(["stop", &pid])));
    }
    let last = run.file("trace");
    outcome = outcome.and_then(|()| attach(&pid, &last));
    std::thread::sleep(Duration::from_secs(2));
    std::fs::write(&enough, "").expect("a file");
    if outcome.is_err() {
        let _ = child.kill();
    }
    let output = child.wait_with_output().expect("java");
    outcome.unwrap_or_else(|why| panic!("{name}: {why}"));
    assert!(output.status.success(), "{name}: {}", output.status);
    for number in 0..recordings {
        check_stopped(&run.file(&format!("trace-{number}")), name);
    }
    let said = String::from_utf8_lossy(&output.stdout);
    said::compare(&last, &said, Sites::NotAll, name);
}

/// A recording that was stopped: whatever it knows of the heap it knows to its end.
fn check_stopped(trace: &Path, name: &str) {
    let info = trace_command("info", trace, &[]);
    let state = &info["knowledge"]["state"];
    println!("{name}: {state}");
    // Not known at all: there was no time for the cycles that it takes.
    assert!(state == "known" || state == "never", "{name}: {info}");
}

fn attach(pid: &str, trace: &Path) -> Result<(), String> {
    let mut command = ducktrack_command();
    command.args(["attach", pid, "--mode=trace", "--summary=off", "--library"]);
    command.arg(agent_library());
    done(command.arg("--output").arg(trace))
}

fn done(command: &mut Command) -> Result<(), String> {
    let finished = Finished::of(command);
    finished
        .status
        .success()
        .then_some(())
        .ok_or(finished.errors)
}
