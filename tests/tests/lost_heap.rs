//! A fault on the way, and the heap known again: behind the next full collection the rebuilt heap equals the VM's own class histogram, class by class,
//! after young and full collections more; and the commands say between which collections it is not known.
//!
//! The fault is asked for (`fault-at=2`): the second pause is reported as one that could not be read. The program is `tests/java/LostHeap.java`.

use std::path::{Path, PathBuf};

use ducktrack_tests::{
    Jdk, agent_library, checked, class_differences, compile_java, ducktrack_command,
    exact_histogram_options, heap_after_last_full_collection, parse_class_histogram, trace_command,
    traced_jdks,
};
use serde_json::Value;

/// Collectors whose moves are known, each with options that leave no dead objects behind a full collection.
struct Place<'a> {
    jdk: &'a Jdk,
    options: &'a [&'a str],
    programs: &'a Path,
    folder: tempfile::TempDir,
}

#[test]
fn the_heap_is_known_again_behind_the_next_full_collection() {
    let programs = tempfile::tempdir().expect("temporary folder");
    assert!(compile_java(&["LostHeap"], 17, programs.path()).expect("compile"));
    let mut runs = 0;
    let jdks = traced_jdks().expect("JDKs");
    for jdk in &jdks {
        for options in exact_histogram_options(jdk) {
            let place = Place {
                jdk,
                options,
                programs: programs.path(),
                folder: tempfile::tempdir().expect("temporary folder"),
            };
            check(&place);
            runs += 1;
        }
    }
    assert!(runs >= jdks.len(), "only {runs} runs");
    checked(&format!(
        "the heap is known again behind a full collection, {runs} runs, every class equal"
    ));
}

fn check(place: &Place) {
    let name = format!("Java {} {:?}", place.jdk.version, place.options);
    let histogram = place.run();
    let trace = place.trace();
    let rebuilt = heap_after_last_full_collection(&trace).expect("the rebuilt heap");
    let expected = parse_class_histogram(&histogram);
    let differences = class_differences(place.jdk.version, &expected, &rebuilt);
    assert!(
        differences.is_empty(),
        "{name}:\n{}",
        differences.join("\n")
    );
    let info = trace_command("info", &trace, &[]).expect("info");
    let until = check_gap(&info, &name);
    check_heaps(&trace, until, &name);
    check_sites(place, &name);
    for command in ["timeline", "lifetimes", "growth"] {
        let report = trace_command(command, &trace, &[]).expect(command);
        let missing = report["missing"].to_string();
        assert!(
            missing.contains("not known from collection 2 up to"),
            "{name} {command}: {missing}"
        );
    }
    println!(
        "{name}: {} classes equal, known again behind collection {until}",
        expected.len()
    );
}

/// One gap, from collection 2 on; the collection that ends it.
fn check_gap(info: &Value, name: &str) -> u64 {
    assert_eq!(info["knowledge"]["state"], "known", "{name}: {info}");
    let gaps = info["knowledge"]["gaps"].as_array().expect("gaps");
    assert_eq!(gaps.len(), 1, "{name}: {gaps:?}");
    assert_eq!(gaps[0]["since"], 2, "{name}");
    assert!(
        gaps[0]["reason"].to_string().contains("asked for"),
        "{name}: {gaps:?}"
    );
    assert_eq!(info["collections"]["unexplained"], 0, "{name}");
    assert_eq!(info["collections"]["conflicts"], 0, "{name}");
    let until = gaps[0]["until"].as_u64().expect("until");
    let last = info["collections"]["last"].as_u64().expect("last");
    assert!(2 < until && until < last, "{name}: {until} of {last}");
    until
}

/// The heap is there before and behind the gap, not in it.
fn check_heaps(trace: &Path, until: u64, name: &str) {
    for at in [1, until, until + 1] {
        let heap = trace_command("heap", trace, &["--at", &at.to_string()]).expect("heap");
        assert!(heap["total"]["count"].as_u64() > Some(1000), "{name}: {at}");
    }
    for at in [2, until - 1] {
        let refused = std::process::Command::new(ducktrack_command().expect("command"))
            .arg("heap")
            .arg(trace)
            .args(["--at", &at.to_string()])
            .output()
            .expect("ducktrack");
        let text = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success(), "{name}: {at}");
        assert!(text.contains("from collection 2 up to"), "{name}: {text}");
    }
}

/// What was made behind the gap, or in the epoch that ended it, has its site; what is older has none. Parallel collects the young spaces first, which
/// is a collection of its own that is not known.
fn check_sites(place: &Place, name: &str) {
    let trace = &place.trace();
    let just_before = match place.options.contains(&"-XX:+UseParallelGC") {
        true => 0,
        false => 100,
    };
    for (class, objects, with_site) in [
        ("Early", 1000, 0),
        ("Between", 1000, 0),
        ("JustBefore", 100, just_before),
        ("Behind", 1000, 1000),
    ] {
        let class = format!("LostHeap${class}");
        let heap = trace_command("heap", trace, &["--type", &class]).expect("heap");
        assert_eq!(heap["selected"]["count"], objects, "{name}: {class}");
        let sites = heap["sites"].as_array().expect("sites");
        let known: u64 = sites.iter().filter_map(|site| site["count"].as_u64()).sum();
        assert_eq!(known, with_site, "{name}: {class}");
    }
}

impl Place<'_> {
    fn trace(&self) -> PathBuf {
        self.folder.path().join("trace")
    }

    /// Runs the program; the VM's histogram.
    fn run(&self) -> String {
        let histogram = self.folder.path().join("histogram");
        let output = self
            .jdk
            .tool("java")
            .args(["-Xms64m", "-Xmx64m"])
            .args(self.options)
            .arg(format!(
                "-agentpath:{}=mode=trace,summary=off,fault-at=2,output={}",
                agent_library().expect("agent").display(),
                self.trace().display()
            ))
            .arg("-cp")
            .arg(self.programs)
            .arg("LostHeap")
            .arg(&histogram)
            .output()
            .expect("java");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        std::fs::read_to_string(histogram).expect("histogram")
    }
}
