//! `ducktrack export --to hprof`: readers that we did not write open the dump, find
//! the objects that the dump had before, and the allocation sites as stack traces.
//!
//! The readers are shark (LeakCanary) and the library of the NetBeans profiler; the programs around them are in `tests/leaks/dump-readers`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use ducktrack_tests::{
    Jdk, TracedRun, Turns, checked, compile_java, compiled, ducktrack_command, harness_folder,
    printed_by, skipped, trace_command, traced_jdks,
};

const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
/// The objects that `Sessions` keeps.
const WANTED: &str = "Sessions$Session";
const SESSIONS: u64 = 4000;

/// A reader's output: a name and a number in each line, and the traces.
struct Said {
    numbers: BTreeMap<String, u64>,
    /// Objects by their stack trace.
    traces: Vec<(u64, String)>,
}

impl Said {
    fn number(&self, name: &str) -> u64 {
        *self
            .numbers
            .get(name)
            .unwrap_or_else(|| panic!("no {name}"))
    }
}

fn libraries(reader: &str) -> PathBuf {
    let folder = harness_folder().join("lib/dump-readers").join(reader);
    assert!(
        folder.exists(),
        "{} is not there: run scripts/harness-build first",
        folder.display()
    );
    folder.join("*")
}

fn programs() -> tempfile::TempDir {
    let folder = compiled(&["DumpAtExit", "Sessions"], 17);
    let readers = ["dump-readers/SharkReader", "dump-readers/NetBeansReader"];
    let libraries = [libraries("shark"), libraries("netbeans")];
    compile_java(&readers, 17, folder.path(), &libraries);
    folder
}

/// A reader's figures of a dump.
fn said(jdk: &Jdk, classes: &Path, (program, reader): (&str, &str), dump: &Path) -> Said {
    let class_path = [classes.to_owned(), libraries(reader)];
    let class_path = std::env::join_paths(class_path).expect("a class path");
    let mut command = jdk.java(class_path);
    let printed = printed_by(command.arg(program).arg(dump).arg(WANTED));
    let mut said = Said {
        numbers: BTreeMap::new(),
        traces: Vec::new(),
    };
    for line in printed.lines() {
        let (name, rest) = line.split_once(' ').expect("a name");
        let (number, trace) = rest.split_once(' ').unwrap_or((rest, ""));
        let number = number.parse().expect("a number");
        match name {
            "trace" => said.traces.push((number, trace.to_owned())),
            name => _ = said.numbers.insert(name.to_owned(), number),
        }
    }
    said
}

/// The dump with sites, what of its objects have one, and all of them.
fn enriched(run: &TracedRun, dump: &Path, packed: bool) -> (PathBuf, [u64; 2]) {
    let name = if packed {
        "sites.hprof.gz"
    } else {
        "sites.hprof"
    };
    let rich = run.file(name);
    let mut command = ducktrack_command();
    command.arg("export").arg(run.trace());
    command.args(["--to", "hprof", "--dump"]).arg(dump);
    let printed = printed_by(command.arg("-o").arg(&rich));
    let (_, sums) = printed.split_once(": ").expect("a file's name");
    let mut numbers = sums.split(' ').filter_map(|word| word.parse().ok());
    let mut next = || numbers.next().expect("a number");
    (rich, [next(), next()])
}

#[test]
fn other_readers_find_all_objects_and_their_sites() {
    let programs = programs();
    let jdks = traced_jdks();
    let reading = jdks.first().expect("a JDK");
    let (mut dumps, mut turns) = (0, Turns::new());
    for (turn, jdk) in jdks.iter().enumerate() {
        for collector in turns.take(&COLLECTORS, turn) {
            check(
                reading,
                &dumped(jdk, collector, programs.path()),
                programs.path(),
            );
            dumps += 1;
        }
    }
    turns.announce("enriched dumps");
    checked(&format!(
        "enriched dumps read by shark and the NetBeans profiler, {dumps} dumps"
    ));
}

