//! Skips memory of G1's eden that the collector did not write.
//!
//! If most of a large eden is dead, the survivors occupied few of its pages: 600 of 150,000 in programs that parse or render. The collector
//! has written only to these. [`WriteWatch`] tells which they are; all other pages are skipped, because no object that starts there
//! survived.
//!
//! The result is checked: as always, the objects at the new places must be exactly the survivors found (`young_coverage`). If they
//! are not, everything is read. The check is blind to classes that fillers also have (`int[]` and `java.lang.Object`, up to JDK 18): there
//! may be more objects of these than were found.
//!
//! Watching costs the collector some time for the first write to each page. So a pause is watched only if, by the two pauses before it, few
//! pages of eden are likely to have survivors.

use std::sync::Arc;

use crate::collection::evacuation::evacuation_walk::Evacuated;
use crate::heap::address_range::{AddressRange, MemoryRange};
use crate::heap::space::{Space, SpaceKind};
use crate::pause::allocation_frontier::AllocationFrontier;
use crate::pause::write_watch::WriteWatch;
use crate::process::page_size::page_size;
use crate::process::walk_pool::WalkPool;

/// A smaller eden is read as fast as it is watched.
const FEWEST_PAGES: usize = 4096;
/// Watching pays if at most one page in this many has survivors. On a virtual machine with two cores, reading a page takes 0.1 us and
/// protecting it 0.01 us; the first write to it takes 1.2 us, on whichever thread of the collector. At one page in 25, watched and
/// unwatched pauses of a program (h2) took the same time.
const LEAST_UNWRITTEN: usize = 24;

/// Only part of the free memory becomes eden, and protection is wasted if the pause is then not watched.
const PART_FOR_EDEN: usize = 4;

/// Decides whether a pause is watched, and holds the watch.
#[derive(Debug, Default)]
pub(super) struct UnwrittenPages {
    /// Only with G1, and only if the kernel supports it.
    watch: Option<WriteWatch>,
    /// Pages with survivors in the last pause and in the one before; `None` if unknown.
    pages: [Option<usize>; 2],
}

/// What the watch reports after a collection.
#[derive(Debug)]
pub(super) struct WrittenMemory {
    /// Both lists are ascending.
    watched: Vec<AddressRange>,
    written: Vec<AddressRange>,
}

impl WrittenMemory {
    /// The spaces with written memory, and those that were not watched.
    pub(super) fn spaces(&self, evacuated: &[Space]) -> Vec<Space> {
        let is_written = |space: &&Space| {
            let memory = AddressRange::from(*space);
            let first = self
                .written
                .partition_point(|range| range.end <= memory.start);
            let range = self.written.get(first);
            !self.covers(memory) || range.is_some_and(|range| range.start < memory.end)
        };
        evacuated.iter().filter(is_written).copied().collect()
    }

    /// Written memory, and all memory of spaces that were not watched; ascending.
    pub(super) fn or_not_watched(&self, spaces: &[Space]) -> Vec<AddressRange> {
        let memories = spaces.iter().map(AddressRange::from);
        let not_watched = memories.filter(|memory| !self.covers(*memory));
        let mut all: Vec<AddressRange> = self.written.clone();
        all.extend(not_watched);
        all.sort_unstable();
        all
    }

    fn covers(&self, memory: AddressRange) -> bool {
        let holding = AddressRange::position(&self.watched, memory.start);
        let range = holding.and_then(|number| self.watched.get(number));
        range.is_some_and(|range| memory.end <= range.end)
    }
}

impl UnwrittenPages {
    /// For G1 only: the eden of other collectors is a single space.
    pub(super) fn of_regions() -> Self {
        Self {
            watch: WriteWatch::new().ok(),
            pages: [None; 2],
        }
    }

    /// Where allocating threads can report their progress; `None` if not needed.
    pub(super) fn frontier(&self) -> Option<Arc<AllocationFrontier>> {
        self.watch
            .as_ref()
            .map(|watch| Arc::clone(watch.frontier()))
    }

