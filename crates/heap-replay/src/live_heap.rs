//! The objects that live, by address.
//!
//! Objects are kept in pages of 1 MiB by the address of their last byte, sorted by their ends: a collection touches the pages of
//! the ranges that it collected and nothing else, and goes through them in the order of addresses.

use std::collections::BTreeMap;

use ducktrack_trace_format::AddressRange;

use crate::live_object::LiveObject;

const PAGE_SHIFT: u32 = 20;

/// All live objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct LiveHeap {
    pages: BTreeMap<u64, Page>,
    /// Where the last object was inserted.
    last: u64,
    /// Objects that came to lie where there was one already: a contradiction in the trace.
    pub(crate) conflicts: u64,
}

#[derive(Clone, Debug, Default)]
struct Page {
    objects: Vec<LiveObject>,
    is_sorted: bool,
}

impl Page {
    /// A vector that grows takes up to twice what is in it.
    fn shrink(&mut self) {
        if self.objects.capacity() > self.objects.len() / 4 * 5 {
            self.objects.shrink_to_fit();
        }
    }
}

fn page_of(end: u64) -> u64 {
    end.saturating_sub(1) >> PAGE_SHIFT
}

impl LiveHeap {
    /// Adds an object. [`LiveHeap::settle`] must follow before anything is looked for.
    pub(crate) fn insert(&mut self, object: LiveObject) {
        let number = page_of(object.end);
        let before = std::mem::replace(&mut self.last, number);
        // Objects mostly come in the order of addresses: what is before a new page is full.
        if before != number
            && !self.pages.contains_key(&number)
            && let Some(full) = self.pages.get_mut(&before)
        {
            full.shrink();
        }
        let page = self.pages.entry(number).or_default();
        page.is_sorted &= page
            .objects
            .last()
            .is_some_and(|last| last.end < object.end);
        page.objects.push(object);
    }

    /// Brings what was inserted into order. Of several objects at one place the last inserted stays; `left` takes the others.
    pub(crate) fn settle(&mut self, mut left: impl FnMut(&LiveObject)) {
        for page in self.pages.values_mut().filter(|page| !page.is_sorted) {
            page.objects.sort_by_key(|object| object.end);
            page.objects.dedup_by(|next, kept| {
                let same = next.end == kept.end;
                if same {
                    left(kept);
                    *kept = *next;
                    self.conflicts += 1;
                }
                same
            });
            page.is_sorted = true;
            page.shrink();
        }
    }

    /// Takes every object out that starts in the ranges (ascending, not overlapping), in ascending order.
    pub(crate) fn take_out(&mut self, ranges: &[AddressRange], mut take: impl FnMut(LiveObject)) {
        for range in ranges {
            let last = page_of(range.end);
            let pages = page_of(range.start.saturating_add(1))..=last;
            let mut touched: Vec<u64> = self.pages.range(pages).map(|(page, _)| *page).collect();
            // The last object of the range may end after it, in the next page that has objects.
            let after = self.pages.range(last.saturating_add(1)..).next();
            touched.extend(after.map(|(page, _)| *page));
            for number in touched {
                if self.take_out_of_page(number, *range, &mut take) {
                    self.pages.remove(&number);
                }
            }
        }
    }

    /// True when nothing is left in the page.
    fn take_out_of_page(
        &mut self,
        number: u64,
        range: AddressRange,
        take: &mut impl FnMut(LiveObject),
    ) -> bool {
        let Some(page) = self.pages.get_mut(&number) else {
            return true;
        };
        // Objects do not overlap, so they ascend by their start as they do by their end.
        let objects = &mut page.objects;
        let from = objects.partition_point(|object| object.address() < range.start);
        let to = objects.partition_point(|object| object.address() < range.end);
        objects.drain(from..to.max(from)).for_each(take);
        objects.is_empty()
    }

    /// Takes all objects of another heap. [`LiveHeap::settle`] must follow.
    pub(crate) fn absorb(&mut self, other: Self) {
        for (number, mut more) in other.pages {
            let page = self.pages.entry(number).or_default();
            page.is_sorted = false;
            if page.objects.is_empty() {
                page.objects = more.objects;
            } else {
                page.objects.append(&mut more.objects);
            }
        }
    }

