//! The parts that all texts share: the head, trouble, the next command.

use crate::event_trace::head::TraceHead;
use crate::quantity::counted;
use crate::text::next_command::{NextCommand, shell_word};
use crate::text::{fact, section};

/// Title and run.
pub(super) fn head(out: &mut String, title: &str, head: &TraceHead) {
    let command = match head.run.command.as_str() {
        "" => "(command not known)",
        command => command,
    };
    out.push_str(&format!("ducktrack {title}: {command}\n"));
    let mut run = vec![format!("pid {}", head.run.pid)];
    run.extend([head.run.vm.clone(), head.run.collector.clone()]);
    run.extend(head.moves.as_ref().map(|level| format!("moves {level}")));
    run.retain(|part| !part.is_empty());
    fact(out, "run", &run.join(", "));
    for sentence in &head.run.out_of_memory {
        fact(out, "", sentence);
    }
    for missing in &head.missing {
        fact(out, "not known", missing);
    }
    if head.asked.is_partial() {
        fact(out, "only", &head.asked.description());
    }
}

/// Damage and losses, if there are any.
pub(super) fn trouble(out: &mut String, head: &TraceHead) {
    let trouble = head.trouble();
    if trouble.is_empty() {
        return;
    }
    section(out, "DAMAGE AND LOSSES");
    for line in trouble {
        out.push_str(&format!("  {line}\n"));
    }
}

/// The next commands: (the command after `ducktrack`, without the directory; arguments after it; its purpose).
pub(super) fn next_commands(head: &TraceHead, commands: &[(&str, &str, &str)]) -> Vec<NextCommand> {
    let trace = shell_word(&head.run.trace);
    let commands = commands.iter();
    let commands = commands.map(|(command, arguments, tells)| {
        let space = if arguments.is_empty() { "" } else { " " };
        NextCommand::new(format!("{command} {trace}{space}{arguments}"), *tells)
    });
    commands.collect()
}

/// `12 of 340 sites, by bytes`.
pub(super) fn cut(shown: usize, all: usize, what: &str, by: &str) -> String {
    if shown == all {
        format!("{}, by {by}", counted(all as u64, what))
    } else {
        format!("{shown} of {}, by {by}", counted(all as u64, what))
    }
}

/// Microseconds since the start, in seconds.
pub(super) fn after(micros: u64) -> String {
    format!("{:.3} s after the start", micros as f64 / 1e6)
}

/// Words in lines of at most `width` characters.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
