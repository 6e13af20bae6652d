//! Classes and methods that were left as they were, by reason, and methods that got a new version.

use crate::MethodIndex;
use ducktrack_trace_format::Refusal;

/// Everything that was refused for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusalGroup {
    /// A stable word, `method-too-large`.
    pub reason: String,
    /// Whole classes left alone.
    pub classes: u64,
    /// Single methods left alone.
    pub methods: u64,
    /// Allocation sites that are not counted because of it.
    pub sites: u64,
    /// Each of them, in the order of the trace.
    pub items: Vec<Refusal>,
}

/// A method that was given a new version because its hot path was measured (or moved).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReinstrumentedRow {
    /// Which method; `None` when the trace does not introduce it.
    pub method: Option<MethodIndex>,
    /// The new version.
    pub version: u16,
    /// Entries of the method at that moment.
    pub entries: u64,
    /// Increments per entry before.
    pub before: f32,
    /// Increments per entry as predicted for the new version.
    pub after: f32,
}
