//! Full collections at `moves=finish`: behind the last of several, the rebuilt heap equals the VM's own class histogram, class by class; and the sites are those of a
//! run at `moves=exact`, but for what is counted as ambiguous.
//!
//! The VM writes the histogram inside each full collection (`-Xlog:gc+classhisto`). The program is `tests/java/FullCollections.java`; both runs make the same objects of
//! its classes and keep the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ducktrack_tests::{
    Jdk, agent_library, checked, class_differences, compile_java, exact_histogram_options,
    heap_after_last_full_collection, is_full_run, parse_class_histogram, trace_command,
    traced_jdks,
};
use serde_json::Value;

const ROUNDS: u64 = 6;

/// So many objects of a class may be without a site at one level and not at the other: those whose event knew neither address nor size.
const WITHOUT_SITE: u64 = 10;

/// What one run left.
struct Run {
    folder: tempfile::TempDir,
    name: String,
}

#[test]
fn full_collections_are_reconciled_at_their_end() {
    let programs = tempfile::tempdir().expect("temporary folder");
    assert!(compile_java(&["FullCollections"], 17, programs.path()).expect("compile"));
    let mut runs = 0;
    let jdks = traced_jdks().expect("JDKs");
    for (turn, jdk) in jdks.iter().enumerate() {
        for (number, options) in exact_histogram_options(jdk).enumerate() {
            // Another collector on each JDK; the full run takes all on all.
            if number != turn && !is_full_run() {
                continue;
            }
            let finish = Run::of(jdk, options, "finish", programs.path());
            let exact = Run::of(jdk, options, "exact", programs.path());
            check_classes(&finish, jdk.version);
            check_sites(&finish, &exact);
            runs += 1;
        }
    }
    assert!(runs >= jdks.len(), "only {runs} runs");
    checked(&format!(
        "full collections are reconciled at their end, {runs} runs, every class equal"
    ));
}

fn check_classes(run: &Run, version: u32) {
    let rebuilt = heap_after_last_full_collection(&run.trace()).expect("the rebuilt heap");
    let expected = parse_class_histogram(&run.last_histogram());
    assert!(
        expected.len() > 100,
        "{}: {} classes",
        run.name,
        expected.len()
    );
    let differences = class_differences(version, &expected, &rebuilt);
    assert!(
        differences.is_empty(),
        "{}:\n{}",
        run.name,
        differences.join("\n")
    );
}

/// The objects of the program's own classes: all are there, and as many as are ambiguous may be at another site.
fn check_sites(finish: &Run, exact: &Run) {
    let info = finish.info();
    let collections = &info["collections"];
    assert_eq!(info["knowledge"]["state"], "known", "{}", finish.name);
    assert_eq!(info["knowledge"]["gaps"], Value::Null, "{}", finish.name);
    assert_eq!(collections["unexplained"], 0, "{}", finish.name);
    assert_eq!(collections["conflicts"], 0, "{}", finish.name);
    let full = finish.full_collections();
    assert!(full >= ROUNDS, "{}: {full} full collections", finish.name);
    let ambiguous = collections["ambiguous"].as_u64().expect("ambiguous");
    let survivors = collections["survivors"].as_u64().expect("survivors");
    let mut elsewhere = 0;
    for class in ["Single", "Twin", "Young"] {
        let (found, known) = (finish.sites_of(class), exact.sites_of(class));
        let sum = |sites: &BTreeMap<String, u64>| sites.values().sum::<u64>();
        let missing = sum(&known).abs_diff(sum(&found));
        let place = &finish.name;
        assert!(missing <= WITHOUT_SITE, "{place}: {missing} of {class}");
        assert!(sum(&known) >= 100, "{place}: {class}");
        elsewhere += known
            .iter()
            .map(|(site, count)| count.saturating_sub(found.get(site).copied().unwrap_or(0)))
            .sum::<u64>();
    }
    assert!(
        elsewhere <= ambiguous,
        "{}: {elsewhere} objects at other sites, {ambiguous} ambiguous",
        finish.name
    );
    println!(
        "{}: {ambiguous} of {survivors} survivors ambiguous ({:.1} %), {elsewhere} objects of the program at another site, {full} full collections",
        finish.name,
        100.0 * ambiguous as f64 / survivors as f64
    );
}

impl Run {
    fn of(jdk: &Jdk, options: &[&str], moves: &str, programs: &Path) -> Self {
        let run = Self {
            folder: tempfile::tempdir().expect("temporary folder"),
            name: format!("Java {} {options:?} moves={moves}", jdk.version),
        };
        let output = jdk
            .tool("java")
            .args(["-Xms64m", "-Xmx64m"])
            .args(options)
            .arg(format!(
                "-Xlog:gc+classhisto=trace:file={}:none:filecount=0",
                run.histograms().display()
            ))
            .arg(format!(
                "-agentpath:{}=mode=trace,summary=off,moves={moves},output={}",
                agent_library().expect("agent").display(),
                run.trace().display()
            ))
            .arg("-cp")
            .arg(programs)
            .args(["FullCollections", &ROUNDS.to_string()])
            .output()
            .expect("java");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {errors}", run.name);
        run
    }

    fn trace(&self) -> PathBuf {
        self.folder.path().join("trace")
    }

    fn histograms(&self) -> PathBuf {
        self.folder.path().join("histograms")
    }

    /// The one behind the last full collection: `GC(3)  1:  2  48  [B` and more, with its title at its end.
    fn last_histogram(&self) -> String {
        let text = std::fs::read_to_string(self.histograms()).expect("histograms");
        let (text, _) = text.rsplit_once("(after full gc)").expect("a histogram");
        let (_, rows) = text.rsplit_once("(before full gc)").expect("one before");
        let without_number = |line: &str| Some(line.split_once(") ")?.1.to_owned());
        let rows: Vec<String> = rows.lines().filter_map(without_number).collect();
        rows.join("\n")
    }

    fn info(&self) -> Value {
        trace_command("info", &self.trace(), &[]).expect("info")
    }

    fn full_collections(&self) -> u64 {
        let timeline = trace_command("timeline", &self.trace(), &[]).expect("timeline");
        let all = timeline["collections"].as_array().expect("collections");
        let full = all.iter().filter(|one| one["kind"] == "full");
        full.count() as u64
    }

    /// Objects of a class of the program at the end, by site.
    fn sites_of(&self, class: &str) -> BTreeMap<String, u64> {
        let class = format!("FullCollections${class}");
        let heap = trace_command("heap", &self.trace(), &["--type", &class]).expect("heap");
        let sites = heap["sites"].as_array().expect("sites");
        let count = |site: &Value| site["count"].as_u64().expect("count");
        sites
            .iter()
            .map(|site| (format!("{}:{}", site["method"], site["bci"]), count(site)))
            .collect()
    }
}