    /// Starts watching if it is likely to pay.
    pub(super) fn begin(&mut self, before: &[Space], pool: &WalkPool) {
        let edens = edens(before);
        let pays = self.pays(&edens);
        let Some(watch) = self.watch.as_mut().filter(|_| pays) else {
            return;
        };
        if watch.begin(&edens, pool).is_err() {
            // Memory that is already protected loses its protection on the first write.
            self.watch = None;
        }
    }

    /// Where the collector has written; `None` if unknown.
    pub(super) fn written(&self) -> Option<WrittenMemory> {
        let watch = self.watch.as_ref().filter(|watch| watch.is_on())?;
        Some(WrittenMemory {
            watched: watch.watched().to_vec(),
            written: watch.written().ok()?,
        })
    }

    /// Records what was found in these spaces, as the expectation for the next pause.
    pub(super) fn learn(&mut self, evacuated: &[Space], found: &Evacuated) {
        let has_eden = evacuated.iter().any(|space| space.kind == SpaceKind::Eden);
        if has_eden && found.walked == 0 {
            self.pages = [Some(found.pages), self.pages[0]];
        }
    }

    /// Whether there is much to read and little to expect in it.
    fn pays(&self, edens: &[AddressRange]) -> bool {
        let pages = pages_of(edens);
        pages >= FEWEST_PAGES && self.expects_few_of(pages)
    }

    /// Ends the watch of a pause that left the heap as `after`.
    pub(super) fn end(&mut self, after: &[Space]) {
        let mut next = free_memory(after);
        let watched = self.watch.as_ref().map(WriteWatch::watched);
        if !self.may_pay(watched.unwrap_or_default(), &next) {
            next.clear();
        }
        if let Some(watch) = &mut self.watch {
            watch.end(next);
        }
    }

    /// Whether the next pause is likely to be watched, if eden stays as large or grows.
    fn may_pay(&self, watched: &[AddressRange], free: &[AddressRange]) -> bool {
        self.expects_few_of(pages_of(watched).max(pages_of(free) / PART_FOR_EDEN))
    }

    /// Whether, by the last two pauses, few of these pages will have survivors.
    fn expects_few_of(&self, pages: usize) -> bool {
        let [Some(last), before] = self.pages else {
            return false;
        };
        let expected = before.map_or(last, |before| before.max(last));
        expected * LEAST_UNWRITTEN < pages
    }
}

fn pages_of(ranges: &[AddressRange]) -> usize {
    let bytes: usize = ranges.iter().map(AddressRange::bytes).sum();
    bytes / page_size()
}

/// The memory of free regions, from which the next eden is made; adjacent regions are merged.
fn free_memory(regions: &[Space]) -> Vec<AddressRange> {
    let mut free: Vec<AddressRange> = Vec::new();
    for (region, next) in regions.iter().zip(regions.iter().skip(1)) {
        let is_free = region.kind == SpaceKind::Free && region.index + 1 == next.index;
        match free.last_mut().filter(|last| last.end == region.bottom) {
            _ if !is_free => {}
            Some(last) => last.end = next.bottom,
            None => free.push(AddressRange {
                start: region.bottom,
                end: next.bottom,
            }),
        }
    }
    free
}

/// The memory of eden's regions; adjacent regions are merged, including the unused end of a region.
fn edens(regions: &[Space]) -> Vec<AddressRange> {
    let mut edens: Vec<AddressRange> = Vec::new();
    let mut last_index = None;
    let filled = |space: &&Space| space.kind == SpaceKind::Eden && space.bottom < space.top;
    for region in regions.iter().filter(filled) {
        let follows = last_index.is_some_and(|last: u32| last.checked_add(1) == Some(region.index));
        match edens.last_mut().filter(|_| follows) {
            Some(range) => range.end = region.top,
            None => edens.push(AddressRange::from(region)),
        }
        last_index = Some(region.index);
    }
    edens
}

