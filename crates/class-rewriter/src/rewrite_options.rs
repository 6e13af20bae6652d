//! The options of the rewriter, for every class.

/// How and what to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewriteOptions {
    /// The probes of allocations.
    pub allocations: AllocationProbes,
    /// Count arrays by length.
    pub histogram: bool,
    /// Count what reached the heap.
    pub materialized: bool,
    /// Count chains of `StringBuilder` around them, so that C2 can join them: only where counters need nothing from
    /// inside of a chain (no totals, lengths or materialized objects), and characters of one byte are kept as one.
    pub joined_chains: bool,
    /// The totals that each thread keeps of its objects.
    pub totals: ThreadTotals,
    /// Count calls of JDK methods that make objects for their caller, in code that is not the JDK's.
    pub calls: bool,
    /// Report memory outside of the heap; needs the helper class `DuckTrackOffHeap`.
    pub off_heap: bool,
    /// Add entry counters, so that methods can be re-instrumented.
    pub profile: bool,
    /// Stamp also where a stamp cannot change a death time. For tests.
    pub redundant_stamps: bool,
}

/// Sums of a thread's objects, which each probe adds to: any but `None` needs [`AllocationProbes::SiteCounters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadTotals {
    /// There are none.
    None,
    /// For the objects of each execution of a context.
    Executions,
    /// For what calls of the application allocate.
    Calls,
}

/// The probes that allocations get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocationProbes {
    /// Counters, one per path.
    PathCounters,
    /// Counters, one per site.
    SiteCounters,
    /// An event each. No code counts; each site has the counters that the reader of the events adds to.
    Events,
    /// No probe: only uses of objects are stamped.
    None,
}

impl AllocationProbes {
    /// Whether the program's own code counts.
    pub(crate) fn are_counted(self) -> bool {
        matches!(self, Self::PathCounters | Self::SiteCounters)
    }
}
