//! The text that `-agentpath:libducktrack.so=help` prints.

use crate::{AgentOption, OPTIONS};

/// Lines are at most this long.
const WIDTH: usize = 80;
/// Where the description of an option begins.
const INDENT: usize = 6;

/// All options, with values, default and meaning.
pub fn help() -> String {
    let mut text = "ducktrack options: key=value, separated by commas; @FILE reads options from a\nfile; help prints this list\n".to_owned();
    for option in OPTIONS {
        text.push_str(&entry(option));
    }
    text.push_str(
        "A second load of the library into the same JVM may give a command instead:\n\
         status, snapshot or stop.\n\
         BYTES may end in k, m or g. A PATTERN is a class name with dots, in which *\n\
         matches any characters: com.acme.*\n",
    );
    text
}

fn entry(option: &AgentOption) -> String {
    let mut words = option.short.to_owned();
    if !option.works_everywhere() {
        words.push_str(&format!(" ({} only)", option.modes_text()));
    }
    if !option.default.is_empty() {
        words.push_str(&format!(" (default {})", option.default));
    }
    format!(
        "  {}={}\n{}",
        option.key,
        option.values.text(),
        wrapped(&words)
    )
}

fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && INDENT + line.len() + 1 + word.len() > WIDTH {
            push_line(&mut lines, &line);
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    push_line(&mut lines, &line);
    lines
}

fn push_line(lines: &mut String, line: &str) {
    lines.push_str(&" ".repeat(INDENT));
    lines.push_str(line);
    lines.push('\n');
}
