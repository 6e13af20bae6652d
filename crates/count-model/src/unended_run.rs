//! A run whose trace has no end record, in words that reports print.

use ducktrack_trace_format::MissingEnd;

use crate::definitions::Definitions;

/// How a run stands that has not ended as it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnendedRun {
    /// The findings of the reader.
    pub facts: MissingEnd,
    /// Names of the threads whose counts were in private memory.
    pub private_threads: Vec<String>,
    /// Names of the threads a part of whose counts was.
    pub partly_private_threads: Vec<String>,
}

impl UnendedRun {
    pub(crate) fn of(facts: MissingEnd, definitions: &Definitions) -> Self {
        let names = |ids: &[ducktrack_trace_format::ThreadId]| {
            let name = |id| match definitions.thread(id) {
                Some(thread) => thread.name.clone(),
                None => "(shared)".to_owned(),
            };
            ids.iter().copied().map(name).collect()
        };
        Self {
            private_threads: names(&facts.private_threads),
            partly_private_threads: names(&facts.partly_private_threads),
            facts,
        }
    }
}
