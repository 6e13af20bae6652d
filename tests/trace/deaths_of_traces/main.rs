//! `ducktrack lifetimes --deaths` on traces of a real program against `ducktrack heap --at end`: for every type as many live objects. The
//! two replay a trace in ways of their own: one follows each object, the other adds up what is alive.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ducktrack_tests::{
    Jdk, TracedRun, Turns, checked, compiled, ducktrack_command, harness_jar, skipped,
    trace_command, traced_jdks, traced_layouts,
};
use serde_json::Value;

mod neutral_stream;
mod object_columns;

use neutral_stream::StreamCollection;
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

/// Objects that the report leaves out, which is no damage: `2 objects are left out: ...`.
fn left_out(report: &Value) -> u64 {
    assert_eq!(report["damage"], Value::Array(Vec::new()));
    let missing = report["missing"].as_array().expect("missing").iter();
    let mut lines = missing.map(|line| line.as_str().expect("a sentence"));
    let line = lines.find(|line| line.contains("are left out: their addresses are not known"));
    line.map_or(0, |line| {
        line.split(' ')
            .next()
            .and_then(|count| count.parse().ok())
            .expect("a number")
    })
}

/// Runs a program of the harness with these options of the agent and the VM; `main` is what starts it.
fn run_program(
    jdk: &Jdk,
    agent: &str,
    options: &[&str],
    (main, class_path): (&[&str], &[&Path]),
    program_name: &str,
) -> TracedRun {
    let name = format!("{} {program_name} {agent}", options.join(" "));
    let run = TracedRun::new(jdk, &name);
    let mut program = run.command(agent, class_path);
    program.args(options).arg("-Xmx128m").args(main);
    program.args([program_name, "--iterations", "1", "--size", "1"]);
    run.finish(&mut program);
    run
}

fn compare(jdk: &Jdk, options: &[&str], harness: &Path) -> String {
    let main: (&[&str], &[&Path]) = (&[HARNESS], &[harness]);
    let run = run_program(jdk, "moves=exact", options, main, "json");
    let deaths = trace_command("lifetimes", &run.trace(), &["--deaths"]);
    assert_eq!(deaths["level"], "bounds");
    compare_with_heap(&run, &deaths)
}

fn compare_with_heap(run: &TracedRun, deaths: &Value) -> String {
    let heap = trace_command("heap", &run.trace(), &["--at", "end"]);
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
    let harness = harness_jar();
    let (mut compared, mut turns) = (0, Turns::new());
    for (turn, jdk) in traced_jdks().iter().enumerate() {
        let layouts: Vec<_> = traced_layouts(jdk).collect();
        for options in turns.take(&layouts, turn) {
            println!("{}", compare(jdk, options, &harness));
            compared += 1;
        }
    }
    turns.announce("deaths against the heap");
    checked(&format!("{compared} runs"));
}

/// A real program with stamps, and what of its deaths is known.
struct Witnessed {
    program: &'static str,
    agent: &'static str,
    level: &'static str,
    /// Fewer than one in this many deaths is before a full collection that kept the object.
    raised: u64,
}

const DEATHS: Witnessed = Witnessed {
    program: "json",
    agent: "mode=deaths",
    level: "deaths",
    raised: 20,
};

/// With updates as well; calls would be most of the records.
const FULL: &str = "mode=full,calls=off";

const fn full(program: &'static str, raised: u64) -> Witnessed {
    Witnessed {
        program,
        agent: FULL,
        level: "full",
        raised,
    }
}

/// Its moments of each object.
struct Moments {
    born: Vec<Option<u64>>,
    used: Vec<Option<u64>>,
    unreachable: Vec<Option<u64>>,
    collected: Vec<Option<u64>>,
}

/// `ducktrack lifetimes --columns`, and the report.
fn read_moments(run: &TracedRun) -> (Moments, Value) {
    let file = run.file("objects");
    let mut command = ducktrack_command();
    command.args(["lifetimes", "--deaths"]).arg(run.trace());
    command.arg("--columns").arg(&file);
    let report = command.args(["--format", "json"]).output();
    let report = report.expect("ducktrack");
    let deaths: Value = serde_json::from_slice(&report.stdout).expect("JSON");
    let columns = ObjectColumns::read(&fs::read(&file).expect("columns"));
    let known = |moment| columns.known(&format!("{moment}_time"));
    let moments = Moments {
        born: known("born"),
        used: known("used"),
        unreachable: known("unreachable"),
        collected: known("collected"),
    };
    (moments, deaths)
}

impl Moments {
    /// Every object was born before it was used, and used before it died, and it died between two collections: the last one
    /// that would have found it dead, and the one that did. How many died after it was known that a collection had kept them.
    fn check(&self, collections: &[StreamCollection], name: &str) -> (u64, u64) {
        let (mut dead, mut bounded) = (0, 0);
        for (object, born) in self.born.iter().enumerate() {
            let (used, died) = (self.used[object], self.unreachable[object]);
            let all = [*born, used, died, self.collected[object]];
            let known: Vec<u64> = all.into_iter().flatten().collect();
            assert!(
                known.is_sorted(),
                "{name}: object {object}: born, used, unreachable, collected at {all:?}"
            );
            let (Some(born), Some(died), Some(collected)) = (*born, died, self.collected[object])
            else {
                continue;
            };
            dead += 1;
            let at = collections.partition_point(|one| one.time < collected);
            assert!(
                collections.get(at).is_some_and(|one| one.time == collected),
                "{name}: object {object}: no collection was at {collected}"
            );
            let kept = collections[..at].iter().rfind(|one| one.complete);
            if let Some(kept) = kept.filter(|kept| kept.time >= born) {
                bounded += 1;
                assert!(
                    died >= kept.time,
                    "{name}: object {object}: {all:?}, but the collection at {} kept it",
                    kept.time
                );
            }
        }
        (dead, bounded)
    }
}

