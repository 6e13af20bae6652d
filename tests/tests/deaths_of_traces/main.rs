//! `ducktrack deaths` on traces of a real program against `ducktrack heap --at end`: for every type as many live objects. The two
//! replay a trace in ways of their own: one follows each object, the other adds up what is alive.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use ducktrack_tests::{
    Jdk, TracedRun, checked, compile_java, ducktrack_command, harness_folder, trace_command,
    traced_jdks, traced_layouts,
};
use serde_json::Value;

mod object_columns;

use object_columns::ObjectColumns;

const HARNESS: &str = "ducktrack.harness.Main";

/// Live objects by type.
type Live = BTreeMap<String, u64>;

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

fn live(report: &Value, count: impl Fn(&Value) -> u64) -> Live {
    let types = report["types"].as_array().expect("types").iter();
    let live = types.map(|ty| (ty["type"].as_str().expect("a name").to_owned(), count(ty)));
    live.filter(|(_, count)| *count > 0).collect()
}

/// How many objects are in one of the two and not in the other.
fn differences(one: &Live, other: &Live) -> u64 {
    let types: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let of = |live: &Live, ty: &String| live.get(ty).copied().unwrap_or(0);
    types
        .into_iter()
        .map(|ty| of(one, ty).abs_diff(of(other, ty)))
        .sum()
}

/// Objects that the report leaves out: `2 objects are left out: ...`.
fn left_out(report: &Value) -> u64 {
    let damage = report["damage"].as_array().expect("damage");
    assert!(damage.len() <= 1, "{damage:?}");
    damage.first().map_or(0, |line| {
        let line = line.as_str().expect("a sentence");
        assert!(
            line.contains("are left out: their addresses are not known"),
            "{line}"
        );
        line.split(' ')
            .next()
            .and_then(|count| count.parse().ok())
            .expect("a number")
    })
}

/// Runs json with these options of the agent and the VM; `main` is what starts it.
fn run_json(
    jdk: &Jdk,
    agent: &str,
    options: &[&str],
    (main, class_path): (&[&str], &[&Path]),
) -> TracedRun {
    let run = TracedRun::new(jdk, &options.join(" ")).expect("folder");
    let mut program = run.command(agent, class_path).expect("command");
    program.args(options).arg("-Xmx128m").args(main);
    program.args(["json", "--iterations", "1", "--size", "1"]);
    run.finish(&mut program).expect("the program ends well");
    run
}

fn compare(jdk: &Jdk, options: &[&str], harness: &Path) -> String {
    let run = run_json(jdk, "moves=exact", options, (&[HARNESS], &[harness]));
    let deaths = trace_command("deaths", &run.trace(), &[]).expect("deaths");
    assert_eq!(deaths["level"], "bounds");
    compare_with_heap(&run, &deaths)
}

fn compare_with_heap(run: &TracedRun, deaths: &Value) -> String {
    let heap = trace_command("heap", &run.trace(), &["--at", "end"]).expect("heap");
    assert_eq!(
        deaths["contradictions"],
        Value::Array(Vec::new()),
        "{}",
        run.name()
    );
    let by_deaths = live(deaths, |ty| number(&ty["alive"]["count"]));
    let by_heap = live(&heap, |ty| number(&ty["count"]));
    let (left_out, differences) = (left_out(deaths), differences(&by_deaths, &by_heap));
    assert!(
        differences <= left_out,
        "{}: {differences} differ, {left_out} are left out",
        run.name()
    );
    assert!(number(&deaths["collections"]) > 0 && number(&deaths["total"]["objects"]) > 1_000_000);
    format!(
        "{}: {} types, {left_out} objects left out",
        run.name(),
        by_heap.len()
    )
}

#[test]
fn what_is_alive_is_the_heap_at_the_end() {
    let harness = harness_folder().join("harness.jar");
    let mut compared = 0;
    for jdk in &traced_jdks().expect("JDKs") {
        for options in traced_layouts(jdk) {
            println!("{}", compare(jdk, options, &harness));
            compared += 1;
        }
    }
    checked(&format!("{compared} runs"));
}

/// Every object of a run with full collections: its moments are in order, and few have only stamps that are older than a full collection that has kept them: those
/// that a frame of the interpreter holds which does not read them any more, and what the trace does not see.
fn check_moments(jdk: &Jdk, collector: &str, class_path: &[&Path]) -> String {
    let main: &[&str] = &["CollectsOften", HARNESS];
    let run = run_json(
        jdk,
        "mode=witness,witness=deaths",
        &[collector],
        (main, class_path),
    );
    let file = run.file("objects");
    let mut command = Command::new(ducktrack_command().expect("command"));
    command
        .arg("deaths")
        .arg(run.trace())
        .arg("--columns")
        .arg(&file);
    let report = command
        .args(["--format", "json"])
        .output()
        .expect("ducktrack");
    let deaths: Value = serde_json::from_slice(&report.stdout).expect("JSON");
    assert_eq!(deaths["level"], "deaths", "{}", run.name());
    let columns = ObjectColumns::read(&fs::read(&file).expect("columns"));
    let [born, used, unreachable, collected] = ["born", "used", "unreachable", "collected"]
        .map(|moment| columns.known(&format!("{moment}_time")));
    let mut dead = 0_u64;
    for (object, born) in born.iter().enumerate() {
        let all = [*born, used[object], unreachable[object], collected[object]];
        let known: Vec<u64> = all.into_iter().flatten().collect();
        assert!(
            known.is_sorted(),
            "{}: object {object}: born, used, unreachable, collected at {all:?}",
            run.name()
        );
        dead += u64::from(all[2].is_some());
    }
    let timeline = trace_command("timeline", &run.trace(), &[]).expect("timeline");
    let collections = timeline["collections"].as_array().expect("collections");
    let full = collections
        .iter()
        .filter(|one| one["kind"] == "full")
        .count();
    assert!(
        dead > 1_000_000 && full > 0,
        "{}: {dead} dead, {full} full collections",
        run.name()
    );
    assert!(
        number(&deaths["raised"]) * 20 < dead,
        "{}: {} of {dead} deaths are before a full collection that kept the object",
        run.name(),
        deaths["raised"]
    );
    format!(
        "{}: {dead} deaths in order, {full} full collections, {} raised; {}",
        run.name(),
        deaths["raised"],
        compare_with_heap(&run, &deaths)
    )
}

#[test]
fn moments_of_all_objects_are_in_order() {
    let harness = harness_folder().join("harness.jar");
    let mut checks = 0;
    let collectors = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
    let programs = tempfile::tempdir().expect("temporary folder");
    assert!(compile_java(&["CollectsOften"], 17, programs.path()).expect("compile"));
    for (jdk, collector) in traced_jdks().expect("JDKs").iter().zip(collectors) {
        println!(
            "{}",
            check_moments(jdk, collector, &[&harness, programs.path()])
        );
        checks += 1;
    }
    checked(&format!("{checks} runs"));
}
