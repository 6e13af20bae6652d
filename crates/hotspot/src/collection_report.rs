//! What one collection did with the objects: which lived on, where, and how many died.
//!
//! | | |
//! |---|---|
//! | collected range | memory in which this collection decided about every object: evacuated spaces and regions, freed humongous objects, the whole heap in a full collection |
//! | survivor | an object of a collected range that lived on: `from -> to`; it stayed when both are equal |
//! | dead | every other object of a collected range |
//! | all others | untouched: same address, and not decided about |
//!
//! Example: a young collection of Serial with eden `[0x1000, 0x1040)`, objects of 16 bytes, the second and the third alive: collected
//! `[0x1000, 0x1040)`, survivors `0x1010 -> 0x8000`, `0x1020 -> 0x8010`, dead 2.

use crate::address::Address;
use crate::class_table::ClassId;
use crate::error::Error;
use crate::object_walk::WalkFault;
use crate::space::Space;
use crate::survivor::Survivor;
use crate::survivor_list::SurvivorList;

pub use ducktrack_heap_facts::{CollectionKind, MovesLevel};

/// Memory from `start` up to, not including, `end`.
pub type AddressRange = ducktrack_heap_facts::AddressRange<Address>;

/// What is asked of ranges of memory that is read.
pub(crate) trait MemoryRange: Sized {
    /// Its parts of this many bytes; the last one may be shorter.
    fn parts(self, bytes: usize) -> impl DoubleEndedIterator<Item = Self>;

    /// Which of these ranges, ascending, holds an address: of those that start at or before it the last, if it is long enough.
    fn position(ranges: &[Self], address: Address) -> Option<usize>;
}

impl MemoryRange for AddressRange {
    fn parts(self, bytes: usize) -> impl DoubleEndedIterator<Item = Self> {
        let Self { start, end } = self;
        let cuts = (0..self.bytes()).step_by(bytes);
        cuts.map(move |cut| Self {
            start: start.plus(cut),
            end: start.plus(cut + bytes).min(end),
        })
    }

    #[inline]
    fn position(ranges: &[Self], address: Address) -> Option<usize> {
        let above = ranges.partition_point(|range| range.start <= address);
        let last = above.checked_sub(1)?;
        ranges.get(last)?.contains(address).then_some(last)
    }
}

/// One collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectionReport {
    /// `CollectedHeap::_total_collections` with this collection.
    pub number: u32,
    /// What kind of pause.
    pub kind: CollectionKind,
    /// Why the VM collected, in its own words ("Allocation Failure"); empty when it did not say.
    pub cause: String,
    /// The spaces or regions when it began.
    pub before: Vec<Space>,
    /// The spaces or regions when it was over.
    pub after: Vec<Space>,
    /// Where it decided about every object: ascending, disjoint.
    pub collected: Vec<AddressRange>,
    /// Every object of the collected ranges that lived on, ascending by `from`.
    pub survivors: SurvivorList,
    /// Number of objects of the collected ranges that were walked and had died; fillers of the VM are among them. Where survivors are told without a
    /// walk, only those of humongous regions.
    pub dead: u64,
    /// Number of objects walked: 0 where survivors are told without it.
    pub walked: u64,
    /// Number of evacuated regions that were not read: the collector wrote nothing into them, so all their objects died.
    pub unread: u64,
    /// Number of words that looked like old copies of survivors, and were none.
    pub doubted: u64,
    /// What a [`DeadRecorder`](crate::DeadRecorder) made of the dead; `None`: there is none, or the dead are not known one by one.
    pub dead_records: Option<Vec<Vec<u8>>>,
    /// How long the world stood still for looking at them.
    pub walk_nanos: u64,
    /// Moves are not known: `survivors` are all objects of the heap as the collection left it, with `from` equal to `to`, space by space, and `collected`
    /// is empty. Level finish only.
    pub listed: bool,
    /// Why survivors and deaths are not known; then `collected` and `survivors` are empty.
    pub fault: Option<MovesFault>,
    /// The first collection that is known after a fault: every object that lives is among the survivors, those of spaces that it did not collect
    /// included (they stayed).
    pub anew: bool,
}

