//! The objects of each piece of the run that stay: births and survivors by site and caller, on the clock of allocated bytes.
//!
//! It is what [`ducktrack_leaks`] judges. The state that counts is that after the last collection that looked at
//! all of the old space, if that was in the second half of the judged span; else that after the first one that
//! follows the span, of what was born in it; and if there is none, that at the end of the span, where old objects
//! may be dead. Where the heap was lost on the way, the longest stretch in which it is known is the span.

pub(crate) mod builder;
mod cells;
mod epoch_cells;
mod rows;
pub(crate) mod sites;
pub(crate) mod span;

use std::sync::Arc;

use ducktrack_count_model::{CallIndex, SiteIndex};
use ducktrack_heap_replay::CollectionNumber;
use ducktrack_leaks::{Amount, Clock, History};

pub use epoch_cells::EpochCells;

/// Histories of all sites, over the judged span.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survivors {
    /// The judged span, from its start to the look or to its end.
    pub clock: Clock,
    /// When each cell of the clock ended, microseconds since 1970.
    pub cell_ends: Vec<u64>,
    /// The cells in which objects of an epoch were born.
    pub epoch_cells: EpochCells,
    /// When the span starts, microseconds since 1970.
    pub start_micros: u64,
    /// One for each line of source, caller and type.
    pub rows: Vec<SurvivorRow>,
    /// The last collection of the span that looked at all of the old space, or the first after it.
    pub look: Option<OldSpaceLook>,
    /// The histories are those after `look`; else they are those at the end of the span.
    pub is_at_look: bool,
    /// Everything that was alive then.
    pub live: Amount,
    /// Bytes of the old and the young space that the last full collection found, and that it left.
    pub last_full: Option<(u64, u64)>,
    /// Bytes allocated from `clock`'s end to the end of the span.
    pub allocated_after: u64,
    /// Of these: bytes that no collection has found dead. It looked at young objects only.
    pub alive_since_look: u64,
    /// Alive at the look, but made after the last whole piece of the span: nothing is known of how it goes on.
    pub alive_after: Amount,
    /// Bytes allocated in the part of the run that is too short to be judged, before the look that ends the judged one.
    pub unjudged: u64,
    /// Bytes allocated in the span after the heap was lost: the histories are those up to there.
    pub lost: u64,
    /// Collections of the span.
    pub collections: u32,
    /// False: the heap is never known (no moves recorded, or lost at once).
    pub known: bool,
}

/// Objects of one line of source, made for one caller.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurvivorRow {
    /// One of its sites. `None`: made by the VM or native code.
    pub site: Option<SiteIndex>,
    /// For whom.
    pub call: Option<CallIndex>,
    /// Descriptor with stable names. `None`: not known.
    pub ty: Option<Arc<str>>,
    /// Class loaders whose classes have this line.
    pub loaders: u32,
    /// All of its sites: rows of [`CountModel::sites`](ducktrack_count_model::CountModel::sites).
    pub sites: Vec<SiteIndex>,
    /// All of its calls: rows of [`CountModel::calls`](ducktrack_count_model::CountModel::calls).
    pub calls: Vec<CallIndex>,
    /// Births and survivors.
    pub history: History,
}

/// A collection that looked at all of the old space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OldSpaceLook {
    /// Which.
    pub collection: CollectionNumber,
    /// When it ended, microseconds since 1970.
    pub unix_micros: u64,
}
