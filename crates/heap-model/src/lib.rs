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

mod causes;
mod completeness;
mod count_model;
mod count_model_builder;
mod counter_sums;
mod deaths;
mod definition_table;
mod definitions;
mod field_layouts;
mod heap;
mod inconsistency;
mod increment_sums;
mod increments;
mod left_alone;
mod live_counts;
mod live_rows;
mod model_index;
mod model_sums;
mod row_checks;
mod row_plan;
mod said_values;
mod sampled_stacks;
mod site_row;
mod snapshot_state;
mod stable_name;
mod tally;
mod thread_row;
mod unended_run;
mod window_choice;
mod windows;

pub use causes::{CauseRow, Causes};
pub use completeness::Completeness;
pub use count_model::{CountModel, FileDamage, SnapshotRow};
pub use count_model_builder::CountModelBuilder;
pub use deaths::{
    DeathRow, DeathTallies, Deaths, Demographics, DemographicsPoint, LifeTally, ProgramClock,
    QuantileHistogram, Quantiles, Spans, Survival, SurvivalPoint,
};
pub use field_layouts::{ClassLayout, FieldLayouts, LayoutField};
pub use heap::{
    Amount, BridgeLosses, CallerCost, CallerLifetime, CollectionNumber, CommonFacts,
    CompositionPoint, Cost, CostQuestion, EpochPart, EpochView, Estimate, EventFileRow,
    FollowedSites, FullSavings, GcCost, GroupCost, Growth, GrowthBound, GrowthPoint, GrowthRow,
    GrowthSubject, GrowthVerdict, GrowthWindow, HeapAt, HeapKnowledge, HeapReplay, HeapWhatIf,
    HeldRoot, KindCost, KnowledgeGap, KnownStretch, Levels, Lifetimes, LiveCaller, LiveObjects,
    LiveSite, LiveSpace, LiveThread, LiveType, Lives, Moment, ObjectGroup, ObjectMaker,
    OldSpaceLook, PauseKind, PauseModel, Quality, Questions, RecoveredRow, Rotation, Saved,
    SiteCost, SiteLifetime, SpaceUse, StaleCaller, StalePoint, StaleSite, StaleType, Staleness,
    StretchGrowth, Timeline, TimelinePoint, TraceBridge, TraceInfo, TraceModel, TraceNames,
    TypeCost, WindowGrowth,
};
pub use inconsistency::Inconsistency;
pub use increments::Increments;
pub use left_alone::{RefusalGroup, ReinstrumentedRow};
pub use live_counts::LiveCounts;
pub use live_rows::{LiveKind, LiveName, LiveRow};
pub use model_index::{CallIndex, MethodIndex, SiteIndex, ThreadIndex};
pub use sampled_stacks::{SampledStacks, StackFrameRow, StackMethodRow, StackSampleRow};
pub use site_row::{CallRow, LengthBucket, MethodRow, SitePart, SiteRow, ThreadPart};
pub use stable_name::{stable_class, stable_descriptor};
pub use tally::Tally;
pub use thread_row::{ThreadKind, ThreadRow};
pub use unended_run::UnendedRun;
pub use window_choice::{ChosenWindows, WindowChoice};
pub use windows::WindowRow;

// What a stream of exact deaths says, as it is.
pub use ducktrack_merlin::{
    CollectionTotals, Contradictions, DeathGroups, EventCounts, Fate, HeapShape, Instant,
    KnownClocks, Level, Log2Histogram, MethodName, Names, ObjectSum, PointerDistances, RunTotals,
    SiteId, SiteName, TypeId, Uses,
};

// The records that appear in the model as they are, so that reports need no other crate.
pub use ducktrack_trace_format::{
    AgentCost, AllocationKind, Damage, End, HeapLimits, MissingEnd, NullUse, ObjectLayout,
    ProcessState, Refusal, Removal, Run, SampleSums, Trial,
};
