//! A shadow of the heap: for each object a word at a constant distance from it, where code of the program stamps that it used the object.
//!
//! ```text
//!                    0   D                D + start          D + end         start     end
//!   address space ──────[page]────────────[   shadow   ]─────────────────────[  heap  ]──
//! ```
//!
//! Objects never share 8 bytes, so each has a word of its own; a store at `object + D` needs no lookup and no lock. Three rules:
//!
//! 1. **D is at least 2^31.** An `Unsafe` access with a smaller offset is taken for a field by C2: with a constant `Class` as its base it
//!    looks up a static field at that offset, and the VM crashes (JDK 17, 21 and 25).
//! 2. **The page at the address D is mapped as well**: `null + D`. So a stamp of `null` goes nowhere, and no probe must ask for it.
//! 3. Both mappings must be where they are wanted; nothing that is mapped already is replaced.
//!
//! The distance is positive: the shadow lies above the heap. A stamp belongs to the object that is at its address, if it is not older than the
//! object's arrival there; so nothing is cleared when an object dies or moves.

use core::sync::atomic::{AtomicU64, Ordering};

use crate::address::Address;
use crate::error::Error;
use crate::reservation::{Reservation, page_size};

/// The least distance: what does not fit an `int` is no field offset to C2.
const LEAST: usize = 1 << 31;
/// The distances that are tried first.
const FAR: usize = 1 << 40;
/// The distances for heaps close to the end of the address space.
const NEAR: usize = 1 << 32;
/// The end of the address space of a process, 47 bits.
const END: usize = 1 << 47;
/// How often a distance is tried.
const TRIES: usize = 64;

/// Words that are compared at once while a range is searched.
const STRIDE: usize = 8;

/// The shadow of the whole reserved heap. Never given back: compiled code holds the distance as a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shadow {
    heap: Address,
    bytes: usize,
    distance: usize,
}

