//! Synthetic heaps of random objects for tests: an evacuated space, and the memory that its objects moved to.
//!
//! ```text
//! | old copies, dead or moved | new places | objects from before | new places |
//! ```

use std::ops::Range;

use crate::address::Address;
use crate::classes::class_table::ClassTable;
use crate::classes::class_table::tests::loaded;
use crate::collection::evacuation::evacuation_walk::{Evacuated, EvacuationWalk};
use crate::collection::report::MovesFault;
use crate::heap::address_range::AddressRange;
use crate::heap::object_header::ObjectHeader;
use crate::heap::object_walk::ObjectSizes;
use crate::heap::space::{Space, SpaceKind};

const BYTES: i32 = 0xC010_0800_u32.cast_signed();
const LONGS: i32 = 0xC010_0B03_u32.cast_signed();

/// Classes of the objects: name, layout helper, frequency.
const CLASSES: [(&str, i32, u64); 7] = [
    ("java/lang/Object", 16, 900),
    ("String", 24, 900),
    ("Entry", 32, 600),
    ("Odd", 56, 120),
    ("Large", 80_000, 1),
    ("[B", BYTES, 1200),
    ("[J", LONGS, 200),
];
/// Class that fillers may have.
pub(crate) const FILLER: usize = 0;
pub(crate) const BYTE_ARRAY: usize = 5;
const LONG_ARRAY: usize = 6;

/// Xorshift: produces the same heaps every time.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Layout {
    Word,
    HalfWord,
    Compact,
}

/// How misleading the memory of arrays is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Elements {
    Nothing,
    /// Arbitrary words.
    Noise,
    /// Consecutive objects from every place on, which do not end where the array ends. Some are forwarded out of the heap.
    FakeObjects,
    /// The same, with old copies of survivors: of real ones, of ones inside arrays, and of objects from before.
    FormerSurvivors,
}

pub(crate) struct Heap {
    pub(crate) table: ClassTable,
    pub(crate) sizes: ObjectSizes,
    klasses: Vec<Address>,
    layout: Layout,
    base: usize,
    /// Old copies, then the memory they move to.
    pub(crate) words: Vec<u64>,
    pub(crate) old_words: usize,
    pub(crate) free: usize,
    /// Positions in words where objects moved from and to.
    pub(crate) moved: Vec<(usize, usize)>,
    /// Positions in words of objects from before, between the new places.
    pub(crate) kept: Range<usize>,
    kept_objects: Vec<usize>,
    dead_arrays: Vec<Range<usize>>,
}

