//! Made-up heaps of random objects: what the pieces give must be what one careful walk from bottom to top gives.

use super::{pieces, walk_together};
use crate::address::Address;
use crate::class_table::ClassTable;
use crate::class_table::tests::loaded;
use crate::collection_report::{AddressRange, MovesFault};
use crate::evacuation_walk::{Evacuated, EvacuationWalk};
use crate::heap_spaces::{Space, SpaceKind};
use crate::object_header::ObjectHeader;
use crate::object_walk::{ObjectSizes, WalkFault};
use crate::walk_pool::WalkPool;

const BYTES: i32 = 0xC010_0800_u32.cast_signed();
const LONGS: i32 = 0xC010_0B03_u32.cast_signed();

/// What objects are made of: name, layout helper, how often.
const CLASSES: [(&str, i32, u64); 7] = [
    ("Small", 16, 900),
    ("String", 24, 900),
    ("Entry", 32, 600),
    ("Odd", 56, 120),
    ("Large", 80_000, 1),
    ("[B", BYTES, 1200),
    ("[J", LONGS, 200),
];
const BYTE_ARRAY: usize = 5;
const LONG_ARRAY: usize = 6;

/// Xorshift: the same heaps every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Layout {
    Word,
    HalfWord,
    Compact,
}

/// How hostile the memory of arrays is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Elements {
    Nothing,
    /// Words of every kind.
    Noise,
    /// Objects after objects, from every place on, that do not end where the array ends; some of them moved out of the world.
    FakeObjects,
}

struct Heap {
    table: ClassTable,
    sizes: ObjectSizes,
    klasses: Vec<Address>,
    layout: Layout,
    base: usize,
    /// Old copies, then the place they move to.
    words: Vec<u64>,
    old_words: usize,
    free: usize,
}

impl Heap {
    fn new(layout: Layout, old_words: usize) -> Self {
        let classes: Vec<(&str, i32)> = CLASSES
            .iter()
            .map(|&(name, helper, _)| (name, helper))
            .collect();
        let (table, klasses) = loaded(&classes);
        let base = klasses.iter().map(|klass| klass.0).min().expect("some") - 64;
        let header = match layout {
            Layout::Word => ObjectHeader::made_up(),
            Layout::HalfWord => ObjectHeader::made_up_compressed(base),
            Layout::Compact => ObjectHeader::made_up_compact(base),
        };
        Self {
            table,
            sizes: ObjectSizes::made_up_with(header),
            klasses,
            layout,
            base,
            words: vec![0; old_words * 2],
            old_words,
            free: old_words,
        }
    }

    fn address(&self, word: usize) -> Address {
        Address(self.words.as_ptr().expose_provenance() + word * 8)
    }

    /// Writes the header of an object that has not moved.
    fn header(&mut self, at: usize, class: usize, length: u64) {
        let bits = (self.klasses[class].0 - self.base) as u64;
        let length = if class >= BYTE_ARRAY {
            length
        } else {
            0x5555_5555
        };
        match self.layout {
            Layout::Word => {
                self.words[at] = 1;
                self.words[at + 1] = self.klasses[class].0 as u64;
                if class >= BYTE_ARRAY {
                    self.words[at + 2] = length;
                }
            }
            Layout::HalfWord => {
                self.words[at] = 1;
                self.words[at + 1] = bits | length << 32;
            }
            Layout::Compact => {
                self.words[at] = (bits / 8) << 42 | 1;
                self.words[at + 1] = length;
            }
        }
    }

    /// A random object of at most so many words: class, length and words.
    fn choose(&self, random: &mut Random, room: usize) -> (usize, u64, usize) {
        loop {
            let all = CLASSES.iter().map(|class| class.2).sum();
            let mut ticket = random.below(all);
            let class = CLASSES
                .iter()
                .position(|class| {
                    let wins = ticket < class.2;
                    ticket = ticket.saturating_sub(class.2);
                    wins
                })
                .expect("one of them");
            let longest = if random.below(10_000) == 0 {
                60_000
            } else {
                60
            };
            // A whole header of a `long[0]` is longer than the 16 bytes that the made-up layout helpers tell.
            let length = random.below(longest) + 8;
            let words = match class {
                BYTE_ARRAY => (16 + length).div_ceil(8) as usize,
                LONG_ARRAY => 2 + length as usize,
                _ => CLASSES[class].1 as usize / 8,
            };
            if words <= room && room - words != 1 {
                return (class, length, words);
            }
            if room < 6 {
                // What is left is filled with the smallest ones.
                return if room == 3 { (1, 0, 3) } else { (0, 0, 2) };
            }
        }
    }

    /// Fills the old space with random objects; some of them move.
    fn fill(&mut self, random: &mut Random, elements: Elements, moved_in_hundred: u64) {
        let mut at = 0;
        while at < self.old_words {
            let (class, length, words) = self.choose(random, self.old_words - at);
            self.header(at, class, length);
            let header = if self.layout == Layout::Word { 3 } else { 2 };
            if class >= BYTE_ARRAY && words > header {
                self.elements(random, elements, at + header, at + words);
            }
            if random.below(100) < moved_in_hundred {
                let to = self.free;
                self.header(to, class, length);
                self.words[at] = self.address(to).0 as u64 | 3;
                self.free = to + words;
            }
            at += words;
        }
    }

    fn elements(&mut self, random: &mut Random, elements: Elements, start: usize, end: usize) {
        let mut at = start;
        while elements == Elements::Noise && at < end {
            self.words[at] = random.below(1 << 40) & 0xFF_0000_00FF;
            at += 1;
        }
        while elements == Elements::FakeObjects && at + 3 <= end {
            self.header(at, random.below(2) as usize, 0);
            if random.below(4) == 0 {
                // Nothing can be read there.
                self.words[at] = 0x0000_6EAD_BEE0_0003;
            }
            at += 2;
        }
    }

    fn space(&self) -> Space {
        Space {
            kind: SpaceKind::Eden,
            index: 1,
            bottom: self.address(0),
            top: self.address(self.old_words),
        }
    }

    fn room(&self) -> [AddressRange; 1] {
        [AddressRange {
            start: self.address(0),
            end: self.address(self.words.len()),
        }]
    }

    fn carefully(&self, space: &Space) -> Result<Evacuated, MovesFault> {
        let room = self.room();
        let mut walk = EvacuationWalk::new(&self.table, &self.sizes, &room);
        let mut found = Evacuated::default();
        // SAFETY: all of it lies in our own memory.
        unsafe {
            walk.or_former_classes(space, &mut found, |walk, found| {
                walk.current_classes(space, found)
            })
        }
        .map(|()| found)
    }

    fn in_pieces(&self, pool: &WalkPool, spaces: &[Space]) -> Result<Evacuated, MovesFault> {
        let room = self.room();
        let new_walk = || EvacuationWalk::new(&self.table, &self.sizes, &room);
        // SAFETY: as above.
        unsafe { walk_together(pool, spaces, new_walk) }
    }
}

fn assert_same(pieces: &Evacuated, careful: &Evacuated) {
    assert_eq!((pieces.walked, pieces.dead), (careful.walked, careful.dead));
    assert!(pieces.survivors == careful.survivors);
}

const LAYOUTS: [Layout; 3] = [Layout::Word, Layout::HalfWord, Layout::Compact];

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
        // Cut where objects that live start: these are known.
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

/// An array over many cuts whose elements look like objects at every one of them.
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

        // At its new place there is another object.
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