impl Shadow {
    /// Maps the shadow of the reserved heap `[heap, heap + bytes)`, see [`HeapSpaces::reserved`](crate::HeapSpaces::reserved).
    ///
    /// # Errors
    /// If there is no room at any distance that is allowed.
    pub fn map(heap: Address, bytes: usize) -> Result<Self, Error> {
        let length = bytes.next_multiple_of(page_size());
        let start = Address(heap.0 & !(page_size() - 1));
        let mut last = Error::Reserve {
            length,
            errno: libc::ENOMEM,
        };
        for distance in distances(start, length) {
            match map_both(start, length, distance) {
                Ok(()) => {
                    return Ok(Self {
                        heap,
                        bytes,
                        distance,
                    });
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// The distance of an object's word from the object, in bytes.
    #[must_use]
    pub fn distance(&self) -> usize {
        self.distance
    }

    /// Forgets all stamps, and gives their memory back.
    pub fn clear(&self) {
        let start = Address(self.heap.0 & !(page_size() - 1)).plus(self.distance);
        let length = self.bytes.next_multiple_of(page_size());
        // SAFETY: the range is what `map` mapped, for good; where pages are taken out, the next access finds zeros.
        let cleared = unsafe {
            libc::madvise(
                start.pointer::<u8>().cast_mut().cast(),
                length,
                libc::MADV_DONTNEED,
            )
        };
        debug_assert_eq!(cleared, 0, "the range is mapped");
    }

    /// The stamp of the object at an address; 0: there is none, or the address is not in the heap.
    #[must_use]
    pub fn stamp(&self, object: Address) -> u64 {
        self.words(object, object.plus(8))
            .first()
            .copied()
            .unwrap_or(0)
    }

    /// Replaces the word of the object at an address if it still is `expected`, at any time. False: it is not, or the address is not in the heap.
    #[must_use]
    pub fn exchange(&self, object: Address, expected: u64, new: u64) -> bool {
        let Some(word) = self.words(object, object.plus(8)).first() else {
            return false;
        };
        // SAFETY: the word lies in our own writable mapping, is aligned and lives as long as the process; code of the program writes it with single
        // stores of 8 bytes.
        let word = unsafe { AtomicU64::from_ptr(core::ptr::from_ref(word).cast_mut()) };
        let relaxed = Ordering::Relaxed;
        word.compare_exchange(expected, new, relaxed, relaxed)
            .is_ok()
    }

    /// Objects have moved: their stamps move with them. What was stamped at a new place before, or 0, is gone. While the world is stopped.
    pub fn carry(&self, moves: impl Iterator<Item = (Address, Address)> + Clone) {
        // All are read before the first is written: an object may move to where another one was.
        let stamps: Vec<u64> = moves.clone().map(|(from, _)| self.stamp(from)).collect();
        for ((_, to), stamp) in moves.zip(stamps) {
            self.set(to, stamp);
        }
    }

    fn set(&self, object: Address, stamp: u64) {
        let is_inside = object >= self.heap && object.above(self.heap) + 8 <= self.bytes;
        if is_inside && object.is_aligned(8) {
            let word = object.plus(self.distance).pointer::<u64>().cast_mut();
            // SAFETY: `map` mapped a word at this distance for each word of the reserved heap, for good, and the object is in it.
            unsafe { word.write(stamp) };
        }
    }

    /// Passes the addresses in `[from, to)` whose stamps are `least` or more, ascending, each with its stamp. While the world is stopped: what threads
    /// stamp meanwhile may be missed.
    pub fn newer(
        &self,
        from: Address,
        to: Address,
        least: u64,
        mut pass: impl FnMut(Address, u64),
    ) {
        let mut at = from.max(self.heap);
        for words in self.words(from, to).chunks(STRIDE) {
            // Most words are older: this compares all of them without a branch for each.
            if words.iter().fold(false, |any, word| any | (*word >= least)) {
                for (word, object) in words.iter().zip((at.0..).step_by(8)) {
                    if *word >= least {
                        pass(Address(object), *word);
                    }
                }
            }
            at = at.plus(8 * STRIDE);
        }
    }

    /// The words of `[from, to)`, clipped to the heap.
    fn words(&self, from: Address, to: Address) -> &[u64] {
        let heap_end = self.heap.plus(self.bytes & !7);
        let (from, to) = (from.max(self.heap), to.min(heap_end));
        let count = to.above(from) / 8;
        if count == 0 || from.0 % 8 != 0 {
            return &[];
        }
        // SAFETY: `map` mapped a byte at this distance for each byte of the reserved heap, for good, and the range is clipped to that. Words are aligned,
        // as the distance is a multiple of 8. Compiled code may store to them meanwhile, each word at once; callers read while the world is stopped.
        unsafe { core::slice::from_raw_parts(from.plus(self.distance).pointer::<u64>(), count) }
    }
}

/// The distances that put the shadow of `[start, start + length)` into the address space of a process.
fn distances(start: Address, length: usize) -> impl Iterator<Item = usize> {
    let end = start.0.saturating_add(length);
    let room = END.saturating_sub(end);
    let far = (1..=TRIES).map(|step| step * FAR);
    let near = (1..=TRIES).map(|step| step * NEAR);
    far.chain(near)
        .filter(move |distance| *distance >= LEAST.max(length) && *distance < room)
}

fn map_both(start: Address, length: usize, distance: usize) -> Result<(), Error> {
    let null = Reservation::at(Address(distance), page_size())?;
    let shadow = Reservation::at(start.plus(distance), length)?;
    // Fewer misses of the TLB where huge pages are allowed, and a dump of the process need not hold it. Where the advice is not taken, nothing is lost.
    for advice in [libc::MADV_HUGEPAGE, libc::MADV_DONTDUMP] {
        // SAFETY: the range is this reservation's own.
        let _ = unsafe { libc::madvise(shadow.start().cast(), length, advice) };
    }
    let _ = (null.keep(), shadow.keep());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A heap of our own, far from the end of the address space.
    fn heap(length: usize) -> Reservation {
        Reservation::anywhere(length).expect("room")
    }

    fn store(shadow: &Shadow, object: Address, stamp: u64) {
        let word = object.plus(shadow.distance()).pointer::<u64>().cast_mut();
        // SAFETY: the shadow has a word for each word of the heap.
        unsafe { word.write(stamp) };
    }

    #[test]
    fn each_word_of_the_heap_has_a_word_and_null_has_a_page() {
        let memory = heap(1 << 20);
        let start = memory.address();
        let shadow = Shadow::map(start, 1 << 20).expect("room");
        assert!(shadow.distance() >= 1 << 31);
        store(&shadow, Address::NULL, 7);
        for (offset, stamp) in [(0, 3), (8, 4), (512, 5), ((1 << 20) - 8, 6)] {
            store(&shadow, start.plus(offset), stamp);
        }
        assert_eq!(shadow.stamp(start.plus(8)), 4);
        assert_eq!(shadow.stamp(start.plus(16)), 0);
        assert_eq!(shadow.stamp(start.plus(1 << 20)), 0);
        assert_eq!(shadow.stamp(Address(8)), 0);
        let mut found = Vec::new();
        let all = (Address::NULL, Address(usize::MAX));
        shadow.newer(all.0, all.1, 4, |object, stamp| {
            found.push((object.above(start), stamp));
        });
        assert_eq!(found, [(8, 4), (512, 5), ((1 << 20) - 8, 6)]);
        shadow.clear();
        assert_eq!(shadow.stamp(start.plus(8)), 0);
    }

    #[test]
    fn stamps_move_with_their_objects() {
        let memory = heap(1 << 16);
        let at = |offset| memory.address().plus(offset);
        let shadow = Shadow::map(memory.address(), 1 << 16).expect("room");
        for (offset, stamp) in [(0, 1), (64, 2), (128, 3)] {
            store(&shadow, at(offset), stamp);
        }
        // Sliding down, and one that was never stamped.
        let moves = [
            (at(64), at(0)),
            (at(128), at(64)),
            (at(256), at(128)),
            (at(1 << 16), at(1 << 17)),
        ];
        shadow.carry(moves.into_iter());
        let stamps = [0, 64, 128].map(|offset| shadow.stamp(at(offset)));
        assert_eq!(stamps, [2, 3, 0]);
    }

    #[test]
    fn a_second_shadow_takes_another_place() {
        let memory = heap(1 << 16);
        let first = Shadow::map(memory.address(), 1 << 16).expect("room");
        let second = Shadow::map(memory.address(), 1 << 16).expect("room");
        assert_ne!(first.distance(), second.distance());
    }

    #[test]
    fn distances_are_no_field_offsets_and_stay_in_the_address_space() {
        for (start, length) in [
            (1 << 20, 64 << 20),
            (28 << 30, 40 << 30),
            (0x7f00 << 32, 4 << 30),
        ] {
            let all: Vec<usize> = distances(Address(start), length).collect();
            assert!(!all.is_empty(), "{start:#x}");
            for distance in all {
                assert!(distance >= 1 << 31 && start + length + distance <= 1 << 47);
                // The page at the distance is not in the shadow, nor the heap.
                assert!(distance >= length);
            }
        }
        assert_eq!(
            distances(Address((1 << 47) - (1 << 30)), 1 << 30).count(),
            0
        );
    }
}
