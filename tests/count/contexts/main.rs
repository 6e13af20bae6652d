//! Contexts are exact: objects by context and site, and bytes by execution, against what the programs count themselves.
//!
//! ```text
//! InContexts      contexts of two kinds, nested, in themselves, left by exceptions; platform and virtual threads
//! ManyContexts    more contexts than blocks: idle ones are folded; more names than there is room for
//! Straddle        contexts by the API, in the middle of methods, and carried to other threads
//! Executions      bytes of each execution, against ThreadMXBean, and its objects
//! attached        three times while threads switch at full speed: no object under a wrong name
//! SwitchCost      CPU of a switch, and of an object inside
//! servers         requests to WebFlux, Vert.x, gRPC, JAX-RS, Undertow, Javalin and the JDK's server
//! killed          with threads inside: objects of the last moment are there, executions, sums of folded blocks
//! live            top, Prometheus and the report of a program that runs
//! ```

mod killed;
mod live;
mod report;
mod servers;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use ducktrack_test_support::Ended;
use ducktrack_tests::{
    Finished, Jdk, Turns, agent_argument, agent_library, checked, compiled_with, ducktrack_command,
    jdks_in_turn, matrix_jdks, printed_by,
};
use report::{Expected, Found};
use tempfile::TempDir;

/// The contexts of `InContexts`.
const POINTS: &str = "contexts=ctx:InContexts.in(1),contexts=ctx:InContexts.straight,contexts=sql:InContexts.query(1)";
/// The contexts of `Executions`.
const EXECUTIONS: &str = "contexts=work:Executions.small,contexts=work:Executions.large";
/// With it, a JVM keeps slots where it has them without a reserved word: in the padding of its threads, or in a table.
const OTHER_SLOT: &[&str] = &["-XX:+UnlockExperimentalVMOptions", "-XX:+EnableJVMCI"];

fn programs() -> TempDir {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let api = root.join("../agent/java/agent/src/main/java");
    let names = [
        "InContexts",
        "Executions",
        "SwitchCost",
        "ManyContexts",
        "Straddle",
    ];
    compiled_with(&names, 11, &[root.join("count/contexts"), api])
}

/// Runs a program under the agent: its output, and the report by context.
fn run(
    jdk: &Jdk,
    programs: &Path,
    jvm: &[&str],
    agent: &str,
    program: &[&str],
) -> (String, serde_json::Value) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let recording = folder.path().join("run");
    let agent = agent_argument(agent, &recording);
    let mut java = jdk.java(programs);
    java.arg("-Xmx512m").args(jvm).arg(agent);
    let finished = Finished::well(java.args(program));
    assert!(finished.errors.is_empty(), "{program:?}: {finished}");
    (finished.out, report::by_context(&recording))
}

/// Pairs of context and site that are wrong, one line each.
fn wrong_pairs(output: &str, report: &serde_json::Value) -> Vec<String> {
    let expected = Expected::parse(output);
    assert!(expected.pairs() > 150, "{output}");
    expected.compare(&Found::of(report, "InContexts"))
}

#[test]
fn platform_threads_count_exactly() {
    let programs = programs();
    let (mut runs, mut turns) = (0, Turns::new());
    for (turn, jdk) in matrix_jdks().into_iter().enumerate() {
        let mut counters: Vec<(&str, &[&str])> = vec![
            ("counters=site", &[]),
            ("counters=path:1000:1", &[]),
            ("counters=path", OTHER_SLOT),
        ];
        counters.retain(|(_, jvm)| jdk.accepts(jvm));
        for &(counters, jvm) in turns.take(&counters, turn) {
            let agent = format!("{counters},{POINTS}");
            let program = ["InContexts", "platform", "4", "30000", "300000"];
            let (output, report) = run(&jdk, programs.path(), jvm, &agent, &program);
            let wrong = wrong_pairs(&output, &report);
            assert!(
                wrong.is_empty(),
                "{jdk} {agent} {jvm:?}:\n{}",
                wrong.join("\n")
            );
            assert_eq!(
                report["losses"].as_array().map(Vec::len),
                Some(3),
                "{}",
                report["losses"]
            );
            runs += 1;
        }
    }
    turns.announce("contexts of platform threads");
    checked(&format!(
        "contexts of platform threads, {runs} JVMs, every pair of context and site exact"
    ));
}

