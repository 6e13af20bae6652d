//! Passes commands from other threads to the agent's own thread.

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use serde_json::Value;

use super::refusal;
use crate::options::Command;

/// Longer than any command takes; meanwhile a thread of the program waits here.
const PATIENCE: Duration = Duration::from_secs(240);
/// How often a waiting thread looks whether there is still somebody to answer.
const LOOK: Duration = Duration::from_millis(100);

/// A command and the channel for its answer.
type Letter = (Command, Sender<Value>);

/// The waiting commands.
pub(crate) struct Inbox {
    put: Sender<Letter>,
    take: Receiver<Letter>,
}

impl Inbox {
    pub(crate) fn new() -> Self {
        let (put, take) = unbounded();
        Self { put, take }
    }

    /// Posts a command, wakes the agent's thread, and waits for the answer; `None`: the run has ended without one.
    pub(crate) fn ask(
        &self,
        command: Command,
        wake: impl FnOnce(),
        has_ended: impl Fn() -> bool,
    ) -> Option<Value> {
        let (reply, answer) = bounded(1);
        // The inbox owns both ends, so sending cannot fail.
        let _ = self.put.send((command, reply));
        wake();
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            // Before the look at the channel: what was answered before the end is there.
            let is_last = has_ended();
            match answer.recv_timeout(LOOK) {
                Ok(answer) => return Some(answer),
                Err(_) if is_last => return None,
                Err(_) => {}
            }
        }
        Some(refusal("the agent's thread does not answer"))
    }

    /// The next command.
    pub(crate) fn take(&self) -> Option<Letter> {
        self.take.try_recv().ok()
    }
}
