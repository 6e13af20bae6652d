//! `staleness=on`: objects whose last uses are known (`KnownUses`), while threads allocate and cycles
//! of each generation move everything. After the last cycle with which all objects were looked at, each
//! is in the level that the times of these cycles give, and what was never used is as old as it is.

use std::collections::BTreeMap;

use ducktrack_tests::{Jdk, TracedRun, checked, is_full_run, trace_command};
use serde_json::Value;

use crate::{known_forms, programs};

/// Options of the VM, and the words of the program: objects of a group, milliseconds of a round, threads, objects that each keeps.
const HEAPS: [(&[&str], &[&str]); 5] = [
    (&["-Xmx96m"], &["3000", "300", "2", "100000"]),
    (&["-Xmx128m"], &["3000", "150", "2", "100000", "collect"]),
    // Pages that are compacted into themselves.
    (
        &[
            "-Xmx96m",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:+ZStressRelocateInPlace",
        ],
        &["3000", "300", "2", "60000"],
    ),
    // An old cycle nearly all the time, beside young ones.
    (
        &["-Xmx160m", "-XX:ZCollectionIntervalMajor=0.05"],
        &["3000", "300", "2", "100000"],
    ),
    // As well, with everything that survives becoming old, in place.
    (
        &[
            "-Xmx160m",
            "-XX:ZCollectionIntervalMajor=0.05",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:ZTenuringThreshold=0",
            "-XX:+ZStressRelocateInPlace",
        ],
        &["3000", "300", "2", "60000"],
    ),
];
/// The program's clock and the VM's start are known to a millisecond.
const MICROS: u64 = 2000;

#[test]
fn last_uses_are_those_of_the_program_while_everything_moves() {
    let programs = programs();
    let (mut runs, mut objects) = (0, 0);
    for (turn, (jdk, form)) in known_forms().into_iter().enumerate() {
        for (number, (options, words)) in HEAPS.into_iter().enumerate() {
            let is_its_turn = is_full_run() || (turn + number) % 2 == 0;
            let options = [form, options].concat();
            if is_its_turn && jdk.accepts(&options) {
                objects += check(&jdk, &options, words, programs.path());
                runs += 1;
            }
        }
    }
    assert!(runs >= HEAPS.len() && objects > 10_000, "{runs} {objects}");
    checked(&format!(
        "known uses under ZGC, {runs} runs, {objects} objects, each in its level"
    ));
}

fn check(jdk: &Jdk, options: &[&str], words: &[&str], programs: &std::path::Path) -> u64 {
    let what = format!("{} uses", options.join(" "));
    let run = TracedRun::new(jdk, &what);
    let mut command = run.command("staleness=on", &[programs]);
    command.args(options).arg("KnownUses").args(words);
    let said = run.finish(&mut command);
    let name = run.name();
    let timeline = trace_command("timeline", &run.trace(), &[]);
    let stale = trace_command("heap", &run.trace(), &["--stale"]);
    // A cycle that is not over at the end decides nothing.
    let last = stale["allUntil"].as_u64().expect("a number");
    let at = ["--stale", "--at", &last.to_string()];
    let stale = trace_command("heap", &run.trace(), &at);
    let cycles = Cycles::until(last, &timeline);
    let all = last_uses(&said, cycles.end);
    let (_, late) = all["Group4"];
    assert!(cycles.since(late) > 0, "{name}: no cycle after {last}");
    let mut objects = 0;
    for (kind, (from, to)) in all {
        let least = cycles.since(to + MICROS).saturating_sub(1);
        let most = cycles.since(from - MICROS).saturating_sub(1);
        let levels = level(least)..=level(most);
        for (found, count) in levels_of(&stale, kind).into_iter().enumerate() {
            let is_right = count == 0 || levels.contains(&found);
            assert!(
                is_right,
                "{name}: {count} of {kind} in level {found}, not {least} to {most} cycles"
            );
            objects += count;
        }
    }
    let hot = levels_of(&stale, "Hot");
    assert_eq!(hot, [3000], "{name}: objects that are used all the time");
    objects
}

/// Between which times objects of a kind were used last, in microseconds. Whether a use after `end` is known depends on
/// the generation of its objects: then the one before may be the last. Kinds that were only used later are left out.
fn last_uses(said: &str, end: u64) -> BTreeMap<&str, (u64, u64)> {
    let mut all = BTreeMap::new();
    for line in said.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        if let ["last" | "made" | "used", kind, from, to] = words[..] {
            let time = |text: &str| text.parse::<u64>().expect("a time");
            let (from, to) = (time(from), time(to));
            if to.saturating_add(MICROS) < end {
                all.insert(kind, (from, to));
            } else if let Some((_, last)) = all.get_mut(kind) {
                *last = to;
            }
        }
    }
    all
}

/// The cycles that an answer counts.
struct Cycles {
    /// When they began, in microseconds.
    starts: Vec<u64>,
    /// When the next one began: later uses may not be known.
    end: u64,
}

impl Cycles {
    fn until(last: u64, timeline: &Value) -> Self {
        let started = timeline["run"]["start_unix_millis"].as_u64();
        let started = started.expect("the start of the run") * 1000;
        let all = timeline["collections"].as_array().into_iter().flatten();
        let cycles = all
            .filter(|one| one["kind"] != "cleanup")
            .filter_map(|one| {
                let start = started + one["startMicros"].as_u64()?;
                Some((one["number"].as_u64()?, start))
            });
        let (counted, later): (Vec<_>, Vec<_>) = cycles.partition(|(number, _)| *number <= last);
        let starts: Vec<u64> = counted.into_iter().map(|(_, start)| start).collect();
        // The last cycle of a run may have no record.
        let next = later.first().map(|(_, start)| *start);
        let end = next.or(starts.iter().copied().max()).expect("a cycle");
        Self { starts, end }
    }

    fn since(&self, micros: u64) -> u64 {
        self.starts.iter().filter(|start| **start > micros).count() as u64
    }
}

/// The level of an object that was not used for so many cycles: 0, 1, 2 to 3, 4 to 7, and so on.
fn level(staleness: u64) -> usize {
    (u64::BITS - staleness.leading_zeros()) as usize
}

/// Live objects of a class of the program, or of a method that makes them, by level.
fn levels_of(stale: &Value, kind: &str) -> Vec<u64> {
    let class = format!("KnownUses${kind}");
    let types = stale["types"].as_array().into_iter().flatten();
    let types = types.filter(|row| row["type"] == class.as_str());
    let sites = stale["sites"].as_array().into_iter().flatten();
    let sites = sites.filter(|row| row["method"] == kind);
    let rows = types.chain(sites);
    let counts = rows.flat_map(|row| {
        let levels = row["staleness"].as_array().into_iter().flatten();
        levels.map(|one| one["count"].as_u64().unwrap_or(0))
    });
    counts.collect()
}
