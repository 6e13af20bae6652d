//! The command as a person or a script uses it: on traces written by the trace writer, with real processes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use ducktrack_test_support::sample_run;
use ducktrack_trace_format::{COUNTER_FILE_NAME, Record};
use ducktrack_trace_writer::{TraceDirectory, WriterOptions};
use tempfile::TempDir;

struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a trace the way the agent does.
    fn trace(&self, name: &str, records: Vec<Record>) -> PathBuf {
        let directory = TraceDirectory::create(&self.path(name)).expect("a directory");
        let mut writer = directory.into_count_writer(WriterOptions::default());
        for record in records {
            match record {
                Record::Snapshot(snapshot) => writer.snapshot(&snapshot).expect("snapshot"),
                Record::End(end) => writer.finish(end).expect("end"),
                other => writer.define(&other).expect("definition"),
            }
        }
        self.path(name)
    }

    fn ducktrack(&self, arguments: &[&str]) -> Output {
        self.command(arguments)
            .output()
            .expect("the command starts")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ducktrack"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_remove("DUCKTRACK_LIBRARY")
            .env_remove("JAVA_TOOL_OPTIONS")
            .stdin(Stdio::null());
        command
    }

    fn script(&self, name: &str, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.path(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
        path
    }

    /// Something that is found as the library; these tests load it into no JVM.
    fn library(&self) -> PathBuf {
        let path = self.path("libducktrack.so");
        fs::write(&path, b"").expect("a file");
        path.canonicalize().expect("a path")
    }
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Bad input: exit code 2, nothing on standard output, one line that has these parts.
#[track_caller]
fn refused(output: &Output, parts: &[&str]) {
    let message = err(output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(output.stdout.is_empty());
    assert_eq!(message.trim_end().lines().count(), 1, "one line: {message}");
    for part in parts {
        assert!(message.contains(part), "{message} lacks {part}");
    }
}

fn golden(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../reports/tests/golden");
    fs::read_to_string(folder.join(name)).expect("a golden file")
}

#[test]
fn reports_of_a_written_trace_are_those_of_the_model() {
    let place = Place::new();
    place.trace("ducktrack-4711", sample_run::records());
    for (format, file) in [
        ("text", "report.txt"),
        ("json", "report.json"),
        ("csv", "report.csv"),
        ("collapsed", "report.collapsed"),
    ] {
        let output = place.ducktrack(&["report", "ducktrack-4711", "--format", format]);
        assert!(output.status.success(), "{}", err(&output));
        assert_eq!(out(&output), golden(file), "{format}");
        assert_eq!(err(&output), "", "no progress bar where nobody watches");
    }
    let first = place.ducktrack(&["report", "ducktrack-4711"]);
    assert_eq!(out(&first), golden("screen.txt"));
    let nothing = place.ducktrack(&["report", "ducktrack-4711", "--only", "org.nowhere"]);
    assert_eq!(
        err(&nothing),
        "ducktrack: nothing of this run fits package org.nowhere; without it there are 8 sites\n"
    );
    let verbose = out(&place.ducktrack(&["report", "ducktrack-4711", "--verbose"]));
    assert!(verbose.contains("COUNTER INCREMENTS") && verbose.contains("THE AGENT ITSELF"));
    let filtered = place.ducktrack(&[
        "report",
        "ducktrack-4711",
        "--full",
        "--only",
        "com.acme",
        "--sort",
        "count",
        "--top",
        "3",
    ]);
    assert_eq!(out(&filtered), golden("only-com.acme.txt"));
}

#[test]
fn shells_and_man_know_every_command() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = out(&place.ducktrack(&["completions", shell]));
        assert!(
            script.contains("ducktrack") && script.contains("lifetimes"),
            "{shell}"
        );
    }
    refused_by_clap(&place.ducktrack(&["completions", "abc"]));
    let made = place.ducktrack(&["man", "pages/man1"]);
    assert!(made.status.success(), "{}", err(&made));
    for page in ["ducktrack.1", "ducktrack-report.1", "ducktrack-diff.1"] {
        let page = fs::read_to_string(place.path("pages/man1").join(page)).expect("a page");
        assert!(page.contains(".TH ducktrack"), "{page}");
    }
}