/// What `holders` joins has its site in the export, also where the addresses of a dump are not those
/// of the trace (ZGC). Where `holders` says that it cannot join a dump, there is nothing to compare.
#[test]
fn an_export_has_the_sites_that_holders_knows() {
    let programs = compiled(&["Sessions"], 17);
    let mut dumps = 0;
    for jdk in &traced_jdks() {
        for collector in ["-XX:+UseSerialGC", "-XX:+UseZGC"] {
            let run = TracedRun::new(jdk, collector);
            let mut command = run.command("dump=on", &[programs.path()]);
            command.args(["-Xmx64m", collector, "Sessions"]);
            run.finish(&mut command);
            let dump = run.trace().join("heap.hprof");
            let shown = dump.display().to_string();
            let holders = trace_command("holders", &run.trace(), &["--dump", &shown]);
            if !holders["withoutSites"].is_null() {
                skipped(&format!("{}: {}", run.name(), holders["withoutSites"]));
                continue;
            }
            let (_, [with_site, all]) = enriched(&run, &dump, false);
            let count = |key: &str| holders[key]["count"].as_u64().expect("a number");
            let known = count("total") - count("unattributed");
            assert_eq!((with_site, all), (known, count("total")), "{}", run.name());
            assert!(with_site >= SESSIONS, "{}: {with_site}", run.name());
            dumps += 1;
        }
    }
    assert!(dumps > 0, "no dump was joined");
    checked(&format!(
        "sites of exports beside those of holders, {dumps} dumps"
    ));
}

fn dumped(jdk: &Jdk, collector: &str, classes: &Path) -> TracedRun {
    let run = TracedRun::new(jdk, collector);
    let mut command = run.command("", &[classes]);
    command.args(["-Xmx64m", collector, "DumpAtExit"]);
    command.arg(run.file("heap.hprof")).arg("Sessions");
    run.finish(&mut command);
    run
}

/// A dump that is cut off is refused, and no part of the new one is left under its name.
fn check_that_no_part_stays(run: &TracedRun, dump: &Path) {
    let bytes = std::fs::read(dump).expect("the dump");
    let (cut, rich) = (run.file("cut.hprof"), run.file("part.hprof"));
    std::fs::write(&cut, &bytes[..bytes.len() * 2 / 3]).expect("a part of the dump");
    let mut command = ducktrack_command();
    command.arg("export").arg(run.trace());
    command.args(["--to", "hprof", "--dump"]).arg(&cut);
    let output = command.arg("-o").arg(&rich).output().expect("ducktrack");
    assert_eq!(output.status.code(), Some(2), "{}: {output:?}", run.name());
    assert!(!rich.exists(), "{}: {output:?}", run.name());
}

fn check(reading: &Jdk, run: &TracedRun, classes: &Path) {
    let (name, dump) = (run.name(), run.file("heap.hprof"));
    check_that_no_part_stays(run, &dump);
    let (rich, [with_site, all]) = enriched(run, &dump, false);
    let (packed, again) = enriched(run, &dump, true);
    assert_eq!(again, [with_site, all], "{name}: packed");
    let unpacked = run.file("unpacked.hprof");
    let gzip = Command::new("gzip")
        .arg("-cd")
        .arg(&packed)
        .output()
        .expect("gzip");
    std::fs::write(&unpacked, gzip.stdout).expect("a file");
    let read = |path: &Path| std::fs::read(path).expect("a dump");
    assert!(
        read(&unpacked) == read(&rich),
        "{name}: the packed dump differs"
    );

    let shark = |dump: &Path| said(reading, classes, ("SharkReader", "shark"), dump);
    let (before, after) = (shark(&dump), shark(&rich));
    for what in ["objects", "classes"] {
        assert_eq!(before.number(what), after.number(what), "{name}: {what}");
    }
    assert_eq!(before.number("with-trace"), 0, "{name}");
    assert_eq!(after.number("with-trace"), with_site, "{name}");
    assert_eq!(after.number("objects"), all, "{name}");
    let [(sessions, trace)] = after.traces.as_slice() else {
        panic!("{name}: {:?}", after.traces);
    };
    assert_eq!(*sessions, SESSIONS, "{name}");
    assert!(
        trace.starts_with("Sessions.open(I)LSessions$Session;(Sessions.java:23)"),
        "{name}: {trace}"
    );

    let netbeans = |dump: &Path| said(reading, classes, ("NetBeansReader", "netbeans"), dump);
    let (before, after) = (netbeans(&dump), netbeans(&rich));
    assert_eq!(before.numbers, after.numbers, "{name}");
    assert_eq!(after.number("instances"), SESSIONS, "{name}");
}
