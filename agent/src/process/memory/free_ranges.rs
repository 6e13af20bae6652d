//! Free memory as ranges of addresses: ascending, never adjacent.
//!
//! ```text
//! used | free | used | free          freeing the range between two free ranges merges all three
//! ```
//!
//! Allocation takes the beginning of the shortest range that is long enough (best fit), or the bytes after a block that grows. The table
//! has room for [`MOST`] ranges and never allocates, because the allocator depends on it.
//!
//! Starts and lengths are multiples of a grain. Lengths are in an array of their own, as numbers of grains, because the search for the best
//! fit looks at all of them, several at a time.

/// Maximum number of ranges. A program that writes as fast as it can has a few hundred.
const MOST: usize = 4096;

/// Lengths that are compared before checking whether one of them matched.
const AT_ONCE: usize = 16;

/// A range: bytes from an address on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) start: usize,
    pub(crate) length: usize,
}

impl Range {
    pub(crate) fn end(self) -> usize {
        self.start + self.length
    }
}

/// Free ranges, in grains of `GRAIN` bytes.
pub(crate) struct FreeRanges<const GRAIN: usize> {
    /// The first `count` entries are in use.
    starts: [usize; MOST],
    /// In grains.
    lengths: [u32; MOST],
    count: usize,
    bytes: usize,
}

impl<const GRAIN: usize> FreeRanges<GRAIN> {
    /// Longer than any range: 16 TB of pages.
    const TOO_LONG: usize = u32::MAX as usize * GRAIN;

    pub(crate) const fn new() -> Self {
        Self {
            starts: [0; MOST],
            lengths: [0; MOST],
            count: 0,
            bytes: 0,
        }
    }

