//! The counts of a trace: definitions and counters in, rows of sites, methods and threads out.
//!
//! [`CountModelBuilder`] folds the records of a trace, in order, into a [`CountModel`]:
//!
//! ```text
//! for record in reader { builder.fold(record); }
//! for (file, damage) in reader.damage() { builder.damage(file, damage); }
//! let model = builder.finish();
//! ```
//!
//! For the events of a trace it also makes [`TraceNames`]: which [column](SiteColumn) of a replay's tables a site, a caller or a type has.
#![forbid(unsafe_code)]

mod causes;
mod column;
mod completeness;
mod context_filter;
mod context_names;
mod context_row;
mod count_model;
mod count_model_builder;
mod counted_calls;
mod counter_sums;
mod definition_table;
mod definitions;
mod event_counts;
mod field_layouts;
mod inconsistency;
mod increment_sums;
mod increments;
mod left_alone;
mod live_counts;
mod live_rows;
mod model_index;
mod model_sums;
mod off_heap;
mod overloads;
mod own_objects;
mod row_checks;
mod row_plan;
mod said_values;
mod sampled_stacks;
mod site_facts;
mod site_row;
mod snapshot_state;
mod stable_name;
mod tally;
mod thread_row;
mod trace_names;
mod trace_names_builder;
mod unended_run;
mod window_choice;
mod windows;

pub use causes::{CauseRow, Causes};
pub use column::{CallerColumn, Origin, SiteColumn, TypeColumn};
pub use completeness::Completeness;
pub use context_names::{ContextName, ContextNames};
pub use context_row::{ContextRow, Distribution, Executions, ObjectsOfExecutions};
pub use count_model::{CountModel, FileDamage, SnapshotRow};
pub use count_model_builder::CountModelBuilder;
pub use counted_calls::CountedCallRow;
pub use event_counts::EventCount;
pub use field_layouts::{ClassLayout, FieldLayouts, LayoutField};
pub use inconsistency::Inconsistency;
pub use increments::Increments;
pub use left_alone::{RefusalGroup, ReinstrumentedRow};
pub use live_counts::LiveCounts;
pub use live_rows::{LiveKind, LiveName, LiveRow, LiveTable};
pub use model_index::{CallIndex, ContextIndex, MethodIndex, SiteIndex, ThreadIndex};
pub use off_heap::OffHeapRow;
pub use sampled_stacks::{SampledStacks, StackFrameRow, StackMethodRow, StackSampleRow};
pub use site_facts::SiteFacts;
pub use site_row::{CallRow, LengthBucket, MethodRow, SitePart, SiteRow, ThreadPart};
pub use stable_name::{stable_class, stable_descriptor};
pub use tally::Tally;
pub use thread_row::{ThreadKind, ThreadRow};
pub use trace_names::{CalledMethodName, SiteEntry, TraceNames, TypeNames};
pub use unended_run::UnendedRun;
pub use window_choice::{ChosenWindows, WindowChoice};
pub use windows::WindowRow;

// The records that appear in the model as they are, so that reports need no other crate.
pub use ducktrack_trace_format::{
    AgentCost, AllocationKind, Application, Captures, Damage, End, HeapLimits, LargestExecution,
    MethodName, MissingEnd, NullUse, ObjectLayout, OffHeapFrame, OffHeapKind, OutOfMemory,
    ProcessState, Refusal, Removal, Run, RunMode, RunState, SampleSums, SizeClass, Trial,
    class_pattern_matches, is_of_jdk, may_lose_references,
};
