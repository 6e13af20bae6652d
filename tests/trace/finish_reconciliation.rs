//! Full collections at `moves=finish`: after the last of several, the rebuilt heap equals the VM's own class
//! histogram, class by class; and the sites are those of a run at `moves=exact`, but for what is counted as ambiguous.
//!
//! The VM writes the histogram inside each full collection (`-Xlog:gc+classhisto`). The program is
//! `tests/trace/FullCollections.java`; both runs make the same objects of its classes and keep the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ducktrack_tests::{
    Jdk, TracedRun, checked, compacting_layouts, compile_java, is_full_run, trace_command,
    traced_jdks,
};
use serde_json::Value;

const ROUNDS: u64 = 6;

/// How many objects of a class may be without a site at one level and not at the other: those whose event knew neither address nor size.
const WITHOUT_SITE: u64 = 10;

/// One run of the program.
struct Run(TracedRun);

#[test]
fn full_collections_are_reconciled_at_their_end() {
    let programs = tempfile::tempdir().expect("temporary folder");
    assert!(compile_java(&["FullCollections"], 17, programs.path()).expect("compile"));
    let mut runs = 0;
    let jdks = traced_jdks().expect("JDKs");
    for (turn, jdk) in jdks.iter().enumerate() {
        for (number, options) in compacting_layouts(jdk).enumerate() {
            // Another collector on each JDK; the full run takes all on all.
            if number != turn && !is_full_run() {
                continue;
            }
            let finish = Run::of(jdk, options, "finish", programs.path());
            let exact = Run::of(jdk, options, "exact", programs.path());
            let histogram = finish.last_histogram();
            finish.0.compare_heap(&histogram).expect("the rebuilt heap");
            check_sites(&finish, &exact);
            runs += 1;
        }
    }
    assert!(runs >= jdks.len(), "only {runs} runs");
    checked(&format!(
        "full collections are reconciled at their end, {runs} runs, every class equal"
    ));
}

/// The objects of the program's own classes: all are there, and as many as are ambiguous may be at another site.
fn check_sites(finish: &Run, exact: &Run) {
    let info = finish.info();
    let collections = &info["collections"];
    assert_eq!(info["knowledge"]["state"], "known", "{}", finish.name());
    assert_eq!(info["knowledge"]["gaps"], Value::Null, "{}", finish.name());
    assert_eq!(collections["unexplained"], 0, "{}", finish.name());
    assert_eq!(collections["conflicts"], 0, "{}", finish.name());
    let full = finish.full_collections();
    assert!(full >= ROUNDS, "{}: {full} full collections", finish.name());
    let ambiguous = collections["ambiguous"].as_u64().expect("ambiguous");
    let survivors = collections["survivors"].as_u64().expect("survivors");
    let mut elsewhere = 0;
    for class in ["Single", "Twin", "Young"] {
        let (found, known) = (finish.sites_of(class), exact.sites_of(class));
        let sum = |sites: &BTreeMap<String, u64>| sites.values().sum::<u64>();
        let missing = sum(&known).abs_diff(sum(&found));
        let place = finish.name();
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
        finish.name()
    );
    println!(
        "{}: {ambiguous} of {survivors} survivors ambiguous ({:.1} %), {elsewhere} objects of the program at another site, {full} full collections",
        finish.name(),
        100.0 * ambiguous as f64 / survivors as f64
    );
}

impl Run {
    fn of(jdk: &Jdk, options: &[&str], moves: &str, programs: &Path) -> Self {
        let moves = format!("moves={moves}");
        let what = format!("{} {moves}", options.join(" "));
        let run = TracedRun::new(jdk, &what).expect("folder");
        let mut command = run.command(&moves, &[programs]).expect("java");
        command.args(["-Xms64m", "-Xmx64m"]).args(options);
        command.arg(format!(
            "-Xlog:gc+classhisto=trace:file={}:none:filecount=0",
            run.file("histograms").display()
        ));
        run.finish(command.args(["FullCollections", &ROUNDS.to_string()]))
            .expect("the program");
        Self(run)
    }

    /// A file with the one after the last full collection. The VM writes `GC(3)  1:  2  48  [B` and more, with the title at the end.
    fn last_histogram(&self) -> PathBuf {
        let text = std::fs::read_to_string(self.0.file("histograms")).expect("histograms");
        let (text, _) = text.rsplit_once("(after full gc)").expect("a histogram");
        let (_, rows) = text.rsplit_once("(before full gc)").expect("one before");
        let without_number = |line: &str| Some(line.split_once(") ")?.1.to_owned());
        let rows: Vec<String> = rows.lines().filter_map(without_number).collect();
        let file = self.0.file("last-histogram");
        std::fs::write(&file, rows.join("\n")).expect("temporary folder");
        file
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn info(&self) -> Value {
        trace_command("info", &self.0.trace(), &[]).expect("info")
    }

    fn full_collections(&self) -> u64 {
        let timeline = trace_command("timeline", &self.0.trace(), &[]).expect("timeline");
        let all = timeline["collections"].as_array().expect("collections");
        let full = all.iter().filter(|one| one["kind"] == "full");
        full.count() as u64
    }

    /// Objects of a class of the program at the end, by site.
    fn sites_of(&self, class: &str) -> BTreeMap<String, u64> {
        let class = format!("FullCollections${class}");
        let heap = trace_command("heap", &self.0.trace(), &["--type", &class]).expect("heap");
        let sites = heap["sites"].as_array().expect("sites");
        let count = |site: &Value| site["count"].as_u64().expect("count");
        sites
            .iter()
            .map(|site| (format!("{}:{}", site["method"], site["bci"]), count(site)))
            .collect()
    }
}
