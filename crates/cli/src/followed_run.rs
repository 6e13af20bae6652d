//! A program that is followed while it runs: window by window the records that are new, until it ends.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Error, Result};
use ducktrack_trace_reader::{Record, TraceTail};

use crate::control::ask_for_values;
use crate::window_clock::WindowClock;

/// How long a program may take from its start to the first record, and to its socket.
const UNTIL_BEGUN: Duration = Duration::from_secs(60);

/// See the module.
pub(crate) struct FollowedRun {
    directory: PathBuf,
    tail: TraceTail,
    clock: WindowClock,
    since: Instant,
    has_begun: bool,
    is_over: bool,
}

/// A window that has ended.
pub(crate) struct FollowedWindow {
    /// The records that came in it.
    pub(crate) records: Vec<Record>,
    /// No other follows.
    pub(crate) is_last: bool,
    /// Why it is the last, if the program gives no values and has said no end.
    pub(crate) refusal: Option<Error>,
}

impl FollowedRun {
    /// Of the program that writes into a directory.
    pub(crate) fn open(directory: &Path, window_millis: u64) -> Result<Self> {
        Ok(Self {
            directory: directory.to_owned(),
            tail: TraceTail::open(directory)?,
            clock: WindowClock::new(window_millis)?,
            since: Instant::now(),
            has_begun: false,
            is_over: false,
        })
    }

    /// Waits for the end of the window, when the agent is asked for its values; `None` after the last.
    pub(crate) fn next_window(&mut self) -> Result<Option<FollowedWindow>> {
        if self.is_over {
            return Ok(None);
        }
        self.is_over = !self.clock.wait();
        let asked = ask_for_values(&self.directory);
        let may_begin = !self.has_begun && self.since.elapsed() <= UNTIL_BEGUN;
        let records = self.tail.look()?;
        for record in &records {
            self.has_begun |= matches!(record, Record::Run(_));
            self.is_over |= matches!(record, Record::End(_));
        }
        let refusal = asked.err().filter(|_| !may_begin);
        let has_gone = refusal.is_some();
        let refusal = refusal.filter(|_| !self.is_over);
        self.is_over |= has_gone;
        Ok(Some(FollowedWindow {
            records,
            is_last: self.is_over,
            refusal,
        }))
    }
}
