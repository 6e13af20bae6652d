//! The live heap of a trace, rebuilt from its events and collections.
#![forbid(unsafe_code)]
// The engine moves in here next; until then its parts are seen from outside.
#![allow(missing_docs)]

mod allocation_clock;
mod epoch_part;
mod epoch_queues;
mod knowledge;
mod live_counts;
mod live_heap;
mod live_object;
mod moment;
mod outcome;
mod replay_info;
mod run_sums;
mod space_map;
mod sync_check;
mod thread_queue;
mod trace_info;

pub use allocation_clock::AllocationClock;
pub use epoch_part::{EpochPart, EpochView, EventSums, SiteTally, Survivor};
pub use epoch_queues::{EpochQueues, QueueIndex};
pub use knowledge::Knowledge;
pub use live_counts::LiveCounts;
pub use live_heap::LiveHeap;
pub use live_object::LiveObject;
pub use moment::{CollectionNumber, Moment};
pub use outcome::Outcome;
pub use run_sums::RunSums;
pub use space_map::{SpaceMap, is_old, is_young};
pub use sync_check::SyncCheck;
pub use thread_queue::{Step, ThreadQueue};
pub use trace_info::{
    EventFileRow, HeapKnowledge, KnowledgeGap, KnownStretch, Quality, RecoveredRow, Rotation,
    TraceInfo,
};
