//! What a caller wants to know of a trace.

use ducktrack_heap_replay::Moment;

use crate::cost::CostQuestion;
use crate::growth::span::GrowthBound;

/// What is to be worked out while a trace is read once.
///
/// The default is nothing but [`TraceInfo`](ducktrack_heap_replay::TraceInfo), which is always there. Reading takes the same time for one question and for all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Questions {
    /// The heap at these moments.
    pub heap_at: Vec<Moment>,
    /// Each object of the heap that a dump shows. The dump is named by the time in its head, milliseconds since 1970.
    pub heap_dump: Option<u64>,
    /// How long objects live, per site.
    pub lifetimes: bool,
    /// Collections and the composition of the heap over time.
    pub timeline: bool,
    /// Whose live objects become more and more.
    pub growth: bool,
    /// `growth` from here on.
    pub growth_from: Option<GrowthBound>,
    /// `growth` up to here.
    pub growth_until: Option<GrowthBound>,
    /// What each site costs the collector.
    pub cost: Option<CostQuestion>,
    /// How long live objects have not been used, at this moment: after a collection, or after the last one.
    pub staleness: Option<Moment>,
}

impl Questions {
    /// Do answers name the callers of what died young?
    pub(crate) fn by_caller(&self) -> bool {
        self.lifetimes || self.cost.is_some()
    }
}
