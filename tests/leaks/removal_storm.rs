//! Trials never crash the VM: references between random pairs of classes are set
//! to null in `tests/leaks/RemovalStorm.java`, which then uses everything it has.
//!
//! The pairs are those of a heap dump of the program; half of each run's are of classes that may
//! lose references. `DUCKTRACK_STORM=300` takes so many pairs on each JDK. The program may fail in
//! its own way for want of the object (exceptions, even a hang); the VM must not end by a signal.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use ducktrack_heap_dump::{DumpFile, Extent, Graph, HeapGraph};
use ducktrack_tests::{Jdk, TracedRun, checked, compiled, traced_jdks};
use ducktrack_trace_format::may_lose_references;

/// The agent looks for at most this many pairs in a run.
const PAIRS_PER_RUN: usize = 8;
const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
/// A program that waits for what it has lost is stopped.
const LONGEST: Duration = Duration::from_secs(120);
const SEED: u64 = 0x5707_2026;

type Pair = (String, String);

fn pairs_wanted() -> usize {
    let wanted = std::env::var("DUCKTRACK_STORM").ok();
    wanted.map_or(PAIRS_PER_RUN * COLLECTORS.len(), |text| {
        text.parse().expect("DUCKTRACK_STORM is a number")
    })
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).expect("31 bits") % end
    }
}

/// A class as in source code.
fn readable(class: &str) -> String {
    let element = class.trim_start_matches('[');
    let dimensions = class.len() - element.len();
    let primitives = "ZbooleanBbyteCcharSshortIintJlongFfloatDdouble";
    let element = match element
        .strip_prefix('L')
        .and_then(|name| name.strip_suffix(';'))
    {
        Some(name) if dimensions > 0 => name.to_owned(),
        _ if dimensions > 0 => {
            let at = primitives.find(element).expect("a primitive type") + 1;
            let rest = &primitives[at..];
            let end = rest.find(char::is_uppercase).unwrap_or(rest.len());
            rest[..end].to_owned()
        }
        _ => class.to_owned(),
    };
    element.replace('/', ".") + &"[]".repeat(dimensions)
}

/// The pairs of classes whose objects refer to each other.
fn pairs(jdk: &Jdk, programs: &Path) -> Vec<Pair> {
    let run = TracedRun::new(jdk, "dump");
    let mut command = run.command("dump=on", &[programs]);
    run.finish(command.args(["-XX:+UseSerialGC", "RemovalStorm", "1"]));
    let file = DumpFile::new(&run.trace().join("heap.hprof")).expect("a dump");
    let graph = HeapGraph::read(file, Extent::Whole).expect("a dump");
    let mut pairs = BTreeSet::new();
    for object in (0..graph.objects()).filter(|object| graph.as_class(*object).is_none()) {
        for target in graph.successors(object) {
            pairs.insert((graph.class_of(object), graph.class_of(*target)));
        }
    }
    let name = |class| graph.classes().name(class);
    let is_plain = |class: &str| !class.contains("$$") && !class.contains(['+', ',']);
    pairs
        .into_iter()
        .map(|(source, target)| (name(source), name(target)))
        .filter(|(source, target)| is_plain(source) && is_plain(target))
        .map(|(source, target)| (readable(source), readable(target)))
        .collect()
}

fn wait(mut command: std::process::Command) -> Option<Output> {
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("java");
    let begun = Instant::now();
    while child.try_wait().expect("java").is_none() {
        if begun.elapsed() > LONGEST {
            child.kill().expect("java");
            child.wait().expect("java");
            return None;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Some(child.wait_with_output().expect("java"))
}

#[derive(Default)]
struct Storm {
    runs: usize,
    /// Runs in which the program met a null.
    felt: usize,
    hung: usize,
    crashes: Vec<String>,
}

impl Storm {
    fn run(&mut self, (jdk, collector): (&Jdk, &str), programs: &Path, pairs: &[&Pair]) {
        let run = TracedRun::new(jdk, collector);
        let removals: Vec<String> = pairs
            .iter()
            .map(|(a, b)| format!("remove={a}->{b}"))
            .collect();
        let options = format!(
            "staleness=on,moves=off,remove=stale:1,{}",
            removals.join(",")
        );
        let log = run.file("hs_err.log");
        let mut command = run.command(&options, &[programs]);
        command
            .args(["-Xmx64m", collector, "-XX:-CreateCoredumpOnCrash"])
            .arg(format!("-XX:ErrorFile={}", log.display()))
            .args(["RemovalStorm", "12"]);
        self.runs += 1;
        let Some(output) = wait(command) else {
            self.hung += 1;
            return;
        };
        let printed = String::from_utf8_lossy(&output.stdout);
        let ended_early = output.status.code() != Some(0);
        self.felt += usize::from(printed.contains("NullPointerException") || ended_early);
        if output.status.signal().is_some() || log.exists() {
            let frame = std::fs::read_to_string(&log).unwrap_or_default();
            let frame = frame
                .lines()
                .skip_while(|line| !line.contains("Problematic"))
                .nth(1);
            let what = frame.unwrap_or_default().to_owned();
            self.crashes
                .push(format!("{}: {removals:?}: {what}", run.name()));
        }
    }
}

#[test]
fn trials_never_crash_the_vm() {
    let programs = compiled(&["RemovalStorm"], 17);
    let (mut storm, mut random) = (Storm::default(), Random(SEED));
    for jdk in &traced_jdks() {
        let all = pairs(jdk, programs.path());
        let may: Vec<&Pair> = all
            .iter()
            .filter(|(source, _)| may_lose_references(source))
            .collect();
        for at in 0..pairs_wanted().div_ceil(PAIRS_PER_RUN) {
            let chosen: Vec<&Pair> = (0..PAIRS_PER_RUN)
                .map(|n| match n % 2 {
                    0 => may[random.below(may.len())],
                    _ => &all[random.below(all.len())],
                })
                .collect();
            storm.run(
                (jdk, COLLECTORS[at % COLLECTORS.len()]),
                programs.path(),
                &chosen,
            );
        }
        println!(
            "{jdk}: {} pairs, {} of them may be removed",
            all.len(),
            may.len()
        );
    }
    let Storm {
        runs,
        felt,
        hung,
        crashes,
    } = storm;
    assert!(
        crashes.is_empty(),
        "{} of {runs} runs crashed: {crashes:#?}",
        crashes.len()
    );
    assert!(felt > 0, "no run met a null: nothing was removed");
    checked(&format!(
        "{runs} storms of removals without a crash, {felt} met a null, {hung} were stopped"
    ));
}
