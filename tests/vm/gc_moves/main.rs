//! Every move and every death that `CollectionWatch` reports, against the heap as it is.
//!
//! The agent `tests/agents/gc_moves_agent` keeps a model of the heap, changes it by each report only, and compares
//! it with a walk of the whole heap at the end of each pause: every object of the model must be there, with the
//! same class, size and (if the program gave it one) id; every object that died must be absent; every object that
//! is there must be the target of exactly one claim, or have been allocated where this collection did not look, or
//! be a filler. A sample of the objects is tagged, and JVMTI's opinion on which of them live must be the model's.
//!
//! The default is, for each JDK, one usual run and one whose collections the program asks for, each with
//! another collector, and for G1 near-full heaps, pinned regions and regions that were not written, each on one JDK. `DUCKTRACK_ONLY_JDK`
//! takes all of them with all collectors; `DUCKTRACK_FULL=1` adds object layouts, near-full heaps of all collectors and virtual threads.

mod outcome;

use std::path::{Path, PathBuf};

use ducktrack_tests::{
    Finished, Jdk, Turns, built_agent, compiled, is_full_run, jdks_in_turn, skipped, traced_jdks,
};

use crate::outcome::Outcome;

const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];

/// Options of every run.
const FIXED: &[&str] = &[
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:TieredStopAtLevel=1",
    "--add-exports=java.base/jdk.internal.vm=ALL-UNNAMED",
];

/// A run of the program.
struct Run<'a> {
    options: &'static [&'static str],
    /// Rounds, objects kept, and what else the program does.
    arguments: &'static [&'static str],
    /// Events without which the run means nothing, by collector: a count of the summary must not be 0.
    must_happen: &'a [(&'static str, &'static str)],
}

/// When evacuations fail, and what stays then, is up to the collector and to how fast its threads happen to be.
const BY_LUCK: [&str; 2] = ["failed-evacuations", "stayed"];
/// A run without luck is repeated this often. Whatever happens must be right in each of them.
const MOST_ATTEMPTS: usize = 5;

impl Run<'_> {
    /// Whether it needs what a later JDK has.
    fn is_too_new_for(&self, jdk: &Jdk) -> bool {
        let wants = |word: &str| self.arguments.contains(&word);
        (wants("virtual") && jdk.version < 21) || (wants("pinned") && jdk.version < 22)
    }

    /// Such events that did not happen.
    fn missing(&self, collector: &str, outcome: &Outcome) -> Vec<&'static str> {
        let of_collector = self
            .must_happen
            .iter()
            .filter(|(of, _)| collector.contains(of));
        let counts = of_collector.map(|(_, count)| *count);
        counts.filter(|count| outcome.count(count) == 0).collect()
    }
}

/// Young, mixed and full collections, humongous objects, classes that come and go.
const USUAL: Run<'static> = Run {
    options: &["-Xmx40m"],
    arguments: &["400000", "50000", "loaders", "humongous"],
    must_happen: &[
        ("", "young"),
        ("", "full"),
        ("", "moved"),
        ("", "scanned"),
        ("", "dead"),
        ("", "tags-dead"),
        ("", "ids-confirmed"),
        ("G1", "humongous-dead"),
    ],
};

/// A heap with hardly any room: objects are promoted early, full collections follow young ones in the same pause.
const BURSTS: Run<'static> = Run {
    options: &["-Xmx22m"],
    arguments: &["1000000", "90000", "bursts", "loaders"],
    must_happen: &[("", "young"), ("", "full"), ("", "stayed")],
};

/// Evacuations of G1 fail in some of these.
const FAILING: Run<'static> = Run {
    options: &["-Xmx48m"],
    arguments: &["1000000", "60000", "loaders", "humongous"],
    must_happen: &[("", "young"), ("", "full")],
};

/// A large eden in which next to nothing lives on: regions without survivors are not read.
const SPARSE: Run<'static> = Run {
    options: &["-Xmx160m", "-Xmn64m", "-XX:G1HeapRegionSize=1m"],
    arguments: &["9000000", "300", "sparse"],
    must_happen: &[("", "young"), ("", "moved"), ("", "ids-confirmed")],
};

/// Native code holds arrays, so their regions stay (JDK 22 and later).
const PINNED: Run<'static> = Run {
    arguments: &["600000", "50000", "pinned"],
    must_happen: &[("", "young"), ("", "moved"), ("G1", "failed-evacuations")],
    ..USUAL
};

const COMPACT: Run<'static> = Run {
    options: &["-Xmx40m", "-XX:+UseCompactObjectHeaders"],
    ..USUAL
};

const COMPACT_BURSTS: Run<'static> = Run {
    options: &["-Xmx22m", "-XX:+UseCompactObjectHeaders"],
    ..BURSTS
};

const WIDE_REFERENCES: Run<'static> = Run {
    options: &["-Xmx48m", "-XX:-UseCompressedOops"],
    ..USUAL
};

const WIDE_CLASSES: Run<'static> = Run {
    options: &["-Xmx48m", "-XX:-UseCompressedClassPointers"],
    ..USUAL
};

const VIRTUAL_THREADS: Run<'static> = Run {
    arguments: &["600000", "50000", "virtual"],
    must_happen: &[("", "young"), ("", "moved")],
    ..USUAL
};

/// Full collections that the program asks for, the last two with nothing young in between.
const REQUESTED: Run<'static> = Run {
    arguments: &["240000", "50000", "loaders", "collect=60000"],
    must_happen: &[("", "full")],
    ..USUAL
};

