//! The knowledge about the frequency of an edge: exact, between bounds, or none.

/// Bounds on the frequency of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowRange {
    /// It was taken at least this often.
    pub least: u64,
    /// It was taken at most this often; `None` if nothing bounds it.
    pub most: Option<u64>,
}

impl FlowRange {
    /// An edge that was taken exactly this often.
    pub const fn exactly(count: u64) -> Self {
        Self {
            least: count,
            most: Some(count),
        }
    }

    /// The count, if it is certain.
    pub fn exact(self) -> Option<u64> {
        self.most.filter(|&most| most == self.least)
    }

    /// Whether the count is possible.
    pub fn contains(self, count: u64) -> bool {
        self.least <= count && self.most.is_none_or(|most| count <= most)
    }

    /// The possible count closest to the given one.
    pub(crate) fn clamp(self, count: u64) -> u64 {
        count.min(self.most.unwrap_or(u64::MAX)).max(self.least)
    }
}
