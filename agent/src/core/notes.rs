//! Sentences for the report, from anywhere in the agent, each written once.
//!
//! Those that are known when the trace begins stand in its `Run` record; later ones get a `Note` record each, before the next snapshot
//! or the end.

use parking_lot::Mutex;

/// Sentences that are not written yet.
#[derive(Default)]
pub(crate) struct Notes {
    waiting: Mutex<Vec<String>>,
}

impl Notes {
    pub(crate) fn add(&self, sentence: String) {
        self.waiting.lock().push(sentence);
    }

    /// What is to be written now.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.waiting.lock())
    }
}
