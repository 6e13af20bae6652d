//! Whether the live heap is known, while a trace is replayed.
//!
//! ```text
//!           first file, or a synchronization point
//!   unknown ---------------------------------------> known
//!      ^                                               |
//!      +-----------------------------------------------+
//!        a collection without moves, or one that is missing
//! ```

use crate::{CollectionNumber, HeapKnowledge, KnowledgeGap, KnownStretch};

/// The state and its history.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    known: bool,
    since: CollectionNumber,
    reason: Option<String>,
    /// Stretches in which it is not known, between others.
    gaps: Vec<KnowledgeGap>,
    /// Stretches in which it is known.
    stretches: Vec<KnownStretch>,
}

impl Knowledge {
    /// It is known now.
    pub fn is_known(&self) -> bool {
        self.known
    }

    /// The deaths of some collection are known.
    pub fn follows_any(&self) -> bool {
        self.stretches
            .iter()
            .any(|stretch| stretch.collections() > 0)
    }

    /// How many stretches have begun.
    pub fn stretch(&self) -> usize {
        self.stretches.len()
    }

    /// The heap is known after this collection.
    pub(crate) fn gain(&mut self, at: CollectionNumber) {
        if self.known {
            return;
        }
        if !self.stretches.is_empty() {
            self.gaps.push(KnowledgeGap {
                since: self.since,
                until: at,
                reason: self.reason.clone().unwrap_or_default(),
            });
        }
        self.stretches.push(KnownStretch {
            since: at,
            until: at,
        });
        self.known = true;
    }

    /// Known after this collection, too.
    pub(crate) fn reach(&mut self, collection: CollectionNumber) {
        if let Some(stretch) = self.stretches.last_mut().filter(|_| self.known) {
            stretch.until = collection;
        }
    }

    /// The first reason counts.
    pub(crate) fn lose(&mut self, since: CollectionNumber, reason: String) {
        if self.known || self.reason.is_none() {
            self.since = since;
            self.reason = Some(reason);
        }
        self.known = false;
    }

    /// Stretches between two in which the heap is known.
    pub fn gaps(&self) -> &[KnowledgeGap] {
        &self.gaps
    }

    /// Stretches in which it is known.
    pub fn stretches(&self) -> &[KnownStretch] {
        &self.stretches
    }

    /// The state at the end of a trace with this many collections.
    pub(crate) fn finish(&self, collections: u64) -> HeapKnowledge {
        let reason = self.reason.clone().unwrap_or_else(|| {
            "the first file of events is missing, and no file starts with a synchronization point".to_owned()
        });
        match (self.known, !self.stretches.is_empty()) {
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