    /// Sum of all ranges in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    fn starts(&self) -> &[usize] {
        self.starts.get(..self.count).unwrap_or_default()
    }

    fn lengths(&self) -> &[u32] {
        self.lengths.get(..self.count).unwrap_or_default()
    }

    fn all(&self) -> impl Iterator<Item = Range> {
        let both = self.starts().iter().zip(self.lengths());
        both.map(|(start, length)| Range {
            start: *start,
            length: *length as usize * GRAIN,
        })
    }

    fn at(&self, index: usize) -> Range {
        let start = self.starts().get(index).copied().unwrap_or_default();
        let length = self.lengths().get(index).copied().unwrap_or_default();
        Range {
            start,
            length: length as usize * GRAIN,
        }
    }

    /// Takes this many bytes; `None` if no range is long enough.
    pub(crate) fn take(&mut self, length: usize) -> Option<usize> {
        let index = self.best_fit(length)?;
        let start = self.at(index).start;
        self.shrink_front(index, length);
        Some(start)
    }

    /// The first of the shortest ranges that are long enough.
    fn best_fit(&self, length: usize) -> Option<usize> {
        let wanted = u32::try_from(length / GRAIN).ok()?;
        let lengths = self.lengths();
        let fitting = lengths.iter().map(|length| match *length < wanted {
            true => u32::MAX,
            false => *length,
        });
        let shortest = fitting.min().filter(|shortest| *shortest < u32::MAX)?;
        let (parts, rest) = lengths.as_chunks::<AT_ONCE>();
        // Without an early exit, this compiles to a few vector instructions.
        let has_it = |part: &[u32; AT_ONCE]| {
            let found = part.iter().map(|length| u32::from(*length == shortest));
            found.sum::<u32>() > 0
        };
        let (before, part) = match parts.iter().position(has_it) {
            Some(number) => (number * AT_ONCE, parts.get(number)?.as_slice()),
            None => (parts.len() * AT_ONCE, rest),
        };
        let within = part.iter().position(|length| *length == shortest)?;
        Some(before + within)
    }

    /// Takes the bytes from an address on, which follows memory in use. Returns false if not all of them are free.
    pub(crate) fn take_at(&mut self, start: usize, length: usize) -> bool {
        let Ok(index) = self.starts().binary_search(&start) else {
            return false;
        };
        let is_free = self.at(index).length >= length;
        if is_free {
            self.shrink_front(index, length);
        }
        is_free
    }

    /// Takes whole units from the end of the longest range, at most this many bytes.
    pub(crate) fn take_units(&mut self, unit: usize, most: usize) -> Option<Range> {
        let ranges = self.all().enumerate();
        let (index, longest) = ranges.max_by_key(|(_, range)| range.length)?;
        let (first, whole_end) = (
            longest.start.next_multiple_of(unit),
            longest.end() / unit * unit,
        );
        let start = first.max(whole_end.saturating_sub(most / unit * unit));
        let rest = Range {
            start: whole_end,
            length: longest.end() - whole_end,
        };
        let has_room = rest.length == 0 || self.count < MOST;
        if start >= whole_end || !has_room {
            return None;
        }
        let units = Range {
            start,
            length: whole_end - start,
        };
        self.shrink_end(index, units.length + rest.length);
        if rest.length > 0 {
            self.put(rest);
        }
        Some(units)
    }

    /// Frees these bytes. Returns false if the table has no room for them.
    pub(crate) fn put(&mut self, range: Range) -> bool {
        debug_assert!((range.start | range.length).is_multiple_of(GRAIN));
        let next = self.starts().partition_point(|other| *other < range.start);
        let before = next.checked_sub(1);
        let before = before.filter(|before| self.at(*before).end() == range.start);
        let joins_next = next < self.count && self.at(next).start == range.end();
        let joined = Range {
            start: before.map_or(range.start, |before| self.at(before).start),
            length: before.map_or(0, |before| self.at(before).length)
                + range.length
                + if joins_next { self.at(next).length } else { 0 },
        };
        if joined.length >= Self::TOO_LONG {
            return false;
        }
        match (before, joins_next) {
            (Some(before), true) => {
                self.remove(next);
                self.set(before, joined);
            }
            (Some(before), false) => self.set(before, joined),
            (None, true) => self.set(next, joined),
            (None, false) if self.count == MOST => return false,
            (None, false) => self.insert(next, joined),
        }
        self.bytes += range.length;
        true
    }

    fn shrink_front(&mut self, index: usize, length: usize) {
        let range = self.at(index);
        self.bytes -= length;
        self.set_or_remove(
            index,
            Range {
                start: range.start + length,
                length: range.length - length,
            },
        );
    }

    fn shrink_end(&mut self, index: usize, length: usize) {
        let range = self.at(index);
        self.bytes -= length;
        self.set_or_remove(
            index,
            Range {
                length: range.length - length,
                ..range
            },
        );
    }

    fn set_or_remove(&mut self, index: usize, range: Range) {
        match range.length {
            0 => self.remove(index),
            _ => self.set(index, range),
        }
    }

    fn set(&mut self, index: usize, range: Range) {
        let places = self.starts.get_mut(index).zip(self.lengths.get_mut(index));
        if let Some((start, length)) = places {
            *start = range.start;
            // Shorter than `TOO_LONG`, so it fits.
            *length = (range.length / GRAIN) as u32;
        }
    }

    fn insert(&mut self, index: usize, range: Range) {
        self.starts.copy_within(index..self.count, index + 1);
        self.lengths.copy_within(index..self.count, index + 1);
        self.count += 1;
        self.set(index, range);
    }

    fn remove(&mut self, index: usize) {
        self.starts.copy_within(index + 1..self.count, index);
        self.lengths.copy_within(index + 1..self.count, index);
        self.count -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: usize = 96;
    const UNIT: usize = 4;

    /// The free memory, as one flag per page.
    struct Naive([bool; PAGES]);

    impl Naive {
        fn set(&mut self, start: usize, length: usize, free: bool) {
            for page in &mut self.0[start..start + length] {
                assert_ne!(*page, free, "taken twice or put twice");
                *page = free;
            }
        }

        /// All free ranges, ascending.
        fn ranges(&self) -> Vec<Range> {
            let mut ranges: Vec<Range> = Vec::new();
            for start in (0..PAGES).filter(|page| self.0[*page]) {
                match ranges.last_mut().filter(|last| last.end() == start) {
                    Some(last) => last.length += 1,
                    None => ranges.push(Range { start, length: 1 }),
                }
            }
            ranges
        }
    }

    /// xorshift64
    fn random(state: &mut u64) -> usize {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 33) as usize
    }

    /// Allocates, grows and frees blocks; the table must agree with a list of pages.
    fn blocks_come_and_go(seed: u64) {
        let mut state = seed;
        let mut table = FreeRanges::<1>::new();
        let mut naive = Naive([false; PAGES]);
        let mut blocks = vec![Range {
            start: 0,
            length: PAGES,
        }];
        for _ in 0..300 {
            let length = 1 + random(&mut state) % 9;
            let which = random(&mut state) % blocks.len().max(1);
            match random(&mut state) % 4 {
                0 => {
                    let ranges = naive.ranges().into_iter();
                    let fitting = ranges.filter(|range| range.length >= length);
                    let shortest = fitting.min_by_key(|range| range.length);
                    let taken = table.take(length);
                    assert_eq!(taken, shortest.map(|range| range.start));
                    if let Some(start) = taken {
                        naive.set(start, length, false);
                        blocks.push(Range { start, length });
                    }
                }
                1 if !blocks.is_empty() => {
                    let block = blocks.swap_remove(which);
                    assert!(table.put(block));
                    naive.set(block.start, block.length, true);
                }
                2 if !blocks.is_empty() => {
                    let end = blocks[which].end();
                    let expected = naive.0.get(end..end + length);
                    let is_free = expected.is_some_and(|pages| pages.iter().all(|free| *free));
                    assert_eq!(table.take_at(end, length), is_free);
                    if is_free {
                        naive.set(end, length, false);
                        blocks[which].length += length;
                    }
                }
                _ => {
                    if let Some(units) = table.take_units(UNIT, length) {
                        assert!(units.length <= length && units.length > 0);
                        assert_eq!((units.start % UNIT, units.length % UNIT), (0, 0));
                        naive.set(units.start, units.length, false);
                        blocks.push(units);
                    }
                }
            }
            assert_eq!(table.all().collect::<Vec<_>>(), naive.ranges());
            assert_eq!(table.bytes(), naive.0.iter().filter(|free| **free).count());
        }
    }

    #[test]
    fn the_table_is_what_a_list_of_pages_says() {
        for seed in 1..200 {
            blocks_come_and_go(seed * 0x9E37_79B9);
        }
    }

    #[test]
    fn a_full_table_takes_what_joins_a_range_only() {
        let mut table = FreeRanges::<1>::new();
        let page = |start| Range { start, length: 1 };
        for number in 0..MOST {
            assert!(table.put(page(number * 2)));
        }
        assert!(!table.put(page(MOST * 2)));
        assert_eq!(table.bytes(), MOST);
        assert!(table.put(page(1)) && table.put(page(MOST * 2)));
        assert_eq!(table.take(3), Some(0));
        assert_eq!(table.bytes(), MOST - 1);
    }

    #[test]
    fn the_shortest_range_that_fits_is_taken() {
        let mut table = FreeRanges::<1>::new();
        for (start, length) in [(0, 9), (20, 3), (40, 5)] {
            assert!(table.put(Range { start, length }));
        }
        assert_eq!(table.take(4), Some(40));
        assert_eq!(table.take(4), Some(0));
        assert_eq!(table.take(6), None);
        assert_eq!(table.take(5), Some(4));
    }
}
