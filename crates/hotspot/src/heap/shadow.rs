//! A shadow of the heap: for each object there is a word at a constant distance, which rewritten code stamps when it uses the object.
//!
//! ```text
//!                    0   D                D + start          D + end         start     end
//!   address space ──────[page]────────────[   shadow   ]─────────────────────[  heap  ]──
//! ```
//!
//! Objects never share 8 bytes, so each has its own word. A store to `object + D` needs no lookup and no lock. Three rules apply:
//!
//! 1. **D is at least 2^31.** C2 takes an `Unsafe` access with a smaller offset for a field access. With a constant `Class` as its base it
//!    looks up a static field at that offset, and the VM crashes (JDK 17, 21 and 25).
//! 2. **The page at address D is mapped as well**: `null + D`. So a stamp on `null` is harmless, and probes need no null check.
//! 3. Both mappings must be exactly at their addresses; existing mappings are never replaced.
//!
//! The distance is positive: the shadow lies above the heap. A stamp belongs to the object at its address unless it is older than the
//! object's arrival there, so stamps need not be cleared when objects die or move.

use core::sync::atomic::{AtomicU64, Ordering};

use crate::address::Address;
use crate::error::Error;
use crate::heap::shadow_views::HeapViews;
use crate::process::page_size::page_size;
use crate::process::reservation::Reservation;

/// The minimum distance: C2 takes no offset for a field offset if it does not fit an `int`.
const LEAST: usize = 1 << 31;
/// Step of the distances that are tried first.
const FAR: usize = 1 << 40;
/// Step of the distances for heaps close to the end of the address space.
const NEAR: usize = 1 << 32;
/// The end of the address space of a process, 47 bits.
const END: usize = 1 << 47;
/// Number of distances tried with each step.
const TRIES: usize = 64;

/// Words compared at once while searching a range.
const STRIDE: usize = 8;

/// The shadow of the whole reserved heap. It is never unmapped, because compiled code holds the distance as a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shadow {
    heap: Address,
    bytes: usize,
    distance: usize,
    /// How its memory is given back.
    release: libc::c_int,
}

impl Shadow {
    /// Maps the shadow of the reserved heap `[heap, heap + bytes)`; see [`HeapSpaces::reserved`](crate::HeapSpaces::reserved).
    ///
    /// # Errors
    /// If there is no room at any allowed distance.
    pub fn map(heap: Address, bytes: usize) -> Result<Self, Error> {
        let length = bytes.next_multiple_of(page_size());
        let start = Address(heap.0 & !(page_size() - 1));
        let distance =
            first_with_room(start, length, |distance| map_both(start, length, distance))?;
        Ok(Self {
            heap,
            bytes,
            distance,
            release: libc::MADV_DONTNEED,
        })
    }

    /// Maps the shadow of a heap that has several views. Addresses are those of the first one.
    ///
    /// # Errors
    /// If there is no room at any allowed distance.
    pub fn map_views(views: &HeapViews) -> Result<Self, Error> {
        let (heap, bytes) = views.first();
        if views.starts.len() == 1 {
            return Self::map(heap, bytes);
        }
        let distance = first_with_room(heap, views.span(), |distance| views.map(distance))?;
        Ok(Self {
            heap,
            bytes,
            distance,
            release: libc::MADV_REMOVE,
        })
    }

    /// The distance from an object to its word, in bytes.
    #[must_use]
    pub fn distance(&self) -> usize {
        self.distance
    }

    /// Clears all stamps and releases their memory.
    pub fn clear(&self) {
        let start = Address(self.heap.0 & !(page_size() - 1));
        self.release(start, self.bytes.next_multiple_of(page_size()));
    }

    /// Clears the stamps of a part of the heap and releases their memory, while
    /// the program runs. False: not a part of it in whole pages of the system.
    #[must_use]
    pub fn clear_part(&self, start: Address, bytes: usize) -> bool {
        let is_inside = start >= self.heap && start.above(self.heap) + bytes <= self.bytes;
        let is_whole = start.is_aligned(page_size()) && bytes.is_multiple_of(page_size());
        is_inside && is_whole && self.release(start, bytes)
    }

    fn release(&self, start: Address, bytes: usize) -> bool {
        let start = start.plus(self.distance).pointer::<u8>().cast_mut();
        // SAFETY: the range is a part of what `map` mapped permanently; released pages read as zeros on the next access.
        let released = unsafe { libc::madvise(start.cast(), bytes, self.release) };
        debug_assert_eq!(released, 0, "the range is mapped");
        released == 0
    }

    /// The stamp of the object at an address. 0 if there is none, or if the address is outside the heap.
    #[must_use]
    pub fn stamp(&self, object: Address) -> u64 {
        self.word(object)
            .map_or(0, |word| word.load(Ordering::Relaxed))
    }

    /// Replaces the word of an object if it still is `expected`. Callable at any time. Returns false if the word has changed or the address
    /// is outside the heap.
    #[must_use]
    pub fn exchange(&self, object: Address, expected: u64, new: u64) -> bool {
        let relaxed = Ordering::Relaxed;
        self.word(object).is_some_and(|word| {
            word.compare_exchange(expected, new, relaxed, relaxed)
                .is_ok()
        })
    }

    /// Makes the stamp of an object this one, unless it is later already. While the program runs.
    pub fn raise(&self, object: Address, stamp: u64) {
        if let Some(word) = self.word(object) {
            word.fetch_max(stamp, Ordering::Relaxed);
        }
    }

