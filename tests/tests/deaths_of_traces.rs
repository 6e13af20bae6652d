//! `ducktrack deaths` on traces of a real program against `ducktrack heap --at end`: for every type as many live objects. The two
//! replay a trace in ways of their own: one follows each object, the other adds up what is alive.

use std::collections::BTreeMap;
use std::path::Path;

use ducktrack_tests::{
    Jdk, TracedRun, checked, harness_folder, trace_command, traced_jdks, traced_layouts,
};
use serde_json::Value;

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

fn compare(jdk: &Jdk, options: &[&str], harness: &Path) -> String {
    let run = TracedRun::new(jdk, &options.join(" ")).expect("folder");
    let mut program = run.command("moves=exact", &[harness]).expect("command");
    program.args(options).args([
        "-Xmx128m",
        "ducktrack.harness.Main",
        "json",
        "--iterations",
        "1",
        "--size",
        "1",
    ]);
    run.finish(&mut program).expect("the program ends well");
    let trace = run.trace();
    let deaths = trace_command("deaths", &trace, &[]).expect("deaths");
    let heap = trace_command("heap", &trace, &["--at", "end"]).expect("heap");
    assert_eq!(deaths["level"], "bounds");
    assert_eq!(
        deaths["contradictions"],
        Value::Array(Vec::new()),
        "{}",
        run.name()
    );
    let by_deaths = live(&deaths, |ty| number(&ty["alive"]["count"]));
    let by_heap = live(&heap, |ty| number(&ty["count"]));
    let (left_out, differences) = (left_out(&deaths), differences(&by_deaths, &by_heap));
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