impl CollectionReport {
    /// Adds spaces that the collection did not decide about, and the objects that are there.
    pub(crate) fn add_listed(
        &mut self,
        spaces: impl IntoIterator<Item = (AddressRange, Vec<Survivor>)>,
    ) {
        let (ranges, objects): (Vec<_>, Vec<_>) = spaces.into_iter().unzip();
        self.collected.extend(ranges);
        self.collected.sort_unstable();
        self.survivors.add_sorted(objects.into_iter().flatten());
    }

    /// Its moves are not known.
    pub(crate) fn set_fault(&mut self, fault: MovesFault) {
        self.collected.clear();
        self.survivors.clear();
        self.dead_records = None;
        self.fault = Some(fault);
    }
}

/// Why the moves of a collection are not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MovesFault {
    /// The level of this run does not cover such a collection; later ones may be known again.
    #[error("{what} is not known at this level")]
    NotAtThisLevel {
        /// What kind of collection.
        what: &'static str,
    },
    /// Moves are not looked at: [`MovesLevel::Off`], or an earlier collection ended them until a full one can be read.
    #[error("moves are off")]
    Off,
    /// Asked for by a test.
    #[error("a fault was asked for")]
    OnDemand,
    /// Collections happened without events.
    #[error("{missed} collections were not announced")]
    Missed {
        /// How many.
        missed: u32,
    },
    /// A space does not consist of known objects up to its exact end.
    #[error("space {space}: {fault}")]
    Unparsed {
        /// Index of the space or region.
        space: u32,
        /// Where and why.
        fault: WalkFault,
    },
    /// A destination is outside the heap, or the object there is not the one that moved.
    #[error("object at {from:?} moved to {to:?}, where {found} is")]
    Destination {
        /// Where it was.
        from: Address,
        /// Where it should be.
        to: Address,
        /// What is there.
        found: &'static str,
    },
    /// The memory that objects moved to holds another number of objects of a class than moved there.
    #[error("class {class:?}: {claimed} objects moved, {found} are there")]
    Coverage {
        /// The class.
        class: ClassId,
        /// Survivors of that class that moved.
        claimed: u64,
        /// Objects of that class in the memory they moved to.
        found: u64,
    },
    /// Memory that held objects was given back to the system before it could be read.
    #[error("memory at {address:?} was given back before it was read")]
    Uncommitted {
        /// Where.
        address: Address,
    },
    /// A full collection was seen, but not all of its phases.
    #[error("a full collection passed unseen: {phase}")]
    PhaseMissed {
        /// What was missed.
        phase: &'static str,
    },
    /// The spaces changed in a way no collection should.
    #[error("region {index} changed in a way that is not understood")]
    RegionChange {
        /// Index of the region.
        index: u32,
    },
    /// A thread that walked the heap failed.
    #[error("a thread that walked the heap failed")]
    Interrupted,
    /// The VM's own data could not be read.
    #[error(transparent)]
    Vm(#[from] Error),
}

impl MovesFault {
    /// Does it end the knowledge of moves, or does it concern one collection only?
    #[must_use]
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::NotAtThisLevel { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::{AddressRange, Survivor};
    use crate::address::Address;
    use crate::class_table::ClassId;

    #[test]
    fn sizes_of_objects() {
        let of = |bytes| Survivor::new(Address(8), Address(16), bytes, ClassId(1));
        assert_eq!(of(24).map(|survivor| survivor.bytes()), Some(24));
        let largest = (u32::MAX as usize) * 8;
        assert_eq!(
            of(largest).map(|survivor| survivor.bytes()),
            Some(largest as u64)
        );
        assert_eq!(of(largest + 8), None);
        assert_eq!(of(12), None);
        assert!(of(24).is_some_and(|survivor| survivor.moved()));
    }

    #[test]
    fn ranges_end_before_their_end() {
        let range = AddressRange {
            start: Address(16),
            end: Address(32),
        };
        assert!(range.contains(Address(16)) && !range.contains(Address(32)));
        assert_eq!(range.bytes(), 16);
    }
}
