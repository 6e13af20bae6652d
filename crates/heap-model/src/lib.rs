//! Rebuilds what a trace says: statements in, tables out.
//!
//! In count mode [`CountModelBuilder`] folds the records of a trace, in order, into a [`CountModel`]:
//!
//! ```text
//! for record in reader { builder.fold(record); }
//! for (file, damage) in reader.damage() { builder.damage(file, damage); }
//! let model = builder.finish();
//! ```
//!
//! In trace mode [`TraceModel`] has that model and what the events say: [`TraceInfo`], [`HeapAt`], [`Lifetimes`], [`Timeline`], [`Growth`].
#![forbid(unsafe_code)]

mod completeness;
mod count_model;
mod count_model_builder;
mod counter_sums;
mod definition_table;
mod definitions;
mod field_layouts;
mod heap;
mod inconsistency;
mod increment_sums;
mod increments;
mod left_alone;
mod model_index;
mod model_sums;
mod row_checks;
mod row_plan;
mod site_row;
mod snapshot_state;
mod stable_name;
mod tally;
mod thread_row;

pub use completeness::Completeness;
pub use count_model::{CountModel, FileDamage, SnapshotRow};
pub use count_model_builder::CountModelBuilder;
pub use field_layouts::{ClassLayout, FieldLayouts, LayoutField};
pub use heap::{
    Amount, CallerLifetime, CollectionNumber, CompositionPoint, EpochPart, EpochView, EventFileRow,
    Growth, GrowthPoint, GrowthRow, GrowthSubject, GrowthVerdict, HeapAt, HeapKnowledge,
    HeapReplay, KnowledgeGap, KnownStretch, Lifetimes, LiveCaller, LiveSite, LiveSpace, LiveThread,
    LiveType, Lives, Moment, Quality, Questions, Rotation, SiteLifetime, SpaceUse, StretchGrowth,
    Timeline, TimelinePoint, TraceInfo, TraceModel, TraceNames,
};
pub use inconsistency::Inconsistency;
pub use increments::Increments;
pub use left_alone::{RefusalGroup, ReinstrumentedRow};
pub use model_index::{CallIndex, MethodIndex, SiteIndex, ThreadIndex};
pub use site_row::{CallRow, LengthBucket, MethodRow, SitePart, SiteRow, ThreadPart};
pub use stable_name::{stable_class, stable_descriptor};
pub use tally::Tally;
pub use thread_row::{ThreadKind, ThreadRow};

// The records that appear in the model as they are, so that reports need no other crate.
pub use ducktrack_trace_format::{
    AgentCost, AllocationKind, Damage, End, ObjectLayout, Refusal, Run,
};
