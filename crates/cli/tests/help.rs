//! The help of each command fits into 80 columns, has an example, and there are not too many commands.

use std::process::Command;

/// Each one more is a question to every reader of the list.
const MOST_COMMANDS: usize = 24;
const COLUMNS: usize = 80;

fn help(words: &[&str]) -> String {
    help_at(COLUMNS, words)
}

fn wide_help(words: &[&str]) -> String {
    help_at(4 * COLUMNS, words)
}

fn help_at(columns: usize, words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ducktrack"))
        .args(words)
        .arg("--help")
        .env("COLUMNS", columns.to_string())
        .output()
        .expect("ducktrack");
    assert!(output.status.success(), "{words:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// The commands that a person sees.
fn commands() -> Vec<String> {
    let text = help(&[]);
    let lines = text.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    // Lines that go on are indented further.
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn there_are_not_too_many_commands() {
    let commands = commands();
    assert!(commands.len() > 20, "{commands:?}");
    assert!(commands.len() <= MOST_COMMANDS, "{commands:?}");
    for hidden in ["completions", "man"] {
        assert!(!commands.iter().any(|name| name == hidden), "{hidden}");
        assert!(help(&[hidden]).contains("Usage: ducktrack"), "{hidden}");
    }
}

#[test]
fn each_help_fits_into_80_columns_and_has_an_example() {
    for command in commands() {
        let text = help(&[command.as_str()]);
        for line in text.lines() {
            // A long word or a flag with its values is not broken.
            let is_whole =
                line.split_whitespace().count() == 1 || line.trim_start().starts_with("--");
            assert!(
                line.chars().count() <= COLUMNS || is_whole,
                "{command}: {line}"
            );
        }
        assert_eq!(
            text.split_once("\nExamples:").map(|(_, rest)| rest),
            wide_help(&[command.as_str()])
                .split_once("\nExamples:")
                .map(|(_, rest)| rest),
            "{command}: an example is broken at {COLUMNS} columns"
        );
        assert!(text.contains("Examples:"), "{command} has no example");
    }
}
