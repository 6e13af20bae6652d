//! The heap that is known again: after a cycle that is not known, and after the agent was attached to a program under load.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use ducktrack_tests::{
    Finished, Jdk, TracedRun, agent_library, checked, ducktrack_command, trace_command,
};

use crate::said::{self, Sites};
use crate::{known_forms, programs};

/// A small heap, so that there are many cycles.
const HEAP: &str = "-Xmx128m";
const THREADS_AND_SLOTS: (&str, &str) = ("3", "30000");

#[test]
fn the_heap_is_known_again_after_a_cycle_that_is_not() {
    let programs = programs();
    let forms = known_forms();
    for (jdk, form) in &forms {
        let what = format!("{} with a fault", form.join(" "));
        let run = TracedRun::new(jdk, &what);
        let mut command = run.command("fault-at=3", &[programs.path()]);
        let (threads, slots) = THREADS_AND_SLOTS;
        command.args(*form).arg(HEAP);
        command.args(["ConcurrentHeap", threads, "250", slots]);
        let said = run.finish(&mut command);
        said::compare(&run.trace(), &said, Sites::NotAll, run.name());
        check_gap(&run.trace(), "asked for", run.name());
    }
    checked(&format!(
        "the heap under ZGC is known again after a fault, {} runs, each class equal",
        forms.len()
    ));
}

/// The heap was not known for a while, for this reason, and is at the end.
fn check_gap(trace: &Path, why: &str, name: &str) {
    let info = trace_command("info", trace, &[]);
    assert_eq!(info["knowledge"]["state"], "known", "{name}: {info}");
    let gaps = info["knowledge"]["gaps"].to_string();
    assert!(gaps.contains(why), "{name}: {gaps}");
    println!("{name}: {gaps}");
}

#[test]
fn the_heap_is_known_some_cycles_after_the_agent_was_attached() {
    let programs = programs();
    let forms = known_forms();
    for (jdk, form) in &forms {
        attached(jdk, form, programs.path());
    }
    checked(&format!(
        "attached to a program under ZGC's load, {} runs, each class equal",
        forms.len()
    ));
}

fn attached(jdk: &Jdk, form: &[&str], programs: &Path) {
    let name = format!("{jdk} {} attached", form.join(" "));
    let folder = tempfile::tempdir().expect("folder");
    let (trace, enough) = (folder.path().join("trace"), folder.path().join("enough"));
    let (threads, slots) = THREADS_AND_SLOTS;
    let mut command = jdk.java(programs);
    command.args(form).arg(HEAP);
    command
        .args(["ConcurrentHeap", threads, "100", slots])
        .arg(&enough);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("java");
    std::thread::sleep(Duration::from_millis(2500));
    let mut attach = ducktrack_command();
    attach.arg("attach").arg(child.id().to_string());
    attach.args(["--mode=trace", "--summary=off", "--library"]);
    let attached = Finished::of(attach.arg(agent_library()).arg("--output").arg(&trace));
    std::thread::sleep(Duration::from_secs(2));
    std::fs::write(&enough, "").expect("a file");
    if !attached.status.success() {
        let _ = child.kill();
    }
    let output = child.wait_with_output().expect("java");
    assert!(attached.status.success(), "{name}: {attached}");
    assert!(output.status.success(), "{name}: {}", output.status);
    let said = String::from_utf8_lossy(&output.stdout);
    said::compare(&trace, &said, Sites::NotAll, &name);
}
