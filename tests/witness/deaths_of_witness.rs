//! `mode=deaths`: the last use and the death of every object of a program that knows them,
//! step by step, whatever moved the objects, in the interpreter and in code of both compilers.
//!
//! And random programs (`tests/witness/RandomDeaths.java`): one run makes a full collection after every step and asks weak references
//! which nodes died; the deaths of another run, with `mode=deaths` and the VM's own collections, are in the same steps, node by node.
//!
//! The program is `tests/java/Deaths.java`. All runs verify all classes (`-Xverify:all`).

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use ducktrack_tests::{
    Jdk, TracedRun, checked, compiled, deaths_command, is_full_run, jdks_in_turn, printed_by,
    trace_command, traced_jdks,
};

/// As in the program.
const ROUNDS: usize = 8;
const STEPS: usize = 20;
/// Of each random program.
const RANDOM_STEPS: usize = 40;
const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
/// Who runs the code, and whether there are full collections.
const ENGINES: [&[&str]; 6] = [
    &["-Dfull=0"],
    &["-Xint", "-Drepeated=100", "-Dfull=4"],
    &["-XX:TieredStopAtLevel=1", "-Dfull=3"],
    &["-XX:-TieredCompilation", "-Dfull=0"],
    &["-XX:-UseCompressedOops", "-Dfull=3"],
    // C2 takes nodes in a random order.
    &[
        "-XX:-TieredCompilation",
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:+StressLCM",
        "-XX:+StressGCM",
        "-XX:+StressIGVN",
        "-XX:StressSeed=7",
        "-Dfull=0",
    ],
];

/// The mode of the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Witness {
    /// Stamps.
    Deaths,
    /// Also a record of each update, of calls and of the time.
    Full,
}

impl Witness {
    const ALL: [Self; 2] = [Self::Deaths, Self::Full];

    fn mode(self) -> &'static str {
        match self {
            Self::Deaths => "mode=deaths",
            Self::Full => "mode=full",
        }
    }

    fn level(self) -> &'static str {
        match self {
            Self::Deaths => "deaths",
            Self::Full => "full",
        }
    }
}

/// Objects of a type: how many a round makes, and how many steps later they are used last and become unreachable.
struct Expected {
    ty: &'static str,
    each: usize,
    used: usize,
    dead: usize,
}

const fn expect(ty: &'static str, each: usize, used: usize, dead: usize) -> Expected {
    Expected {
        ty,
        each,
        used,
        dead,
    }
}

/// The first dies before the second is made: a receiver inside its own method, and what only a frame held that an exception ends.
const DEAD_BEFORE: [(&str, &str); 2] = [("Runner", "Later"), ("Local", "Trouble")];

const EXPECTED: [Expected; 13] = [
    expect("Entry", 1, 2, 4),
    expect("Link", 5, 0, 3),
    expect("Inner", 1, 0, 5),
    expect("Outer", 1, 0, 5),
    expect("Owner", 1, 3, STEPS),
    expect("Part", 1, 0, 3),
    expect("Runner", 1, 0, 0),
    expect("Later", 1, 0, 0),
    expect("Trouble", 1, 0, 0),
    expect("Local", 1, 0, 0),
    expect("Forgotten", 1, 0, 0),
    expect("Current", 1, 0, 1),
    expect("Table", 1, 2, 4),
];

/// A row of `ducktrack lifetimes --objects`.
#[derive(Debug)]
struct Row {
    born: u64,
    used: Option<u64>,
    dead: Option<u64>,
    collected: Option<u64>,
}

