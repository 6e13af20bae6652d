//! `staleness=on`: objects that were used last this many collections ago are in exactly that level, for every kind of
//! use, in the interpreter and in code of both compilers, wherever they moved; and the program does what it does without.
//!
//! The program is `tests/leaks/Staleness.java`. All runs verify all classes (`-Xverify:all`).

use std::path::Path;

use ducktrack_tests::{
    Jdk, TracedRun, checked, compiled, ducktrack_command, is_full_run, printed_by, refused_by,
    trace_command, trace_text, traced_jdks,
};
use serde_json::Value;

/// As in the program.
const ROUNDS: usize = 9;
const COLLECTORS: [&str; 3] = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
/// Who runs the code: the interpreter and both compilers, each alone, and all together.
const ENGINES: [&[&str]; 4] = [
    &[],
    // A use takes microseconds.
    &["-Xint", "-Drepeated=500"],
    &["-XX:TieredStopAtLevel=1"],
    &["-XX:-TieredCompilation"],
];
/// Kinds of the program whose objects are used; `Unused` is another.
const KINDS: [&str; 20] = [
    "Getfield",
    "Putfield",
    "PutWideField",
    "PutReference",
    "Receiver",
    "Monitor",
    "Cast",
    "Instanceof",
    "Same",
    "Native",
    "Length",
    "LoadInt",
    "LoadLong",
    "LoadReference",
    "StoreByte",
    "StoreDouble",
    "StoreReference",
    "Loop",
    "ByLibrary",
    "OtherThread",
];

#[test]
fn objects_are_in_the_level_of_their_last_use() {
    let programs = compiled(&["Staleness"], 17);
    let mut runs = 0;
    for (number, jdk) in traced_jdks().iter().enumerate() {
        for (at, collector) in COLLECTORS.iter().enumerate() {
            for (engine, options) in ENGINES.iter().enumerate() {
                // Each collector with all engines together, and with one other that is another on each JDK.
                let is_chosen = engine == 0 || engine == 1 + (at + number) % 3;
                if is_chosen || is_full_run() {
                    let options: Vec<&str> = [&[*collector], *options].concat();
                    check_levels(jdk, &options, programs.path());
                    runs += 1;
                }
            }
        }
    }
    assert!(runs >= 18, "only {runs} runs");
    checked(&format!(
        "staleness: {runs} runs, {} kinds of use with {ROUNDS} objects each, every object in its level",
        KINDS.len()
    ));
}

fn run(jdk: &Jdk, agent: &str, options: &[&str], programs: &Path) -> (TracedRun, String) {
    let run = TracedRun::new(jdk, &options.join(" "));
    let mut command = run.command(agent, &[programs]);
    command
        .args(["-Xms96m", "-Xmx96m", "-Xverify:all"])
        .args(options);
    let said = run.finish(command.arg("Staleness"));
    (run, said)
}

/// The program's output without the agent.
fn plain(jdk: &Jdk, options: &[&str], programs: &Path) -> String {
    printed_by(jdk.java(programs).args(options).arg("Staleness"))
}

/// A run with stamps, which prints the same as without the agent.
fn stamped(jdk: &Jdk, options: &[&str], programs: &Path) -> TracedRun {
    let (run, said) = run(jdk, "staleness=on", options, programs);
    let (name, expected) = (run.name(), plain(jdk, options, programs));
    assert!(
        said.contains(expected.trim()),
        "{name}: {said}, not {expected}"
    );
    run
}

fn check_levels(jdk: &Jdk, options: &[&str], programs: &Path) {
    let run = stamped(jdk, options, programs);
    let name = run.name();
    let last = trace_command("heap", &run.trace(), &["--stale"]);
    // Objects 0 to 8 were used last 8 to 0 collections ago.
    for kind in KINDS {
        let levels = levels_of(&last, kind, name);
        assert_eq!(levels, [1, 1, 2, 4, 1], "{name}: {kind}");
    }
    assert_eq!(levels_of(&last, "Unused", name), [0, 0, 0, 0, 9], "{name}");
    assert!(
        last["missing"].as_array().is_some_and(Vec::is_empty),
        "{name}: {}",
        last["missing"]
    );
    check_earlier(&run, &last);
}

/// Objects of a kind by level.
fn levels_of(report: &Value, kind: &str, name: &str) -> Vec<u64> {
    let class = format!("Staleness${kind}");
    let sites = report["sites"].as_array().expect("sites");
    let is_of_kind = |site: &&Value| site["class"] == class.as_str() && site["method"] == "make";
    let site = sites
        .iter()
        .filter(is_of_kind)
        .max_by_key(|site| site["count"].as_u64());
    let site = site.unwrap_or_else(|| panic!("{name}: no site of {kind}"));
    assert_eq!(site["count"], ROUNDS, "{name}: {site}");
    let levels = site["staleness"].as_array().expect("levels");
    levels
        .iter()
        .map(|level| level["count"].as_u64().expect("count"))
        .collect()
}

/// Four rounds before the end: objects 0 to 4 were used last 4 to 0 collections
/// before, and those that are due later were all used in that round.
fn check_earlier(run: &TracedRun, last: &Value) {
    let (trace, name) = (run.trace(), run.name());
    let points = last["points"].as_array().expect("points");
    assert!(points.len() >= ROUNDS, "{name}: {} points", points.len());
    let earlier = points[points.len() - 5]["collection"].to_string();
    let report = trace_command("heap", &trace, &["--stale", "--at", &earlier]);
    for kind in KINDS {
        assert_eq!(
            levels_of(&report, kind, name),
            [5, 1, 2, 1],
            "{name}: {kind} at {earlier}"
        );
    }
    assert_eq!(
        levels_of(&report, "Unused", name),
        [0, 0, 0, 9],
        "{name} at {earlier}"
    );
    // The trend has the figures of the report of that moment.
    assert_eq!(
        points[points.len() - 5]["staleness"],
        report["staleness"],
        "{name}"
    );
}

