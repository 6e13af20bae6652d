//! A VM of a release that is not in the list goes by the rule of agent/LIMITS.md, "A JDK that is not in the
//! list": objects are counted, allocations are traced, the heap is known where the VM's own tables give its
//! structures, and under ZGC, which is known by its release, it is not: that is said, and nothing is guessed.
//!
//! An agent writes the release into the VM's tables (`tests/agents/later_release_agent`).

use std::path::Path;

use ducktrack_tests::{
    Jdk, TracedRun, agent_library, built_agent, checked, compile_java, newest_jdk, trace_command,
};
use serde_json::Value;

/// In no list, and later than each of it.
const RELEASE: u32 = 99;

/// The program keeps this many objects of a class of its own.
const OBJECTS: u64 = 70_000;

#[test]
fn a_later_release_is_counted_and_its_heap_is_known_where_the_tables_give_it() {
    let folder = tempfile::tempdir().expect("temporary folder");
    assert!(compile_java(&["LaterRelease"], 17, folder.path()).expect("compile"));
    let agent = built_agent("later_release_agent").expect("agent");
    let later = format!("-agentpath:{}={RELEASE}", agent.display());
    let Some(jdk) = newest_jdk().expect("JDKs") else {
        return;
    };
    count(&jdk, &later, folder.path());
    for (collector, is_known) in [("-XX:+UseSerialGC", true), ("-XX:+UseZGC", false)] {
        trace(&jdk, &later, collector, is_known, folder.path());
    }
    checked(&format!(
        "JDK {} as release {RELEASE}: counted; the heap is known under Serial, and not under ZGC",
        jdk.version
    ));
}

fn count(jdk: &Jdk, later: &str, folder: &Path) {
    let output = folder.join("count");
    let library = agent_library().expect("the agent");
    let (library, to) = (library.display(), output.display());
    let mut java = jdk.tool("java");
    java.arg(later)
        .arg(format!("-agentpath:{library}=summary=off,output={to}"))
        .args(["-XX:+UseZGC", "-cp"])
        .arg(folder)
        .args(["LaterRelease", &OBJECTS.to_string()]);
    let said = java.output().expect("java");
    assert!(said.status.success(), "{said:?}");
    let report = trace_command("report", &output, &[]).expect("report");
    assert_eq!(kept(&report["sites"]), OBJECTS);
}

fn trace(jdk: &Jdk, later: &str, collector: &str, is_known: bool, folder: &Path) {
    let run = TracedRun::new(jdk, collector).expect("folder");
    let mut command = run.command("", &[folder]).expect("the agent");
    command.args([later, collector, "-Xmx256m", "LaterRelease"]);
    command.arg(OBJECTS.to_string());
    let said = run.finish(&mut command).expect("the program");
    let warning = format!("ZGC's structures are not known of JDK {RELEASE}");
    assert_eq!(said.contains(&warning), !is_known, "{said}");
    match trace_command("heap", &run.trace(), &[]) {
        Ok(heap) => assert_eq!((kept(&heap["types"]), is_known), (OBJECTS, true)),
        Err(why) => {
            let why = why.to_string();
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
