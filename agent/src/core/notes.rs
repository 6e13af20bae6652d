//! Collects sentences for the report from anywhere in the agent. Each is written once.
//!
//! Notes known when the trace begins are part of its `Run` record. Each later
//! note gets its own `Note` record, before the next snapshot or the end.

use parking_lot::Mutex;

/// Notes that are not written yet.
#[derive(Default)]
pub(crate) struct Notes {
    waiting: Mutex<Vec<String>>,
}

impl Notes {
    pub(crate) fn add(&self, sentence: String) {
        self.waiting.lock().push(sentence);
    }

    /// Takes the notes to write now.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.waiting.lock())
    }
}
