//! `ducktrack export`: each file is opened in the tool that it is for, without a screen, and that tool's sums are the report's.
//!
//! | file | tool | source of the sum |
//! |---|---|---|
//! | pprof | Go's own `go tool pprof` | the values of all samples, `-raw` |
//! | speedscope | speedscope in a browser | what it saves again after it has read the file |
//! | firefox | the Firefox Profiler's own command | the weights of each thread |
//! | collapsed | `flamegraph.pl` | the frame of everything in its picture |
//!
//! `scripts/install-viewers` brings them. A missing viewer is skipped by name.

use std::path::{Path, PathBuf};
use std::process::Command;

use ducktrack_reports::Document;
use ducktrack_tests::browser::{Browser, output_of};
use ducktrack_tests::{
    TracedRun, checked, compiled, count_report, ducktrack_command, printed_by, skipped, traced_jdks,
};
use serde_json::Value;

const OBJECTS: i64 = 2_000_000;
/// The text that is written into the page of speedscope.
const RESAVE: &str = include_str!("exported_files/resave.js");
const MEASURES: [&str; 6] = [
    "allocated objects",
    "allocated bytes",
    "live objects",
    "live bytes",
    "live blocks outside of the heap",
    "live bytes outside of the heap",
];

/// How a tool is asked for its sums, in the order of `MEASURES`; `None`: it is not here.
type Sums = fn(&Exports) -> Option<Vec<i64>>;

/// A run, and its exports.
struct Exports {
    folder: tempfile::TempDir,
    report: Document,
}

