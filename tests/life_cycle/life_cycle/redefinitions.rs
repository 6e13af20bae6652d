//! Classes that another agent redefines keep their new code, also when another agent retransforms them afterwards.
//!
//! The program is `tests/life_cycle/life_cycle/RedefinedClass.java`, which is its own Java agent.

use ducktrack_tests::agent_argument;
use std::fs;
use std::path::{Path, PathBuf};

use crate::recording::Recording;
use crate::tracked_jvm::{TrackedJvm, jar_of, jdks_in_turn};

const MANIFEST: &str =
    "Premain-Class: RedefinedClass\nCan-Retransform-Classes: true\nCan-Redefine-Classes: true\n";

fn redefining_agent(place: &Path) -> Option<PathBuf> {
    let classes = [
        "RedefinedClass.class",
        "RedefinedClass$Target.class",
        "RedefinedClass$Nothing.class",
    ];
    jar_of(place, MANIFEST, &classes)
}

#[test]
fn a_redefined_class_keeps_its_new_code() {
    let place = tempfile::tempdir().expect("temporary folder");
    let Some(jar) = redefining_agent(place.path()) else {
        return;
    };
    let java_agent = format!("-javaagent:{}", jar.display());
    let native_agent = agent_argument("counters=path:1000:0.5", Path::new("out"));
    for jdk in jdks_in_turn(11, 22) {
        for order in [[&java_agent, &native_agent], [&native_agent, &java_agent]] {
            let outcome = TrackedJvm::bare(&jdk)
                .vm(&[order[0], order[1]])
                .directory(place.path())
                .run_program("RedefinedClass", &[]);
            assert!(
                outcome.status.success() && outcome.out.starts_with("DONE"),
                "{jdk} {order:?}: {outcome:?}"
            );
            let recording = Recording::of(&place.path().join("out"));
            let sites = recording.report.sites.iter();
            let made = sites.filter(|site| site.class == "RedefinedClass$Target");
            assert!(made.map(|site| site.count).sum::<i64>() > 20_000);
            fs::remove_dir_all(place.path().join("out")).expect("remove");
        }
    }
}
