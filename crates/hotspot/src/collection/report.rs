//! The report of one collection: which objects survived, where they are, and how many died.
//!
//! | | |
//! |---|---|
//! | collected range | memory in which this collection decided about every object: evacuated spaces and regions, freed humongous objects, the whole heap in a full collection |
//! | survivor | an object of a collected range that survived: `from -> to`; it stayed if both are equal |
//! | dead | every other object of a collected range |
//! | all others | untouched: same address, no decision |
//!
//! Example: a young collection of Serial with eden `[0x1000, 0x1040)`, four objects of 16 bytes, the second and third alive. Collected
//! `[0x1000, 0x1040)`, survivors `0x1010 -> 0x8000` and `0x1020 -> 0x8010`, dead 2.

use crate::address::Address;
use crate::classes::class_table::ClassId;
use crate::collection::survivor::Survivor;
use crate::collection::survivor_list::SurvivorList;
use crate::error::Error;
use crate::heap::address_range::AddressRange;
use crate::heap::object_walk::WalkFault;
use crate::heap::space::Space;

pub use ducktrack_heap_facts::CollectionKind;

/// One collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectionReport {
    /// `CollectedHeap::_total_collections`, including this collection.
    pub number: u32,
    /// The kind of pause.
    pub kind: CollectionKind,
    /// The cause, in the VM's words ("Allocation Failure"); empty if the VM did not give one.
    pub cause: String,
    /// The spaces or regions at the start.
    pub before: Vec<Space>,
    /// The spaces or regions at the end.
    pub after: Vec<Space>,
    /// Where the collection decided about every object: ascending, disjoint.
    pub collected: Vec<AddressRange>,
    /// Every survivor of the collected ranges, ascending by `from`.
    pub survivors: SurvivorList,
    /// Number of dead objects walked in the collected ranges, including fillers of the VM. If survivors were found without a walk, only
    /// dead humongous objects.
    pub dead: u64,
    /// Number of objects walked: 0 if survivors were found without a walk.
    pub walked: u64,
    /// Number of evacuated regions that were not read: the collector wrote nothing into them, so all their objects died.
    pub unread: u64,
    /// Number of words that looked like old copies of survivors but were not.
    pub doubted: u64,
    /// The records of a [`DeadRecorder`](crate::DeadRecorder); `None` if there is no recorder, or if the dead were not visited one by one.
    pub dead_records: Option<Vec<Vec<u8>>>,
    /// Nanoseconds of the pause spent on reading the heap.
    pub walk_nanos: u64,
    /// Why survivors and deaths are unknown; `collected` and `survivors` are empty then.
    pub fault: Option<MovesFault>,
    /// The first known collection after a fault: every live object is among the survivors, including those of spaces that it did not
    /// collect (they stayed).
    pub anew: bool,
}

impl CollectionReport {
    /// Adds spaces that the collection did not decide about, with their objects.
    pub(crate) fn add_listed(
        &mut self,
        spaces: impl IntoIterator<Item = (AddressRange, Vec<Survivor>)>,
    ) {
        let (ranges, objects): (Vec<_>, Vec<_>) = spaces.into_iter().unzip();
        self.collected.extend(ranges);
        self.collected.sort_unstable();
        self.survivors.add_sorted(objects.into_iter().flatten());
    }

    /// Marks the moves as unknown.
    pub(crate) fn set_fault(&mut self, fault: MovesFault) {
        self.collected.clear();
        self.survivors.clear();
        self.dead_records = None;
        self.fault = Some(fault);
    }
}

/// Why the moves of a collection are unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MovesFault {
    /// Moves are not read after an earlier fault, until a full collection can be read.
    #[error("moves are off")]
    Off,
    /// Requested by a test.
    #[error("a fault was asked for")]
    OnDemand,
    /// Full collections follow each other and free nearly nothing: nothing is read, so that the VM's own
    /// limits are reached as without the agent. Until a full collection that comes after there is air.
    #[error(
        "collections followed each other and freed nearly nothing, so the agent left them to the JVM"
    )]
    NoAir,
    /// Collections happened without events.
    #[error("{missed} collections were not announced")]
    Missed {
        /// How many.
        missed: u32,
    },
    /// A space could not be parsed into known objects up to its exact end.
    #[error("space {space}: {fault}")]
    Unparsed {
        /// Index of the space or region.
        space: u32,
        /// Where and why.
        fault: WalkFault,
    },
    /// A destination is outside the heap, or holds a different object than the one that moved.
    #[error("object at {from:?} moved to {to:?}, where {found} is")]
    Destination {
        /// The old address.
        from: Address,
        /// The expected new address.
        to: Address,
        /// What is at the new address.
        found: &'static str,
    },
    /// The memory that objects moved to holds a different number of objects of a class than moved there.
    #[error("class {class:?}: {claimed} objects moved, {found} are there")]
    Coverage {
        /// The class.
        class: ClassId,
        /// Survivors of that class that moved.
        claimed: u64,
        /// Objects of that class in the memory that they moved to.
        found: u64,
    },
    /// Memory that held objects was uncommitted before it could be read.
    #[error("memory at {address:?} was given back before it was read")]
    Uncommitted {
        /// The address.
        address: Address,
    },
    /// A full collection was seen, but not all of its phases.
    #[error("a full collection passed unseen: {phase}")]
    PhaseMissed {
        /// The phase that was missed.
        phase: &'static str,
    },
    /// The spaces changed in a way that no collection should cause.
    #[error("region {index} changed in a way that is not understood")]
    RegionChange {
        /// Index of the region.
        index: u32,
    },
    /// A thread that walked the heap panicked.
    #[error("a thread that walked the heap failed")]
    Interrupted,
    /// The VM's own data could not be read.
    #[error(transparent)]
    Vm(#[from] Error),
}

#[cfg(test)]
mod tests {
    use super::Survivor;
    use crate::address::Address;
    use crate::classes::class_table::ClassId;

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
}