#[test]
fn every_move_and_death_is_right() {
    let prepared = Prepared::new();
    let mut turns = Turns::new();
    for (number, jdk) in prepared.jdks.iter().enumerate() {
        for (at, run) in [USUAL, REQUESTED].iter().enumerate() {
            for collector in turns.take(&COLLECTORS, number + at) {
                prepared.run(jdk, collector, run);
            }
        }
    }
    turns.announce("gc_moves, collectors as usual and with requested collections");
}

#[test]
fn failed_evacuations_of_g1_are_right() {
    if is_full_run() {
        skipped("gc_moves: these runs are among those of all collectors");
        return;
    }
    let prepared = Prepared::new();
    let mut turns = Turns::new();
    for (turn, run) in [BURSTS, FAILING, PINNED].iter().enumerate() {
        let (able, others): (Vec<&Jdk>, Vec<&Jdk>) = prepared
            .jdks
            .iter()
            .partition(|jdk| !run.is_too_new_for(jdk));
        for jdk in others {
            skipped(&format!("gc_moves: {jdk} {:?}", run.arguments));
        }
        for jdk in turns.take(&able, turn) {
            prepared.run(jdk, "-XX:+UseG1GC", run);
        }
    }
    turns.announce("gc_moves, failed evacuations");
}

#[test]
fn regions_that_were_not_written_are_right() {
    let prepared = Prepared::new();
    let unread = ("G1", "unread");
    let wanted = [SPARSE.must_happen, &[unread]].concat();
    let is_told = tells_writes() || write_watch_is_required();
    if !is_told {
        skipped("gc_moves: the kernel does not tell which pages were written, so all are read");
    }
    for jdk in &jdks_in_turn("gc_moves, regions that were not written", &prepared.jdks, 2) {
        let run = Run {
            must_happen: if is_told { &wanted } else { SPARSE.must_happen },
            ..SPARSE
        };
        prepared.run(jdk, "-XX:+UseG1GC", &run);
    }
}

/// Linux 6.7 and later list the pages that were written, unless a filter of system calls forbids it.
fn tells_writes() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release
        .split('.')
        .map_while(|number| number.parse::<u32>().ok());
    let is_new = numbers.next().zip(numbers.next()) >= Some((6, 7));
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    is_new && status.contains("\nSeccomp:\t0\n")
}

/// Where the kernel is known to list them, a machine on which it does not is a failure.
fn write_watch_is_required() -> bool {
    std::env::var("DUCKTRACK_WRITE_WATCH").is_ok_and(|is| is == "required")
}

#[test]
fn every_move_and_death_is_right_in_every_layout_and_in_full_heaps() {
    if !is_full_run() {
        skipped("gc_moves: DUCKTRACK_FULL is not set");
        return;
    }
    let prepared = Prepared::new();
    let failed_evacuations = prepared.run_all(&[
        BURSTS,
        FAILING,
        COMPACT,
        COMPACT_BURSTS,
        WIDE_REFERENCES,
        WIDE_CLASSES,
        VIRTUAL_THREADS,
        PINNED,
    ]);
    assert_ne!(failed_evacuations, 0, "no evacuation failed in any run");
}

/// The parts that all runs need.
struct Prepared {
    jdks: Vec<Jdk>,
    agent: PathBuf,
    folder: tempfile::TempDir,
}

impl Prepared {
    fn new() -> Self {
        Self {
            jdks: traced_jdks(),
            agent: built_agent("gc_moves_agent"),
            folder: compiled(&["GcMovesProbe"], 11),
        }
    }

    /// Runs everything, and returns how many evacuations failed in part.
    fn run_all(&self, runs: &[Run<'_>]) -> u64 {
        let mut failed_evacuations = 0;
        for jdk in &self.jdks {
            for collector in COLLECTORS {
                for run in runs {
                    failed_evacuations += self.run(jdk, collector, run);
                }
            }
        }
        failed_evacuations
    }

    fn run(&self, jdk: &Jdk, collector: &str, run: &Run<'_>) -> u64 {
        let options: Vec<&str> = [&[collector][..], FIXED, run.options].concat();
        if run.is_too_new_for(jdk) || !jdk.accepts(&options) {
            skipped(&format!("gc_moves: {jdk} {options:?} {:?}", run.arguments));
            return 0;
        }
        let mut attempts = 1;
        loop {
            let outcome = self.checked(jdk, collector, &options, run);
            let missing = run.missing(collector, &outcome);
            if missing.is_empty() {
                return outcome.count("failed-evacuations");
            }
            let lacks_luck = missing.iter().all(|count| BY_LUCK.contains(count));
            assert!(
                lacks_luck && attempts < MOST_ATTEMPTS,
                "no {missing:?}\n{outcome:?}"
            );
            println!("again: no {missing:?}");
            attempts += 1;
        }
    }

    /// The counts of one run, all of it right.
    fn checked(&self, jdk: &Jdk, collector: &str, options: &[&str], run: &Run<'_>) -> Outcome {
        let place = format!("{jdk} {collector} {:?}", run.options);
        let outcome = Outcome::of(&self.printed(jdk, options, run), &place);
        println!("{place} {:?}: {}", run.arguments, outcome.line());
        outcome.check();
        outcome
    }

    /// The program's output, errors included.
    fn printed(&self, jdk: &Jdk, options: &[&str], run: &Run<'_>) -> String {
        let folder: &Path = self.folder.path();
        let agent = self.agent.display();
        let mut java = jdk.java(folder);
        java.args(options).arg(format!("-agentpath:{agent}="));
        java.arg("GcMovesProbe").arg(&self.agent);
        Finished::well(java.args(run.arguments).current_dir(folder)).text()
    }
}
