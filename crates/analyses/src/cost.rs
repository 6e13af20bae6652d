//! Costs of the collector by site, caller and type: the work that was done for each, and the collections that its allocations caused.
//!
//! ```text
//! CollectionStep ── kept, died, allocated ──> CostBuilder ── end_collection ──> CostLedger (per origin, per type)
//!                                                  │                                 │
//!                                                  └── PauseModel (per pause kind) ──┴──> GcCost
//! ```
//!
//! - *Work*: bytes copied (young and mixed collections), bytes that survived (full collections).
//! - *Saved*: full collections come later and have less to do in a run in which part of the old space's
//!   content is not there ([`other_run`]): without the objects, or with objects that die when they have not
//!   been used for some collections. These runs are followed for each caller, site, type and group of objects.
//! - *Brought on*: a collection happens because room is used up. Each origin has its share of the bytes
//!   that used it: of all allocated bytes since the last evacuation, or of all promoted bytes since the old
//!   space was last collected. A collection that the program or a tool asked for is brought on by no site.

mod analysis;
mod cost_builder;
mod cost_ledger;
mod gc_cost;
mod model_error;
mod object_group;
mod other_run;
mod other_runs;
mod pause_kind;
mod pause_model;
mod saved_collections;
mod what_if;

pub use cost_builder::CostBuilder;
pub use gc_cost::{CallerCost, Cost, GcCost, GroupCost, KindCost, SiteCost, TypeCost};
pub use object_group::{CostQuestion, ObjectGroup};
pub use other_run::Saved;
pub use other_runs::FullSavings;
pub use pause_kind::PauseKind;
pub use pause_model::{Estimate, PauseModel};
pub use what_if::HeapWhatIf;
