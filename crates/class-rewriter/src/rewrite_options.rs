//! What the rewriter is asked to do with every class.

/// How and what to count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RewriteOptions {
    /// How counters are placed.
    pub counters: CounterChoice,
    /// Count arrays by length.
    pub histogram: bool,
    /// Count what reached the heap.
    pub materialized: bool,
    /// Keep the totals of each thread, so that calls can be asked what they bring; needs [`CounterChoice::Site`].
    pub totals: bool,
    /// Add entry counters, so that methods can be re-instrumented.
    pub profile: bool,
}

/// How counters are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterChoice {
    /// One counter per path.
    Path,
    /// One counter per site.
    Site,
    /// No counter in code: an event per allocation, and for each site the counters that the reader of the events adds to.
    Event,
    /// Allocations are left as they are: only uses of objects are stamped.
    Nothing,
}
