//! Ranges of memory, in addresses that can be read.

use crate::address::Address;

/// Memory from `start` up to but not including `end`.
pub type AddressRange = ducktrack_heap_facts::AddressRange<Address>;

/// Operations on ranges of memory that is read.
pub(crate) trait MemoryRange: Sized {
    /// Its parts of this many bytes; the last one may be shorter.
    fn parts(self, bytes: usize) -> impl DoubleEndedIterator<Item = Self>;

    /// The index of the range that contains an address. `ranges` is ascending.
    fn position(ranges: &[Self], address: Address) -> Option<usize>;
}

impl MemoryRange for AddressRange {
    fn parts(self, bytes: usize) -> impl DoubleEndedIterator<Item = Self> {
        let Self { start, end } = self;
        let cuts = (0..self.bytes()).step_by(bytes);
        cuts.map(move |cut| Self {
            start: start.plus(cut),
            end: start.plus(cut + bytes).min(end),
        })
    }

    #[inline]
    fn position(ranges: &[Self], address: Address) -> Option<usize> {
        let above = ranges.partition_point(|range| range.start <= address);
        let last = above.checked_sub(1)?;
        ranges.get(last)?.contains(address).then_some(last)
    }
}

#[cfg(test)]
mod tests {
    use super::AddressRange;
    use crate::address::Address;

    #[test]
    fn ranges_end_before_their_end() {
        let range = AddressRange {
            start: Address(16),
            end: Address(32),
        };
        assert!(range.contains(Address(16)) && !range.contains(Address(32)));
        assert_eq!(range.bytes(), 16);
    }
}
