//! Class bytes and a choice of counters in, new class bytes and what they count out.
//!
//! ```text
//! class bytes ─ allocation sites ─ method plan ─┬─ probes at the allocation (lengths, boxes, unknown classes)
//!                                               ├─ counters per site or per path, stubs for exceptions
//!                                               ├─ call sites of tracked methods
//!                                               └─ calls that leave the application
//!               method plan ─ edit ─ new class bytes, dictionary entries, or a named refusal
//! ```
//!
//! No I/O, no threads, no clock: the agent gives bytes and numbers and takes bytes and meanings.
#![forbid(unsafe_code)]

mod allocation_kind;
mod allocation_site;
mod application;
mod blame_passing;
mod call_context;
mod call_rules;
mod call_totals;
mod class_rewriter;
mod class_template;
mod consecutive_numbers;
mod context_probes;
mod context_switches;
mod counted_calls;
mod event_probes;
mod exception_stubs;
mod hidden_class_gate;
mod joined_chains;
mod joined_counting;
mod labels;
mod local_numbers;
mod measure_probes;
mod method_counting;
mod method_plan;
mod method_view;
mod new_type;
mod no_paths;
mod object_probes;
mod off_heap_gates;
mod part;
mod path_counting;
mod path_plan;
mod path_policy;
mod planned;
mod planner;
mod pool_rules;
mod probe;
mod profile;
mod reads_gate;
mod records;
mod refusal;
mod replaced_methods;
mod rewrite_options;
mod rewritten_class;
mod shutdown_gate;
mod site_facts;
mod site_plan;
mod stack_claim;
mod stamps;
mod tracked_methods;
mod use_planner;
mod uses;
mod waiting_methods;

pub use allocation_kind::ElementSize;
pub use allocation_site::{Allocation, CallMeasure, Measure, allocations};
pub use application::ApplicationClasses;
pub use blame_passing::{BlamePassing, MethodName, methods_reaching};
pub use class_rewriter::ClassRewriter;
pub use class_template::ClassTemplate;
pub use consecutive_numbers::ConsecutiveNumbers;
pub use context_probes::{ContextEntry, ContextMethods, argument_variable};
pub use ducktrack_probe_vocabulary::{AllocationKind, Captures, Unit};
pub use method_counting::{MethodCounting, Stub, WhyPerSite};
pub use planned::{
    CallTarget, Numbers, PlannedCall, PlannedCallSite, PlannedCause, PlannedCounter, PlannedField,
    PlannedMethod, PlannedSite, Role, SiteKey, SizeRule, Term,
};
pub use pool_rules::{DynamicRule, PoolRules};
pub use profile::{MeasuredPlacement, MethodProfile, OwedByFrames, ProfilePoints};
pub use reads_gate::{MODULES, with_reads_gate};
pub use refusal::{Reason, Refusal};
pub use rewrite_options::{AllocationProbes, RewriteOptions, ThreadTotals};
pub use rewritten_class::RewrittenClass;
pub use site_facts::{BytecodeFacts, CalledMethodName};
pub use stamps::{Calls, Stamps};
pub use tracked_methods::{BadLine, TrackedMethods};
