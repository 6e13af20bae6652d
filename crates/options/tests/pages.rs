//! The table keeps its bounds, and the pages made from it are not older than it.

use std::path::{Path, PathBuf};

use ducktrack_options::{
    AgentOption, Mode, OF_COMMANDS, OPTIONS, SHORT_WORDS, TEST_SWITCHES, help, page,
};

/// The maximum number of keys: each one more is a question to every user.
const MOST_KEYS: usize = 24;

/// Set to write pages instead of comparing them.
const WRITE: &str = "DUCKTRACK_WRITE_PAGES";

#[test]
fn options_md_is_the_table() {
    let path = root().join("agent/OPTIONS.md");
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&path, page()).expect("write");
    }
    let text = std::fs::read_to_string(&path).expect("read");
    assert!(
        text == page(),
        "agent/OPTIONS.md is older than crates/options: {WRITE}=1 cargo test -p ducktrack-options"
    );
}

#[test]
fn the_table_keeps_its_bounds() {
    assert!(OPTIONS.len() <= MOST_KEYS, "{} keys", OPTIONS.len());
    for option in OPTIONS.iter().chain(OF_COMMANDS) {
        let key = option.key;
        let words = option.short.split_whitespace().count();
        assert!(words <= SHORT_WORDS, "{key}: {words} words");
        assert!(!option.modes.is_empty(), "{key}: no mode has it");
        let all = OPTIONS.iter().chain(OF_COMMANDS);
        let same = all.filter(|other| other.key == key).count();
        assert_eq!(same, 1, "{key} is there twice");
        assert!(!TEST_SWITCHES.contains(&key), "{key} is a test switch");
    }
}

#[test]
fn help_fits_into_a_terminal_and_has_every_key() {
    let help = help();
    for line in help.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    for option in OPTIONS {
        let start = format!("  {}={}", option.key, option.values.text());
        assert!(help.contains(&start), "{start}");
    }
}

#[test]
fn modes_are_named_as_a_reader_does() {
    let text = |key| AgentOption::find(key).expect(key).modes_text();
    assert_eq!(text("app"), "mode=count");
    assert_eq!(text("roots"), "mode=deaths or full");
    assert_eq!(text("moves"), "mode=trace, deaths or full");
    assert!(AgentOption::find("mode").expect("mode").works_everywhere());
    assert!(
        !AgentOption::find("calls")
            .expect("calls")
            .works_in(Mode::Deaths)
    );
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
