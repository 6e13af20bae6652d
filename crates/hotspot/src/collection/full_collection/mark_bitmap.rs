//! Finds and reads the bitmaps in which Parallel and G1 mark live objects.
//!
//! A bit stands for a place where an object may start: bit `i` for the address `heap start + i * alignment`, in 64-bit words, lowest bit
//! first. No VM table gives the address of a bitmap. Bitmaps are found by their contents, and exactly one place must match:
//!
//! | | where | 8-byte words |
//! |---|---|---|
//! | Parallel, starts of objects | libjvm's data (`PSParallelCompact::_mark_bitmap`) | heap start, heap words, map, bits |
//! | G1 | an object that the heap object points to (`G1ConcurrentMark`) | heap start, heap words, log2 of words per bit, map, bits |
//!
//! G1 of JDK 17 has two of them, for the previous and the next marking, and after the second one two pointers to them. A full collection
//! marks in the next bitmap. The VM swaps the pointers from time to time, so the pointer is read again for every collection. It may point
//! to the words above, or to a vtable 8 bytes before them.
//!
//! Example: heap start 0x7000_0000, alignment 8, first word of the map 0x0000_0000_0000_0005: objects start at 0x7000_0000 and 0x7000_0010.

use crate::address::Address;
use crate::error::Error;
use crate::process::careful_read::{read_bytes, read_value};
use crate::vm::collector::Collector;
use crate::vm::libjvm::Libjvm;
use crate::vm::vm_structs::VmStructs;

/// Bytes of the concurrent marking object that are searched.
const SEARCHED: usize = 4096;
/// Bytes from the first word of the second bitmap of JDK 17 to what follows that bitmap.
const AFTER_BITMAP: usize = 56;
/// Words of a bitmap read at once; they cover 4 MB of heap.
const WINDOW_WORDS: usize = 8192;

const NOT_FOUND: Error = Error::Ambiguous {
    what: "the bitmap of live objects",
};

/// Location of the bitmap of a full collection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarkBitmap {
    covered: Address,
    bytes_per_bit: usize,
    bits: usize,
    map: MapPlace,
}

/// Location of the map's address.
#[derive(Debug, Clone, Copy)]
enum MapPlace {
    /// At this place.
    At(Address),
    /// At this offset from the target of the pointer at `pointer`.
    Pointed { pointer: Address, offset: usize },
}

/// The marks of one collection, read in windows.
#[derive(Debug)]
pub(crate) struct Marks {
    covered: Address,
    bytes_per_bit: usize,
    bits: usize,
    map: Address,
    /// Words of the map, from `first_word` on.
    window: Vec<u8>,
    first_word: usize,
}

impl MarkBitmap {
    /// Finds the bitmap of the collector in use. `heap`: first address and length in bytes of the reserved heap. Call in or after `VMInit`.
    pub(crate) fn find(
        vm: &VmStructs,
        collector: Collector,
        heap: (Address, usize),
        alignment: usize,
    ) -> Result<Self, Error> {
        let shape = Shape {
            covered: heap.0,
            words: heap.1 / 8,
            log2_words_per_bit: (alignment / 8).trailing_zeros(),
        };
        let map = match collector {
            Collector::Parallel => shape.parallel_map(vm.libjvm())?,
            Collector::G1 => shape.g1_map(vm)?,
            _ => return Err(Error::UnsupportedCollector),
        };
        Ok(Self {
            covered: heap.0,
            bytes_per_bit: alignment,
            bits: shape.bits(),
            map,
        })
    }

    /// The marks of the current collection.
    pub(crate) fn marks(&self) -> Result<Marks, Error> {
        let map: Address = match self.map {
            MapPlace::At(place) => read_value(place)?,
            MapPlace::Pointed { pointer, offset } => {
                let bitmap: Address = read_value(pointer)?;
                read_value(bitmap.plus(offset))?
            }
        };
        if map.is_null() || !map.is_aligned(8) {
            return Err(NOT_FOUND);
        }
        Ok(Marks {
            covered: self.covered,
            bytes_per_bit: self.bytes_per_bit,
            bits: self.bits,
            map,
            window: Vec::new(),
            first_word: 0,
        })
    }
}

impl Marks {
    /// The first marked address in `from..end`.
    pub(crate) fn next(&mut self, from: Address, end: Address) -> Result<Option<Address>, Error> {
        let end_bit = end
            .above(self.covered)
            .div_ceil(self.bytes_per_bit)
            .min(self.bits);
        let mut bit = from.above(self.covered).div_ceil(self.bytes_per_bit);
        while bit < end_bit {
            let word = self.word(bit / 64, end_bit.div_ceil(64))? >> (bit % 64);
            if word == 0 {
                bit = (bit / 64 + 1) * 64;
                continue;
            }
            bit += word.trailing_zeros() as usize;
            let place = self.covered.plus(bit * self.bytes_per_bit);
            return Ok((bit < end_bit).then_some(place));
        }
        Ok(None)
    }

