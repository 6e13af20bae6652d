//! Cycles as recordings hear of them.

use std::time::Instant;

use crate::collection::survivor::Survivor;
use crate::heap::address_range::AddressRange;
use crate::zgc::capture::{CycleFault, Outcome};
use crate::zgc::use_reader::CycleUses;

/// The part of the heap that a cycle judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CycleKind {
    /// The whole heap: ZGC without generations.
    Whole,
    /// The young generation.
    Young,
    /// The old generation.
    Old,
}

/// A cycle counts from the pause on in which this is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CycleStart {
    /// The part that it judges.
    pub kind: CycleKind,
    /// The VM's number of cycles of the generation.
    pub number: u32,
}

/// The result of a cycle.
#[derive(Debug, Default)]
pub struct CycleReport {
    /// Where each object moved, stayed or died: ascending.
    pub collected: Vec<AddressRange>,
    /// By ascending old address.
    pub survivors: Vec<Survivor>,
    /// How long the driver was held.
    pub held_nanos: u64,
    /// CPU time of the collector's workers since their last cycle of this kind.
    pub collector_nanos: u64,
    /// When its relocation was over.
    pub over: Option<Instant>,
    /// The cycle was given up before it decided anything.
    pub is_void: bool,
    /// These are all objects of the heap.
    pub is_whole: bool,
    /// The last uses of objects before it, if uses are recorded.
    pub uses: Option<CycleUses>,
}

impl CycleReport {
    pub(crate) fn of(outcome: Outcome, held_nanos: u64, is_whole: bool) -> Self {
        Self {
            is_whole,
            collected: outcome.collected,
            survivors: outcome.survivors,
            uses: outcome.uses,
            held_nanos,
            collector_nanos: 0,
            over: None,
            is_void: false,
        }
    }
}

/// Is told of cycles. Called on a driver thread, from inside the VM, or on a thread
/// of its own, while the program runs: implementations must not call the VM.
pub trait CycleListener: Send + Sync {
    /// A driver is between two phases, and the world is not stopped: the place for work that a pause left.
    fn between_phases(&self);
    /// A cycle is over, or will not be known.
    fn completed(&self, cycle: CycleStart, outcome: Result<CycleReport, CycleFault>);
}
