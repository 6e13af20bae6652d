//! The found objects of the last collection by their old end addresses, for events that come after the collection that moved their
//! objects.

use ducktrack_trace_format::AddressRange;

use super::end_index::is_in;

/// The found objects of the last collection.
#[derive(Debug, Default)]
pub(crate) struct LateTable {
    /// The collected ranges, ascending.
    ranges: Vec<AddressRange>,
    /// Old end address and new address; ascending.
    found: Vec<(u64, u64)>,
}

impl LateTable {
    pub(crate) fn new(ranges: Vec<AddressRange>, found: Vec<(u64, u64)>) -> Self {
        Self { ranges, found }
    }

    /// True when an object that ended there before the last collection was collected by it.
    pub(crate) fn was_collected(&self, end: u64) -> bool {
        is_in(&self.ranges, end.wrapping_sub(8))
    }

    /// The new address of the found object that ended there.
    pub(crate) fn address_now(&self, end: u64) -> Option<u64> {
        let at = self
            .found
            .binary_search_by_key(&end, |(before, _)| *before)
            .ok()?;
        self.found.get(at).map(|(_, now)| *now)
    }
}