#[test]
fn only_the_code_of_some_classes_stamps() {
    let programs = compiled(&["Staleness"], 17);
    let jdk = traced_jdks().remove(0);
    let (run, _) = run(
        &jdk,
        "staleness=Staleness$*",
        &[COLLECTORS[0]],
        programs.path(),
    );
    let report = trace_command("heap", &run.trace(), &["--stale"]);
    assert_eq!(levels_of(&report, "Putfield", run.name()), [1, 1, 2, 4, 1]);
    // The JDK's code does not stamp; the cast in the program's does.
    let mut types = report["types"].as_array().expect("types").iter();
    let bytes = types.find(|row| row["type"] == "byte[]").expect("byte[]");
    let used: u64 = bytes["staleness"][0]["count"].as_u64().expect("count");
    assert!(used < 20, "{used} arrays of bytes were used");
    check_forms(&run.trace());
}

/// Each form has the figures of one site that the JSON has.
fn check_forms(trace: &Path) {
    let form = |format: &str| {
        let words = [
            "--stale",
            "--only",
            "Staleness$Putfield",
            "--format",
            format,
        ];
        trace_text("heap", trace, &words)
    };
    let text = form("text");
    assert!(text.contains("STALENESS"), "{text}");
    assert!(text.contains("Staleness$Putfield.make"), "{text}");
    assert!(text.contains("--stale --format html"), "{text}");
    let csv = form("csv");
    let row = csv.lines().nth(1).expect("a row of the one site");
    assert!(row.starts_with("Staleness$Putfield,make,"), "{csv}");
    let names = csv.lines().next().expect("the names of the columns");
    let fields: Vec<&str> = row.rsplit(',').collect();
    let levels: Vec<(&str, &str)> = names.rsplit(',').zip(fields).collect();
    let of = |name| {
        levels
            .iter()
            .find(|level| level.0 == name)
            .map(|level| level.1)
    };
    assert_eq!(of("unused_0_count"), Some("1"), "{csv}");
    assert_eq!(of("unused_4-7_count"), Some("4"), "{csv}");
    let page = form("html");
    assert!(page.contains("Live heap by collections without a use"));
    assert!(page.contains("Staleness$Putfield"));
}

/// Where every cycle judges the whole heap, each has the figures of a collection of the others.
#[test]
fn objects_are_in_their_level_under_zgc_without_generations() {
    let programs = compiled(&["Staleness"], 17);
    let mut runs = 0;
    for jdk in traced_jdks() {
        if ![17, 21].contains(&jdk.version) {
            continue;
        }
        for engine in ENGINES {
            let options: Vec<&str> = [&["-XX:+UseZGC"], engine].concat();
            check_levels(&jdk, &options, programs.path());
            runs += 1;
        }
    }
    assert!(runs >= ENGINES.len(), "only {runs} runs");
    checked(&format!(
        "staleness under ZGC without generations: {runs} runs, {} kinds of use",
        KINDS.len()
    ));
}

/// With two generations, `System.gc()` is several cycles; each kind of use has the levels of each other.
#[test]
fn all_kinds_of_use_are_alike_under_zgc_with_generations() {
    let programs = compiled(&["Staleness"], 17);
    let mut runs = 0;
    for jdk in traced_jdks() {
        let form: &[&str] = match jdk.version {
            21 => &["-XX:+UseZGC", "-XX:+ZGenerational"],
            25 => &["-XX:+UseZGC"],
            _ => continue,
        };
        for engine in ENGINES {
            check_alike(&jdk, &[form, engine].concat(), programs.path());
            runs += 1;
        }
    }
    assert!(runs >= ENGINES.len(), "only {runs} runs");
    checked(&format!(
        "staleness under ZGC with generations: {runs} runs, {} kinds of use",
        KINDS.len()
    ));
}

fn check_alike(jdk: &Jdk, options: &[&str], programs: &Path) {
    let run = stamped(jdk, options, programs);
    let name = run.name();
    let last = trace_command("heap", &run.trace(), &["--stale"]);
    let levels = levels_of(&last, KINDS[0], name);
    let filled = levels.iter().filter(|count| **count > 0).count();
    assert!(filled > 3, "{name}: {levels:?}");
    for kind in KINDS {
        assert_eq!(levels_of(&last, kind, name), levels, "{name}: {kind}");
    }
    let unused = levels_of(&last, "Unused", name);
    assert!(unused.len() >= levels.len(), "{name}: {unused:?}");
    assert_eq!(unused.last(), Some(&(ROUNDS as u64)), "{name}: {unused:?}");
}

#[test]
fn a_heap_that_is_not_known_is_refused_and_the_program_runs_on() {
    let programs = compiled(&["Staleness"], 17);
    let options = ["-XX:+UseShenandoahGC"];
    let mut jdks = traced_jdks().into_iter();
    let jdk = jdks.find(|jdk| jdk.accepts(&options));
    check_refusal(&jdk.expect("a JDK with it"), &options, programs.path());
}

fn check_refusal(jdk: &Jdk, options: &[&str], programs: &Path) {
    let (run, said) = run(jdk, "staleness=on", options, programs);
    let expected = plain(jdk, &[], programs);
    assert!(said.contains(expected.trim()), "{said}");
    let mut command = ducktrack_command();
    let line = refused_by(command.args(["heap", "--stale"]).arg(run.trace()));
    assert_eq!(line.lines().count(), 1, "{line}");
    assert!(
        line.contains("not known") || line.contains("not recorded"),
        "{line}"
    );
}
