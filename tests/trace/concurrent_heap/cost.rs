//! `ducktrack cost` under ZGC: times are CPU of the collector's workers, as the program
//! reads it from the kernel, and each site pays for what it keeps and what it brings on.

use ducktrack_tests::{TracedRun, checked, trace_command};
use serde_json::Value;

use crate::{known_forms, programs};

const ROUNDS: u64 = 12;
/// Objects that each round keeps, and what each takes at the least.
const KEPT: u64 = 40_000;
const KEPT_BYTES: u64 = 24;

#[test]
fn cycles_cost_what_the_workers_used() {
    let programs = programs();
    let forms = known_forms();
    for (jdk, form) in &forms {
        let what = format!("{} cost", form.join(" "));
        let run = TracedRun::new(jdk, &what);
        let mut command = run.command("", &[programs.path()]);
        command.args(*form).args(["-Xmx512m", "CycleCost"]);
        command.arg(ROUNDS.to_string());
        let said = run.finish(&mut command);
        let of_kernel = said
            .lines()
            .find_map(|line| line.strip_prefix("cpu ")?.parse::<u64>().ok());
        let of_kernel = of_kernel.expect("the time of the workers") / 1000;
        let cost = trace_command("cost", &run.trace(), &["--top", "1000"]);
        let name = run.name();
        assert_eq!(cost["times"], "CPU", "{name}");
        check_times(&cost, of_kernel, name);
        check_sites(&cost, name);
    }
    checked(&format!(
        "costs under ZGC against the kernel's clock of its workers, {} runs",
        forms.len()
    ));
}

fn check_times(cost: &Value, of_kernel: u64, name: &str) {
    let kinds = cost["pauses"].as_array().into_iter().flatten();
    let sum = |key: &str| -> u64 { kinds.clone().filter_map(|kind| kind[key].as_u64()).sum() };
    let (cycles, micros, work) = (sum("count"), sum("pauseMicros"), sum("workBytes"));
    println!("{name}: {cycles} cycles, {micros} of {of_kernel} us, {work} bytes");
    assert!(cycles >= ROUNDS, "{name}: {cycles} cycles");
    // A cycle that was not over, or whose moves are not known, is in no cost.
    let share = micros as f64 / of_kernel as f64;
    assert!(
        (0.8..=1.0).contains(&share),
        "{name}: {micros} us of {of_kernel}"
    );
    // Without generations, or by the cycles of the old one, everything is marked in each round.
    let marked = (1..ROUNDS).map(|round| round * KEPT * KEPT_BYTES);
    let least = marked.sum::<u64>();
    assert!(work >= least, "{name}: {work} of {least} bytes");
}

fn check_sites(cost: &Value, name: &str) {
    let of = |ty: &str, key: &str| {
        let sites = cost["sites"].as_array().into_iter().flatten();
        let mut of_type = sites.filter(|site| site["type"] == ty);
        of_type.find_map(|site| site[key].as_f64()).unwrap_or(0.0)
    };
    let (garbage, kept) = ("CycleCost$Garbage", "CycleCost$Kept");
    let brought = of(garbage, "collections");
    // Of the cycles that come after a round: others follow at once, when nothing was allocated.
    let least = ROUNDS as f64 * 0.75;
    assert!(brought > least, "{name}: {brought} of {ROUNDS} rounds");
    assert!(of(kept, "pauseMicros") > 0.0, "{name}");
    assert!(
        of(kept, "bytes") < of(garbage, "bytes"),
        "{name}: more is dropped than kept"
    );
}