#[test]
fn virtual_threads_take_their_contexts_along() {
    let programs = programs();
    let jdks = matrix_jdks();
    let (mut runs, mut turns) = (0, Turns::new());
    for (turn, jdk) in (jdks.iter().filter(|jdk| jdk.version >= 21)).enumerate() {
        let mut counters: Vec<(&str, &[&str])> =
            vec![("counters=site", &[]), ("counters=path", OTHER_SLOT)];
        counters.retain(|(_, jvm)| jdk.accepts(jvm));
        for &(counters, jvm) in turns.take(&counters, turn) {
            let program = ["InContexts", "virtual", "300", "400", "1000"];
            let agent = format!("{counters},{POINTS}");
            let (output, report) = run(jdk, programs.path(), jvm, &agent, &program);
            let wrong = wrong_pairs(&output, &report);
            assert!(
                wrong.is_empty(),
                "{jdk} {agent} {jvm:?}:\n{}",
                wrong.join("\n")
            );
            runs += 1;
        }
        // Contexts that stay on the carrier are found out by this test.
        let agent = format!("counters=site,contexts-stay=on,{POINTS}");
        let program = ["InContexts", "virtual", "300", "400", "1000"];
        let (output, report) = run(jdk, programs.path(), &[], &agent, &program);
        assert!(wrong_pairs(&output, &report).len() > 50, "{jdk}");
    }
    turns.announce("contexts of virtual threads");
    checked(&format!(
        "contexts of virtual threads, {runs} JVMs, every pair of context and site exact"
    ));
}

#[test]
fn bytes_of_each_execution_are_those_of_the_thread() {
    let programs = programs();
    let mut runs = 0;
    for jdk in jdks_in_turn("bytes of executions", &matrix_jdks(), 1) {
        let program = ["Executions", "5000", "4"];
        let (output, report) = run(
            &jdk,
            programs.path(),
            &["-XX:+UseG1GC"],
            EXECUTIONS,
            &program,
        );
        report::compare_executions(&output, &report)
            .unwrap_or_else(|wrong| panic!("{jdk}: {wrong}\n{output}"));
        for context in report["contexts"].as_array().expect("contexts") {
            assert!(context["executions"]["objects"].is_null(), "{context}");
        }
        runs += 1;
    }
    checked(&format!(
        "bytes of executions of contexts, {runs} JVMs, equal to the thread's own count"
    ));
}

#[test]
fn objects_of_each_execution_are_those_of_the_program() {
    let programs = programs();
    let agent = format!("contexts=objects,{EXECUTIONS}");
    let mut runs = 0;
    for jdk in matrix_jdks() {
        let mut kinds_of_thread = vec![&["Executions", "5000", "4"][..]];
        if jdk.version >= 21 {
            kinds_of_thread.push(&["Executions", "500", "40", "virtual"]);
        }
        for program in kinds_of_thread {
            let (output, report) = run(&jdk, programs.path(), &["-XX:+UseG1GC"], &agent, program);
            let is_virtual = program.len() > 3;
            let bytes = match is_virtual {
                true => Ok(()),
                false => report::compare_executions(&output, &report),
            };
            bytes
                .and_then(|()| report::compare_objects(&output, &report))
                .unwrap_or_else(|wrong| panic!("{jdk} {program:?}: {wrong}\n{output}"));
            runs += 1;
        }
    }
    checked(&format!(
        "objects of executions of contexts, {runs} JVMs, equal to those of the program"
    ));
}

#[test]
fn one_context_can_be_asked_for() {
    let programs = programs();
    let Some(jdk) = matrix_jdks().pop() else {
        return;
    };
    let folder = tempfile::tempdir().expect("temporary folder");
    let recording = folder.path().join("run");
    let agent = agent_argument(POINTS, &recording);
    let mut java = jdk.java(programs.path());
    let java = java.arg(agent);
    printed_by(java.args(["InContexts", "platform", "2", "2000", "0"]));
    let by_context = report::by_context(&recording);
    for name in ["ctx-a", "ctx-t", "select a"] {
        let contexts = by_context["contexts"].as_array().expect("contexts");
        let row = contexts.iter().find(|row| row["name"] == name).expect(name);
        let one = report::json(&recording, &["--context", name]);
        assert_eq!(one["selected"]["bytes"], row["bytes"], "{name}");
        assert_eq!(one["selected"]["count"], row["count"], "{name}");
    }
}

/// Bytes of the agent in a service with 200 routes and 50 threads.
const MOST_BYTES: u64 = 64 << 20;

