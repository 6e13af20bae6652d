//! Named modules read the unnamed modules only if they do without the agent, or if another agent may need it.
//!
//! The program is `tests/life_cycle/life_cycle/ModuleReads.java`, the other agent `tests/life_cycle/life_cycle/NoOpAgent.java`.

use ducktrack_tests::{Finished, Jdk, agent_argument, checked};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::tracked_jvm::{TrackedJvm, jar_of, jdks, jdks_in_turn};

const MANIFEST: &str = "Premain-Class: NoOpAgent\nAgent-Class: NoOpAgent\n\
    Can-Retransform-Classes: true\nCan-Redefine-Classes: true\n";
/// A class of `java.base` that the other agent retransforms.
const RETRANSFORMED: &str = "java.util.Random";
const BASE: &str = "java.base";

/// Which modules read, at each moment that the program prints.
type Reads = Vec<(String, BTreeSet<String>)>;

fn reads_of(out: &str) -> Reads {
    let lines = out.lines().filter_map(|line| line.strip_prefix("READS "));
    let words = lines.map(|line| line.split_whitespace().map(str::to_owned));
    words
        .map(|mut words| (words.next().expect("a moment"), words.collect()))
        .collect()
}

fn reads(jdk: &Jdk, place: &Path, agents: &[&str]) -> Reads {
    let jvm = TrackedJvm::bare(jdk).vm(agents).directory(place);
    let outcome = jvm.run_program_well("ModuleReads", &[]);
    let reads = reads_of(&outcome.out);
    assert_eq!(reads.len(), 2, "{outcome:?}");
    reads
}

/// The agent; each run has an output of its own.
fn ours(mode: &str, name: &str) -> String {
    agent_argument(&format!("mode={mode}"), Path::new(name))
}

fn modes(jdk: &Jdk) -> &'static [&'static str] {
    match jdk.version {
        ..17 => &["count"],
        _ => &["count", "trace"],
    }
}

#[test]
fn alone_the_agent_changes_nothing() {
    for jdk in jdks_in_turn(11, 15) {
        let place = tempfile::tempdir().expect("temporary folder");
        let bare = reads(&jdk, place.path(), &[]);
        assert!(
            bare.iter().all(|(_, readers)| readers.is_empty()),
            "{bare:?}"
        );
        for mode in modes(&jdk) {
            let tracked = reads(&jdk, place.path(), &[&ours(mode, mode)]);
            assert_eq!(tracked, bare, "{jdk} {mode}");
        }
        checked(&format!(
            "{jdk}: modules read what they read on the bare JVM, {:?}",
            modes(&jdk)
        ));
    }
}

/// Modules that read each other beside another agent alone do so with both,
/// in either order, and so do those that the other one may still change.
#[test]
fn beside_another_agent_no_edge_is_missing() {
    let place = tempfile::tempdir().expect("temporary folder");
    let Some(jar) = jar_of(place.path(), MANIFEST, &["NoOpAgent.class"]) else {
        return;
    };
    let other = format!("-javaagent:{}={RETRANSFORMED}", jar.display());
    for jdk in jdks_in_turn(11, 16) {
        let place = tempfile::tempdir().expect("temporary folder");
        let alone = reads(&jdk, place.path(), &[&other]);
        for (name, order) in [("after", 0), ("before", 1)] {
            let ours = ours("count", name);
            let mut agents = [ours.as_str(), &other];
            agents.rotate_left(order);
            let both = reads(&jdk, place.path(), &agents);
            for ((moment, expected), (_, found)) in alone.iter().zip(&both) {
                assert!(expected.contains(BASE), "{alone:?}");
                assert!(
                    found.is_superset(expected),
                    "{jdk} {name} {moment}: {found:?}, alone {expected:?}"
                );
            }
            // Changed by ducktrack, and HotSpot would not add the edge again for the other one.
            let later = both
                .last()
                .map(|(_, readers)| readers.contains("java.logging"));
            assert_eq!(later, Some(true), "{jdk} {name}: {both:?}");
        }
    }
}

/// An agent that comes while the program runs finds what was withheld, also after a stop.
#[test]
fn an_agent_that_comes_later_gets_the_edges() {
    let place = tempfile::tempdir().expect("temporary folder");
    let Some(jar) = jar_of(place.path(), MANIFEST, &["NoOpAgent.class"]) else {
        return;
    };
    for jdk in jdks(11).into_iter().filter(|jdk| jdk.has("jcmd")) {
        for stops in [false, true] {
            let place = tempfile::tempdir().expect("temporary folder");
            let jvm = TrackedJvm::bare(&jdk)
                .vm(&[&ours("count", "out")])
                .directory(place.path());
            let mut jvm = jvm.start_program("ModuleReads", &["wait"]);
            let pid = jvm.pid().to_string();
            if stops {
                crate::control::done(&["stop", &pid]);
            }
            load(&jdk, &pid, &jar);
            jvm.go_on();
            let outcome = jvm.end_well();
            let reads = reads_of(&outcome.out);
            let is_reader = |at: usize| reads.get(at).map(|(_, readers)| readers.contains(BASE));
            let seen = [0, 1, 2].map(is_reader);
            let expected = [Some(false), Some(false), Some(true)];
            assert_eq!(seen, expected, "{jdk} {stops}: {reads:?}");
        }
    }
}

/// Loads a Java agent into a JVM.
fn load(jdk: &Jdk, pid: &str, jar: &PathBuf) {
    let mut jcmd = jdk.tool("jcmd");
    jcmd.args([pid, "JVMTI.agent_load"]).arg(jar);
    let text = Finished::of(jcmd.arg(RETRANSFORMED)).out;
    assert!(text.contains("return code: 0"), "{jdk}: {text}");
}
