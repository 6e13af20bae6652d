//! The values that `ducktrack-hotspot` reads in a running VM against independent truth, on every JDK and under every layout of objects.
//!
//! The probe agent (`tests/agents/probe_agent`) prints the crate's findings; `tests/vm/HotspotProbe.java` compares it with `ThreadMXBean`,
//! with the known sizes of what it allocates, with `Class` and with JVMTI; here flags are compared with `-XX:+PrintFlagsFinal`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ducktrack_tests::{
    Jdk, Turns, built_agent, compiled, installed_jdks, printed_by, skipped, with_file,
};

/// Ways to run a VM that change where objects are or how large they are. Each is tried where the VM accepts it.
const LAYOUTS: &[(&str, &[&str])] = &[
    ("g1", &["-XX:+UseG1GC"]),
    ("serial", &["-XX:+UseSerialGC"]),
    ("parallel", &["-XX:+UseParallelGC"]),
    ("z", &["-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC"]),
    (
        "shenandoah",
        &["-XX:+UnlockExperimentalVMOptions", "-XX:+UseShenandoahGC"],
    ),
    ("g1", &["-XX:+UseG1GC", "-XX:-UseCompressedOops"]),
    (
        "serial",
        &[
            "-XX:+UseSerialGC",
            "-XX:-UseCompressedClassPointers",
            "-XX:-UseCompressedOops",
        ],
    ),
    (
        "serial",
        &["-XX:+UseSerialGC", "-XX:ObjectAlignmentInBytes=16"],
    ),
    (
        "g1",
        &[
            "-XX:+UseG1GC",
            "-XX:+UnlockExperimentalVMOptions",
            "-XX:+UseCompactObjectHeaders",
        ],
    ),
    ("parallel", &["-XX:+UseParallelGC", "-XX:-UseTLAB"]),
    ("g1", &["-XX:+UseG1GC", "-XX:TieredStopAtLevel=1"]),
];

/// A folder with the compiled program, and the agent.
struct Bench {
    jdks: Vec<Jdk>,
    agent: PathBuf,
    folder: tempfile::TempDir,
}

impl Bench {
    fn prepare() -> Self {
        Self {
            jdks: installed_jdks(),
            agent: built_agent("probe_agent"),
            folder: compiled(&["HotspotProbe"], 11),
        }
    }

    /// Runs the program and returns what it printed and the facts of the agent.
    fn run(&self, jdk: &Jdk, options: &[&str]) -> (String, Facts) {
        let facts = tempfile::NamedTempFile::new_in(self.folder.path()).expect("file");
        let mut java = jdk.java(self.folder.path());
        java.arg(with_file(&self.agent, facts.path()));
        java.args(["-Xmx300m", "-Xms300m"]).args(options);
        let printed = printed_by(java.arg("HotspotProbe").arg(&self.agent));
        assert!(printed.trim_end().ends_with("done"), "{printed}");
        (printed, Facts::read(facts.path()))
    }
}

/// The lines of the agent.
struct Facts {
    values: BTreeMap<String, String>,
    flags: BTreeMap<String, String>,
}

impl Facts {
    fn read(file: &Path) -> Self {
        let text = std::fs::read_to_string(file).expect("facts");
        let mut facts = Self {
            values: BTreeMap::new(),
            flags: BTreeMap::new(),
        };
        for line in text.lines() {
            let (name, value) = line.split_once(' ').unwrap_or((line, ""));
            if name == "flag" {
                let (flag, value) = value.split_once(' ').unwrap_or((value, ""));
                facts.flags.insert(flag.to_owned(), value.to_owned());
            } else {
                facts.values.insert(name.to_owned(), value.to_owned());
            }
        }
        facts
    }
}

/// The number after a name in what the program printed.
fn count(printed: &str, name: &str) -> u64 {
    let line = printed
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.and_then(|value| value.trim().parse().ok())
        .unwrap_or_else(|| panic!("no {name} in {printed}"))
}

