//! Threads that collections stop between an allocation and its event, or in the middle of writing the event: what they
//! write after the collection has its address from before. The rebuilt heap must be the VM's own, class by class.
//!
//! The program is `tests/trace/StoppedThreads.java`. Interpreted code can be stopped
//! at every return; what is compiled, where a method that was not inlined returns.

use std::path::Path;

use ducktrack_tests::{
    Jdk, TracedRun, checked, compiled, is_full_run, traced_jdks, traced_layouts,
};

const SECONDS: &str = "2";

#[test]
fn a_thread_that_is_stopped_tells_its_objects_where_they_were() {
    let program = ["HistogramAtExit", "StoppedThreads"];
    let programs = compiled(&program, 17);
    let mut runs = 0;
    let jdks = traced_jdks();
    for (turn, jdk) in jdks.iter().enumerate() {
        for (number, collector) in traced_layouts(jdk).enumerate() {
            // Another collector on each JDK; the full run takes all on all.
            if number == turn || is_full_run() {
                for tiers in ["-Xint", "-XX:TieredStopAtLevel=4"] {
                    check(jdk, &[collector, &[tiers]].concat(), programs.path());
                    runs += 1;
                }
            }
        }
    }
    assert!(runs >= 2 * jdks.len(), "only {runs} runs");
    checked(&format!(
        "threads that collections stop, {runs} runs, every class equal"
    ));
}

fn check(jdk: &Jdk, options: &[&str], programs: &Path) {
    let run = TracedRun::new(jdk, &options.join(" "));
    let histogram = run.file("histogram");
    let mut command = run.command("", &[programs]);
    command.args(["-Xmx64m", "-Xverify:all"]).args(options);
    command.arg("HistogramAtExit").arg(&histogram);
    run.finish(command.args(["StoppedThreads", SECONDS]));
    let classes = run.compare_heap(&histogram).expect("the rebuilt heap");
    println!("{}: {classes} classes equal", run.name());
}
