//! The JVM's own views of its threads agree with each other about the agent's thread, and with those of the bare JVM.
//!
//! The program is `tests/life_cycle/life_cycle/ThreadViews.java`.

use std::collections::BTreeSet;

use ducktrack_tests::{Jdk, checked, is_full_run};

use crate::control::done;
use crate::tracked_jvm::{TrackedJvm, jdks};

/// How long the program looks at its threads.
const MILLIS: &str = "600";

/// The modes of recording, each with work for the agent's thread: snapshots, new versions of hot methods, collections to follow.
const COUNTING: &str = "interval=1,counters=path:1000:0.25";
const TRACING: [&str; 3] = [
    "mode=trace",
    "mode=trace,staleness=on",
    "mode=full,roots=collections",
];

/// The lines that the program prints.
type Views = BTreeSet<String>;

fn views_of(out: &str) -> Views {
    let lines = out.lines().filter(|line| *line != "READY");
    lines.map(str::to_owned).collect()
}

fn bare_views(jdk: &Jdk) -> Views {
    let outcome = TrackedJvm::bare(jdk).run_program_well("ThreadViews", &[MILLIS]);
    views_of(&outcome.out)
}

/// The views while commands come in.
fn tracked_views(jdk: &Jdk, options: &str) -> Views {
    let place = tempfile::tempdir().expect("temporary folder");
    let jvm = TrackedJvm::new(jdk, &format!("{options},summary=off,output=out"))
        .vm(&["-Xmn8m"])
        .directory(place.path());
    let jvm = jvm.start_program("ThreadViews", &[MILLIS]);
    let pid = jvm.pid().to_string();
    done(&["info", "--state", &pid]);
    done(&["snapshot", &pid]);
    done(&["snapshot", &pid, "--mark=looking"]);
    let outcome = jvm.end_well();
    views_of(&outcome.out)
}

#[test]
fn all_views_of_threads_are_those_of_the_bare_jvm() {
    for jdk in jdks(11) {
        let bare = bare_views(&jdk);
        assert!(bare.contains("THREAD busy"), "{bare:?}");
        let mut modes = vec![COUNTING];
        if jdk.version >= 17 {
            // Another one on each JDK; the full run takes all on all.
            let turn = jdk.version as usize % TRACING.len();
            let is_wanted = |(at, _): &(usize, &&str)| *at == turn || is_full_run();
            modes.extend(
                TRACING
                    .iter()
                    .enumerate()
                    .filter(is_wanted)
                    .map(|(_, mode)| *mode),
            );
        }
        for options in &modes {
            assert_eq!(tracked_views(&jdk, options), bare, "{jdk} {options}");
        }
        checked(&format!(
            "{jdk}: threads as the bare JVM shows them, {} modes",
            modes.len()
        ));
    }
}