#[test]
fn allocation_counters_and_class_layouts_are_exact() {
    let bench = Bench::prepare();
    let mut turns = Turns::new();
    for (turn, &(collector, options)) in LAYOUTS.iter().enumerate() {
        let (able, others): (Vec<&Jdk>, Vec<&Jdk>) =
            bench.jdks.iter().partition(|jdk| jdk.accepts(options));
        for jdk in others {
            skipped(&format!(
                "hotspot_layout: {jdk} does not accept {options:?}"
            ));
        }
        for jdk in turns.take(&able, turn) {
            let (printed, facts) = bench.run(jdk, options);
            assert_eq!(
                facts.values.get("collector").map(String::as_str),
                Some(collector),
                "{} {options:?}",
                jdk.version
            );
            // Equal to the byte unless something was allocated between two readings; that happens at most now and then.
            let equal = count(&printed, "allocated-bytes-equal");
            assert!(
                equal * 10 >= count(&printed, "allocated-bytes-compared") * 9,
                "{} {options:?}: {printed}",
                jdk.version
            );
            assert!(count(&printed, "sizes") > 400);
            println!("{jdk} {options:?}: {}", printed.replace('\n', "; "));
        }
    }
    turns.announce("hotspot_layout");
}

/// Flags that the VM may still set after it has printed all: on a machine whose time stamp counter never
/// stops, JDK 11 turns this one on when it first reads the clock (`VM.flags` then says `ergonomic`).
const SET_LATER: [&str; 1] = ["UseFastUnorderedTimeStamps"];

#[test]
fn flags_are_those_the_vm_prints() {
    let bench = Bench::prepare();
    for jdk in &bench.jdks {
        let options = [
            "-XX:+PrintFlagsFinal",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:+UnlockExperimentalVMOptions",
            "-XX:CompileThreshold=7777",
            "-XX:CompileCommand=quiet",
        ];
        let (printed, facts) = bench.run(jdk, &options);
        let mut compared = 0;
        let flags = printed.lines().filter_map(printed_flag);
        for (name, value) in flags.filter(|(name, _)| !SET_LATER.contains(name)) {
            let ours = facts
                .flags
                .get(name)
                .unwrap_or_else(|| panic!("{jdk}: flag {name} is missing"));
            assert_eq!(ours.trim(), value, "{jdk}: flag {name}");
            compared += 1;
        }
        assert!(compared > 400, "{jdk}: only {compared} flags compared");
        assert_eq!(
            facts.flags.get("CompileThreshold").map(String::as_str),
            Some("7777")
        );
        println!("{jdk}: {compared} flags equal");
    }
}

/// Name and value of a line such as `     bool UseG1GC      = true      {product} {ergonomic}`.
fn printed_flag(line: &str) -> Option<(&str, &str)> {
    let (left, right) = line.split_once('=')?;
    let mut words = left.trim_end_matches([':', '+', ' ']).split_whitespace();
    let (kind, name) = (words.next()?, words.next()?);
    let kinds = [
        "bool",
        "int",
        "uint",
        "intx",
        "uintx",
        "uint64_t",
        "size_t",
        "double",
        "ccstr",
        "ccstrlist",
    ];
    let (value, _) = right
        .rsplit_once(" {")
        .map(|(rest, _)| rest.rsplit_once('{').unwrap_or((rest, "")))?;
    (kinds.contains(&kind) && words.next().is_none()).then(|| (name, value.trim()))
}

#[test]
fn reserved_slot_is_found_or_refused() {
    let bench = Bench::prepare();
    for jdk in &bench.jdks {
        let (printed, facts) = bench.run(jdk, &[]);
        let found = facts.values.get("slot");
        println!(
            "{jdk}: slot {found:?}, refused {:?}",
            facts.values.get("slot-refused")
        );
        if found.is_some() {
            assert_eq!(count(&printed, "slot-threads"), 8, "{jdk}: {printed}");
        }
        // Java 11 has no such word; the others have, in every build with JVMCI.
        let has_jvmci = facts.flags.contains_key("EnableJVMCI") && jdk.version >= 17;
        assert_eq!(found.is_some(), has_jvmci, "{jdk}");
        let on = ["-XX:+UnlockExperimentalVMOptions", "-XX:+EnableJVMCI"];
        if has_jvmci && jdk.accepts(&on) {
            let (_, facts) = bench.run(jdk, &on);
            let refusal = facts.values.get("slot-refused").map(String::as_str);
            assert_eq!(refusal, Some("the flag EnableJVMCI is on"), "{jdk}");
        }
    }
}
