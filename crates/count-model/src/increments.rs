//! The cost of counting in executed counter increments, the measure of the DuckTracks paper.

/// Executed increments, by purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Increments {
    /// Increments that count allocations (words of counters with role `Increment` and a `Count` term, or no term).
    pub executed: u64,
    /// Increments that only profile.
    pub profile: u64,
    /// Increments that only serve length histograms, bytes or materialized counts.
    pub extra: u64,
    /// Counters that grow by amounts (their growth is not a number of increments).
    pub amount_counters: u64,
    /// The increments of one counter at every site, for the same counts: the sum of counters' site counts.
    pub one_per_site: i64,
    /// Objects that were counted by key (type or caller) and not by counters; in neither number above.
    pub keyed: u64,
}

impl Increments {
    /// Share of the increments that paths saved against one counter per site. Negative: they cost more.
    pub fn saved_share(&self) -> Option<f64> {
        match self.one_per_site {
            need if need > 0 => Some(1.0 - self.executed as f64 / need as f64),
            _ => None,
        }
    }
}