fn refused_by_clap(output: &std::process::Output) {
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_report_goes_to_a_file() {
    let place = Place::new();
    place.trace("t", sample_run::records());
    let output = place.ducktrack(&["report", "t", "--format", "html", "-o", "report.html"]);
    assert!(output.status.success() && output.stdout.is_empty());
    let page = fs::read_to_string(place.path("report.html")).expect("the page");
    assert!(page.starts_with("<!doctype html>") && page.contains("com.acme.Main --orders"));
    let output = place.ducktrack(&["report", "t", "-o", "no/such/folder/x"]);
    refused(&output, &["cannot write no/such/folder/x"]);
}

/// The signal of the limit (`ulimit -f`) neither ends the command without a word nor leaves a part of the report.
#[test]
fn a_file_that_may_not_grow_is_one_line_and_leaves_no_file() {
    let place = Place::new();
    place.trace("run", sample_run::records());
    let file = place.path("report.html");
    let limited = "ulimit -c 0; ulimit -f 0; exec \"$0\" \"$@\"";
    let output = Command::new("bash")
        .args(["-c", limited, env!("CARGO_BIN_EXE_ducktrack")])
        .args(["report", "run", "--format", "html", "-o", "report.html"])
        .current_dir(place.folder.path())
        .output()
        .expect("the command starts");
    refused(
        &output,
        &[
            "cannot write",
            "report.html",
            "is 0 bytes here",
            "ulimit -f",
        ],
    );
    assert!(!file.exists());
    // A program that is run has the signal as it was.
    let output = Command::new("bash")
        .args([
            "-c",
            limited,
            env!("CARGO_BIN_EXE_ducktrack"),
            "run",
            "--library",
        ])
        .arg(place.library())
        .args(["--", "sh", "-c", "echo 1 >part"])
        .current_dir(place.folder.path())
        .output()
        .expect("the command starts");
    assert_eq!(output.status.code(), Some(128 + 25), "{output:?}");
}

#[test]
fn bad_input_is_one_line_that_says_what_to_do() {
    let place = Place::new();
    fs::create_dir(place.path("empty")).expect("a folder");
    fs::write(place.path("noise.trace"), b"this is no trace at all").expect("a file");
    refused(
        &place.ducktrack(&["report", "missing"]),
        &["missing", "No such file", "give the directory"],
    );
    refused(
        &place.ducktrack(&["report", "empty"]),
        &["empty", "ducktrack.trace"],
    );
    refused(&place.ducktrack(&["info", "noise.trace"]), &["noise.trace"]);
    for command in [
        &["diff", "a", "b", "--format", "csv"][..],
        &["impact", "--format", "html", "--", "java", "-version"],
    ] {
        refused(&place.ducktrack(command), &["--format", "text, json"]);
    }
    refused(
        &place.ducktrack(&["info", "noise.trace", "--method", "run"]),
        &["noise.trace"],
    );
    refused(
        &place.ducktrack(&["info", "missing.class", "--method", "run"]),
        &["cannot read missing.class"],
    );
}

#[test]
fn a_cut_trace_is_reported_with_its_damage() {
    let place = Place::new();
    let trace = place.trace("t", sample_run::records());
    let file = trace.join("ducktrack.trace");
    let bytes = fs::read(&file).expect("the trace");
    fs::write(&file, &bytes[..bytes.len() - 3]).expect("cut it");
    let report = out(&place.ducktrack(&["report", "t"]));
    assert!(
        report.contains("DAMAGE AND LOSSES") && report.contains("cut at byte"),
        "{report}"
    );
    assert!(
        report.contains("1,088,477 objects"),
        "the last whole snapshot counts"
    );
    let info = out(&place.ducktrack(&["info", "t"]));
    assert!(
        info.contains("no end") && info.contains("cut at byte"),
        "{info}"
    );
    let diff = out(&place.ducktrack(&["diff", "t", "t"]));
    assert!(diff.contains("the first run is damaged"), "{diff}");
}

/// While an agent arrives there can be a trace with only its header, beside a file of counters without its first word.
#[test]
fn a_recording_that_has_only_begun_is_no_empty_report() {
    let place = Place::new();
    let _begun = TraceDirectory::create(&place.path("t")).expect("a directory");
    let begun = [
        "t: nothing is recorded here but its beginning",
        "ducktrack info PID --state",
    ];
    refused(&place.ducktrack(&["report", "t"]), &begun);
    let counters = place.path("t").join(COUNTER_FILE_NAME);
    fs::write(counters, [0; 4096]).expect("a file of zeros");
    refused(&place.ducktrack(&["report", "t"]), &begun);
}

#[test]
fn info_counts_what_is_there() {
    let place = Place::new();
    place.trace("t", sample_run::records());
    let info = out(&place.ducktrack(&["info", "t"]));
    for part in [
        "9  site\n",
        "12  counter\n",
        "3 (exit) 12.3 s after the start",
        "whole: nothing is missing",
    ] {
        assert!(info.contains(part), "{info} lacks {part}");
    }
}

#[test]
fn gates_set_the_exit_code() {
    let place = Place::new();
    place.trace("a", sample_run::records());
    place.trace("b", sample_run::records_with(2));
    let code = |gates: &[&str]| {
        let mut arguments = vec!["diff", "a", "b"];
        gates
            .iter()
            .for_each(|gate| arguments.extend(["--fail-on", gate]));
        place.ducktrack(&arguments).status.code()
    };
    assert_eq!(code(&[]), Some(0), "without a gate nothing fails");
    assert_eq!(code(&["count>+5%"]), Some(1));
    assert_eq!(code(&["count>+500%"]), Some(0));
    assert_eq!(code(&["count>+500%", "bytes>+1M"]), Some(1));
    assert_eq!(
        code(&["count[com.acme]>+0"]),
        Some(1),
        "its own sites alone (1,886,037) are more than the whole first run (1,088,477)"
    );
    // Within these bounds it grew by 797,560 to 802,440.
    assert_eq!(
        code(&["count[com.acme]>+800000"]),
        Some(2),
        "without --app, nobody knows the allocations of its calls"
    );
    assert_eq!(code(&["count[com.acne]>+0"]), Some(2), "no such package");
    assert_eq!(
        code(&["count>+5%", "count[com.acme]>+800000"]),
        Some(1),
        "a broken gate comes before one that cannot be judged"
    );
    assert_eq!(code(&["count>+5"]), Some(1));
    refused(
        &place.ducktrack(&["diff", "a", "b", "--fail-on", "size>1"]),
        &["--fail-on 'size>1'", "count, bytes or native"],
    );
    refused(&place.ducktrack(&["diff", "a", "nothing"]), &["nothing"]);
}

#[test]
fn a_json_report_is_a_baseline() {
    let place = Place::new();
    place.trace("a", sample_run::records());
    place.trace("b", sample_run::records_with(2));
    place.ducktrack(&["report", "a", "--format", "json", "-o", "base.json"]);
    let output = place.ducktrack(&[
        "diff",
        "base.json",
        "b",
        "--format",
        "json",
        "--fail-on",
        "bytes>+0",
    ]);
    assert_eq!(output.status.code(), Some(1));
    let diff: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(diff["passed"], false);
    assert_eq!(diff["changed_sites"], 1);
    assert_eq!(diff["sites"][0]["change"]["count"], 800_000);
    assert_eq!(diff["sites"][0]["type"], "java.lang.Long");
    fs::write(place.path("broken.json"), "{\"format\":").expect("a file");
    refused(
        &place.ducktrack(&["diff", "broken.json", "b"]),
        &["broken.json", "not a JSON report", "line 1"],
    );
}

#[test]
fn nobody_reading_on_is_no_error() {
    let place = Place::new();
    place.trace("t", sample_run::records());
    let mut child = place
        .command(&["report", "t", "--format", "html"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("its end");
    assert!(output.status.success());
    assert_eq!(err(&output), "");
}

#[test]
fn run_passes_the_flag_after_java_and_the_exit_code_back() {
    let place = Place::new();
    let library = place.library();
    let library = library.to_str().expect("text");
    let java = place.script("java", "printf '%s\\n' \"$@\"\nexit 42");
    let output = place.ducktrack(&[
        "run",
        "--library",
        library,
        "--interval",
        "5",
        "--record",
        "materialized",
        "--options",
        "log=debug",
        "--",
        java.to_str().expect("text"),
        "-jar",
        "app with space.jar",
    ]);
    assert_eq!(output.status.code(), Some(42));
    let flag = format!("-agentpath:{library}=log=debug,record=materialized,interval=5");
    assert_eq!(out(&output), format!("{flag}\n-jar\napp with space.jar\n"));
    assert!(
        err(&output).contains("no trace at ducktrack-%p"),
        "{}",
        err(&output)
    );
}

#[test]
fn run_uses_the_environment_for_other_commands() {
    let place = Place::new();
    let library = place.library();
    let build = place.script("build.sh", "echo \"$JAVA_TOOL_OPTIONS\"");
    let output = place
        .command(&[
            "run",
            "--output",
            "out-%p",
            "--",
            build.to_str().expect("text"),
        ])
        .env("DUCKTRACK_LIBRARY", &library)
        .env("JAVA_TOOL_OPTIONS", "-Xmx1g")
        .output()
        .expect("the command starts");
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!(
        out(&output),
        format!("-Xmx1g -agentpath:{}=output=out-%p\n", library.display())
    );
}

#[test]
fn run_names_the_trace_that_was_written() {
    let place = Place::new();
    let library = place.library();
    place.trace("sample", sample_run::records());
    let java = place.script(
        "java",
        "cp -r sample ducktrack-$$; touch ducktrack-$$/ducktrack.trace",
    );
    let output = place.ducktrack(&[
        "run",
        "--library",
        library.to_str().expect("text"),
        "--",
        java.to_str().expect("text"),
    ]);
    let message = err(&output);
    let command = message
        .split_once("read it with: ducktrack ")
        .expect("the next command")
        .1
        .trim();
    let report = place.ducktrack(&command.split(' ').collect::<Vec<_>>());
    assert!(out(&report).contains("com.acme.Main --orders"), "{message}");
}

#[test]
fn run_hands_signals_on() {
    let place = Place::new();
    let library = place.library();
    let java = place.script(
        "java",
        "trap 'echo got TERM; exit 7' TERM\necho ready\nwhile :; do sleep 0.05; done",
    );
    let mut child = place
        .command(&[
            "run",
            "--library",
            library.to_str().expect("text"),
            "--",
            java.to_str().expect("text"),
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let mut lines =
        std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().expect("piped")));
    assert_eq!(lines.next().expect("a line").expect("text"), "ready");
    let killed = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .expect("kill");
    assert!(killed.success());
    assert_eq!(lines.next().expect("a line").expect("text"), "got TERM");
    assert_eq!(child.wait().expect("its end").code(), Some(7));
}

#[test]
fn a_child_that_dies_of_a_signal_gives_the_shells_code() {
    let place = Place::new();
    let library = place.library();
    let java = place.script("java", "kill -KILL $$");
    let output = place.ducktrack(&[
        "run",
        "--library",
        library.to_str().expect("text"),
        "--",
        java.to_str().expect("text"),
    ]);
    assert_eq!(output.status.code(), Some(128 + 9));
}

#[test]
fn run_says_what_is_missing() {
    let place = Place::new();
    let library = place.library();
    let library = library.to_str().expect("text");
    refused(
        &place.ducktrack(&["run", "--library", "/no/lib.so", "--", "java"]),
        &["--library /no/lib.so", "no such library"],
    );
    refused(
        &place.ducktrack(&["run", "--library", library, "--", "/no/such/java"]),
        &["cannot start /no/such/java", "installed"],
    );
    refused(
        &place.ducktrack(&["run", "--library", library, "--output", "a,b", "--", "java"]),
        &["--output", "@FILE"],
    );
}

#[test]
fn every_command_helps_with_examples() {
    let place = Place::new();
    let commands = [
        "run",
        "report",
        "diff",
        "info",
        "heap",
        "lifetimes",
        "timeline",
        "cost",
    ];
    for command in commands {
        let help = out(&place.ducktrack(&[command, "--help"]));
        assert!(help.contains("Example"), "{command}: {help}");
        assert!(help.contains("Usage: ducktrack"), "{help}");
    }
    assert_eq!(
        place
            .ducktrack(&["report", "--format", "pdf", "x"])
            .status
            .code(),
        Some(2)
    );
}
