//! Contradictions in a stream. They are counted, and death times are computed as well as possible.

/// How often each was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contradictions {
    /// Records on objects that are dead or were never allocated.
    pub unknown_objects: u64,
    /// Allocations of objects that are alive.
    pub doubled_allocations: u64,
    /// Updates whose old target is another than the one that was stored there last.
    pub other_old_targets: u64,
    /// Objects that were reported dead while an object that was not refers to them.
    pub dead_but_referenced: u64,
    /// Clock readings below the reading before.
    pub clocks_back: u64,
    /// Records of a collection outside of one, or events inside of one.
    pub misplaced: u64,
}

impl Contradictions {
    /// Each with what it is, in order.
    #[must_use]
    pub fn named(&self) -> [(&'static str, u64); 6] {
        [
            (
                "records on objects that are dead or were never allocated",
                self.unknown_objects,
            ),
            (
                "allocations of objects that are alive",
                self.doubled_allocations,
            ),
            (
                "updates whose old target is not the one stored there last",
                self.other_old_targets,
            ),
            (
                "objects reported dead while a live object refers to them",
                self.dead_but_referenced,
            ),
            ("clock readings below the reading before", self.clocks_back),
            (
                "records outside of their place around collections",
                self.misplaced,
            ),
        ]
    }

    /// How many in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.named().iter().map(|(_, count)| count).sum()
    }
}
