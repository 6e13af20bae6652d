//! The heap that `ducktrack heap` rebuilds from a trace against the VM's own class histogram: after a full collection at the end of a real
//! program, for every class the same number of objects and the same bytes.
//!
//! The program runs under `HistogramAtExit`, which asks the VM for the histogram when the program has ended: a full collection and a walk
//! over the heap at one safepoint. The same collection is the last full one of the trace. The two know nothing of each other: the histogram
//! walks the heap, the trace adds up allocations, moves and deaths since the start.
//!
//! `DUCKTRACK_FULL` takes all workloads; else two small ones.

mod traced_run;

use ducktrack_tests::{
    Jdk, checked, class_differences, exact_histogram_options, heap_after_last_full_collection,
    is_full_run, parse_class_histogram, skipped, traced_jdks,
};
use traced_run::{TracedRun, Workload};

const SMALL: &[&str] = &["json", "streams"];
const ALL: &[&str] = &[
    "json", "streams", "sunflow", "jython", "lusearch", "h2", "xalan", "fop", "tomcat", "javac",
    "serial", "batik",
];

fn workloads() -> &'static [&'static str] {
    if is_full_run() { ALL } else { SMALL }
}

#[test]
fn the_rebuilt_heap_is_that_of_the_vm_class_by_class() {
    let jdks = traced_jdks().expect("JDKs");
    let mut compared = 0;
    let mut wrong = Vec::new();
    for jdk in &jdks {
        for options in exact_histogram_options(jdk) {
            for name in workloads() {
                let place = format!("Java {} {} {name}", jdk.version, options.join(" "));
                match compare(jdk, options, name) {
                    Outcome::Skipped(reason) => skipped(&format!("{place}: {reason}")),
                    Outcome::Equal(classes, objects) => {
                        compared += 1;
                        println!("{place}: {classes} classes, {objects} objects equal");
                    }
                    Outcome::Different(lines) => wrong.push(format!("{place}:\n{lines}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared >= 3 * jdks.len(), "only {compared} runs compared");
    checked(&format!(
        "the rebuilt heap against the VM's class histogram, {compared} runs, every class equal"
    ));
}

enum Outcome {
    Skipped(String),
    Equal(usize, u64),
    Different(String),
}

fn compare(jdk: &Jdk, options: &[&str], name: &str) -> Outcome {
    let run = match TracedRun::of(jdk, options, &Workload(name.to_owned())) {
        Ok(run) => run,
        Err(reason) => return Outcome::Skipped(reason),
    };
    let expected = parse_class_histogram(&run.histogram);
    let rebuilt = heap_after_last_full_collection(&run.trace()).expect("the rebuilt heap");
    let objects = expected.values().map(|amount| amount.count).sum();
    match class_differences(jdk.version, &expected, &rebuilt) {
        lines if lines.is_empty() => Outcome::Equal(expected.len(), objects),
        lines => Outcome::Different(lines.join("\n")),
    }
}
