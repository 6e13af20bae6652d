//! The live heap of a trace, rebuilt from its events and collections, and what analyses hear of it.
//!
//! ```text
//! let mut replay = HeapReplay::new(names, vec![&mut one, &mut another], workers);
//! replay.start_file(..)                        // each file of events
//! replay.sync_part(content)                    // its synchronization point
//! replay.end_epoch(cycle, bytes, |view, parts| ..)   // each collection: the closure lets parts take the epoch's buffers
//! replay.explained(content)
//! replay.end(|view, parts| ..)                 // the buffers after the last collection
//! let heap = replay.finish();                  // then each analysis has its answer
//! ```
//!
//! An *epoch* is the time between two collections. An object is born by an event (it ends at the address that the event
//! gives), or found by a collection; it keeps its identity by the moves of collections, and dies by a collection that
//! does not name it. Memory is bounded by the live heap, the survivors of one epoch and the moves of one collection.
//!
//! An [`Analysis`] is what somebody wants to know. It is written once, without a line in the engine:
//!
//! ```
//! use ducktrack_heap_replay::{Analysis, Heap, LiveObject, Pause, Step};
//!
//! /// Live bytes after each collection, and how many objects each found dead that were older than a megabyte of allocations.
//! #[derive(Default)]
//! struct Example { live: Vec<u64>, old: u64 }
//!
//! impl Analysis for Example {
//!     fn died(&mut self, object: &LiveObject, step: &Step<'_>) {
//!         self.old += u64::from(step.clock.since(object.birth) > Some(1 << 20));
//!     }
//!
//!     fn settled(&mut self, heap: &Heap, _: Pause) {
//!         self.live.push(heap.counts.total.bytes);
//!     }
//! }
//! ```
#![forbid(unsafe_code)]

mod analysis;
mod collection_step;
mod cycle;
mod epoch_part;
mod epoch_queues;
mod epoch_sums;
mod heap;
mod knowledge;
mod live_counts;
mod live_object;
mod moment;
mod outcome;
mod replay;
mod replay_info;
mod run_sums;
mod slices;
mod space_map;
mod sync;
mod sync_check;
mod thread_queue;
mod trace_info;

pub use analysis::{Analysis, Collected, Epoch, EpochEnd, Gain, Loss, Pause, Rest, Step, Wants};
pub use cycle::Cycle;
pub use epoch_part::{EpochPart, EpochView, EventSums, NewType, SiteTally};
pub use epoch_queues::{EpochQueues, QueueIndex};
pub use epoch_sums::EpochSums;
pub use heap::Heap;
pub use knowledge::Knowledge;
pub use live_counts::LiveCounts;
pub use live_object::LiveObject;
pub use moment::{CollectionNumber, Moment};
pub use outcome::Outcome;
pub use replay::HeapReplay;
pub use slices::Slice;
pub use space_map::{SpaceMap, is_old, is_young};
pub use thread_queue::{Step as ThreadStep, ThreadQueue};
pub use trace_info::{
    EventFileRow, HeapKnowledge, KnowledgeGap, KnownStretch, Quality, RecoveredRow, Rotation,
    TraceInfo,
};