/// Every object of a run with full collections: its moments are in order and within their bounds, and
/// few have only stamps that are older than a full collection that has kept them: those that a frame
/// of the interpreter holds which does not read them any more, and what the trace does not see.
fn check_moments(
    jdk: &Jdk,
    collector: &str,
    class_path: &[&Path],
    witnessed: &Witnessed,
) -> String {
    let main: (&[&str], &[&Path]) = (&["CollectsOften", HARNESS], class_path);
    let run = run_program(jdk, witnessed.agent, &[collector], main, witnessed.program);
    let name = run.name();
    let (moments, deaths) = read_moments(&run);
    assert_eq!(deaths["level"], witnessed.level, "{name}");
    let stream = neutral_stream::write_stream(&run);
    let said = neutral_stream::check(&stream);
    let said_text = String::from_utf8_lossy(&said.stdout);
    assert!(
        said.status.success() && said_text.contains("The stream is whole and possible."),
        "{name}: {said_text}"
    );
    let collections = neutral_stream::collections(&stream);
    assert_eq!(
        number(&deaths["collections"]),
        collections.len() as u64,
        "{name}"
    );
    let full = collections.iter().filter(|one| one.complete).count();
    let (dead, bounded) = moments.check(&collections, name);
    assert!(
        dead > 1_000_000 && full > 0 && bounded > 0,
        "{name}: {dead} dead, {bounded} of them after a full collection that kept them; {full} full collections"
    );
    assert!(
        number(&deaths["raised"]) * witnessed.raised < dead,
        "{name}: {} of {dead} deaths are before a full collection that kept the object",
        deaths["raised"]
    );
    format!(
        "{name}: {dead} deaths in order, {bounded} of them between two collections that bound them, {full} full collections, {} raised; {}",
        deaths["raised"],
        compare_with_heap(&run, &deaths)
    )
}

/// A program on each JDK with a collector of its own; of these runs the
/// one of a turn. Each collector meets stamps in `deaths_of_witness`, too.
fn check_all(test: &str, witnessed: &[Witnessed], turn: usize) {
    let harness = harness_jar();
    let programs = compiled(&["CollectsOften"], 17);
    let class_path: [&Path; 2] = [&harness, programs.path()];
    let collectors = ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC"];
    let jdks = traced_jdks();
    let each = jdks.iter().zip(collectors).zip(witnessed.iter().cycle());
    let (each, mut turns) = (each.collect::<Vec<_>>(), Turns::new());
    let taken = turns.take(&each, turn);
    for ((jdk, collector), witnessed) in taken {
        println!("{}", check_moments(jdk, collector, &class_path, witnessed));
    }
    turns.announce(test);
    checked(&format!("{} runs", taken.len()));
}

#[test]
fn moments_of_all_objects_are_in_order() {
    check_all("moments of all objects", &[DEATHS], 2);
}

/// Such a run has some 30 million records.
#[test]
fn moments_are_in_order_with_all_records_too() {
    let witnessed = [full("serial", 8), full("json", 20), full("streams", 12)];
    check_all("moments with all records", &witnessed, 0);
}

/// A stream that was cut, and one with a bit that is not what was written.
#[test]
fn a_damaged_stream_of_a_trace_is_refused_with_a_line() {
    let programs = compiled(&["Deaths"], 17);
    let Some(jdk) = traced_jdks().pop() else {
        skipped("a damaged stream of a trace: no JDK that can be traced");
        return;
    };
    let run = TracedRun::new(&jdk, "damaged stream");
    let mut command = run.command("mode=full", &[programs.path()]);
    command.args(["-XX:+UseSerialGC", "-Xmx64m", "-Drepeated=10", "Deaths"]);
    run.finish(&mut command);
    let stream = neutral_stream::write_stream(&run);
    assert!(neutral_stream::check(&stream).status.success());
    let whole = fs::read(&stream).expect("a stream");
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    let cut = whole[..whole.len() * 2 / 3].to_vec();
    for (bytes, line) in [
        (changed, "the file is damaged from here on"),
        (cut, "it was cut"),
    ] {
        fs::write(&stream, bytes).expect("a file");
        let said = neutral_stream::check(&stream);
        let text = String::from_utf8_lossy(&said.stdout);
        assert_eq!(said.status.code(), Some(1), "{text}");
        let lines = text.lines().filter(|said| said.contains("damage: "));
        let lines: Vec<&str> = lines.collect();
        assert!(lines.len() == 1 && lines[0].contains(line), "{text}");
        assert!(said.stderr.is_empty() && text.contains("The stream is damaged."));
    }
    checked("a whole stream and two damaged ones");
}
