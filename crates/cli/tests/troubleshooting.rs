//! `guide/troubleshooting.md` against the messages in the sources: each key is
//! part of a message, and each message has a key or names the next step itself.

use std::fs;
use std::path::{Path, PathBuf};

const PAGE: &str = include_str!("../guide/troubleshooting.md");

/// A message with one of these has its next step in itself, or is about a file that it names.
const NEXT_STEP: [&str; 9] = [
    "; ",
    "give ",
    "run this",
    "ducktrack ",
    "{error}",
    "{}: {}",
    "cannot write",
    "cannot read",
    "--",
];

#[test]
fn each_key_is_part_of_a_message() {
    let sources = sources();
    let keys = keys();
    assert!(keys.len() > 40, "{} keys", keys.len());
    let unknown: Vec<&String> = keys
        .iter()
        .filter(|key| !sources.iter().any(|source| source.contains(key.as_str())))
        .collect();
    assert!(unknown.is_empty(), "no source has {unknown:?}");
}

#[test]
fn each_message_has_a_key_or_names_the_next_step() {
    let keys = keys();
    let mut missing = Vec::new();
    let mut messages = 0;
    for source in sources() {
        for message in messages_of(&source) {
            messages += 1;
            let has_key = keys.iter().any(|key| message.contains(key.as_str()));
            if !has_key && !NEXT_STEP.iter().any(|step| message.contains(step)) {
                missing.push(message);
            }
        }
    }
    assert!(messages > 60, "{messages} messages");
    assert!(missing.is_empty(), "troubleshooting.md lacks {missing:#?}");
}

/// The text between backquotes in the first cells of the tables.
fn keys() -> Vec<String> {
    let rows = PAGE.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.filter_map(|row| row.split(" | ").next());
    let keys = cells.flat_map(|cell| cell.trim_start_matches("| ").split("`, `"));
    keys.map(|key| key.trim_matches('`').to_owned()).collect()
}

/// The code of agent and command, each file without its tests.
fn sources() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in [
        "agent/src",
        "crates/cli/src",
        "crates/reports/src",
        "crates/trace-format/src",
        "crates/trace-reader/src",
    ] {
        collect(&root.join(folder), &mut files);
    }
    let read = |path: &PathBuf| fs::read_to_string(path).expect("a source");
    let code = files.iter().map(read);
    code.map(|text| {
        text.split("#[cfg(test)]")
            .next()
            .unwrap_or_default()
            .to_owned()
    })
    .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str());
        match name {
            _ if path.is_dir() => collect(&path, files),
            Some(name) if name.ends_with(".rs") && name != "tests.rs" => files.push(path),
            _ => {}
        }
    }
}

/// The first string after each macro or function that prints.
fn messages_of(source: &str) -> Vec<String> {
    let mut messages = Vec::new();
    for opening in ["bail!(", "add_note(", "log.warn(", "log.error("] {
        for call in source.split(opening).skip(1) {
            let statement = call.split(");").next().unwrap_or_default();
            if let Some(text) = statement.split('"').nth(1)
                && text.len() > 12
            {
                messages.push(text.to_owned());
            }
        }
    }
    messages
}
