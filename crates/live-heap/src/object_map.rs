//! Objects by address, for a heap whose objects are allocated in ascending order and collected range by range.
//!
//! The address space is cut into pages; the objects of a page are a list by address. So an allocation is a push, a question a search in a short list, and a
//! collection touches the pages of its ranges only.
//!
//! ```text
//! page 0x5c000 of 16 KB   [+0x0010 object7] [+0x0028 object9] [+0x1000 object8]
//! ```

use ducktrack_trace_format::AddressRange;
use rustc_hash::FxHashMap;

/// Bytes of a page, as a power of two.
const PAGE_BITS: u32 = 14;

/// Lists of what lies at addresses.
#[derive(Debug)]
pub struct ObjectMap<T> {
    pages: Vec<Page<T>>,
    /// Page number to its place in `pages`.
    places: FxHashMap<u64, u32>,
    free: Vec<u32>,
    /// The page that was used last.
    last: (u64, u32),
}

#[derive(Debug)]
struct Page<T> {
    entries: Vec<(u64, T)>,
}

impl<T> Default for ObjectMap<T> {
    fn default() -> Self {
        Self {
            pages: Vec::new(),
            places: FxHashMap::default(),
            free: Vec::new(),
            last: NO_PAGE,
        }
    }
}

/// No address has this page number.
const NO_PAGE: (u64, u32) = (u64::MAX, u32::MAX);

impl<T> ObjectMap<T> {
    /// What lies at the address.
    #[inline]
    pub fn get(&mut self, address: u64) -> Option<&T> {
        self.get_mut(address).map(|value| &*value)
    }

    /// The same, to be changed.
    #[inline]
    pub fn get_mut(&mut self, address: u64) -> Option<&mut T> {
        let place = self.place(address >> PAGE_BITS)?;
        let entries = &mut self.pages.get_mut(place as usize)?.entries;
        let at = entries
            .binary_search_by_key(&address, |entry| entry.0)
            .ok()?;
        entries.get_mut(at).map(|entry| &mut entry.1)
    }

    /// Puts something at the address, and gives what was there.
    #[inline]
    pub fn insert(&mut self, address: u64, value: T) -> Option<T> {
        let number = address >> PAGE_BITS;
        let place = match self.place(number) {
            Some(place) => place,
            None => self.new_page(number),
        };
        let entries = &mut self.pages.get_mut(place as usize)?.entries;
        if entries.last().is_none_or(|last| last.0 < address) {
            entries.push((address, value));
            return None;
        }
        match entries.binary_search_by_key(&address, |entry| entry.0) {
            Ok(at) => {
                let entry = entries.get_mut(at)?;
                Some(std::mem::replace(&mut entry.1, value))
            }
            Err(at) => {
                entries.insert(at, (address, value));
                None
            }
        }
    }

    /// Takes all that starts in the ranges, which ascend and do not overlap, in ascending order.
    pub fn drain(&mut self, ranges: &[AddressRange], mut take: impl FnMut(u64, T)) {
        self.last = NO_PAGE;
        let numbers = self.places.keys().copied();
        let mut numbers: Vec<u64> = numbers.filter(|page| touches(*page, ranges)).collect();
        numbers.sort_unstable();
        for number in numbers {
            let Some(place) = self.places.get(&number).copied() else {
                continue;
            };
            let Some(page) = self.pages.get_mut(place as usize) else {
                continue;
            };
            let mut kept = Vec::new();
            for (address, value) in page.entries.drain(..) {
                match is_in(address, ranges) {
                    true => take(address, value),
                    false => kept.push((address, value)),
                }
            }
            if kept.is_empty() {
                self.places.remove(&number);
                self.free.push(place);
            } else {
                page.entries = kept;
            }
        }
    }

    #[inline]
    fn place(&mut self, number: u64) -> Option<u32> {
        if self.last.0 == number {
            return Some(self.last.1);
        }
        let place = self.places.get(&number).copied()?;
        self.last = (number, place);
        Some(place)
    }

    fn new_page(&mut self, number: u64) -> u32 {
        let place = self.free.pop().unwrap_or_else(|| {
            self.pages.push(Page {
                entries: Vec::new(),
            });
            // 2^32 pages are 64 TB.
            (self.pages.len() - 1) as u32
        });
        self.places.insert(number, place);
        self.last = (number, place);
        place
    }
}

/// Whether a page and one of the ranges have an address in common.
fn touches(page: u64, ranges: &[AddressRange]) -> bool {
    let start = page << PAGE_BITS;
    let last = start | ((1 << PAGE_BITS) - 1);
    let after = ranges.partition_point(|range| range.end <= start);
    ranges.get(after).is_some_and(|range| range.start <= last)
}

fn is_in(address: u64, ranges: &[AddressRange]) -> bool {
    let after = ranges.partition_point(|range| range.end <= address);
    ranges
        .get(after)
        .is_some_and(|range| range.start <= address)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// It is a map.
        #[test]
        fn it_is_a_map(steps in prop::collection::vec((0_u64..6000, any::<bool>(), any::<u16>()), 1..300)) {
            let (mut map, mut known) = (ObjectMap::default(), BTreeMap::new());
            for (unit, collects, value) in steps {
                // Some pages, also the last one.
                let address = (unit * 8).wrapping_sub(8 * 100);
                if !collects {
                    prop_assert_eq!(map.insert(address, value), known.insert(address, value));
                } else if value % 5 == 0 {
                    let end = address.saturating_add(u64::from(value));
                    let ranges = [AddressRange { start: address, end }, AddressRange { start: end.saturating_add(64), end: end.saturating_add(20_000) }];
                    let mut taken = Vec::new();
                    map.drain(&ranges, |address, value| taken.push((address, value)));
                    let in_range = |at: &u64| ranges.iter().any(|range| (range.start..range.end).contains(at));
                    let expected: Vec<_> = known.iter().filter(|(at, _)| in_range(at)).map(|(at, value)| (*at, *value)).collect();
                    known.retain(|at, _| !in_range(at));
                    prop_assert_eq!(taken, expected);
                }
                prop_assert_eq!(map.get(address), known.get(&address));
            }
            for (address, value) in known {
                prop_assert_eq!(map.get(address), Some(&value));
            }
        }
    }
}
