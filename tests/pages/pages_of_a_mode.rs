//! Which pages `ducktrack ui` has of a recording, and which commands answer,
//! mode by mode and collector by collector; the mode is the one that ran.

use std::path::Path;

use ducktrack_tests::{
    agent_argument, checked, compiled, ducktrack_command, printed_by, trace_command, traced_jdks,
    tried_command,
};
use serde_json::Value;

const COLLECTORS: [&str; 3] = ["UseSerialGC", "UseParallelGC", "UseG1GC"];

/// Commands about events, with the name of their page.
const OF_EVENTS: [(&str, &str); 6] = [
    ("heap", "heap"),
    ("timeline", "timeline"),
    ("cost", "cost"),
    ("lifetimes", "lifetimes"),
    ("leaks", "leaks"),
    ("info", "info"),
];

/// A way to record: options, the mode that runs, whether it has events, whether it has deaths.
struct Way {
    options: &'static str,
    mode: &'static str,
    has_events: bool,
    has_deaths: bool,
}

const WAYS: [Way; 5] = [
    Way {
        options: "mode=count",
        mode: "count",
        has_events: false,
        has_deaths: false,
    },
    Way {
        options: "mode=trace",
        mode: "trace",
        has_events: true,
        has_deaths: false,
    },
    Way {
        options: "mode=deaths",
        mode: "deaths",
        has_events: true,
        has_deaths: true,
    },
    Way {
        options: "mode=full",
        mode: "full",
        has_events: true,
        has_deaths: true,
    },
    // Under ZGC: it continues as a lesser mode.
    Way {
        options: "mode=deaths",
        mode: "trace",
        has_events: true,
        has_deaths: false,
    },
];

#[test]
fn each_mode_has_its_pages_and_commands() {
    let classes = compiled(&["VerdictShapes"], 17);
    let jdk = traced_jdks().remove(0);
    for collector in COLLECTORS {
        for (at, way) in WAYS.iter().enumerate() {
            let is_refused = way.has_events && !way.options.ends_with(way.mode);
            // Before JDK 21, uses of objects under ZGC cannot be stamped.
            let collector = if is_refused { "UseZGC" } else { collector };
            let folder = tempfile::tempdir().expect("temporary folder");
            let trace = folder.path().join(format!("r{at}"));
            let mut java = jdk.java(classes.path());
            java.arg(agent_argument(way.options, &trace));
            java.args(["-Xmx160m", &format!("-XX:+{collector}")]);
            printed_by(java.args(["VerdictShapes", "leak"]));
            look(&trace, way, &format!("{} with {collector}", way.options));
        }
    }
    checked(
        "pages and commands of four modes under three collectors, and of a mode that was refused",
    );
}

fn look(trace: &Path, way: &Way, name: &str) {
    let report = trace_command("report", trace, &[]);
    let run = &report["run"];
    assert_eq!(run["mode"], way.mode, "{name}");
    let saved = &report["increments"]["saved_percent"];
    assert!(!way.has_events || saved.is_null(), "{name}: {saved}");
    if way.options.ends_with("deaths") && !way.has_deaths {
        let notes = report["notes"].to_string();
        assert!(notes.contains("continues as mode=trace"), "{name}: {notes}");
    }
    let tabs = tabs(trace);
    let has = |page: &str| tabs.iter().any(|tab| tab == page);
    assert!(has("report"), "{name}: {tabs:?}");
    for (command, page) in OF_EVENTS {
        assert_eq!(has(page), way.has_events, "{name}: {page} of {tabs:?}");
        let answers = tried_command(command, trace, &[]).is_ok();
        // What is in the files of counts, `info` tells too.
        let may_answer = way.has_events || command == "info";
        assert_eq!(answers, may_answer, "{name}: {command}");
    }
    // There is no dump, and the kernel has no figures of a process that has ended.
    assert!(!has("waste") && !has("memory"), "{name}: {tabs:?}");
    let off_heap = trace_command("report", trace, &["--off-heap"]);
    let has_off_heap = off_heap["kinds"]
        .as_array()
        .is_some_and(|kinds| !kinds.is_empty());
    assert_eq!(has("off-heap"), has_off_heap, "{name}: {tabs:?}");
    assert_eq!(has("deaths"), way.has_deaths, "{name}: {tabs:?}");
    if way.has_deaths {
        trace_command("lifetimes", trace, &["--deaths"]);
    }
}

/// The names of the pages.
fn tabs(trace: &Path) -> Vec<String> {
    let page = trace.with_extension("html");
    printed_by(
        ducktrack_command()
            .arg("ui")
            .arg(trace)
            .arg("--output")
            .arg(&page),
    );
    let html = std::fs::read_to_string(page).expect("a page");
    let start = html.find("\"tabs\":").expect("the list of pages") + "\"tabs\":".len();
    let list: Value = serde_json::Deserializer::from_str(&html[start..])
        .into_iter()
        .next()
        .expect("a list")
        .expect("JSON");
    let tabs = list.as_array().expect("a list").iter();
    tabs.map(|tab| tab["id"].as_str().expect("a name").to_owned())
        .collect()
}
