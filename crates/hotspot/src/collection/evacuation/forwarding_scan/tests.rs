//! Synthetic heaps: the scan must find what a single checked walk finds, or report that it does not know.

use super::scan_together;
use crate::collection::evacuation::evacuation_walk::{Evacuated, EvacuationWalk};
use crate::collection::evacuation::made_up_heap::{
    Elements, FILLER, Heap, LAYOUTS, Layout, Random,
};
use crate::collection::evacuation::new_places::NewPlaces;
use crate::collection::evacuation::young_coverage::meet;
use crate::heap::address_range::AddressRange;
use crate::heap::space::{Space, SpaceKind};
use crate::process::walk_pool::WalkPool;

impl Heap {
    /// Nothing moves into this space, and it has grown, so a candidate there is unexpected.
    fn kept_space(&self) -> Space {
        Space {
            kind: SpaceKind::HumongousStart,
            index: 3,
            bottom: self.address(self.kept.start),
            top: self.address(self.kept.end),
        }
    }

    fn after(&self) -> Vec<Space> {
        let survivor = |index, bottom, top| Space {
            kind: SpaceKind::Survivor,
            index,
            bottom: self.address(bottom),
            top: self.address(top),
        };
        match self.kept.is_empty() {
            true => vec![survivor(2, self.old_words, self.free)],
            false => vec![
                survivor(2, self.old_words, self.kept.start),
                self.kept_space(),
                survivor(4, self.kept.end, self.free),
            ],
        }
    }

    fn scanned(&self, pool: &WalkPool, written: Option<&[AddressRange]>) -> Option<Evacuated> {
        let places = NewPlaces::of(&[self.space()], &self.after());
        let room = self.room();
        let new_walk = || EvacuationWalk::new(&self.table, &self.sizes, &room);
        // SAFETY: all of it lies in our own memory.
        unsafe {
            let scanned = scan_together(pool, &[self.space()], written, &places, new_walk)?;
            let met = meet(&places, &self.table, pool, new_walk).ok()?;
            scanned.settle(&places, met, pool, &mut new_walk())
        }
    }
}

#[test]
fn a_scan_finds_what_a_walk_finds() {
    let pool = WalkPool::new();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut doubted = 0;
    for layout in LAYOUTS {
        for elements in [
            Elements::Nothing,
            Elements::Noise,
            Elements::FakeObjects,
            Elements::FormerSurvivors,
        ] {
            for moved_in_hundred in [0, 1, 3, 30] {
                let mut heap = Heap::new(layout, 400_000);
                heap.fill(&mut random, elements, moved_in_hundred);
                let careful = heap.carefully(&heap.space()).expect("whole");
                let found = heap.scanned(&pool, None);
                let found = found.unwrap_or_else(|| panic!("{layout:?} {elements:?}"));
                assert!(found.scanned.iter().eq(&careful.survivors));
                assert_eq!(found.scanned.len(), heap.moved.len());
                doubted += found.doubted;
            }
        }
    }
    assert!(doubted > 1000, "{doubted}");
}

#[test]
fn a_filler_that_a_stale_word_points_to_has_no_old_copy() {
    let pool = WalkPool::new();
    // With compact headers only the new place holds the class, but those JDKs have dedicated filler classes.
    for layout in [Layout::Word, Layout::HalfWord] {
        let mut heap = Heap::new(layout, 200_000);
        heap.fill(&mut Random(23), Elements::Nothing, 3);
        // A filler now stands where a moved object stood.
        let mut moved = heap.moved.clone().into_iter();
        let (from, filler) = moved.find(|(_, to)| heap.is_of(*to, FILLER)).expect("one");
        heap.header(from, FILLER, 0);
        assert_eq!(
            heap.scanned(&pool, None).map(|found| found.scanned.len()),
            Some(heap.moved.len() - 1)
        );
        heap.former_survivor(2, filler);
        let found = heap.scanned(&pool, None);
        let found = found.unwrap_or_else(|| panic!("{layout:?}"));
        let careful = heap.carefully(&heap.space()).expect("whole");
        assert!(found.scanned.iter().eq(&careful.survivors));
    }
}

#[test]
fn memory_that_was_not_written_is_not_read() {
    let pool = WalkPool::new();
    let mut heap = Heap::new(LAYOUTS[1], 300_000);
    heap.fill(&mut Random(5), Elements::FakeObjects, 2);
    let careful = heap.carefully(&heap.space()).expect("whole");
    let page = |at: usize| at & !0xFFF;
    let mut written: Vec<AddressRange> = Vec::new();
    for survivor in &careful.survivors {
        let start = page(survivor.from.0);
        match written.last_mut() {
            Some(last) if last.end.0 >= start => last.end = crate::Address(start + 4096),
            _ => written.push(AddressRange {
                start: crate::Address(start),
                end: crate::Address(start + 4096),
            }),
        }
    }
    let pages: usize = written
        .iter()
        .map(|range| range.end.above(range.start) / 4096)
        .sum();
    let found = heap.scanned(&pool, Some(&written)).expect("a result");
    assert!(found.scanned.iter().eq(&careful.survivors));
    assert_eq!(found.pages, pages);
    // Unread memory yields no survivors, and the walk of the new places notices that.
    written.remove(written.len() / 2);
    assert!(heap.scanned(&pool, Some(&written)).is_none());
}

#[test]
fn inconsistent_claims_give_no_result() {
    let pool = WalkPool::new();
    for layout in LAYOUTS {
        let new_heap = || {
            let mut heap = Heap::new(layout, 200_000);
            heap.fill(&mut Random(11), Elements::Noise, 3);
            heap
        };
        let heap = new_heap();
        let mut moved = heap.moved.iter().skip(heap.moved.len() / 2);
        let (from, to) = *moved.find(|(_, to)| !heap.is_of(*to, FILLER)).expect("one");
        assert!(heap.scanned(&pool, None).is_some());

        // An object at a new place that has no old copy.
        let mut heap = new_heap();
        heap.header(from, 0, 0);
        assert!(heap.scanned(&pool, None).is_none());

        // Two objects that moved to the same place.
        let mut heap = new_heap();
        let other = heap
            .moved
            .iter()
            .find(|(other, _)| *other != from && heap.words[other + 1] == heap.words[from + 1]);
        let other = other.expect("of the same class").0;
        heap.words[other] = heap.address(to).0 as u64 | 3;
        assert!(heap.scanned(&pool, None).is_none());

        // An object that moved to memory that nothing should move to.
        let mut heap = new_heap();
        let same = heap
            .kept
            .clone()
            .find(|at| heap.words[at + 1] == heap.words[from + 1] && heap.words[*at] & 7 == 1);
        if let Some(kept) = same {
            heap.words[from] = heap.address(kept).0 as u64 | 3;
            assert!(heap.scanned(&pool, None).is_none());
        }
    }
}
