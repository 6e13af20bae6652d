//! What a caller wants to know of a trace.

use crate::{CostQuestion, GrowthBound};

/// The number of a collection: 1 is the first of the run; 0 stands for the start of the run. A trace whose oldest files were rotated away starts later.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CollectionNumber(
    /// The number in the trace.
    pub u32,
);

impl core::fmt::Debug for CollectionNumber {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "gc{}", self.0)
    }
}

/// A moment at which the heap is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Right after a collection.
    After(CollectionNumber),
    /// Right after the last collection after which the heap is known.
    Last,
    /// At the end of the trace: what the last collection left, and everything allocated since.
    End,
}

/// What is to be worked out while a trace is read once.
///
/// The default is nothing but [`TraceInfo`](crate::TraceInfo), which is always there. Reading takes the same time for one question and for all.
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
