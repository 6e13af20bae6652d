//! Who holds the objects of a heap dump, and who made them: a dump joined with the trace of the same JVM.
//!
//! ```text
//! let joined = JoinedDump::new(HeapGraph::read(file, Extent::Whole)?, trace.objects);
//! let holdings = Holdings::new(joined)?;
//! holdings.by_type(); holdings.by_origin(); holdings.holders(|object| .., 5)?;
//! ```
#![forbid(unsafe_code)]

mod accumulation;
mod direct_memory;
mod dominator_groups;
mod field_paths;
mod growing_step;
mod holder_path;
mod holding_questions;
mod holdings;
mod join;
mod kept_loaders;
mod last_use;
mod other_holder;
mod pair_holdings;
mod removable_pair;
mod site_traces;
mod softly_held;
mod spent_entries;
mod thread_local_field;
mod type_table;

pub use direct_memory::DirectMemory;
pub use dominator_groups::DominatorGroup;
pub use field_paths::{FieldPath, FieldPaths, PathNumber};
pub use holder_path::{HolderPath, HolderStep, NamedRoot, OwnStructure, StepReference};
pub use holdings::{Holding, Holdings};
pub use join::{JoinOutcome, JoinedDump, MOST_MISSING};
pub use kept_loaders::KeptLoaders;
pub use last_use::LastUse;
pub use pair_holdings::SiteBytes;
pub use removable_pair::RemovablePair;
pub use site_traces::SiteTraces;
pub use thread_local_field::NamedField;
pub use type_table::{Origin, TypeNumber, TypeTable};

// What reports need of dumps, so that they need no other crate.
pub use ducktrack_heap_dump::{DumpError, DumpFile, Enriched, Extent, HeapGraph, Tier, enrich};