/// The objects of types that fit a pattern: by type, in the order of birth.
fn rows(trace: &Path, pattern: &str) -> BTreeMap<String, Vec<Row>> {
    let (text, errors) = deaths_command(trace, &["--objects", "--type", pattern]);
    let mut lines = text.lines();
    let head = lines.next().unwrap_or_default();
    assert!(
        head.starts_with("object,type,") && head.ends_with("born,lastUse,unreachable,collected"),
        "{head}: {errors}"
    );
    let mut rows: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for line in lines {
        let ty = line.split(',').nth(1).expect("a type");
        let fields: Vec<&str> = line.rsplitn(5, ',').collect();
        let number = |at: usize| fields[at].parse().ok();
        rows.entry(ty.to_owned()).or_default().push(Row {
            born: number(3).expect("born"),
            used: number(2),
            dead: number(1),
            collected: number(0),
        });
    }
    for of_type in rows.values_mut() {
        of_type.sort_by_key(|row| row.born);
    }
    rows
}

/// Where each step begins.
fn steps(rows: &BTreeMap<String, Vec<Row>>, ty: &str) -> Vec<u64> {
    rows[ty].iter().map(|row| row.born).collect()
}

fn check(jdk: &Jdk, witness: Witness, options: &[&str], programs: &Path) -> usize {
    let run = TracedRun::new(jdk, &format!("{witness:?} {}", options.join(" ")));
    let mut command = run.command(witness.mode(), &[programs]);
    command
        .args(["-Xmx64m", "-Xmn4m", "-Xverify:all"])
        .args(options);
    run.finish(command.arg("Deaths"));
    let name = run.name();
    let report = trace_command("lifetimes", &run.trace(), &["--deaths"]);
    assert_eq!(report["level"], witness.level(), "{name}");
    assert_eq!(
        report["contradictions"].as_array().map(Vec::len),
        Some(0),
        "{name}"
    );
    let all = rows(&run.trace(), "Deaths$*");
    let steps = steps(&all, "Deaths$Step");
    assert_eq!(steps.len(), STEPS, "{name}");
    let step = |bytes: u64| steps.partition_point(|start| *start <= bytes) - 1;
    let mut exact = 0;
    for expected in &EXPECTED {
        let rows = &all[&format!("Deaths${}", expected.ty)];
        assert_eq!(
            rows.len(),
            ROUNDS * expected.each,
            "{name}: {}",
            expected.ty
        );
        for (number, row) in rows.iter().enumerate() {
            let round = number / expected.each;
            let what = format!("{name}: {} of round {round}: {row:?}", expected.ty);
            assert_eq!(step(row.born), round, "{what}");
            // Objects found dead only at the end, or alive, have no death.
            let Some(dead) = row.dead else {
                assert!(row.collected.is_none(), "{what}: its death is not known");
                continue;
            };
            assert!(expected.dead < STEPS, "{what}: it is alive at the end");
            // `current` is overwritten by the next round.
            let dies = round + expected.dead;
            assert_eq!(step(dead), dies, "{what}");
            let used = row.used.expect("a stamp");
            assert_eq!(step(used), round + expected.used, "{what}");
            assert!(row.born <= used && used <= dead, "{what}");
            exact += 1;
        }
    }
    for (first, second) in DEAD_BEFORE {
        let of = |ty: &str| &all[&format!("Deaths${ty}")];
        for (one, other) in of(first).iter().zip(of(second)) {
            let what = format!("{name}: {first} {one:?}, {second} {other:?}");
            assert!(one.dead.is_none_or(|dead| dead <= other.born), "{what}");
        }
    }
    exact
}

#[test]
fn every_object_dies_in_the_step_that_the_program_says() {
    let programs = compiled(&["Deaths"], 17);
    let (mut runs, mut exact) = (0, 0);
    for (number, jdk) in traced_jdks().iter().enumerate() {
        for (at, collector) in COLLECTORS.iter().enumerate() {
            for (engine, options) in ENGINES.iter().enumerate() {
                // Each collector with an engine that is another on each JDK; with all records one collector on each.
                for witness in Witness::ALL {
                    let is_due = match witness {
                        Witness::Deaths => engine == (at + number) % ENGINES.len(),
                        Witness::Full => at == number && engine == number + 1,
                    };
                    if is_due || is_full_run() {
                        let options: Vec<&str> = [&[*collector], *options].concat();
                        exact += check(jdk, witness, &options, programs.path());
                        runs += 1;
                    }
                }
            }
        }
    }
    // All but what the program holds at its end.
    assert!(exact >= runs * 100, "{exact} deaths in {runs} runs");
    checked(&format!("{runs} runs, {exact} deaths in their step"));
}

