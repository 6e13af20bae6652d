//! Whether the live heap is known, while a trace is replayed.
//!
//! ```text
//!           first file, or a synchronization point
//!   unknown ---------------------------------------> known
//!      ^                                               |
//!      +-----------------------------------------------+
//!        a collection without moves, or one that is missing
//! ```

use crate::{CollectionNumber, HeapKnowledge, KnowledgeGap};

/// The state and its history.
#[derive(Clone, Debug, Default)]
pub(crate) struct Knowledge {
    known: bool,
    /// It was known at some time.
    was_known: bool,
    /// It was lost at some time.
    was_lost: bool,
    since: CollectionNumber,
    reason: Option<String>,
    /// Stretches that are over.
    gaps: Vec<KnowledgeGap>,
}

impl Knowledge {
    pub(crate) fn is_known(&self) -> bool {
        self.known
    }

    /// Known from the first collection at hand to the last.
    pub(crate) fn is_whole(&self) -> bool {
        self.known && !self.was_lost
    }

    /// The heap is known behind this collection.
    pub(crate) fn gain(&mut self, at: CollectionNumber) {
        if !self.known && self.was_known {
            self.gaps.push(KnowledgeGap {
                since: self.since,
                until: at,
                reason: self.reason.clone().unwrap_or_default(),
            });
        }
        self.known = true;
        self.was_known = true;
    }

    /// The first reason counts.
    pub(crate) fn lose(&mut self, since: CollectionNumber, reason: String) {
        self.was_lost = true;
        if self.known || self.reason.is_none() {
            self.since = since;
            self.reason = Some(reason);
        }
        self.known = false;
    }

    /// Stretches between two in which the heap is known.
    pub(crate) fn take_gaps(&mut self) -> Vec<KnowledgeGap> {
        std::mem::take(&mut self.gaps)
    }

    /// The state at the end of a trace with so many collections.
    pub(crate) fn finish(self, collections: u64) -> HeapKnowledge {
        let reason = self.reason.unwrap_or_else(|| {
            "the first file of events is missing, and no file starts with a synchronization point".to_owned()
        });
        match (self.known, self.was_known) {
            (true, _) if collections == 0 => HeapKnowledge::NoCollection,
            (true, _) => HeapKnowledge::Known,
            (false, true) if self.since.0 > 1 => HeapKnowledge::Lost {
                since: self.since,
                reason,
            },
            _ => HeapKnowledge::Never { reason },
        }
    }
}
