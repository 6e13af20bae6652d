//! A class whose name has ESC, U+009B and a new line in it: whatever prints it does not command the terminal.

use ducktrack_tests::{Finished, ducktrack_command};
use std::path::Path;

use crate::tracked_jvm::{TrackedJvm, jdks_in_turn};

/// Characters that a terminal would obey, and a name that was broken in two.
fn check(text: &str, what: &str) {
    for bad in ['\u{1b}', '\u{9b}'] {
        assert!(!text.contains(bad), "{what}: {text:?}");
    }
    let named = text
        .lines()
        .any(|line| line.contains("u{1b}") && line.contains("u{9b}") && line.contains("u{a}"));
    assert!(named, "{what}: the class is not named: {text}");
}

fn printed(words: &[&str], path: &Path) -> String {
    Finished::well(ducktrack_command().args(words).arg(path)).text()
}

#[test]
fn names_do_not_command_the_terminal() {
    for jdk in jdks_in_turn(11, 10) {
        let place = tempfile::tempdir().expect("temporary folder");
        let (output, class) = (place.path().join("out"), place.path().join("hostile.class"));
        let options = format!("output={}", output.display());
        let name = class.display().to_string();
        let outcome = TrackedJvm::new(&jdk, &options).run_program("HostileNames", &[&name]);
        assert!(outcome.out.ends_with("DONE\n"), "{outcome:?}");
        check(&outcome.errors, &format!("{jdk}, the summary at exit"));
        check(&printed(&["report"], &output), &format!("{jdk}, report"));
        check(&printed(&["info"], &class), &format!("{jdk}, info"));
    }
}