    /// As [`Shadow::newer`], while the program runs: stamps written meanwhile may be passed or not.
    pub fn newer_now(
        &self,
        from: Address,
        to: Address,
        least: u64,
        mut pass: impl FnMut(Address, u64),
    ) {
        let mut at = from.max(self.heap);
        for words in self.shared_words(from, to).chunks(STRIDE) {
            let loaded = words.iter().map(|word| word.load(Ordering::Relaxed));
            if loaded
                .clone()
                .fold(false, |any, word| any | (word >= least))
            {
                for (stamp, object) in loaded.zip((at.0..).step_by(8)) {
                    if stamp >= least {
                        pass(Address(object), stamp);
                    }
                }
            }
            at = at.plus(8 * STRIDE);
        }
    }

    /// The word of an object; `None` outside of the heap.
    fn word(&self, object: Address) -> Option<&AtomicU64> {
        self.shared_words(object, object.plus(8)).first()
    }

    /// Moves the stamps along with objects that moved. Overwrites the words at the new places. Call while the world is stopped.
    pub fn carry(&self, moves: impl Iterator<Item = (Address, Address)> + Clone) {
        // All are read before the first is written, because an object may move to the old place of another.
        let stamps: Vec<u64> = moves.clone().map(|(from, _)| self.stamp(from)).collect();
        for ((_, to), stamp) in moves.zip(stamps) {
            self.set(to, stamp);
        }
    }

    fn set(&self, object: Address, stamp: u64) {
        if let Some(word) = self.word(object) {
            word.store(stamp, Ordering::Relaxed);
        }
    }

    /// Passes each address in `[from, to)` whose stamp is at least `least`, ascending, with its stamp. Call while the world is stopped;
    /// stamps written meanwhile may be missed.
    pub fn newer(
        &self,
        from: Address,
        to: Address,
        least: u64,
        mut pass: impl FnMut(Address, u64),
    ) {
        let mut at = from.max(self.heap);
        for words in self.words(from, to).chunks(STRIDE) {
            // Most words are older, so this compares all of them without a branch for each.
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

    /// The words of `[from, to)`, clipped to the heap, while the world is stopped.
    fn words(&self, from: Address, to: Address) -> &[u64] {
        let (start, count) = self.word_range(from, to);
        match count {
            0 => &[],
            // SAFETY: `word_range`. Compiled code may still store whole words; callers read while the world is stopped.
            _ => unsafe { core::slice::from_raw_parts(start, count) },
        }
    }

    /// The words of `[from, to)`, clipped to the heap, while the program runs.
    fn shared_words(&self, from: Address, to: Address) -> &[AtomicU64] {
        let (start, count) = self.word_range(from, to);
        match count {
            0 => &[],
            // SAFETY: `word_range`. Code of the program writes single 8-byte stores.
            _ => unsafe { core::slice::from_raw_parts(start.cast(), count) },
        }
    }

    /// The first word of `[from, to)`, clipped to the heap, and how many there are: permanently mapped by `map`, a byte
    /// at this distance for each byte of the reserved heap. Words are aligned, since the distance is a multiple of 8.
    fn word_range(&self, from: Address, to: Address) -> (*const u64, usize) {
        let heap_end = self.heap.plus(self.bytes & !7);
        let (from, to) = (from.max(self.heap), to.min(heap_end));
        let count = match from.0 % 8 {
            0 => to.above(from) / 8,
            _ => 0,
        };
        (from.plus(self.distance).pointer::<u64>(), count)
    }
}

/// The first allowed distance at which a shadow can be mapped, or why the last one cannot.
fn first_with_room(
    start: Address,
    length: usize,
    map: impl Fn(usize) -> Result<(), Error>,
) -> Result<usize, Error> {
    let mut last = Error::Reserve {
        length,
        errno: libc::ENOMEM,
    };
    for distance in distances(start, length) {
        match map(distance) {
            Ok(()) => return Ok(distance),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The distances at which the shadow of `[start, start + length)` fits into the address space of a process.
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
    // Huge pages mean fewer TLB misses, and a core dump need not contain the shadow. Refused advice is harmless.
    for advice in [libc::MADV_HUGEPAGE, libc::MADV_DONTDUMP] {
        // SAFETY: the range belongs to this reservation.
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
    fn a_part_loses_its_stamps_and_no_other_does() {
        let memory = heap(1 << 20);
        let at = |offset| memory.address().plus(offset);
        let shadow = Shadow::map(memory.address(), 1 << 20).expect("room");
        let places = [(1 << 16) - 8, 1 << 16, (1 << 17) - 8, 1 << 17];
        for (stamp, offset) in (1..).zip(places) {
            store(&shadow, at(offset), stamp);
        }
        assert!(shadow.clear_part(at(1 << 16), 1 << 16));
        assert_eq!(places.map(|offset| shadow.stamp(at(offset))), [1, 0, 0, 4]);
        let mut found = Vec::new();
        shadow.newer_now(at(0), at(1 << 20), 2, |object, stamp| {
            found.push((object, stamp));
        });
        assert_eq!(found, [(at(1 << 17), 4)]);
        assert!(!shadow.clear_part(at(8), 1 << 16));
        assert!(!shadow.clear_part(at(1 << 16), 1 << 20));
    }

    #[test]
    fn stamps_move_with_their_objects() {
        let memory = heap(1 << 16);
        let at = |offset| memory.address().plus(offset);
        let shadow = Shadow::map(memory.address(), 1 << 16).expect("room");
        for (offset, stamp) in [(0, 1), (64, 2), (128, 3)] {
            store(&shadow, at(offset), stamp);
        }
        // Objects slide down; one was never stamped.
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
                // The page at the distance lies outside the shadow and the heap.
                assert!(distance >= length);
            }
        }
        assert_eq!(
            distances(Address((1 << 47) - (1 << 30)), 1 << 30).count(),
            0
        );
    }
}
