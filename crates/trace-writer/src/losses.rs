//! What could not be written, collected for the end record.

use crate::WriteError;

/// Counts of failures, with the first reason of each kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Losses {
    snapshots: Failures,
    definitions: Failures,
    attempts: Failures,
}

#[derive(Clone, Debug, Default)]
struct Failures {
    times: u64,
    first_reason: String,
}

impl Failures {
    fn note(&mut self, error: &WriteError) {
        if self.times == 0 {
            self.first_reason = error.to_string();
        }
        self.times += 1;
    }

    fn sentence(&self, what: &str, meaning: &str) -> Option<String> {
        (self.times > 0)
            .then(|| format!("{} {what} ({}); {meaning}", self.times, self.first_reason))
    }
}

impl Losses {
    pub(crate) fn snapshot(&mut self, error: &WriteError) {
        self.snapshots.note(error);
    }

    pub(crate) fn definition(&mut self, error: &WriteError) {
        self.definitions.note(error);
    }

    pub(crate) fn attempt(&mut self, error: &WriteError) {
        self.attempts.note(error);
    }

    /// One sentence for each kind of failure; empty when nothing failed.
    pub(crate) fn sentences(&self) -> Vec<String> {
        [
            self.snapshots.sentence(
                "snapshots could not be written",
                "the values of the next written snapshot include theirs",
            ),
            self.definitions.sentence(
                "definitions of classes, sites or counters were dropped",
                "what they describe is missing or nameless",
            ),
            self.attempts.sentence(
                "attempts to write definitions of classes, sites or counters failed",
                "they were kept in memory and written later",
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
