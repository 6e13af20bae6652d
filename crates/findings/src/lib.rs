//! The verdict on a run, once: what leaks, how sure, how fast, who made it, who holds it and what a person can do about it.
//!
//! ```text
//! answers to a trace (analyses) ─┐
//! the rule (leaks) ──────────────┼─> Findings::of ─> Vec<Finding>, RunVerdict ─> reports, fleet, metrics, cost, impact
//! a heap dump (holders) ─────────┘
//! ```
//!
//! Whatever shows a verdict renders a [`Finding`] and decides nothing.
#![forbid(unsafe_code)]

mod adding_line;
mod advice;
mod adviser;
mod alarm;
mod candidates;
mod contradiction;
mod evidence;
mod finding;
mod findings;
mod held;
mod judged_row;
mod off_heap_finding;
mod off_heap_leaks;
mod off_heap_makers;
mod off_heap_witness;
mod places;
mod removal;
mod run_verdict;
mod softly_held;
mod structures;
mod uses;

pub use advice::Advice;
pub use contradiction::Contradiction;
pub use evidence::{Evidence, LeakAnswers, leak_question};
pub use finding::{
    AddedBy, Companion, Finding, HeldBy, Holder, HolderMade, Maker, Outside, Standing, Uses,
};
pub use findings::Findings;
pub use judged_row::JudgedRow;
pub use off_heap_finding::{OffHeapFinding, OffHeapOwner, OffHeapUnknown, OffHeapVerdict};
pub use places::Place;
pub use removal::Removal;
pub use run_verdict::{RunVerdict, Unknown};
pub use softly_held::Part;
