//! Counters, and the meaning of one increment.

use serde::{Deserialize, Serialize};

use ducktrack_probe_vocabulary::Unit;

use crate::ids::{CallSiteId, CounterId, SiteId};

/// A counter's semantics in the sense of DuckTracks: what to add to which site when the counter grows by one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counter {
    /// Its id.
    pub id: CounterId,
    /// How its word grows.
    pub role: CounterRole,
    /// The version of the method to which this counter belongs: 0 as first loaded, 1 after the first
    /// re-instrumentation, ...
    pub version: u16,
    /// The meaning of one increment; may be empty.
    pub terms: Vec<Term>,
}

/// How a counter's word grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CounterRole {
    /// By one for each execution of its increment.
    Increment,
    /// By one for each execution; used only for profiling, so it has no terms.
    Profile,
    /// By an amount (bytes of an array of computed length). Not an increment in the paper's sense, so reports list it
    /// separately.
    Amount,
}

/// One part of a counter's semantics: add `factor` times the counter's growth to `unit` of `site`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    /// The site.
    pub site: SiteId,
    /// The factor; negative where a path corrects another.
    pub factor: i32,
    /// The unit that it counts.
    pub unit: Unit,
}

/// Four counters of a call. They have no terms. The first two count objects and bytes that everything under the call allocated (in a
/// recursion once). The other two count those that are charged to the call, because it was the innermost call of the application when other
/// code allocated them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// The call. Several records may name it, because each version of its method has its own counters.
    pub call: CallSiteId,
    /// The first of its four counters.
    pub first: CounterId,
}