/// How many random programs there are, the steps of each, what their choices
/// begin with, and what they do: with records also copies of parts of arrays.
fn random_programs(witness: Witness) -> [String; 4] {
    let programs = if is_full_run() { "1000" } else { "12" };
    let kinds = match witness {
        Witness::Deaths => "stamps",
        Witness::Full => "records",
    };
    [programs, &RANDOM_STEPS.to_string(), "7", kinds].map(str::to_owned)
}

/// The collector's own verdicts on the nodes of all programs.
struct Truth {
    /// The step in which each node died, by number.
    deaths: Vec<Option<usize>>,
    /// How many nodes there are after each step.
    made: Vec<usize>,
}

impl Truth {
    /// The nodes of each program, and its steps. The nodes of the last step, after all programs, are a program as well.
    fn programs(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        let starts = (0..self.made.len()).step_by(RANDOM_STEPS);
        starts.map(|start| {
            let end = (start + RANDOM_STEPS).min(self.made.len());
            let before = start.checked_sub(1).map_or(0, |last| self.made[last]);
            (before..self.made[end - 1], start..end)
        })
    }
}

fn truth_of(jdk: &Jdk, witness: Witness, programs: &Path) -> Truth {
    let mut java = jdk.java(programs);
    java.args(["-XX:+UseSerialGC", "-Xmx16m", "RandomDeaths", "truth"]);
    let said = printed_by(java.args(random_programs(witness)));
    let (lines, nodes) = said.trim_end().rsplit_once("\nnodes ").expect("an end");
    let mut deaths = vec![None; nodes.parse().expect("a number")];
    let mut made = Vec::new();
    for line in lines.lines() {
        let (first, number) = line.split_once(' ').expect("two words");
        let number = number.parse().expect("a number");
        if first == "made" {
            made.push(number);
            continue;
        }
        let node: usize = first.parse().expect("a number");
        assert_eq!(deaths[node], None, "{line}");
        deaths[node] = Some(number);
    }
    Truth { deaths, made }
}

fn compare_with_truth(
    jdk: &Jdk,
    collector: &str,
    witness: Witness,
    programs: &Path,
    truth: &Truth,
) {
    let run = TracedRun::new(jdk, &format!("{witness:?} {collector}"));
    let mut command = run.command(witness.mode(), &[programs]);
    command.args(["-Xmx64m", "-Xmn3m", collector, "RandomDeaths", "traced"]);
    run.finish(command.args(random_programs(witness)));
    let (trace, name) = (run.trace(), run.name());
    let mut all = rows(&trace, "RandomDeaths$*");
    let steps = steps(&all, "RandomDeaths$Step");
    assert_eq!(steps.len(), truth.made.len(), "{name}: steps");
    let step = |bytes: u64| steps.partition_point(|start| *start <= bytes) - 1;
    let mut nodes = all.remove("RandomDeaths$Node").expect("nodes");
    nodes.extend(all.remove("RandomDeaths$Pair").expect("pairs"));
    nodes.sort_by_key(|row| row.born);
    let mut wrong = Vec::new();
    for (numbers, during) in truth.programs() {
        let born = |row: &&Row| during.contains(&step(row.born));
        let found: Vec<&Row> = nodes.iter().filter(born).collect();
        let mut faults = Vec::new();
        if found.len() != numbers.len() {
            faults.push(format!("{} of {} nodes", found.len(), numbers.len()));
        }
        for (row, node) in found.into_iter().zip(numbers) {
            let (found, died) = (row.dead.map(step), truth.deaths[node]);
            if found != died {
                faults.push(format!("node {node}: {row:?}, {found:?} and not {died:?}"));
            }
        }
        if let Some(first) = faults.first() {
            wrong.push(first.clone());
        }
    }
    check_wrong(&run, &wrong, truth.programs().count());
}

