//! The command as a person or a script uses it: on traces written by the trace writer, with real processes.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use ducktrack_test_support::{Finished, Place, printed_by, sample_run};
use ducktrack_trace_format::COUNTER_FILE_NAME;
use ducktrack_trace_writer::TraceDirectory;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ducktrack");

/// An executable file.
fn script(place: &Place, name: &str, text: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = place.path(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    path.display().to_string()
}

/// Something that is found as the library; these tests load it into no JVM.
fn library(place: &Place) -> String {
    let path = place.path("libducktrack.so");
    fs::write(&path, b"").expect("a file");
    path.canonicalize().expect("a path").display().to_string()
}

fn place() -> Place {
    Place::new(PROGRAM)
}

fn golden(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../reports/tests/golden");
    fs::read_to_string(folder.join(name)).expect("a golden file")
}

#[test]
fn reports_of_a_written_trace_are_those_of_the_model() {
    let place = place();
    place.trace("ducktrack-4711", sample_run::records());
    for (format, file) in [
        ("text", "report.txt"),
        ("json", "report.json"),
        ("csv", "report.csv"),
        ("collapsed", "report.collapsed"),
    ] {
        let output = place.run(&format!("report ducktrack-4711 --format {format}"));
        assert!(output.status.success(), "{}", output.errors);
        assert_eq!(output.out, golden(file), "{format}");
        assert_eq!(output.errors, "", "no progress bar where nobody watches");
    }
    let first = place.run("report ducktrack-4711");
    assert_eq!(first.out, golden("screen.txt"));
    let nothing = place.run("report ducktrack-4711 --only org.nowhere");
    assert_eq!(
        nothing.errors,
        "ducktrack: nothing of this run fits package org.nowhere; without it there are 8 sites\n"
    );
    let verbose = place.run("report ducktrack-4711 --verbose").out;
    assert!(verbose.contains("COUNTER INCREMENTS") && verbose.contains("THE AGENT ITSELF"));
    let filtered = place.run("report ducktrack-4711 --full --only com.acme --sort count --top 3");
    assert_eq!(filtered.out, golden("only-com.acme.txt"));
}

#[test]
fn shells_and_man_know_every_command() {
    let place = place();
    for shell in ["bash", "zsh", "fish"] {
        let script = place.run(&format!("completions {shell}")).out;
        assert!(
            script.contains("ducktrack") && script.contains("lifetimes"),
            "{shell}"
        );
    }
    assert_eq!(place.run("completions abc").status.code(), Some(2));
    let made = place.run("man pages/man1");
    assert!(made.status.success(), "{}", made.errors);
    for page in ["ducktrack.1", "ducktrack-report.1", "ducktrack-diff.1"] {
        let page = fs::read_to_string(place.path("pages/man1").join(page)).expect("a page");
        assert!(page.contains(".TH ducktrack"), "{page}");
    }
}

#[test]
fn a_report_goes_to_a_file() {
    let place = place();
    place.trace("t", sample_run::records());
    let output = place.run("report t --format html -o report.html");
    assert!(output.status.success() && output.out.is_empty());
    let page = fs::read_to_string(place.path("report.html")).expect("the page");
    assert!(page.starts_with("<!doctype html>") && page.contains("com.acme.Main --orders"));
    let output = place.run("report t -o no/such/folder/x");
    output.must_refuse(&["cannot write no/such/folder/x"]);
}

/// The signal of the limit (`ulimit -f`) neither ends the command without a word nor leaves a part of the report.
#[test]
fn a_file_that_may_not_grow_is_one_line_and_leaves_no_file() {
    let place = place();
    place.trace("run", sample_run::records());
    let file = place.path("report.html");
    let limited = "ulimit -c 0; ulimit -f 0; exec \"$0\" \"$@\"";
    let mut bash = Command::new("bash");
    bash.args(["-c", limited, PROGRAM])
        .current_dir(place.folder());
    bash.args(["report", "run", "--format", "html", "-o", "report.html"]);
    let parts = [
        "cannot write",
        "report.html",
        "is 0 bytes here",
        "ulimit -f",
    ];
    Finished::of(&mut bash).must_refuse(&parts);
    assert!(!file.exists());
    // A program that is run has the signal as it was.
    let mut bash = Command::new("bash");
    bash.args(["-c", limited, PROGRAM, "run", "--library"]);
    bash.arg(library(&place)).current_dir(place.folder());
    let output = Finished::of(bash.args(["--", "sh", "-c", "echo 1 >part"]));
    assert_eq!(output.status.code(), Some(128 + 25), "{output:?}");
}

#[test]
fn bad_input_is_one_line_that_says_what_to_do() {
    let place = place();
    fs::create_dir(place.path("empty")).expect("a folder");
    fs::write(place.path("noise.trace"), b"this is no trace at all").expect("a file");
    place.refused(
        "report missing",
        &["missing", "No such file", "give the directory"],
    );
    place.refused("report empty", &["empty", "ducktrack.trace"]);
    place.refused("info noise.trace", &["noise.trace"]);
    for command in [
        "diff a b --format csv",
        "impact --format html -- java -version",
    ] {
        place.refused(command, &["--format", "text, json"]);
    }
    place.refused("info noise.trace --method run", &["noise.trace"]);
    place.refused(
        "info missing.class --method run",
        &["cannot read missing.class"],
    );
}

#[test]
fn a_cut_trace_is_reported_with_its_damage() {
    let place = place();
    let trace = place.trace("t", sample_run::records());
    let file = trace.join("ducktrack.trace");
    let bytes = fs::read(&file).expect("the trace");
    fs::write(&file, &bytes[..bytes.len() - 3]).expect("cut it");
    let report = place.run("report t").out;
    assert!(
        report.contains("DAMAGE AND LOSSES") && report.contains("cut at byte"),
        "{report}"
    );
    assert!(
        report.contains("1,088,477 objects"),
        "the last whole snapshot counts"
    );
    let info = place.run("info t").out;
    assert!(
        info.contains("no end") && info.contains("cut at byte"),
        "{info}"
    );
    let diff = place.run("diff t t").out;
    assert!(diff.contains("the first run is damaged"), "{diff}");
}

/// While an agent arrives there can be a trace with only its header, beside a file of counters without its first word.
#[test]
fn a_recording_that_has_only_begun_is_no_empty_report() {
    let place = place();
    let _begun = TraceDirectory::create(&place.path("t")).expect("a directory");
    let begun = [
        "t: nothing is recorded here but its beginning",
        "ducktrack info PID --state",
    ];
    place.refused("report t", &begun);
    let counters = place.path("t").join(COUNTER_FILE_NAME);
    fs::write(counters, [0; 4096]).expect("a file of zeros");
    place.refused("report t", &begun);
}

#[test]
fn info_counts_what_is_there() {
    let place = place();
    place.trace("t", sample_run::records());
    let info = place.run("info t").out;
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
    let place = place();
    place.trace("a", sample_run::records());
    place.trace("b", sample_run::records_with(2));
    let code = |gates: &[&str]| {
        let gates = gates.iter().map(|gate| format!(" --fail-on {gate}"));
        place
            .run(&format!("diff a b{}", gates.collect::<String>()))
            .status
            .code()
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
    place.refused(
        "diff a b --fail-on size>1",
        &["--fail-on 'size>1'", "count, bytes or native"],
    );
    place.refused("diff a nothing", &["nothing"]);
}

#[test]
fn a_json_report_is_a_baseline() {
    let place = place();
    place.trace("a", sample_run::records());
    place.trace("b", sample_run::records_with(2));
    place.run("report a --format json -o base.json");
    let output = place.run("diff base.json b --format json --fail-on bytes>+0");
    assert_eq!(output.status.code(), Some(1));
    let diff: serde_json::Value = serde_json::from_str(&output.out).expect("JSON");
    assert_eq!(diff["passed"], false);
    assert_eq!(diff["changed_sites"], 1);
    assert_eq!(diff["sites"][0]["change"]["count"], 800_000);
    assert_eq!(diff["sites"][0]["type"], "java.lang.Long");
    fs::write(place.path("broken.json"), "{\"format\":").expect("a file");
    place.refused(
        "diff broken.json b",
        &["broken.json", "not a JSON report", "line 1"],
    );
}

#[test]
fn nobody_reading_on_is_no_error() {
    let place = place();
    place.trace("t", sample_run::records());
    let mut child = place
        .command("report t --format html")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("its end");
    assert!(output.status.success());
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[test]
fn run_passes_the_flag_after_java_and_the_exit_code_back() {
    let place = place();
    let library = library(&place);
    let java = script(&place, "java", "printf '%s\\n' \"$@\"\nexit 42");
    let words = "--interval 5 --record materialized --options log=debug";
    let mut run = place.command(&format!("run --library {library} {words} -- {java}"));
    let output = Finished::of(run.args(["-jar", "app with space.jar"]));
    assert_eq!(output.status.code(), Some(42));
    let flag = format!("-agentpath:{library}=log=debug,record=materialized,interval=5");
    assert_eq!(output.out, format!("{flag}\n-jar\napp with space.jar\n"));
    assert!(
        output.errors.contains("no trace at ducktrack-%p"),
        "{}",
        output.errors
    );
}

#[test]
fn run_uses_the_environment_for_other_commands() {
    let place = place();
    let library = library(&place);
    let build = script(&place, "build.sh", "echo \"$JAVA_TOOL_OPTIONS\"");
    let mut run = place.command(&format!("run --output out-%p -- {build}"));
    run.env("DUCKTRACK_LIBRARY", &library);
    let printed = printed_by(run.env("JAVA_TOOL_OPTIONS", "-Xmx1g"));
    assert_eq!(
        printed,
        format!(
            "-Xmx1g -agentpath:{library}=output=out-%p
"
        )
    );
}

#[test]
fn run_names_the_trace_that_was_written() {
    let place = place();
    let library = library(&place);
    place.trace("sample", sample_run::records());
    let java = script(
        &place,
        "java",
        "cp -r sample ducktrack-$$; touch ducktrack-$$/ducktrack.trace",
    );
    let output = place.run(&format!("run --library {library} -- {java}"));
    let message = output.errors;
    let command = message
        .split_once("read it with: ducktrack ")
        .expect("the next command")
        .1
        .trim();
    let report = place.run(command);
    assert!(report.out.contains("com.acme.Main --orders"), "{message}");
}

#[test]
fn run_hands_signals_on() {
    let place = place();
    let library = library(&place);
    let java = script(
        &place,
        "java",
        "trap 'echo got TERM; exit 7' TERM\necho ready\nwhile :; do sleep 0.05; done",
    );
    let mut child = place
        .command(&format!("run --library {library} -- {java}"))
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
    let place = place();
    let library = library(&place);
    let java = script(&place, "java", "kill -KILL $$");
    let output = place.run(&format!("run --library {library} -- {java}"));
    assert_eq!(output.status.code(), Some(128 + 9));
}

#[test]
fn run_says_what_is_missing() {
    let place = place();
    let library = library(&place);
    place.refused(
        "run --library /no/lib.so -- java",
        &["--library /no/lib.so", "no such library"],
    );
    place.refused(
        &format!("run --library {library} -- /no/such/java"),
        &["cannot start /no/such/java", "installed"],
    );
    place.refused(
        &format!("run --library {library} --output a,b -- java"),
        &["--output", "@FILE"],
    );
}

#[test]
fn every_command_helps_with_examples() {
    let place = place();
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
        let help = place.run(&format!("{command} --help")).out;
        assert!(help.contains("Example"), "{command}: {help}");
        assert!(help.contains("Usage: ducktrack"), "{help}");
    }
    assert_eq!(place.run("report --format pdf x").status.code(), Some(2));
}
