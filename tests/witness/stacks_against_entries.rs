//! Sampled call stacks against the exact tree of calls that `mode=full` records: the same program, the same work, nothing sampled there.
//!
//! Program: `StackTree`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use ducktrack_merlin::{BlockReader, MethodId, Names, Record, SiteId};
use ducktrack_tests::{
    Jdk, agent_argument, checked, compiled, count_report, ducktrack_command, printed_by,
    traced_jdks,
};

const PROGRAM: &str = "StackTree";
const ROUNDS: &str = "1200";
/// Methods whose share is less prove little: an interval that begins at 0 always holds.
const LEAST: f64 = 0.01;

/// Runs the program; what it prints.
fn run(jdk: &Jdk, classes: &Path, options: &str, trace: &Path) -> String {
    printed_by(
        jdk.java(classes)
            .args(["-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData"])
            .arg(agent_argument(options, trace))
            .args([PROGRAM, ROUNDS]),
    )
}

/// The open methods of each thread, and the bytes that were made while a method was open.
#[derive(Default)]
struct CallTree {
    open: BTreeMap<u32, Vec<MethodId>>,
    thread: u32,
    bytes: BTreeMap<MethodId, u64>,
    total: u64,
    names: Names,
}

impl CallTree {
    /// Replays every record of a recording.
    fn read(trace: &Path) -> Self {
        let stream = trace.with_extension("merlin");
        let status = ducktrack_command()
            .args(["lifetimes", "--deaths"])
            .arg(trace)
            .args(["--format", "stream", "-o"])
            .arg(&stream)
            .status()
            .expect("ducktrack");
        assert!(status.success());
        let file = BufReader::new(File::open(&stream).expect("the stream"));
        let mut tree = Self::default();
        let mut blocks = BlockReader::new(file).expect("a stream");
        while let Some(block) = blocks.next_block().expect("a block") {
            let block = block.decode().expect("records");
            tree.thread = block.thread.0;
            block.records.iter().for_each(|record| tree.take(record));
        }
        tree
    }

    fn take(&mut self, record: &Record) {
        let open = self.open.entry(self.thread).or_default();
        match record {
            Record::Thread(thread) => self.thread = thread.0,
            Record::Definition(definition) => self.names.define(definition),
            Record::Entry { method, .. } => open.push(*method),
            Record::Exit { method, .. } | Record::ExceptionalExit { method, .. } => {
                // A thread may have begun before the recording.
                if let Some(at) = open.iter().rposition(|open| open == method) {
                    open.truncate(at);
                }
            }
            // Objects that the VM itself makes (the frames of an exception) have no site, and are in no count.
            Record::Allocation(object) if object.site != SiteId::default() => {
                self.total += object.bytes;
                let methods: BTreeSet<MethodId> = open.iter().copied().collect();
                for method in methods {
                    *self.bytes.entry(method).or_default() += object.bytes;
                }
            }
            _ => {}
        }
    }

    /// Bytes of all methods of a class and a name.
    fn by_name(&self) -> BTreeMap<(String, String), u64> {
        let mut sums: BTreeMap<_, u64> = BTreeMap::new();
        for (method, bytes) in &self.bytes {
            if let Some(name) = self.names.method(*method) {
                *sums
                    .entry((name.class.clone(), name.name.clone()))
                    .or_default() += bytes;
            }
        }
        sums
    }
}

#[test]
fn intervals_of_methods_hold_against_the_calls_that_were_recorded() {
    let folder = compiled(&[PROGRAM], 17);
    let (mut held, mut all) = (0, 0);
    for jdk in traced_jdks() {
        let place = |name: &str| folder.path().join(format!("{name}-{}", jdk.version));
        let (sampled, recorded) = (place("sampled"), place("recorded"));
        let said = run(&jdk, folder.path(), "stacks=4k", &sampled);
        let again = run(&jdk, folder.path(), "mode=full,calls=all", &recorded);
        assert_eq!(said, again, "{jdk}: not the same work");
        let (tree, report) = (CallTree::read(&recorded), count_report(&sampled, &[]));
        let total = report.totals.bytes as f64;
        let exact = tree.by_name();
        let of_program = |class: &str| class.split(['$', '/', '.']).next() == Some(PROGRAM);
        let mut found = 0;
        for method in &report.stacks.as_ref().expect("stacks").methods {
            let key = (method.class.clone(), method.method.clone());
            let Some(bytes) = exact.get(&key).filter(|_| of_program(&method.class)) else {
                continue;
            };
            let share = *bytes as f64 / total;
            if share < LEAST {
                continue;
            }
            let [low, high] = method.interval;
            found += 1;
            // The JVM's own start differs by some hundred objects.
            let holds = low - 0.001 <= share && share <= high + 0.001;
            held += u32::from(holds);
            if !holds {
                eprintln!("{jdk}: {key:?}: {share} is not in {low} to {high}");
            }
            assert!(high - low < 0.1, "{key:?}: {low} to {high} says little");
        }
        assert!(found >= 8, "{jdk}: only {found} methods");
        all += found;
    }
    assert!(held * 100 >= all * 90, "{held} of {all} intervals hold");
    checked(&format!(
        "intervals of methods against recorded calls: {held} of {all} hold"
    ));
}
