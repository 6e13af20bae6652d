//! Intervals of callers that make objects of different sizes at one place,
//! on every JVM: the samplers of JDK 11 to 21 are not fair to all sizes.
//!
//! Program: `MixedSizes`.

use std::collections::BTreeMap;
use std::path::Path;

use ducktrack_tests::{
    Jdk, agent_argument, checked, compiled, count_report, installed_jdks, printed_by,
};

const PROGRAM: &str = "MixedSizes";
/// Rounds, and for each caller how many arrays of how many bytes it makes in a round.
const MIXES: [&[&str]; 5] = [
    &["600", "256x1024", "1x262144"],
    &["600", "256x1024", "8x32768", "1x262144"],
    &["600", "100x100", "100x1000", "10x10000", "1x100000"],
    &[
        "300",
        "500x24",
        "50x600",
        "4x60000",
        "2x200000",
        "1x1000000",
    ],
    &["1200", "64x1024", "20x300", "1x65536", "3x16384"],
];
const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
/// The program's shares lack what the JVM's own start allocates.
const START: f64 = 0.001;

/// The bytes that each caller has made.
fn run(
    jdk: &Jdk,
    classes: &Path,
    vm: &[&str],
    mix: &[&str],
    trace: &Path,
) -> BTreeMap<String, f64> {
    let text = printed_by(
        jdk.java(classes)
            .args(vm)
            .args(["-Xmx256m", "-XX:-UsePerfData"])
            .arg(agent_argument("stacks=128k", trace))
            .arg(PROGRAM)
            .args(mix),
    );
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    lines
        .filter_map(|(caller, bytes)| Some((caller.to_owned(), bytes.parse().ok()?)))
        .collect()
}

#[test]
fn intervals_of_callers_hold_whatever_the_sizes() {
    let folder = compiled(&[PROGRAM], 11);
    let (mut held, mut all, mut widths) = (0, 0, 0.0);
    let mut turn = 0;
    for jdk in installed_jdks() {
        for collector in COLLECTORS {
            for execution in ["-Xint", "-Xmixed"] {
                // Each combination has another two of the five mixes.
                for _ in 0..2 {
                    let mix = MIXES[turn % MIXES.len()];
                    turn += 1;
                    let trace = folder.path().join(format!("trace-{turn}"));
                    let truth = run(&jdk, folder.path(), &[collector, execution], mix, &trace);
                    let report = count_report(&trace, &[]);
                    let total = report.totals.bytes as f64;
                    let stacks = report.stacks.as_ref();
                    let stacks = stacks.unwrap_or_else(|| {
                        panic!(
                            "no stacks: {:?} {:?} {:?}",
                            report.notes, report.damage, report.losses
                        )
                    });
                    for method in &stacks.methods {
                        let Some(bytes) = truth.get(&method.method) else {
                            continue;
                        };
                        let (share, [low, high]) = (bytes / total, method.interval);
                        all += 1;
                        widths += high - low;
                        if low - START <= share && share <= high + START {
                            held += 1;
                        } else {
                            eprintln!(
                                "{jdk} {collector} {execution} {mix:?}: {} {share} is not in {low} to {high}",
                                method.method
                            );
                        }
                    }
                }
            }
        }
    }
    let width = widths / f64::from(all.max(1));
    assert!(all > turn as i32 * 2, "only {all} intervals of {turn} runs");
    // 95 of 100 hold; of two hundred that are looked at, a few less by chance.
    assert!(held * 100 >= all * 92, "{held} of {all} intervals hold");
    assert!(width < 0.15, "intervals are {width} wide on average");
    checked(&format!(
        "intervals of callers of mixed sizes: {held} of {all} hold, {:.1} % wide on average",
        width * 100.0
    ));
}