#[cfg(test)]
mod tests {
    use super::{UnwrittenPages, WrittenMemory, edens, free_memory};
    use crate::address::Address;
    use crate::collection::evacuation::evacuation_walk::Evacuated;
    use crate::heap::address_range::AddressRange;
    use crate::heap::space::{Space, SpaceKind};

    const REGION: usize = 1 << 20;

    fn region(kind: SpaceKind, index: u32) -> Space {
        let bottom = Address(REGION * (index as usize + 1));
        Space {
            kind,
            index,
            bottom,
            top: bottom.plus(REGION - 64),
        }
    }

    fn range(start: usize, end: usize) -> AddressRange {
        AddressRange {
            start: Address(start),
            end: Address(end),
        }
    }

    #[test]
    fn regions_that_follow_one_another_are_one_range() {
        let regions = [
            region(SpaceKind::Eden, 1),
            region(SpaceKind::Eden, 2),
            region(SpaceKind::Old, 3),
            region(SpaceKind::Eden, 4),
            region(SpaceKind::Survivor, 5),
        ];
        let range =
            |first: usize, last: usize| range(REGION * (first + 1), REGION * (last + 2) - 64);
        assert_eq!(edens(&regions), [range(1, 2), range(4, 4)]);
    }

    #[test]
    fn free_regions_reach_to_the_next_one() {
        let of = |kind, index| Space {
            top: range(REGION * (index as usize + 1), 0).start,
            ..region(kind, index)
        };
        let regions = [
            of(SpaceKind::Free, 1),
            of(SpaceKind::Free, 2),
            region(SpaceKind::Old, 3),
            of(SpaceKind::Free, 4),
            // Region 5 is not committed.
            of(SpaceKind::Free, 6),
            region(SpaceKind::Survivor, 7),
        ];
        let two = range(REGION * 2, REGION * 4);
        let one = range(REGION * 7, REGION * 8);
        assert_eq!(free_memory(&regions), [two, one]);
    }

    #[test]
    fn it_pays_where_few_of_many_pages_are_to_be_expected() {
        let mut unwritten = UnwrittenPages::default();
        let spaces = spaces_of(40);
        let mut pays = |spaces: &[Space], pages: usize, walked: u64| {
            let found = Evacuated {
                pages,
                walked,
                ..Evacuated::default()
            };
            unwritten.learn(spaces, &found);
            let many = unwritten.pays(&edens(&spaces_of(40)));
            (many, unwritten.pays(&edens(&spaces_of(10))))
        };
        assert_eq!(pays(&[], 0, 0), (false, false), "nothing is known");
        assert_eq!(pays(&spaces, 300, 0), (true, false));
        // Not an evacuation, or walked: the expectation stays.
        assert!(pays(&[], 5000, 0).0);
        assert!(pays(&spaces, 5000, 1).0);
        assert!(!pays(&spaces, 1000, 0).0);
        assert!(!pays(&spaces, 100, 0).0, "the pause before had more");
        assert!(pays(&spaces, 100, 0).0);
        assert!(pays(&spaces, 400, 0).0);
        let [large, small] = [40, 10].map(|regions| edens(&spaces_of(regions)));
        assert!(unwritten.may_pay(&large, &[]));
        assert!(unwritten.may_pay(&[], &edens(&spaces_of(160))));
        assert!(!unwritten.may_pay(&[], &large));
        assert!(!unwritten.may_pay(&small, &[]));
    }

    fn spaces_of(regions: u32) -> Vec<Space> {
        (0..regions)
            .map(|index| region(SpaceKind::Eden, index))
            .collect()
    }

    #[test]
    fn spaces_are_read_where_they_were_written_or_not_watched() {
        let spaces = spaces_of(4);
        let memory = WrittenMemory {
            watched: vec![range(REGION, REGION * 4)],
            written: vec![range(REGION * 2 + 4096, REGION * 2 + 8192)],
        };
        assert_eq!(memory.spaces(&spaces), [spaces[1], spaces[3]]);
        let read = [memory.written[0], range(REGION * 4, REGION * 5 - 64)];
        assert_eq!(memory.or_not_watched(&spaces), read);
    }
}