impl Heap {
    pub(crate) fn new(layout: Layout, old_words: usize) -> Self {
        let classes: Vec<(&str, i32)> = CLASSES
            .iter()
            .map(|&(name, helper, _)| (name, helper))
            .collect();
        // Klass addresses must be close together as in a VM; an allocator sometimes spreads them.
        let spread = |klasses: &[Address]| {
            let (first, last) = (klasses.iter().min(), klasses.iter().max());
            last.zip(first)
                .map_or(0, |(last, first)| last.above(*first))
        };
        let mut made = (0..100).map(|_| loaded(&classes));
        let (table, klasses) = made
            .find(|(_, klasses)| spread(klasses) < 1 << 20)
            .expect("classes close together");
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
            words: vec![0; old_words * 2 + 20_000],
            old_words,
            free: old_words,
            moved: Vec::new(),
            kept: 0..0,
            kept_objects: Vec::new(),
            dead_arrays: Vec::new(),
        }
    }

    pub(crate) fn address(&self, word: usize) -> Address {
        Address(self.words.as_ptr().expose_provenance() + word * 8)
    }

    /// Words that look as if an object of this class had moved, in an array that died.
    pub(crate) fn former_survivor(&mut self, class: usize, to: usize) {
        let mut arrays = self.dead_arrays.iter();
        let at = arrays
            .find(|array| array.len() > 3)
            .expect("a long one")
            .start;
        self.header(at, class, 0);
        self.words[at] = self.address(to).0 as u64 | 3;
    }

    /// Whether an object of this class is there.
    pub(crate) fn is_of(&self, at: usize, class: usize) -> bool {
        // SAFETY: the address is inside `words`, which this value owns.
        unsafe { self.sizes.header().klass_of(self.address(at)) == self.klasses[class] }
    }

    /// Writes the header of an object that has not moved.
    pub(crate) fn header(&mut self, at: usize, class: usize, length: u64) {
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

    /// A random object of at most this many words: class, length and words.
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
            // The full header of a `long[0]` is longer than the 16 bytes in the synthetic layout helpers.
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
                // The rest is filled with objects of the smallest size.
                return if room == 3 { (1, 0, 3) } else { (0, 0, 2) };
            }
        }
    }

    /// Fills the old space with random objects; some of them move.
    pub(crate) fn fill(&mut self, random: &mut Random, elements: Elements, moved_in_hundred: u64) {
        let mut at = 0;
        while at < self.old_words {
            let (class, length, words) = self.choose(random, self.old_words - at);
            self.header(at, class, length);
            let header = if self.layout == Layout::Word { 3 } else { 2 };
            let is_array = class >= BYTE_ARRAY && words > header;
            if is_array {
                self.elements(random, elements, at + header, at + words);
            }
            if random.below(100) < moved_in_hundred {
                let to = self.free;
                self.words.copy_within(at..at + words, to);
                self.words[at] = self.address(to).0 as u64 | 3;
                self.moved.push((at, to));
                self.free = to + words;
                if self.kept.is_empty() && self.moved.len() == 50 {
                    self.keep(random);
                }
            } else if is_array && random.below(50) == 0 {
                self.dead_arrays
                    .push(at + header..(at + words).saturating_sub(3));
            }
            at += words;
        }
        if elements == Elements::FormerSurvivors {
            self.former_survivors(random);
        }
    }

    /// Adds objects from before between the new places.
    fn keep(&mut self, random: &mut Random) {
        let start = self.free;
        for _ in 0..50 {
            let (class, length, words) = self.choose(random, 400);
            self.header(self.free, class, length);
            self.kept_objects.push(self.free);
            self.free += words;
        }
        self.kept = start..self.free;
    }

    /// Words that look like old copies, in arrays that died.
    fn former_survivors(&mut self, random: &mut Random) {
        let wanted = |heap: &Self, random: &mut Random, places: &[usize]| {
            let place = places[random.below(places.len() as u64) as usize];
            (heap.address(place).0 as u64 | 3, place)
        };
        let moved: Vec<usize> = self.moved.iter().map(|(_, to)| *to).collect();
        if moved.is_empty() {
            return;
        }
        let mut fakes = moved.clone();
        fakes.extend(moved.iter().map(|to| to + 4));
        fakes.extend(&self.kept_objects);
        for array in std::mem::take(&mut self.dead_arrays) {
            for at in array.step_by(5) {
                let (mark, place) = wanted(self, random, &fakes);
                self.words[at] = mark;
                let header = self.words[place + 1..place + 3].to_vec();
                self.words[at + 1..at + 3].copy_from_slice(&header);
            }
        }
    }

    fn elements(&mut self, random: &mut Random, elements: Elements, start: usize, end: usize) {
        let mut at = start;
        while elements == Elements::Noise && at < end {
            self.words[at] = random.below(1 << 40) & 0xFF_0000_00FF;
            at += 1;
        }
        while matches!(elements, Elements::FakeObjects | Elements::FormerSurvivors) && at + 3 <= end
        {
            self.header(at, random.below(2) as usize, 0);
            if random.below(4) == 0 {
                // Nothing can be parsed there.
                self.words[at] = 0x0000_6EAD_BEE0_0003;
            }
            at += 2;
        }
    }

    pub(crate) fn space(&self) -> Space {
        Space {
            kind: SpaceKind::Eden,
            index: 1,
            bottom: self.address(0),
            top: self.address(self.old_words),
        }
    }

    pub(crate) fn room(&self) -> [AddressRange; 1] {
        [AddressRange {
            start: self.address(0),
            end: self.address(self.words.len()),
        }]
    }

    pub(crate) fn carefully(&self, space: &Space) -> Result<Evacuated, MovesFault> {
        let room = self.room();
        let mut walk = EvacuationWalk::new(&self.table, &self.sizes, &room);
        let mut found = Evacuated::default();
        // SAFETY: all addresses are inside `words`, which this value owns.
        unsafe {
            walk.or_former_classes(space, &mut found, |walk, found| {
                walk.current_classes(space, found)
            })
        }
        .map(|()| found)
    }
}

pub(crate) const LAYOUTS: [Layout; 3] = [Layout::Word, Layout::HalfWord, Layout::Compact];
