//! The next useful command, so that users need not look it up.

use crate::class_name::package_of;
use crate::grouping::by_package;
use crate::view::View;

/// Packages of the JDK: rarely what a person can change.
const LIBRARY: [&str; 6] = ["java", "javax", "jdk", "sun", "com.sun", "(generated)"];

/// A command, and what it tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextCommand {
    /// After `ducktrack`.
    command: String,
    tells: String,
}

impl NextCommand {
    pub(crate) fn new(command: String, tells: impl Into<String>) -> Self {
        Self {
            command,
            tells: tells.into(),
        }
    }

    /// Lists commands under a headline.
    pub(crate) fn write(out: &mut String, commands: &[Self]) {
        if commands.is_empty() {
            return;
        }
        out.push_str("\nNext:\n");
        for Self { command, tells } in commands {
            out.push_str(&format!("  ducktrack {command}    {tells}\n"));
        }
    }
}

/// The next command after the report of counts.
pub(crate) fn next(view: &View) -> Vec<NextCommand> {
    let trace = shell_word(&view.trace);
    let mut next = Vec::new();
    if let Some(package) = own_package(view).filter(|_| !view.filter.is_partial()) {
        next.push(NextCommand::new(
            format!("report {trace} --only {}", shell_word(&package)),
            "what your own code allocates or causes",
        ));
    }
    next.push(NextCommand::new(
        format!("report {trace} --format html -o report.html"),
        "table and flame graph in a browser",
    ));
    if view.run.mode.has_events() {
        next.push(NextCommand::new(
            format!("heap {trace}"),
            "what is alive at the end; also: lifetimes, timeline, leaks",
        ));
    }
    if view.totals.materialized.is_none() && view.snapshot.is_some() {
        next.push(NextCommand::new(
            "run --record materialized -- java ...".to_owned(),
            "what reaches the heap, and what the JIT eliminates",
        ));
    }
    next
}

/// The package outside the JDK with the most bytes, blamed callers included.
pub(crate) fn own_package(view: &View) -> Option<String> {
    by_package(&view.sites)
        .into_iter()
        .map(|(package, _)| package)
        .chain(
            view.callers
                .iter()
                .map(|caller| package_of(&caller.location.class)),
        )
        .find(|package| !package.is_empty() && !is_library(package))
        .map(str::to_owned)
}

pub(crate) fn is_library(package: &str) -> bool {
    LIBRARY
        .iter()
        .any(|library| crate::filter::in_scope(library, package))
}

/// The text as one word of a POSIX shell.
pub(crate) fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+:=@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_words() {
        assert_eq!(shell_word("ducktrack-12"), "ducktrack-12");
        assert_eq!(shell_word("my dir"), "'my dir'");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
    }
}