    /// The object that starts at an address.
    pub(crate) fn at_mut(&mut self, address: u64) -> Option<&mut LiveObject> {
        // An object can end several pages later; the first end after the address is its own, since objects do not overlap.
        let first = page_of(address.saturating_add(1));
        let mut pages = self.pages.range_mut(first..);
        let objects = pages.find_map(|(_, page)| {
            let at = page.objects.partition_point(|object| object.end <= address);
            page.objects.get_mut(at)
        });
        objects.filter(|object| object.address() == address)
    }

    /// The object that ends at an address.
    pub(crate) fn ending_at(&mut self, end: u64) -> Option<&mut LiveObject> {
        let objects = &mut self.pages.get_mut(&page_of(end))?.objects;
        let at = objects
            .binary_search_by_key(&end, |object| object.end)
            .ok()?;
        objects.get_mut(at)
    }

    /// All objects in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &LiveObject> {
        self.pages.values().flat_map(|page| &page.objects)
    }

    pub(crate) fn clear(&mut self) {
        self.pages.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ducktrack_count_model::{SiteColumn, TypeColumn};
    use proptest::prelude::*;

    fn object(end: u64, bytes: u64) -> LiveObject {
        LiveObject::new(end, bytes, SiteColumn::NONE, TypeColumn::NONE, 0)
    }

    fn heap(objects: &[LiveObject]) -> LiveHeap {
        let mut heap = LiveHeap::default();
        objects.iter().for_each(|object| heap.insert(*object));
        heap.settle(|_| {});
        heap
    }

    #[test]
    fn objects_over_pages_are_found_by_their_address() {
        let mut heap = heap(&[
            object(5 << 20, 4 << 20),
            object(24, 16),
            object((5 << 20) + 8, 8),
        ]);
        assert_eq!(heap.at_mut(1 << 20).map(|object| object.end), Some(5 << 20));
        assert_eq!(
            heap.at_mut(5 << 20).map(|object| object.end),
            Some((5 << 20) + 8)
        );
        assert_eq!(heap.at_mut(8).map(|object| object.end), Some(24));
        assert_eq!(heap.at_mut(16), None);
        assert_eq!(heap.at_mut(u64::MAX), None);
        assert_eq!(heap.ending_at(24).map(|object| object.bytes()), Some(16));
    }

    #[test]
    fn two_objects_at_one_place() {
        let mut left = Vec::new();
        let mut heap = LiveHeap::default();
        for bytes in [8, 16, 24] {
            heap.insert(object(64, bytes));
        }
        heap.settle(|object| left.push(object.bytes()));
        assert_eq!((heap.conflicts, left), (2, vec![8, 16]));
        assert_eq!(heap.iter().map(LiveObject::bytes).collect::<Vec<_>>(), [24]);
    }

    proptest! {
        #[test]
        fn ranges_are_taken_out_as_from_a_list(
            ends in prop::collection::btree_set(1_u64..400, 0..200),
            bounds in prop::collection::btree_set(0_u64..420, 0..8),
        ) {
            // 64 KiB steps, so that there are several pages.
            let objects: Vec<LiveObject> = ends.iter().map(|end| object(end << 16, 8)).collect();
            let bounds: Vec<u64> = bounds.into_iter().map(|bound| bound << 16).collect();
            let ranges: Vec<AddressRange> = bounds.chunks_exact(2)
                .map(|pair| AddressRange { start: pair[0], end: pair[1] })
                .collect();
            let is_in = |object: &&LiveObject| ranges.iter().any(|range| range.contains(object.address()));
            let mut heap = heap(&objects);
            let mut taken = Vec::new();
            heap.take_out(&ranges, |object| taken.push(object));
            prop_assert_eq!(&taken, &objects.iter().filter(is_in).copied().collect::<Vec<_>>());
            let kept: Vec<LiveObject> = heap.iter().copied().collect();
            prop_assert_eq!(kept, objects.iter().filter(|object| !is_in(object)).copied().collect::<Vec<_>>());
        }
    }
}