#[test]
fn idle_blocks_are_folded_and_names_are_bounded() {
    let programs = programs();
    let points = "contexts=route:ManyContexts.route(1),contexts=query:ManyContexts.query(1),contexts=id:ManyContexts.named(1)";
    let mut figures = Vec::new();
    for jdk in jdks_in_turn("folded blocks", &matrix_jdks(), 1) {
        let program = ["ManyContexts", "200", "50", "500", "1100"];
        let agent = format!("{points},interval=1");
        let (output, report) = run(&jdk, programs.path(), &[], &agent, &program);
        let expected = Expected::parse(&output);
        let wrong = expected.compare(&Found::of(&report, "ManyContexts"));
        assert!(wrong.is_empty(), "{jdk}:\n{}", wrong.join("\n"));
        let executed = report["contexts"].as_array().expect("contexts").iter();
        let executed = executed.filter(|context| context["kind"] == "route");
        let executed: u64 = executed
            .map(|context| context["executions"]["count"].as_u64().expect("a count"))
            .sum();
        assert_eq!(executed, 50 * 500);
        let losses = report["losses"].to_string();
        assert!(losses.contains("more than 1000 names"), "{losses}");
        assert!(losses.contains("was added to sums"), "{losses}");
        assert!(!losses.contains("no block"), "{losses}");
        let bytes = report["whole"]["cost"]["memory_bytes"].as_u64();
        let bytes = bytes.expect("memory");
        assert!(bytes < MOST_BYTES, "{bytes}");
        figures.push(format!("{} {} MB", jdk.version, bytes >> 20));
    }
    checked(&format!(
        "contexts: 200 routes, 50 threads, folded blocks, exact; memory of the agent: {}",
        figures.join(", ")
    ));
}

#[test]
fn contexts_of_the_api_begin_and_end_in_the_middle_of_methods() {
    let programs = programs();
    let (mut runs, mut turns) = (0, Turns::new());
    let counters = ["counters=site", "counters=path:1000:1"];
    for (turn, jdk) in matrix_jdks().into_iter().enumerate() {
        for &counters in turns.take(&counters, turn) {
            let program = ["Straddle", "50000"];
            let (output, report) = run(&jdk, programs.path(), &[], counters, &program);
            let wrong = Expected::parse(&output).compare(&Found::of(&report, "Straddle"));
            assert!(wrong.is_empty(), "{jdk} {counters}:\n{}", wrong.join("\n"));
            let executed = output
                .lines()
                .last()
                .and_then(|line| line.rsplit('\t').next());
            let mut contexts = report["contexts"].as_array().expect("contexts").iter();
            let checkout = contexts.find(|context| context["name"] == "checkout");
            assert_eq!(
                checkout.expect("checkout")["executions"]["count"].to_string(),
                executed.expect("a line")
            );
            runs += 1;
        }
        let mut bare = jdk.java(programs.path());
        let bare = Finished::well(bare.args(["Straddle", "100"]));
        assert!(bare.errors.is_empty(), "{bare}");
    }
    turns.announce("contexts of the API");
    checked(&format!(
        "contexts of the API, {runs} JVMs, exact in methods that straddle them"
    ));
}

/// Runs a command of ducktrack.
fn ducktrack(words: &[&str]) {
    let mut command = ducktrack_command();
    printed_by(command.args(words));
}