    /// Word `index` of the map. May read ahead up to word `end`.
    fn word(&mut self, index: usize, end: usize) -> Result<u64, Error> {
        if let Some(word) = self.word_in_window(index) {
            return Ok(word);
        }
        let words = end.saturating_sub(index).clamp(1, WINDOW_WORDS);
        self.window.resize(words * 8, 0);
        self.first_word = index;
        if let Err(error) = read_bytes(self.map.plus(index * 8), &mut self.window) {
            self.window.clear();
            return Err(error);
        }
        self.word_in_window(index).ok_or(NOT_FOUND)
    }

    fn word_in_window(&self, index: usize) -> Option<u64> {
        let start = index.checked_sub(self.first_word)?.checked_mul(8)?;
        let bytes = self.window.get(start..)?.first_chunk::<8>()?;
        Some(u64::from_ne_bytes(*bytes))
    }
}

/// The contents by which a bitmap of this heap is recognized.
struct Shape {
    covered: Address,
    words: usize,
    log2_words_per_bit: u32,
}

impl Shape {
    fn bits(&self) -> usize {
        self.words >> self.log2_words_per_bit
    }

    /// Parallel: the only match in libjvm's data.
    fn parallel_map(&self, libjvm: &Libjvm) -> Result<MapPlace, Error> {
        let mut found = None;
        for segment in libjvm.segments().iter().filter(|segment| segment.writable) {
            let start = segment.start.plus(segment.start.0.wrapping_neg() % 8);
            let words = segment.start.plus(segment.length).above(start) / 8;
            for index in 0..words.saturating_sub(3) {
                let place = start.plus(index * 8);
                // The first word decides almost always.
                if libjvm.read::<Address>(place)? != self.covered
                    || libjvm.read::<Address>(place.plus(8))?.0 != self.words
                    || libjvm.read::<Address>(place.plus(24))?.0 != self.bits()
                    || libjvm.read::<Address>(place.plus(16))?.is_null()
                {
                    continue;
                }
                if found.replace(MapPlace::At(place.plus(16))).is_some() {
                    return Err(NOT_FOUND);
                }
            }
        }
        found.ok_or(NOT_FOUND)
    }

    /// G1: searches the objects that the heap object points to.
    fn g1_map(&self, vm: &VmStructs) -> Result<MapPlace, Error> {
        let heap: Address = vm
            .libjvm()
            .read(vm.address(&[("Universe", "_collectedHeap")])?)?;
        let bytes = vm.type_size("G1CollectedHeap").ok_or(Error::MissingType {
            type_name: "G1CollectedHeap",
        })?;
        let mut bitmaps = Vec::new();
        for word in 0..bytes / 8 {
            let object: Address = read_value(heap.plus(word * 8))?;
            if !object.is_null() && object.is_aligned(8) {
                self.bitmaps_in(object, &mut bitmaps);
            }
        }
        bitmaps.sort_unstable();
        bitmaps.dedup();
        match *bitmaps.as_slice() {
            [only] => Ok(MapPlace::At(only.plus(24))),
            [first, second] => next_of_two(first, second),
            _ => Err(NOT_FOUND),
        }
    }

    /// Adds the addresses of bitmaps in the first bytes of an object.
    fn bitmaps_in(&self, object: Address, found: &mut Vec<Address>) {
        let words = readable_words(object, SEARCHED);
        for (index, window) in words.windows(5).enumerate() {
            let &[start, length, log2, map, bits] = window else {
                continue;
            };
            // The third is a 32-bit number followed by padding.
            let fits = start == self.covered.0
                && length == self.words
                && log2 & 0xFFFF_FFFF == self.log2_words_per_bit as usize
                && bits == self.bits()
                && map != 0;
            if fits {
                found.push(object.plus(index * 8));
            }
        }
    }
}

/// Two bitmaps are followed by a pointer to each; the second pointer is that of the next marking.
fn next_of_two(first: Address, second: Address) -> Result<MapPlace, Error> {
    let which = |pointer: usize| {
        [(first, 0), (second, 1)]
            .into_iter()
            .find_map(|(bitmap, number)| {
                [0, 8].into_iter().find_map(|before| {
                    (pointer == bitmap.0.wrapping_sub(before)).then_some((number, before))
                })
            })
    };
    let following = second.plus(AFTER_BITMAP);
    let words = readable_words(following, SEARCHED);
    let mut found = None;
    for (index, window) in words.windows(2).enumerate() {
        let &[previous, next] = window else { continue };
        let (Some(previous), Some(next)) = (which(previous), which(next)) else {
            continue;
        };
        if previous.0 == next.0 || previous.1 != next.1 {
            continue;
        }
        let place = MapPlace::Pointed {
            pointer: following.plus(index * 8 + 8),
            offset: 24 + next.1,
        };
        if found.replace(place).is_some() {
            return Err(NOT_FOUND);
        }
    }
    found.ok_or(NOT_FOUND)
}

