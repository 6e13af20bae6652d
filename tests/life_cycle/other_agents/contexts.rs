//! Requests and statements of the service as contexts: known requests give exact numbers, and responses are those of the bare service.

use std::path::Path;

use ducktrack_tests::{
    Jdk, Turns, agent_argument, checked, ducktrack_command, jdks_in_turn, matrix_jdks,
};
use serde_json::Value;

use crate::neighbour::Neighbour;
use crate::service::Service;
use crate::{OLDEST_JAVA, bare};

/// The first Java with virtual threads.
const FIRST_WITH_VIRTUAL_THREADS: u32 = 21;

/// Kind, name and executions of contexts in one conversation. A search without words
/// does not reach the controller; a book that is there is refused by the database.
const EXECUTIONS: [(&str, &str, u64); 8] = [
    ("http", "DELETE /books", 12),
    ("http", "POST /books", 84),
    ("http", "GET /books", 12),
    ("http", "GET /search", 12),
    ("http", "GET /years", 12),
    ("http", "GET /greeting", 12),
    ("http", "GET /lines", 12),
    ("sql", "insert into book values (?)", 84),
];

/// Those that the service runs on.
fn jdks() -> Vec<Jdk> {
    let mut jdks = matrix_jdks();
    jdks.retain(|jdk| jdk.version >= OLDEST_JAVA);
    jdks
}

#[test]
fn routes_and_statements_are_contexts() {
    let (mut runs, mut turns) = (0, Turns::new());
    for (turn, jdk) in jdks().iter().enumerate() {
        let bare = bare(jdk);
        let kinds_of_thread: &[bool] = match jdk.version {
            ..FIRST_WITH_VIRTUAL_THREADS => &[false],
            _ => &[false, true],
        };
        for &has_virtual_threads in turns.take(kinds_of_thread, turn) {
            let folder = tempfile::tempdir().expect("temporary folder");
            let recording = folder.path().join("run");
            let options = [
                agent_argument("contexts=http,contexts=sql", &recording),
                format!("-Dspring.threads.virtual.enabled={has_virtual_threads}"),
            ];
            let with_contexts = Service::start(jdk, &options, false).converse();
            let name = format!("{jdk}, virtual threads: {has_virtual_threads}");
            with_contexts.compare(&bare, &name);
            let report = by_context(&recording);
            for (kind, context, executions) in EXECUTIONS {
                let found = executions_of(&report, kind, context);
                assert_eq!(found, Some(executions), "{name}: {kind} {context}");
            }
            runs += 1;
        }
    }
    turns.announce("requests and statements of a Spring service as contexts");
    checked(&format!(
        "requests and statements of a Spring service as contexts, {runs} JVMs"
    ));
}

/// The harness's version of OpenTelemetry's agent makes no spans on later ones.
const NEWEST_WITH_SPANS: u32 = 24;
/// Spans of OpenTelemetry's agent in one conversation, by the names that they have when they become current.
const SPANS: [(&str, u64); 6] = [
    ("POST", 84),
    ("GET", 84),
    ("DELETE", 12),
    ("INSERT books.book", 84),
    ("SELECT books.author", 288),
    ("DELETE books.book", 12),
];

#[test]
fn contexts_are_exact_beside_opentelemetry() {
    let mut runs = 0;
    for jdk in &jdks_in_turn("contexts beside OpenTelemetry", &jdks(), 1) {
        let folder = tempfile::tempdir().expect("temporary folder");
        let place = folder.path();
        let Some(neighbour) = Neighbour::OpenTelemetry.vm_options(jdk, place) else {
            return;
        };
        let without_us = Service::start(jdk, &neighbour, false).converse();
        let recording = place.join("run");
        let ours = agent_argument("contexts=http,contexts=sql,contexts=otel", &recording);
        let options: Vec<String> = neighbour.into_iter().chain([ours]).collect();
        let with_contexts = Service::start(jdk, &options, false).converse();
        let name = format!("{jdk} beside OpenTelemetry");
        with_contexts.compare(&without_us, &name);
        let report = by_context(&recording);
        for (kind, context, executions) in EXECUTIONS {
            let found = executions_of(&report, kind, context);
            assert_eq!(found, Some(executions), "{name}: {kind} {context}");
        }
        let spans = SPANS
            .into_iter()
            .filter(|_| jdk.version <= NEWEST_WITH_SPANS);
        for (span, executions) in spans {
            let found = executions_of(&report, "otel", span);
            assert_eq!(
                found,
                Some(executions),
                "{name}: {span}\n{}",
                names(&report)
            );
        }
        runs += 1;
    }
    checked(&format!(
        "contexts of a Spring service beside OpenTelemetry's agent, {runs} JVMs, exact, responses as without"
    ));
}

/// The contexts of a report, one a line.
fn names(report: &Value) -> String {
    let contexts = report["contexts"].as_array().expect("contexts").iter();
    let line = |context: &Value| {
        let executions = &context["executions"]["count"];
        format!("{} {} {executions}", context["kind"], context["name"])
    };
    contexts.map(line).collect::<Vec<_>>().join("\n")
}

fn executions_of(report: &Value, kind: &str, name: &str) -> Option<u64> {
    let contexts = report["contexts"].as_array()?;
    let is_it = |context: &&Value| context["kind"] == kind && context["name"] == name;
    contexts.iter().find(is_it)?["executions"]["count"].as_u64()
}

fn by_context(recording: &Path) -> Value {
    let mut command = ducktrack_command();
    command.arg("report").arg(recording);
    let ended = command
        .args(["--by", "context", "--format", "json"])
        .output()
        .expect("ducktrack");
    serde_json::from_slice(&ended.stdout).expect("JSON")
}