/// A program that switches until it is killed.
fn endless(jdk: &Jdk, programs: &Path, jvm: &[&str], kind: &str) -> Ended {
    let mut java = jdk.java(programs);
    java.arg("-Xmx512m").args(jvm);
    let java = java
        .args(["InContexts", kind, "3", "1000000000", "0"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Ended(java.expect("java"))
}

/// Whether the program is at work by now: a machine may be slow.
fn has_contexts(recording: &Path) -> bool {
    let mut command = ducktrack_command();
    let command = command.arg("report").arg(recording);
    let report = Finished::of(command.args(["--by", "context", "--format", "json"]));
    report.out.contains("InContexts.straight")
}

/// Objects of the method that is a context itself, in it and elsewhere.
fn of_straight(report: &serde_json::Value) -> (i64, i64) {
    let (mut inside, mut elsewhere) = (0, 0);
    for context in report["contexts"].as_array().expect("contexts") {
        let is_own = context["name"] == "InContexts.straight";
        for site in context["sites"].as_array().expect("sites") {
            let is_straight = context["kind"] == "ctx" && site["method"] == "straight";
            let count = site["count"].as_i64().expect("a count");
            match is_own {
                true if is_straight => inside += count,
                false if is_straight => elsewhere += count,
                _ => {}
            }
        }
    }
    (inside, elsewhere)
}

#[test]
fn attached_and_stopped_again_no_object_is_under_a_wrong_name() {
    let programs = programs();
    let (mut runs, mut turns) = (0, Turns::new());
    let jdks = matrix_jdks();
    for (turn, jdk) in (jdks.iter().filter(|jdk| jdk.version >= 17)).enumerate() {
        let kinds: &[&str] = match jdk.version {
            ..21 => &["platform"],
            _ => &["platform", "virtual"],
        };
        for kind in turns.take(kinds, turn) {
            let java = endless(jdk, programs.path(), &[], kind);
            std::thread::sleep(Duration::from_secs(1));
            let folder = tempfile::tempdir().expect("temporary folder");
            for round in ["1", "2", "3"] {
                let recording = folder.path().join(round);
                let (pid, output) = (java.0.id().to_string(), recording.display().to_string());
                let library = agent_library().display().to_string();
                let attach = [
                    "attach",
                    &pid,
                    "--library",
                    &library,
                    "--output",
                    &output,
                    "--summary=off",
                ];
                let points = [
                    "--contexts",
                    "ctx:InContexts.in(1)",
                    "--contexts",
                    "ctx:InContexts.straight",
                ];
                ducktrack(&[&attach[..], &points].concat());
                std::thread::sleep(Duration::from_millis(1500));
                ducktrack(&["stop", &pid]);
                let report = report::by_context(&recording);
                let (inside, elsewhere) = of_straight(&report);
                assert!(
                    inside > 1000 && elsewhere == 0,
                    "{jdk} {kind}: {inside}, {elsewhere}"
                );
                // A sentence more if contexts were entered while the agent came, and one if virtual threads ran before.
                let most = if *kind == "virtual" { 4 } else { 3 };
                let losses = &report["losses"];
                assert!(
                    losses.as_array().map_or(0, Vec::len) <= most,
                    "{kind}: {losses}"
                );
                assert!(!losses.to_string().contains("no block"), "{losses}");
                runs += 1;
            }
        }
    }
    turns.announce("contexts under attach");
    checked(&format!(
        "contexts in {runs} recordings of programs that were attached to again"
    ));
}

#[test]
fn a_killed_program_keeps_its_contexts() {
    let programs = programs();
    let mut runs = 0;
    for jdk in jdks_in_turn("contexts of killed programs", &matrix_jdks(), 0) {
        let folder = tempfile::tempdir().expect("temporary folder");
        let recording = folder.path().join("run");
        let agent = agent_argument(POINTS, &recording);
        let java = endless(&jdk, programs.path(), &[&agent], "platform");
        let deadline = Instant::now() + Duration::from_secs(60);
        let has_many = || of_straight(&report::by_context(&recording)).0 > 1000;
        while !(has_contexts(&recording) && has_many()) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(200));
        }
        std::thread::sleep(Duration::from_secs(1));
        drop(java);
        let report = report::by_context(&recording);
        let (inside, elsewhere) = of_straight(&report);
        assert!(
            inside > 1000 && elsewhere == 0,
            "{jdk}: {inside}, {elsewhere}"
        );
        runs += 1;
    }
    checked(&format!("contexts of {runs} killed programs"));
}

/// Nanoseconds of a switch that the test accepts on any machine; `benches/RESULTS.md` has what it really takes.
const MOST_NANOS: f64 = 100.0;

/// The lines of a program until it waits after its work.
fn lines_until_it_waits(running: &mut Child) -> String {
    let output = BufReader::new(running.stdout.take().expect("piped"));
    let lines = output.lines().map_while(Result::ok);
    let output: Vec<String> = lines.take_while(|line| line != "WAITING").collect();
    output.join("\n")
}

#[test]
fn a_switch_takes_nanoseconds() {
    let programs = programs();
    let mut figures = Vec::new();
    for jdk in jdks_in_turn("the cost of a switch", &matrix_jdks(), 3) {
        let agent = "stacks=off,contexts=SwitchCost.empty,contexts=SwitchCost.objectsInside";
        let (output, _) = run(&jdk, programs.path(), &[], agent, &["SwitchCost"]);
        let cost = output.strip_prefix("COST ").expect("a line");
        let cost: Vec<f64> = (cost.split_whitespace())
            .map(|figure| figure.parse().expect("a number"))
            .collect();
        assert!(cost[0] < MOST_NANOS, "{jdk}: {output}");
        figures.push(format!("{} {:.1} ns, {:.3}", jdk.version, cost[0], cost[1]));
    }
    checked(&format!(
        "contexts: a switch, and objects inside over outside: {}",
        figures.join("; ")
    ));
}