/// The words from `start` on that are readable, up to `limit` bytes.
fn readable_words(start: Address, limit: usize) -> Vec<usize> {
    let mut bytes = vec![0; limit];
    while !bytes.is_empty() && read_bytes(start, &mut bytes).is_err() {
        bytes.truncate(bytes.len() / 2);
    }
    bytes
        .chunks_exact(8)
        .filter_map(|word| word.first_chunk::<8>())
        .map(|word| usize::from_ne_bytes(*word))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Marks, Shape, WINDOW_WORDS, next_of_two};
    use crate::address::Address;

    fn marks(map: &[u64], bytes_per_bit: usize) -> Marks {
        Marks {
            covered: Address(0x7000_0000),
            bytes_per_bit,
            bits: map.len() * 64,
            map: Address(map.as_ptr().expose_provenance()),
            window: Vec::new(),
            first_word: 0,
        }
    }

    #[test]
    fn every_mark_is_found_once_in_order() {
        let mut map = vec![0_u64; WINDOW_WORDS + 100];
        let set = [
            0,
            2,
            63,
            64,
            1000,
            WINDOW_WORDS * 64 - 1,
            WINDOW_WORDS * 64,
            WINDOW_WORDS * 64 + 6399,
        ];
        for bit in set {
            map[bit / 64] |= 1 << (bit % 64);
        }
        for bytes_per_bit in [8, 16] {
            let mut marks = marks(&map, bytes_per_bit);
            let end = Address(usize::MAX);
            let mut found = Vec::new();
            let mut at = Address(0x7000_0000);
            while let Some(place) = marks.next(at, end).expect("mapped") {
                found.push((place.0 - 0x7000_0000) / bytes_per_bit);
                at = place.plus(8);
            }
            assert_eq!(found, set);
        }
    }

    #[test]
    fn marks_at_the_end_are_outside() {
        let map = [0b101_u64];
        let mut marks = marks(&map, 8);
        let (start, third) = (Address(0x7000_0008), Address(0x7000_0010));
        assert_eq!(marks.next(start, third), Ok(None));
        assert_eq!(marks.next(start, third.plus(1)), Ok(Some(third)));
        assert_eq!(marks.next(third.plus(8), Address(usize::MAX)), Ok(None));
    }

    #[test]
    fn unmapped_maps_are_errors() {
        let mut marks = Marks {
            map: Address(8),
            ..marks(&[0], 8)
        };
        assert!(
            marks
                .next(Address(0x7000_0000), Address(0x7000_0100))
                .is_err()
        );
    }

    #[test]
    fn bitmaps_are_recognized_by_their_content() {
        let shape = Shape {
            covered: Address(0x7000_0000),
            words: 1 << 20,
            log2_words_per_bit: 1,
        };
        let object: Vec<usize> = [
            vec![9, 0x7000_0000, 1 << 20, 0xABCD_0000_0001_0000, 5, 1 << 19],
            vec![
                0x7000_0000,
                1 << 20,
                0xABCD_0000_0000_0001,
                0x5555_0000,
                1 << 19,
            ],
            vec![0; 600],
        ]
        .concat();
        let mut found = Vec::new();
        let place = Address(object.as_ptr().expose_provenance());
        shape.bitmaps_in(place, &mut found);
        assert_eq!(found, [place.plus(6 * 8)]);
    }

    #[test]
    fn the_next_of_two_bitmaps() {
        // Two bitmaps with a vtable before each. The listener of the second one points back to it.
        let mut object = vec![0_usize; 600];
        let start = Address(object.as_ptr().expose_provenance());
        let (first, second) = (start.plus(8), start.plus(72));
        object[8 + 7] = second.0 - 8;
        object[40] = second.0 - 8;
        object[41] = first.0 - 8;
        let place = next_of_two(first, second).expect("found");
        let super::MapPlace::Pointed { pointer, offset } = place else {
            panic!("{place:?}")
        };
        assert_eq!((pointer, offset), (start.plus(41 * 8), 32));
        object[50] = first.0;
        object[51] = second.0;
        assert!(next_of_two(first, second).is_err());
    }
}
