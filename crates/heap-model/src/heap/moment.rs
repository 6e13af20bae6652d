//! What a caller wants to know of a trace.

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
    /// At the end of the trace: what the last collection left, and everything allocated since.
    End,
}

/// What is to be worked out while a trace is read once.
///
/// The default is nothing but [`TraceInfo`](crate::TraceInfo), which is always there. Reading takes the same time for one question and for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Questions {
    /// The heap at these moments.
    pub heap_at: Vec<Moment>,
    /// How long objects live, per site.
    pub lifetimes: bool,
    /// Collections and the composition of the heap over time.
    pub timeline: bool,
    /// Whose live objects become more and more.
    pub growth: bool,
}
