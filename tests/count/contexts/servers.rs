//! Servers without servlets, each with a load of known requests (`java-harness/servers`): objects and executions of each
//! route, and answers as without the agent. Spans of OpenTelemetry: their objects, and the trace of the largest execution.

use std::path::PathBuf;

use ducktrack_tests::{
    Jdk, Turns, agent_argument, checked, harness_folder, matrix_jdks, printed_by, skipped,
};

use super::report::{self, Expected, Found};

/// The servers, each with its load.
const SERVERS: [&str; 7] = [
    "JdkServer",
    "JerseyServer",
    "FluxServer",
    "VertxServer",
    "GrpcServer",
    "UndertowServer",
    "JavalinServer",
];
const REQUESTS: &str = "200";
/// The class whose objects are known.
const WORK: &str = "ducktrack.servers.Work";

/// Runs a server's load: what it prints.
fn run(jdk: &Jdk, libraries: &str, (server, load): (&str, &str), agent: Option<String>) -> String {
    let mut java = jdk.tool("java");
    java.args(["-Xmx512m", "-cp", libraries]).args(agent);
    printed_by(java.args([&format!("ducktrack.servers.{server}"), load]))
}

/// The class path; `None` where the harness is not built.
fn libraries() -> Option<String> {
    let folder: PathBuf = harness_folder().join("lib/servers");
    folder
        .join("driver.jar")
        .exists()
        .then(|| format!("{}/*", folder.display()))
}

/// Those that the libraries run on.
fn jdks() -> Vec<Jdk> {
    let mut jdks = matrix_jdks();
    jdks.retain(|jdk| jdk.version >= 17);
    jdks
}

#[test]
fn requests_to_servers_of_known_libraries_are_exact() {
    let Some(libraries) = libraries() else {
        skipped("contexts of servers: java-harness/target/lib/servers is not built");
        return;
    };
    let (mut runs, mut pairs, mut turns) = (0, 0, Turns::new());
    let jdks = jdks();
    for (turn, server) in SERVERS.into_iter().enumerate() {
        for jdk in turns.take(&jdks, turn) {
            let folder = tempfile::tempdir().expect("temporary folder");
            let recording = folder.path().join("run");
            let agent = agent_argument("contexts=http", &recording);
            let bare = run(jdk, &libraries, (server, REQUESTS), None);
            let output = run(jdk, &libraries, (server, REQUESTS), Some(agent));
            assert_eq!(output, bare, "{jdk} {server}");
            let report = report::by_context(&recording);
            let expected = Expected::parse(&output);
            let mut wrong = expected.compare(&Found::of(&report, WORK));
            wrong.extend(report::wrong_executions(&output, &report));
            assert!(wrong.is_empty(), "{jdk} {server}:\n{}", wrong.join("\n"));
            pairs += expected.pairs();
            runs += 1;
        }
    }
    turns.announce("contexts of servers");
    checked(&format!(
        "contexts of {} servers, {runs} runs, {pairs} pairs of context and site exact, answers as without",
        SERVERS.len()
    ));
}

#[test]
fn spans_of_opentelemetry_are_contexts_and_name_the_trace_of_the_largest() {
    let Some(libraries) = libraries() else {
        skipped("contexts of spans: java-harness/target/lib/servers is not built");
        return;
    };
    let (mut runs, mut turns) = (0, Turns::new());
    let counters = ["counters=site", "counters=path:1000:1"];
    for (turn, jdk) in jdks().iter().enumerate() {
        for &counters in turns.take(&counters, turn) {
            let folder = tempfile::tempdir().expect("temporary folder");
            let recording = folder.path().join("run");
            let agent = agent_argument(&format!("contexts=otel,{counters}"), &recording);
            let output = run(jdk, &libraries, ("OtelSpans", "3000"), Some(agent));
            let report = report::by_context(&recording);
            let found = Found::of(&report, "ducktrack.servers.OtelSpans");
            let mut wrong = Expected::parse(&output).compare(&found);
            wrong.extend(report::wrong_executions(&output, &report));
            assert!(wrong.is_empty(), "{jdk} {counters}:\n{}", wrong.join("\n"));
            let trace = output
                .lines()
                .find_map(|line| line.strip_prefix("TRACE\tcheckout\t"));
            let mut contexts = report["contexts"].as_array().expect("contexts").iter();
            let checkout = contexts.find(|context| context["name"] == "checkout");
            let largest = &checkout.expect("checkout")["executions"]["largest_trace"];
            assert_eq!(largest.as_str(), trace);
            runs += 1;
        }
    }
    turns.announce("contexts of spans");
    checked(&format!(
        "contexts of OpenTelemetry's spans, {runs} JVMs, exact, with the trace of the largest execution"
    ));
}
