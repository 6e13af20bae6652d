//! The pieces must give what a single checked walk from bottom to top gives.

use super::{pieces, walk_together};
use crate::address::Address;
use crate::collection::evacuation::evacuation_walk::{Evacuated, EvacuationWalk};
use crate::collection::evacuation::made_up_heap::{BYTE_ARRAY, Elements, Heap, LAYOUTS, Random};
use crate::collection::report::MovesFault;
use crate::heap::object_walk::WalkFault;
use crate::heap::space::{Space, SpaceKind};
use crate::process::walk_pool::WalkPool;

impl Heap {
    fn in_pieces(&self, pool: &WalkPool, spaces: &[Space]) -> Result<Evacuated, MovesFault> {
        let room = self.room();
        let new_walk = || EvacuationWalk::new(&self.table, &self.sizes, &room);
        // SAFETY: the spaces are memory of this test's heap, which does not change.
        unsafe { walk_together(pool, spaces, new_walk) }
    }
}

fn assert_same(pieces: &Evacuated, careful: &Evacuated) {
    assert_eq!((pieces.walked, pieces.dead), (careful.walked, careful.dead));
    assert!(pieces.survivors == careful.survivors);
}

#[test]
fn pieces_find_what_one_walk_finds() {
    let pool = WalkPool::new();
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for layout in LAYOUTS {
        for elements in [Elements::Nothing, Elements::Noise, Elements::FakeObjects] {
            for moved_in_hundred in [0, 2, 60] {
                let mut heap = Heap::new(layout, 400_000);
                heap.fill(&mut random, elements, moved_in_hundred);
                let space = heap.space();
                let careful = heap.carefully(&space).expect("whole");
                assert!(pieces(&[space], 2).len() > 20);
                assert!(careful.walked > 10_000);
                let found = heap.in_pieces(&pool, &[space]).expect("whole");
                assert_same(&found, &careful);
            }
        }
    }
}

#[test]
fn spaces_of_every_size_are_walked_in_their_order() {
    let pool = WalkPool::new();
    let mut random = Random(77);
    for layout in LAYOUTS {
        let mut heap = Heap::new(layout, 60_000);
        heap.fill(&mut random, Elements::FakeObjects, 10);
        let whole = heap.carefully(&heap.space()).expect("whole");
        // Cut where survivors start: these places are known.
        let mut cuts = vec![heap.space().bottom];
        cuts.extend(
            whole
                .survivors
                .iter()
                .step_by(3)
                .map(|survivor| survivor.from),
        );
        cuts.push(heap.space().top);
        cuts.dedup();
        let spaces: Vec<Space> = (0..)
            .zip(cuts.windows(2))
            .map(|(index, ends)| Space {
                kind: SpaceKind::Eden,
                index,
                bottom: ends[0],
                top: ends[1],
            })
            .collect();
        assert!(spaces.len() > 100);
        let found = heap.in_pieces(&pool, &spaces).expect("whole");
        assert_same(&found, &whole);
    }
}

/// An array that spans many cuts, with elements that look like objects at each of them.
#[test]
fn guesses_inside_of_an_array_are_thrown_away() {
    let pool = WalkPool::new();
    for layout in LAYOUTS {
        let mut heap = Heap::new(layout, 300_000);
        let length = (heap.old_words - 2 - 2) * 8;
        heap.header(0, BYTE_ARRAY, length as u64);
        for at in (3..heap.old_words - 4).step_by(2) {
            heap.header(at, 0, 0);
        }
        heap.header(heap.old_words - 2, 0, 0);
        let space = heap.space();
        let found = heap.in_pieces(&pool, &[space]).expect("whole");
        assert_eq!((found.walked, found.dead), (2, 2));
    }
}

#[test]
fn faults_are_those_of_one_walk() {
    let pool = WalkPool::new();
    let mut random = Random(99);
    for layout in LAYOUTS {
        let mut heap = Heap::new(layout, 200_000);
        heap.fill(&mut random, Elements::Noise, 3);
        let space = heap.space();
        let survivors = heap.carefully(&space).expect("whole").survivors;
        let middle = survivors[survivors.len() / 2];
        let place = middle.from.above(space.bottom) / 8;
        let (mark, class_word) = (heap.words[place], heap.words[place + 1]);

        heap.words[place] = 0x0000_6EAD_BEE0_0003;
        let outside = heap.in_pieces(&pool, &[space]).map(drop);
        assert_eq!(outside, heap.carefully(&space).map(drop));
        assert!(outside.is_err());

        // There is a different object at its new place.
        heap.words[place] = heap.address(heap.free).0 as u64 | 3;
        let other_class = if middle.bytes() == 56 { 0 } else { 3 };
        heap.header(heap.free, other_class, 0);
        let other = heap.in_pieces(&pool, &[space]).map(drop);
        assert_eq!(other, heap.carefully(&space).map(drop));
        assert!(other.is_err());

        (heap.words[place], heap.words[place + 1]) = (0xDEAD_0000_0000_0001, 0xDEAD);
        let unknown = heap.in_pieces(&pool, &[space]).map(drop);
        assert_eq!(unknown, heap.carefully(&space).map(drop));
        assert!(matches!(
            unknown,
            Err(MovesFault::Unparsed { space: 1, .. })
        ));
        (heap.words[place], heap.words[place + 1]) = (mark, class_word);

        let short = Space {
            top: Address(space.top.0 - 8),
            ..space
        };
        let over = heap.in_pieces(&pool, &[short]).map(drop);
        assert_eq!(over, heap.carefully(&short).map(drop));
        let is_bad_size = matches!(
            over,
            Err(MovesFault::Unparsed {
                fault: WalkFault::BadSize { .. },
                ..
            })
        );
        assert!(is_bad_size);
    }
}
