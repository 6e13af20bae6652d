//! A second front end that is not Java: CPython in pure Python. Its reference counts tell the exact death of every object
//! that is in no cycle, in a file that Merlin never sees. Merlin's deaths are equal, object by object.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use ducktrack_merlin::{BlockReader, Checker, Fate, Merlin, Names, Record};
use tempfile::TempDir;

/// When an object died by its reference count, and whether only the cycle collector found it.
struct TrueDeath {
    time: u64,
    in_cycle: bool,
}

struct Run {
    fates: Vec<Fate>,
    names: Names,
    truth: BTreeMap<u64, TrueDeath>,
}

fn run(program: &str, arguments: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("frontends/cpython");
    let (stream, deaths) = (folder.path().join("stream"), folder.path().join("deaths"));
    let output = Command::new("python3")
        .args([
            "-B".as_ref(),
            here.as_os_str(),
            "--deaths".as_ref(),
            deaths.as_os_str(),
            stream.as_os_str(),
        ])
        .arg(here.join("programs").join(program))
        .args(arguments)
        .output()
        .expect("python3 runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    read(&folder, &stream, &deaths)
}

fn read(_folder: &TempDir, stream: &Path, deaths: &Path) -> Run {
    let mut reader = BlockReader::new(File::open(stream).expect("written")).expect("a stream");
    let (mut merlin, mut checker) = (Merlin::default(), Checker::default());
    let (mut fates, mut names) = (Vec::new(), Names::default());
    while let Some(block) = reader.next_block().expect("whole blocks") {
        let block = block.decode().expect("good records");
        checker.block(&block);
        for record in &block.records {
            merlin.apply(record, &mut fates);
            if let Record::Definition(definition) = record {
                names.define(definition);
            }
        }
    }
    let check = checker.finish(reader.records_by_end());
    assert_eq!(
        (check.faults, check.findings.as_slice()),
        (0, [].as_slice())
    );
    let totals = merlin.finish(&mut fates);
    assert_eq!(totals.raised, 0);
    let truth = fs::read_to_string(deaths).expect("written");
    let truth = truth.lines().map(true_death).collect();
    Run {
        fates,
        names,
        truth,
    }
}

/// `{"object": 1, "time": 2, "cycle": false}`
fn true_death(line: &str) -> (u64, TrueDeath) {
    let field = |name: &str| {
        let (_, rest) = line
            .split_once(&format!("\"{name}\": "))
            .expect("the field");
        rest.split([',', '}']).next().expect("its value").to_owned()
    };
    let number = |name: &str| field(name).parse().expect("a number");
    let in_cycle = field("cycle") == "true";
    (
        number("object"),
        TrueDeath {
            time: number("time"),
            in_cycle,
        },
    )
}

/// Every object's death is the one that its reference count told; gives how many were compared and how many were in cycles.
fn assert_equal_deaths(program: &str, arguments: &[&str]) -> (usize, usize) {
    let Run {
        fates,
        names,
        truth,
    } = run(program, arguments);
    assert_eq!(fates.len(), truth.len(), "every object died");
    let (mut compared, mut in_cycles) = (0, 0);
    for fate in &fates {
        let dead = &truth[&fate.object.get()];
        let found = fate.unreachable.expect("dead").time;
        let ty = names.ty(fate.ty).expect("its type");
        if dead.in_cycle {
            // The collector found it some time after the program could reach it last.
            assert!(
                found <= dead.time,
                "{ty} {:?}: {found} after {}",
                fate.object,
                dead.time
            );
            in_cycles += 1;
        } else {
            assert_eq!(found, dead.time, "{ty} {:?} of {program}", fate.object);
            compared += 1;
        }
    }
    (compared, in_cycles)
}

#[test]
fn a_cache() {
    assert_eq!(assert_equal_deaths("cache.py", &[]), (211, 0));
}

#[test]
fn chains_trees_tuples_and_a_ring() {
    assert_eq!(assert_equal_deaths("graph.py", &[]), (155, 5));
}

#[test]
fn exceptions_generators_and_receivers() {
    assert_eq!(assert_equal_deaths("errors.py", &[]), (98, 0));
}

#[test]
fn random_programs() {
    for seed in ["1", "2", "3", "4", "5", "6"] {
        let (compared, _) = assert_equal_deaths("random_objects.py", &[seed, "1500"]);
        assert!(compared > 4000, "{compared}");
    }
}

/// A ring of five is let go at once, and is found by the cycle collector at the end of the program.
#[test]
fn a_cycle_dies_when_it_is_let_go() {
    let Run { fates, truth, .. } = run("graph.py", &[]);
    let ring: Vec<&Fate> = fates
        .iter()
        .filter(|fate| truth[&fate.object.get()].in_cycle)
        .collect();
    let deaths: Vec<u64> = ring
        .iter()
        .map(|fate| fate.unreachable.expect("dead").time)
        .collect();
    // `nodes.pop()` takes one from the list; it is a part of the ring until `nodes = None` lets go of the list.
    let list = fates
        .iter()
        .filter(|fate| truth[&fate.object.get()].time == deaths[0] && !ring.contains(fate));
    assert_eq!(list.count(), 1);
    assert!(deaths.iter().all(|death| *death == deaths[0]), "{deaths:?}");
    assert!(
        ring.iter()
            .all(|fate| truth[&fate.object.get()].time > deaths[0])
    );
}

/// Sites are lines of the program, with the line that called.
#[test]
fn sites_are_lines_of_the_program() {
    let Run { fates, names, .. } = run("cache.py", &[]);
    let entries = fates
        .iter()
        .filter(|fate| names.ty(fate.ty) == Some("__main__.Entry"));
    let sites: Vec<_> = entries
        .map(|fate| names.site(fate.site).expect("its site"))
        .collect();
    assert_eq!(sites.len(), 69);
    for site in sites {
        let method = names.method(site.method).expect("its method");
        assert_eq!(
            (method.class.as_str(), method.name.as_str(), site.line),
            ("cache.Cache", "put", 18)
        );
        assert_eq!(names.site(site.caller).expect("its caller").line, 34);
    }
}
