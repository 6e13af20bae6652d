//! A bar on standard error, where a person watches and reading takes long enough for it to be seen.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shorter work needs no bar.
const PATIENCE: Duration = Duration::from_millis(400);

/// How far reading has come.
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
    is_watched: bool,
}

impl Progress {
    /// Of this many bytes.
    pub(crate) fn of_bytes(total: u64) -> Self {
        Self::new(Some(total), "{bar:24} {bytes} of {total_bytes}, {eta} left")
    }

    /// Of records, the number is not known.
    pub(crate) fn of_records() -> Self {
        Self::new(None, "{spinner} reading: {human_pos} records, {elapsed}")
    }

    /// Of trials.
    pub(crate) fn of_trials(total: u64) -> Self {
        Self::new(Some(total), "{bar:24} trial {pos} of {len}, {eta} left")
    }

    fn new(total: Option<u64>, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        Self {
            bar: match ProgressStyle::with_template(template) {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            },
            started: Instant::now(),
            is_watched: io::stderr().is_terminal(),
        }
    }

    /// Reading has come to this place.
    pub(crate) fn at(&self, position: u64) {
        if self.is_watched && self.bar.is_hidden() && self.started.elapsed() >= PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(position);
    }

    /// Takes the bar away.
    pub(crate) fn done(self) {
        self.bar.finish_and_clear();
    }
}
