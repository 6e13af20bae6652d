//! Contexts of a program that runs: `top` and Prometheus have the objects that the program has counted itself, and every execution.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;

use ducktrack_test_support::Ended;
use ducktrack_tests::{Turns, agent_argument, checked, ducktrack_command, json_by, matrix_jdks};
use serde_json::Value;

use super::{lines_until_it_waits, programs, report};

/// The answer of `ducktrack ui --metrics`.
fn metrics(recording: &Path) -> String {
    let server = ducktrack_command()
        .arg("ui")
        .arg(recording)
        .args(["--metrics", "127.0.0.1:0"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut server = Ended(server.expect("ducktrack"));
    let mut lines = BufReader::new(server.0.stderr.take().expect("piped")).lines();
    let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
        let (_, rest) = line.split_once("http://")?;
        rest.strip_suffix("/metrics").map(str::to_owned)
    });
    let mut stream = TcpStream::connect(address.expect("an address")).expect("a server");
    stream
        .write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

/// The values of a metric by kind and name of the context.
fn series(metrics: &str, metric: &str) -> BTreeMap<(String, String), i64> {
    let series = metrics.lines().filter_map(|line| {
        let labels = line.strip_prefix(metric)?.strip_prefix("{kind=\"")?;
        let (kind, rest) = labels.split_once("\",context=\"")?;
        let (name, value) = rest.split_once("\"} ")?;
        Some(((kind.to_owned(), name.to_owned()), value.parse().ok()?))
    });
    series.collect()
}

/// The rows of `ducktrack top --by contexts`.
fn top(recording: &Path) -> BTreeMap<String, i64> {
    let mut command = ducktrack_command();
    command.arg("top").arg(recording);
    command.args(["--by", "contexts", "--once", "--top", "1000"]);
    let document = json_by(command.args(["--format", "json"]));
    let rows = document["rows"].as_array().expect("rows").iter();
    let row = |row: &Value| {
        let name = row["name"].as_str().expect("a name").to_owned();
        (name, row["objects"].as_i64().expect("a number"))
    };
    rows.map(row).collect()
}

#[test]
fn a_running_program_shows_its_contexts() {
    let programs = programs();
    let (mut runs, mut turns) = (0, Turns::new());
    for (turn, jdk) in matrix_jdks().into_iter().enumerate() {
        // More routes than blocks: folded ones are shown, too.
        for &routes in turns.take(&["10", "200"], turn) {
            let folder = tempfile::tempdir().expect("temporary folder");
            let recording = folder.path().join("run");
            let mut java = jdk.java(programs.path());
            java.arg(agent_argument(
                "contexts=route:ManyContexts.route(1)",
                &recording,
            ));
            java.args(["ManyContexts", routes, "8", "500", "0", "wait"]);
            let running = java.stdout(Stdio::piped()).spawn().expect("java");
            let mut running = Ended(running);
            let output = lines_until_it_waits(&mut running.0);
            let report = report::by_context(&recording);
            let wrong = report::wrong_executions(&output, &report);
            assert!(wrong.is_empty(), "{jdk}: {}", wrong.join("\n"));
            let metrics = metrics(&recording);
            let objects = series(&metrics, "ducktrack_context_objects_total");
            let executions = series(&metrics, "ducktrack_context_executions_total");
            let top = top(&recording);
            let contexts = report["contexts"].as_array().expect("contexts");
            assert_eq!(contexts.len().to_string(), routes);
            // A hundred series of a kind, the rest in one.
            let is_bounded = contexts.len() > 100;
            assert_eq!(objects.len(), if is_bounded { 101 } else { contexts.len() });
            let sum: i64 = executions.values().sum();
            assert_eq!(sum, 8 * 500, "{metrics}");
            for context in contexts {
                let text = |key: &str| context[key].as_str().expect("a text").to_owned();
                let (kind, name) = (text("kind"), text("name"));
                let count = context["count"].as_i64().expect("a number");
                assert_eq!(top.get(&format!("{kind}: {name}")), Some(&count), "{name}");
                let key = (kind, name);
                if !is_bounded || objects.contains_key(&key) {
                    assert_eq!(objects.get(&key), Some(&count), "{key:?}");
                }
            }
            runs += 1;
        }
    }
    turns.announce("contexts of running programs");
    checked(&format!(
        "contexts of {runs} running programs: top, Prometheus and report agree, every execution is there"
    ));
}
