//! Threads and what each of them executed.

use crate::{ContextIndex, Tally};

/// One thread of the trace, or a fold of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadRow {
    /// Its name; of folded threads with runs of digits written `#`.
    pub name: String,
    /// The kind of row.
    pub kind: ThreadKind,
    /// All sites together, as executed by this thread. Virtual threads count with the carrier they ran on.
    pub total: Tally,
    /// The contexts for which it counts, one of each kind; empty: it is a thread's own row.
    pub contexts: Vec<ContextIndex>,
    /// The VM's own count of bytes this thread allocated since counting was ready.
    pub vm_allocated_bytes: Option<u64>,
}

/// The subject of a [`ThreadRow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ThreadKind {
    /// A thread that was alive at the last snapshot.
    Live,
    /// All finished threads of one name pattern.
    Folded,
    /// The block that threads shared before they had one of their own: may be short by lost updates.
    Shared,
}

impl ThreadKind {
    /// The word in JSON, CSV and text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Folded => "folded",
            Self::Shared => "shared",
        }
    }
}
