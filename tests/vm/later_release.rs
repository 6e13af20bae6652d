//! A VM of a release that is not in the list goes by the rule of agent/LIMITS.md, "A JDK that is not in the
//! list": objects are counted, allocations are traced, the heap is known where the VM's own tables give its
//! structures, and under ZGC, which is known by its release, it is not: that is said, and nothing is guessed.
//!
//! An agent writes the release into the VM's tables (`tests/agents/later_release_agent`).

use std::path::Path;

use ducktrack_tests::{
    Jdk, TracedRun, agent_argument, built_agent, checked, compiled, newest_jdk, printed_by,
    trace_command, tried_command,
};
use serde_json::Value;

/// In no list, and later than each of it.
const RELEASE: u32 = 99;

/// The program keeps this many objects of a class of its own.
const OBJECTS: u64 = 70_000;

#[test]
fn a_later_release_is_counted_and_its_heap_is_known_where_the_tables_give_it() {
    let folder = compiled(&["LaterRelease"], 17);
    let agent = built_agent("later_release_agent");
    let later = format!("-agentpath:{}={RELEASE}", agent.display());
    let Some(jdk) = newest_jdk() else {
        return;
    };
    count(&jdk, &later, folder.path());
    for (collector, is_known) in [("-XX:+UseSerialGC", true), ("-XX:+UseZGC", false)] {
        trace(&jdk, &later, collector, is_known, folder.path());
    }
    checked(&format!(
        "{jdk} as release {RELEASE}: counted; the heap is known under Serial, and not under ZGC"
    ));
}

fn count(jdk: &Jdk, later: &str, folder: &Path) {
    let output = folder.join("count");
    let mut java = jdk.java(folder);
    java.args([later, &agent_argument("", &output), "-XX:+UseZGC"]);
    printed_by(java.args(["LaterRelease", &OBJECTS.to_string()]));
    let report = trace_command("report", &output, &[]);
    assert_eq!(kept(&report["sites"]), OBJECTS);
}

fn trace(jdk: &Jdk, later: &str, collector: &str, is_known: bool, folder: &Path) {
    let run = TracedRun::new(jdk, collector);
    let mut command = run.command("", &[folder]);
    command.args([later, collector, "-Xmx256m", "LaterRelease"]);
    command.arg(OBJECTS.to_string());
    let said = run.finish(&mut command);
    let warning = format!("ZGC's structures are not known of JDK {RELEASE}");
    assert_eq!(said.contains(&warning), !is_known, "{said}");
    match tried_command("heap", &run.trace(), &[]) {
        Ok(heap) => assert_eq!((kept(&heap["types"]), is_known), (OBJECTS, true)),
        Err(why) => {
            assert!(
                !is_known && why.contains("the live heap is not known"),
                "{why}"
            );
        }
    }
}

/// How many objects of the program's own class these rows have.
fn kept(rows: &Value) -> u64 {
    let rows = rows.as_array().into_iter().flatten();
    let own = rows.filter(|row| row["type"] == "LaterRelease$Kept");
    own.filter_map(|row| row["count"].as_u64()).sum()
}