impl Exports {
    fn of(run: &TracedRun) -> Self {
        let folder = tempfile::tempdir().expect("temporary folder");
        let trace = run.trace().display().to_string();
        for (to, name) in [
            ("pprof", "run.pb.gz"),
            ("speedscope", "run.speedscope.json"),
            ("firefox", "run.json"),
            ("collapsed", "run.txt"),
        ] {
            let file = folder.path().join(name).display().to_string();
            printed_by(ducktrack_command().args(["export", &trace, "--to", to, "-o", &file]));
        }
        let report = count_report(&run.trace(), &[]);
        Self { folder, report }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Objects and bytes are the report's, and so is what lies outside of the heap; what is alive is less, and the same in all tools.
    fn check(&self, tool: &str, sums: &[i64], live: &mut Option<[i64; 2]>) {
        let totals = &self.report.totals;
        assert_eq!(sums[..2], [totals.count, totals.bytes], "{tool}");
        let alive = [sums[2], sums[3]];
        assert!(
            alive[0] > 0 && alive[0] < sums[0] && alive[1] < sums[1],
            "{tool}: {sums:?}"
        );
        assert_eq!(*live.get_or_insert(alive), alive, "{tool}");
        let off_heap = self.report.off_heap.iter().map(|row| &row.live);
        let not_released = off_heap.fold([0, 0], |[blocks, bytes], live| {
            [blocks + live.count, bytes + live.bytes]
        });
        assert!(not_released[0] > 0, "the stacks of threads at least");
        assert_eq!(sums[4..], not_released, "{tool}");
    }
}

/// A tool that `scripts/install-viewers` has brought.
fn viewer(path: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cache/viewers");
    let tool = root.join(path);
    let is_there = tool.exists();
    if !is_there {
        skipped(&format!(
            "exports: {path} is not in .cache/viewers (scripts/install-viewers), its files are not opened"
        ));
    }
    is_there.then_some(tool)
}

fn has(command: &str) -> bool {
    let found = Command::new(command).arg("--version").output().is_ok();
    if !found {
        skipped(&format!("exports: {command} is not installed"));
    }
    found
}

#[test]
fn each_export_opens_in_its_tool_with_the_reports_sums() {
    let classes = compiled(&["CallStacks"], 17);
    let jdks = traced_jdks();
    let run = TracedRun::new(&jdks[0], "exports");
    let mut java = run.command("stacks=64k", &[classes.path()]);
    java.args([
        "-Xmx128m",
        "-Xmn16m",
        "CallStacks",
        "shares",
        &OBJECTS.to_string(),
    ]);
    run.finish(&mut java);
    let exports = Exports::of(&run);
    let mut live = None;
    let mut opened = Vec::new();
    let tools: [(&str, Sums); 3] = [
        ("pprof", sums_of_pprof),
        ("speedscope", sums_of_speedscope),
        ("firefox", sums_of_firefox),
    ];
    for (name, sums) in tools {
        if let Some(sums) = sums(&exports) {
            exports.check(name, &sums, &mut live);
            opened.push(name);
        }
    }
    if let Some(bytes) = sum_of_flamegraph(&exports) {
        assert_eq!(bytes, exports.report.totals.bytes, "flamegraph.pl");
        opened.push("flamegraph.pl");
    }
    checked(&format!(
        "exports opened in {}: sums are the report's",
        opened.join(", ")
    ));
}

fn sums_of_pprof(exports: &Exports) -> Option<Vec<i64>> {
    if Command::new("go").arg("version").output().is_err() {
        skipped("exports: Go is not installed, pprof files are not opened");
        return None;
    }
    let raw = printed_by(
        Command::new("go")
            .args(["tool", "pprof", "-raw"])
            .arg(exports.file("run.pb.gz")),
    );
    let (_, samples) = raw.split_once("Samples:\n").expect("samples");
    let (samples, _) = samples.split_once("Locations").expect("locations");
    let mut sums = vec![0; MEASURES.len()];
    for (values, _) in samples.lines().filter_map(|line| line.split_once(": ")) {
        let values = values.split_whitespace().map(str::parse::<i64>);
        // The line before the samples has names.
        for (sum, value) in sums.iter_mut().zip(values.map_while(Result::ok)) {
            *sum += value;
        }
    }
    // A person's view of it opens as well.
    let top = printed_by(
        Command::new("go")
            .args(["tool", "pprof", "-top", "-sample_index=alloc_space"])
            .arg(exports.file("run.pb.gz")),
    );
    assert!(top.contains("CallStacks.make"), "{top}");
    Some(sums)
}

/// speedscope reads the file in its own page, and saves what it has read.
fn sums_of_speedscope(exports: &Exports) -> Option<Vec<i64>> {
    let release = viewer("node_modules/speedscope/dist/release")?;
    let browser = Browser::find()?;
    let text = std::fs::read_to_string(exports.file("run.speedscope.json")).expect("the export");
    let literal = serde_json::to_string(&text).expect("a literal");
    let script = exports.file("resave.js");
    std::fs::write(&script, RESAVE.replace("'TEXT'", &literal)).expect("a script");
    let hash = format!("localProfilePath={}&view=sandwich", script.display());
    let dom = browser.dom(&release.join("index.html"), &hash);
    let saved: Value = serde_json::from_str(output_of(&dom, "saved")).expect("JSON");
    let sums: Vec<(String, i64)> = saved
        .as_array()
        .expect("profiles")
        .iter()
        .map(|profile| {
            let name = profile["name"].as_str().expect("a name").to_owned();
            (name, profile["sum"].as_i64().expect("a sum"))
        })
        .collect();
    let of = |measure: &str| {
        let found = sums.iter().find(|(name, _)| name == measure);
        found.unwrap_or_else(|| panic!("no {measure}: {sums:?}")).1
    };
    Some(MEASURES.map(of).to_vec())
}

/// The Firefox Profiler's command keeps a process for a session, which is ended.
fn sums_of_firefox(exports: &Exports) -> Option<Vec<i64>> {
    let tool = viewer("node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js")?;
    if !has("node") {
        return None;
    }
    let sessions = exports.file("sessions");
    let cli = |words: &[&str]| {
        let mut command = Command::new("node");
        command
            .arg(&tool)
            .args(words)
            .env("PROFILER_CLI_SESSION_DIR", &sessions);
        printed_by(&mut command)
    };
    cli(&["load", &exports.file("run.json").display().to_string()]);
    let info: Value =
        serde_json::from_str(&cli(&["profile", "info", "--all", "--json"])).expect("JSON");
    let mut sums = vec![0; MEASURES.len()];
    for process in info["processes"].as_array().expect("processes") {
        let name = process["name"].as_str().expect("a name");
        let measure = MEASURES.iter().position(|measure| name.ends_with(measure));
        let measure = measure.unwrap_or_else(|| panic!("{name}"));
        for thread in process["threads"].as_array().expect("threads") {
            let handle = thread["threadHandle"].as_str().expect("a handle");
            let words = [
                "thread",
                "samples",
                "--json",
                "--include-idle",
                "--thread",
                handle,
            ];
            let samples: Value = serde_json::from_str(&cli(&words)).expect("JSON");
            let whole = &samples["categoryBreakdown"]["totalSamples"];
            sums[measure] += whole.as_i64().unwrap_or_else(|| panic!("{samples}"));
        }
    }
    cli(&["stop", "--all"]);
    Some(sums)
}

fn sum_of_flamegraph(exports: &Exports) -> Option<i64> {
    let tool = viewer("flamegraph.pl")?;
    if !has("perl") {
        return None;
    }
    let picture = printed_by(Command::new("perl").arg(tool).arg(exports.file("run.txt")));
    let (_, rest) = picture
        .split_once("<title>all (")
        .expect("the frame of everything");
    let (number, _) = rest.split_once(' ').expect("a number");
    Some(number.replace(',', "").parse().expect("a number"))
}
