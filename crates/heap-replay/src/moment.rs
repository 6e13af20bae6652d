//! Moments of a run at which the heap is looked at.

/// The number of a collection: 1 is the first of the run; 0 stands for the
/// start of the run. A trace whose oldest files were rotated away starts later.
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
