//! When objects die: random programs whose objects live for a known number of rounds,
//! each of which ends with a collection. After each, exactly those live that should.

use ducktrack_tests::{
    TracedRun, checked, heap_at, is_full_run, last_collection_by, trace_command,
};

use crate::{known_forms, programs};

const ROUNDS: &str = "8";
const CLASSES: [&str; 3] = ["KnownDeaths$Small", "KnownDeaths$Wide", "KnownDeaths$Held"];

#[test]
fn objects_die_in_their_round() {
    let programs = programs();
    let seeds = if is_full_run() { 25 } else { 2 };
    let (mut runs, mut rounds) = (0, 0);
    for (jdk, form) in known_forms() {
        for seed in 0..seeds {
            let what = format!("{} deaths {seed}", form.join(" "));
            let run = TracedRun::new(&jdk, &what);
            let mut command = run.command("", &[programs.path()]);
            command.args(form).args(["-Xmx512m", "KnownDeaths"]);
            command.args([&seed.to_string(), ROUNDS]);
            let said = run.finish(&mut command);
            rounds += compare(&run, &said);
            runs += 1;
        }
    }
    checked(&format!(
        "deaths of random programs under ZGC, {runs} runs, {rounds} rounds, each class equal after each"
    ));
}

/// Compares the heap after each round; gives the number of rounds.
fn compare(run: &TracedRun, said: &str) -> usize {
    let timeline = trace_command("timeline", &run.trace(), &[]);
    let rounds: Vec<&str> = said
        .lines()
        .filter_map(|line| line.strip_prefix("round "))
        .collect();
    assert_eq!(rounds.len().to_string(), ROUNDS, "{}", run.name());
    for (round, words) in rounds.iter().enumerate() {
        let words: Vec<u64> = words
            .split(' ')
            .map(|word| word.parse().expect("a number"))
            .collect();
        let number = last_collection_by(&timeline, words[0]);
        let heap = heap_at(&run.trace(), number);
        for (class, expected) in CLASSES.iter().zip(&words[1..]) {
            let live = heap.classes.get(*class).copied().unwrap_or_default();
            let name = run.name();
            assert_eq!(
                live.count, *expected,
                "{name}: {class} after round {round}, collection {number}"
            );
        }
    }
    rounds.len()
}