/// No program is wrong, unless the trace itself does not know the address of some objects: with
/// Serial and Parallel, of the one whose allocation brings on a collection. Such an object has
/// no row, and what it held has lost a holder. This spoils at most one program in a hundred.
fn check_wrong(run: &TracedRun, wrong: &[String], programs: usize) {
    let info = trace_command("info", &run.trace(), &[]);
    let unplaced = info["unplaced"].as_u64().expect("a number") as usize;
    let (name, most) = (run.name(), unplaced.min(programs / 100));
    assert!(wrong.len() <= most, "{name}: {unplaced}, {wrong:#?}");
    if unplaced > 0 {
        checked(&format!(
            "{name}: {unplaced} objects have no address, {} of {programs} programs are spoiled",
            wrong.len()
        ));
    }
}

fn compare_random_programs(witness: Witness) {
    let programs = compiled(&["RandomDeaths"], 17);
    let jdks = traced_jdks();
    let truth = truth_of(&jdks[0], witness, programs.path());
    let nodes = truth.deaths.len();
    assert!(nodes > 300, "{nodes} nodes");
    // The last step lets go of all nodes, and makes some.
    let alive = truth.deaths.iter().filter(|died| died.is_none()).count();
    assert!(alive < 10, "{alive} nodes are alive");
    let mut runs = 0;
    for (number, jdk) in jdks.iter().enumerate() {
        for (at, collector) in COLLECTORS.iter().enumerate() {
            if at == number % COLLECTORS.len() || is_full_run() {
                compare_with_truth(jdk, collector, witness, programs.path(), &truth);
                runs += 1;
            }
        }
    }
    checked(&format!(
        "{witness:?}: {runs} runs, {nodes} nodes each, every death in its step"
    ));
}

#[test]
fn nodes_of_random_programs_die_when_the_collector_says() {
    compare_random_programs(Witness::Deaths);
}

#[test]
fn nodes_die_when_the_collector_says_with_all_records_too() {
    compare_random_programs(Witness::Full);
}

/// An object's type and three moments: birth, last use and death, each as a step and as the bytes that were allocated since it began.
type Moments = (String, [Option<(usize, u64)>; 3]);

fn moments(jdk: &Jdk, options: &str, programs: &Path) -> Vec<Moments> {
    let run = TracedRun::new(jdk, options);
    let mut command = run.command(options, &[programs]);
    command.args(["-Xmx64m", "-Xmn4m", "-XX:+UseSerialGC", "-Xint"]);
    command.args(["-Drepeated=100", "Deaths"]);
    run.finish(&mut command);
    let all = rows(&run.trace(), "Deaths$*");
    let steps = steps(&all, "Deaths$Step");
    // Before the first step: the program's own start.
    let since = |bytes: u64| {
        let step = steps.partition_point(|start| *start <= bytes);
        (
            step,
            bytes - step.checked_sub(1).map_or(0, |last| steps[last]),
        )
    };
    let mut moments = Vec::new();
    for (ty, rows) in &all {
        let of_row = |row: &Row| {
            let moments = [Some(row.born), row.used, row.dead];
            (ty.clone(), moments.map(|bytes| bytes.map(since)))
        };
        moments.extend(rows.iter().map(of_row));
    }
    moments
}

/// A second stamp between two moments at which a thread's position moves has the values of the first one.
#[test]
fn stamps_that_are_left_out_change_no_moment() {
    let programs = compiled(&["Deaths"], 17);
    let mut compared = 0;
    for jdk in &jdks_in_turn("stamps that are left out", &traced_jdks(), 1) {
        for witness in Witness::ALL {
            let with = |redundant: &str| {
                let options = format!("{},redundant-stamps={redundant}", witness.mode());
                moments(jdk, &options, programs.path())
            };
            let (few, all) = (with("off"), with("on"));
            assert_eq!(few, all, "{witness:?} on {}", jdk.version);
            compared += few.len();
        }
    }
    checked(&format!("{compared} objects"));
}
