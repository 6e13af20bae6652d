//! One recording has one verdict: `leaks`, the table of leaks of a fleet, its question
//! `growing` and the figures for Prometheus agree, with a heap dump and without.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use ducktrack_test_support::{Ended, files_below, python_with};
use ducktrack_tests::{
    TracedRun, checked, compiled, ducktrack_command, printed_by, trace_command, traced_jdks,
};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;
use serde_json::Value;

/// The shape, the words that `leaks` may say, and the field of the first candidate.
const SHAPES: [(&str, &[&str], Option<&str>); 9] = [
    ("nothing", &["no leak"], None),
    ("slow", &["rises"], Some("VerdictShapes.SMALL")),
    ("leak", &["leaks"], Some("VerdictShapes.LARGE")),
    ("late", &["leaks"], Some("VerdictShapes.LARGE")),
    ("last", &["leaks", "not known"], None),
    ("unlooked", &["leaks", "not known"], None),
    ("dropped", &["not known"], None),
    ("weak", &["no leak", "not known"], None),
    ("keys", &["no leak", "not known"], None),
];
/// The keys of their weak tables are not in the trace.
const WEAK: [&str; 2] = ["weak", "keys"];

#[test]
fn leaks_the_fleet_and_prometheus_agree() {
    let classes = compiled(&["VerdictShapes"], 17);
    let jdk = traced_jdks().remove(0);
    for (shape, words, field) in SHAPES {
        let run = TracedRun::new(&jdk, shape);
        let mut command = run.command("dump=on", &[classes.path()]);
        command.args([
            "-Xmx128m",
            "-Xmn8m",
            "-XX:+UseSerialGC",
            "VerdictShapes",
            shape,
        ]);
        run.finish(&mut command);
        let leaks = agree(&run.trace(), shape);
        let word = leaks["verdict"].as_str().expect("a word");
        assert!(words.contains(&word), "{shape}: {}", leaks["sentence"]);
        let first = &leaks["candidates"][0]["structure"]["field"];
        if let Some(field) = field {
            assert_eq!(first.as_str(), Some(field), "{shape}: {leaks}");
        }
        if shape == "late" {
            is_of_what_came_since(&leaks);
        }
        fs::remove_file(run.trace().join("heap.hprof")).expect("a dump");
        let alone = agree(&run.trace(), shape);
        assert!(alone["dump"].is_null());
        let said = &alone["verdict"];
        let is_weak = WEAK.contains(&shape);
        assert!(
            if is_weak {
                said == "not known"
            } else {
                word == said
            },
            "{shape}: {}",
            alone["sentence"]
        );
        checked(&format!(
            "{}: {shape}: {word} with a dump, {} without",
            run.name(),
            alone["verdict"]
        ));
    }
}

/// The rate of a line that began in the middle is that since then: 64 kB of each megabyte.
fn is_of_what_came_since(leaks: &Value) {
    let first = &leaks["candidates"][0];
    let rate = first["bytesPerMb"]["value"].as_f64().expect("a rate");
    assert!((48_000.0..80_000.0).contains(&rate), "{first}");
}

/// The answer of `leaks`, with which the others agree.
fn agree(trace: &Path, shape: &str) -> Value {
    let leaks = trace_command("leaks", trace, &[]);
    let alarms = leaks["alarms"].as_u64().expect("a number");
    assert_eq!(alarms > 0, leaks["verdict"] == "leaks", "{shape}");
    let rows = rows_of_leaks(trace);
    assert_eq!(rows > 0, alarms > 0, "{shape}: rows of the table of leaks");
    let figures = figures(trace);
    assert_eq!(
        figure(&figures, "ducktrack_leaking_sites"),
        alarms as f64,
        "{shape}"
    );
    let rate = leaks["bytesPerSecond"].as_f64().expect("a rate");
    let of_figures = figure(&figures, "ducktrack_leak_bytes_per_second");
    assert!(
        (rate - of_figures).abs() <= 0.001 * rate.max(1.0),
        "{shape}: {rate}, {of_figures}"
    );
    leaks
}

/// Rows with the verdict `leaks` in the table of leaks that an export writes.
fn rows_of_leaks(trace: &Path) -> usize {
    let root = tempfile::tempdir().expect("temporary folder");
    printed_by(
        ducktrack_command()
            .arg("export")
            .arg(trace)
            .args(["--to=parquet", "--service=s", "--version=1", "-o"])
            .arg(root.path()),
    );
    let rows = rows_of_files(root.path());
    if let Some(growing) = growing(root.path()) {
        assert_eq!(growing > 0, rows > 0, "{trace:?}: fleet growing");
    }
    rows
}

/// Rows of the answer to `fleet growing`; `None`: no engine is installed.
fn growing(root: &Path) -> Option<usize> {
    let python = python_with("duckdb")?;
    let output = printed_by(
        ducktrack_command()
            .env("DUCKTRACK_PYTHON", python)
            .arg("fleet")
            .arg(root)
            .args(["growing", "--format", "csv"]),
    );
    let rows = output.lines().count();
    Some(rows.saturating_sub(1))
}

fn rows_of_files(root: &Path) -> usize {
    let is_of_leaks = |path: &PathBuf| path.components().any(|part| part.as_os_str() == "leaks");
    let files = files_below(root).into_keys();
    let files: Vec<PathBuf> = files.filter(is_of_leaks).collect();
    assert!(
        !files.is_empty(),
        "an export of a trace has a table of leaks"
    );
    let leaking = |path: PathBuf| {
        let file = File::open(root.join(path)).expect("a table");
        let reader = SerializedFileReader::new(file).expect("Parquet");
        let columns = reader.metadata().file_metadata().schema().get_fields();
        let verdict = columns.iter().position(|column| column.name() == "verdict");
        let verdict = verdict.expect("a column");
        let rows = reader.get_row_iter(None).expect("rows");
        rows.filter(|row| {
            let row = row.as_ref().expect("a row");
            row.get_string(verdict).expect("a word") == "leaks"
        })
        .count()
    };
    files.into_iter().map(leaking).sum()
}

/// The figures that `ducktrack ui --metrics` serves.
fn figures(trace: &Path) -> String {
    let server = ducktrack_command()
        .arg("ui")
        .arg(trace)
        .args(["--metrics", "127.0.0.1:0"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut server = Ended(server.expect("ducktrack"));
    let mut said = BufReader::new(server.0.stderr.take().expect("standard error"));
    let mut line = String::new();
    while !line.contains("/metrics") {
        line.clear();
        assert_ne!(said.read_line(&mut line).expect("a line"), 0, "no address");
    }
    let address = line
        .split("http://")
        .nth(1)
        .and_then(|rest| rest.split('/').next());
    let mut stream = TcpStream::connect(address.expect("an address")).expect("a server");
    stream
        .write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

fn figure(figures: &str, name: &str) -> f64 {
    let mut lines = figures.lines();
    let line = lines.find(|line| line.starts_with(name));
    let value = line.and_then(|line| line.rsplit(' ').next());
    value
        .and_then(|value| value.parse().ok())
        .unwrap_or_else(|| panic!("{name}: {figures}"))
}
