//! The kind of standard output: a terminal of some width, or a reader of text.

use std::io::IsTerminal;

use ducktrack_reports::ScreenOptions;

/// Number of columns; `None` if the output is not a terminal. `is_shown`: text goes to standard output.
pub(crate) fn width(is_shown: bool) -> Option<usize> {
    let asked = std::env::var("COLUMNS").ok();
    let asked = asked.and_then(|columns| columns.parse().ok());
    let is_terminal = is_shown && std::io::stdout().is_terminal();
    let measured = is_terminal
        .then(|| ratatui::crossterm::terminal::size().ok())
        .flatten();
    measured
        .map(|(columns, _)| usize::from(columns))
        .or(asked.filter(|_| is_shown))
}

/// How a screen looks there; `is_shown`: it goes to standard output.
pub(crate) fn screen(is_shown: bool, depth: Option<usize>) -> ScreenOptions {
    let usual = ScreenOptions::default();
    let is_terminal = is_shown && std::io::stdout().is_terminal();
    ScreenOptions {
        width: width(is_shown).unwrap_or(usual.width),
        colour: is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        depth: depth.unwrap_or(usual.depth),
    }
}
