//! Passes commands from other threads to the agent's own thread.

use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use serde_json::Value;

use super::refusal;
use crate::options::Command;

/// Longer than any command takes; meanwhile a thread of the program waits here.
const PATIENCE: Duration = Duration::from_secs(240);

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

    /// Posts a command, wakes the agent's thread, and waits for the answer.
    pub(crate) fn ask(&self, command: Command, wake: impl FnOnce()) -> Value {
        let (reply, answer) = bounded(1);
        // The inbox owns both ends, so sending cannot fail.
        let _ = self.put.send((command, reply));
        wake();
        answer
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|_| refusal("the agent's thread does not answer"))
    }

    /// The next command.
    pub(crate) fn take(&self) -> Option<Letter> {
        self.take.try_recv().ok()
    }
}
