//! The heap that `ducktrack heap` rebuilds from a trace against the VM's own class histogram: after a full collection at the end of a real
//! program, for every class the same number of objects and the same bytes.
//!
//! The program runs under `HistogramAtExit`, which asks the VM for the histogram when the program has ended: a full collection
//! and a walk over the heap at one safepoint. The same collection is the last full one of the trace. The two know nothing of
//! each other: the histogram walks the heap, the trace adds up allocations, moves and deaths since the start. Named
//! differences are fillers, and on G1 up to JDK 18 objects of the JDK's archive ([`ducktrack_tests::class_differences`]).
//!
//! `DUCKTRACK_FULL` takes all workloads on each JDK; else each layout has one JDK and one
//! of two small workloads, in turn. To look at a few only: `DUCKTRACK_WORKLOADS=fop,batik`.

use std::collections::BTreeSet;
use std::path::Path;

use ducktrack_tests::{
    TracedRun, Turns, checked, compiled, harness_jar, jdks_of_traced_layouts, pairs, traced_jdks,
    workloads,
};

#[test]
fn the_rebuilt_heap_is_that_of_the_vm_class_by_class() {
    let launcher = compiled(&["HistogramAtExit"], 17);
    let jdks = traced_jdks();
    let mut compared = 0;
    let mut wrong = Vec::new();
    let (workloads, mut turns) = (workloads(&["json", "streams"]), Turns::new());
    // Layouts of JDKs that were to be compared, without those that were.
    let mut missing = BTreeSet::new();
    let layouts = jdks_of_traced_layouts(&jdks);
    for jdk in &jdks {
        let its = layouts.iter().filter(|(_, able)| able.contains(jdk));
        assert!(its.count() >= 3, "{jdk} has too few layouts");
    }
    for (turn, (options, able)) in layouts.into_iter().enumerate() {
        let runs = pairs(&able, &workloads);
        let runs = turns.take(&runs, turn);
        let mut compared_on = BTreeSet::new();
        for (jdk, name) in runs {
            let what = format!("{} {name}", options.join(" "));
            let run = TracedRun::new(jdk, &what);
            match compare(&run, options, launcher.path(), name) {
                Outcome::Skipped => {}
                Outcome::Equal(classes) => {
                    compared += 1;
                    compared_on.insert(jdk.version);
                    println!("{}: {classes} classes equal", run.name());
                }
                Outcome::Different(lines) => {
                    println!("{lines}");
                    wrong.push(lines);
                }
            }
        }
        let wanted = runs.iter().map(|(jdk, _)| jdk.version);
        let lacking = wanted.filter(|version| !compared_on.contains(version));
        missing.extend(lacking.map(|version| (version, options)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    turns.announce("heap against histogram");
    assert!(missing.is_empty(), "nothing compared: {missing:?}");
    assert!(compared >= jdks.len(), "only {compared} runs compared");
    checked(&format!(
        "the rebuilt heap against the VM's class histogram, {compared} runs, every class equal"
    ));
}

enum Outcome {
    /// The harness's reason not to run the workload.
    Skipped,
    /// How many classes.
    Equal(usize),
    Different(String),
}

fn compare(run: &TracedRun, options: &[&str], launcher: &Path, workload: &str) -> Outcome {
    let (harness, histogram) = (harness_jar(), run.file("histogram"));
    let mut command = run.command("", &[launcher, &harness]);
    command.args(["-Xms256m", "-Xmx512m"]).args(options);
    command.arg("HistogramAtExit").arg(&histogram);
    command.args(["ducktrack.harness.Main", workload]);
    if !run.has_finished(command.args(["--iterations", "2", "--size", "1"])) {
        return Outcome::Skipped;
    }
    match run.compare_heap(&histogram) {
        Ok(classes) => Outcome::Equal(classes),
        Err(differences) => Outcome::Different(differences.to_string()),
    }
}
