//! A thread's memory for counts: counters, then keyed entries. Layout in `helper/java/lang/DuckTrack.java`.
//!
//! ```text
//! 0         words 0..64: header (1 note of the call under way, 3 and 4 keyed counts and bytes lost, 5 keyed entries in use)
//! 64 * 8    counters, one word each, to WORDS * 8
//! WORDS*8   keyed entries: key (note + 32 * site, bit 0 set where the class counts), klass or 0, count, bytes
//! behind    the thread's buffer of allocation events (mode trace)
//!
//! note      call site << 32 | where in the table its entries begin, in bytes
//! ```
//!
//! Only the owning thread writes (plain adds); readers see each word whole, at most a moment old. In mode trace the thread that decodes
//! events writes counters and keyed entries, and the owning thread only its buffer and its histograms.

use std::sync::atomic::{AtomicU64, Ordering};

use ducktrack_hotspot::{Error, Reservation};

/// Words of a block that may be counters, header included.
pub(crate) const WORDS: u32 = 1 << 20;
/// The first counter's number.
pub(crate) const FIRST_COUNTER: u32 = 64;
/// Bytes of the table of keyed entries; a power of two.
pub(crate) const KEYED_BYTES: usize = 1 << 20;
/// Where the keyed entries start.
pub(crate) const KEYED_OFFSET: usize = WORDS as usize * 8;
/// Where the buffer of events starts.
pub(crate) const EVENTS_OFFSET: usize = KEYED_OFFSET + KEYED_BYTES;
/// Bytes of the buffer of events.
pub(crate) const EVENTS_BYTES: usize = 40 << 10;
/// Bytes of a block.
pub(crate) const BLOCK_BYTES: usize = EVENTS_OFFSET + EVENTS_BYTES;

/// Bytes of a row.
pub(crate) const ROW: usize = 32;
const KEYED_ROWS: usize = KEYED_BYTES / ROW;
/// Entries that are looked at for a key.
const MOST_PROBES: usize = 256;

/// Set in a key where the class is a part of the key.
const CLASS_IN_KEY: u64 = 1;
const NOTE: usize = 1;
const LOST_COUNT: usize = 3;
const LOST_BYTES: usize = 4;
const KEYED_IN_USE: usize = 5;

/// A block; never given back, because compiled code and threads may hold its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CounterBlock {
    address: usize,
}

/// A row of the keyed table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyedEntry {
    pub(crate) call_site: u32,
    pub(crate) site: u32,
    pub(crate) klass: usize,
    pub(crate) count: u64,
    pub(crate) bytes: u64,
}

impl CounterBlock {
    /// A block anywhere.
    pub(crate) fn new() -> Result<Self, Error> {
        Ok(Self::of(Reservation::anywhere(BLOCK_BYTES)?))
    }

    /// The block that threads without one share, as low as possible: its address becomes a constant of compiled code.
    pub(crate) fn shared() -> Result<Self, Error> {
        Ok(Self::of(Reservation::low_if_possible(BLOCK_BYTES)?))
    }

    fn of(reservation: Reservation) -> Self {
        let address = reservation.address().0;
        // Huge pages would make every touched counter cost 2 MB. Where the advice is not taken, only memory is lost.
        // SAFETY: the range is this reservation's own.
        let _ = unsafe {
            libc::madvise(
                reservation.start().cast(),
                BLOCK_BYTES,
                libc::MADV_NOHUGEPAGE,
            )
        };
        let _ = reservation.keep();
        Self { address }
    }

    /// The block at an address.
    ///
    /// # Safety
    /// There is one.
    pub(crate) unsafe fn at(address: usize) -> Self {
        Self { address }
    }

    pub(crate) fn address(self) -> usize {
        self.address
    }

    pub(crate) fn resident_bytes(self) -> u64 {
        ducktrack_hotspot::resident_bytes(ducktrack_hotspot::Address(self.address), BLOCK_BYTES)
            .unwrap_or(0) as u64
    }

    /// Before another thread gets the block: the one before may have ended in the middle of a tracked call.
    pub(crate) fn forget_call_site(self) {
        self.atomic(NOTE).store(0, Ordering::Relaxed);
    }

    /// Adds to a counter, where the owning thread does not.
    pub(crate) fn add(self, id: u32, amount: u64) {
        if id < WORDS {
            self.add_to(id as usize, amount);
        }
    }

    /// Adds to a keyed entry, where the owning thread does not. `klass` is 0 where the class is no part of the key.
    pub(crate) fn add_keyed(self, key: KeyedEntry) {
        let class_bit = if key.klass == 0 { 0 } else { CLASS_IN_KEY };
        let wanted = (note(key.call_site) + u64::from(key.site) * ROW as u64) | class_bit;
        let mut row = first_row(wanted, key.klass);
        for _ in 0..MOST_PROBES {
            let first = KEYED_OFFSET / 8 + row * 4;
            let found = self.word(first);
            if found == 0 {
                self.set_word(first + 1, key.klass as u64);
                self.set_word(first + 2, key.count);
                self.set_word(first + 3, key.bytes);
                self.atomic(first).store(wanted, Ordering::Release);
                self.add_to(KEYED_IN_USE, 1);
                return;
            }
            if found == wanted && self.word(first + 1) == key.klass as u64 {
                self.add_to(first + 2, key.count);
                self.add_to(first + 3, key.bytes);
                return;
            }
            row = (row + 1) % KEYED_ROWS;
        }
        self.add_to(LOST_COUNT, key.count);
        self.add_to(LOST_BYTES, key.bytes);
    }

    fn add_to(self, index: usize, amount: u64) {
        self.set_word(index, self.word(index).wrapping_add(amount));
    }

    /// A word of the header, or of the buffer of events.
    pub(crate) fn set_word(self, index: usize, value: u64) {
        self.atomic(index).store(value, Ordering::Relaxed);
    }

    /// A copy of the bytes between two addresses in the buffer of events.
    pub(crate) fn event_bytes(self, from: usize, to: usize) -> Vec<u8> {
        let buffer = self.address + EVENTS_OFFSET;
        if from < buffer || to < from || to > buffer + EVENTS_BYTES {
            return Vec::new();
        }
        // SAFETY: the range is inside of the block, which is mapped for good. Its owner writes behind `to` only, until this is done.
        unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(from), to - from) }
            .to_vec()
    }

    pub(crate) fn word(self, index: usize) -> u64 {
        self.atomic(index).load(Ordering::Relaxed)
    }

    fn atomic(self, index: usize) -> &'static AtomicU64 {
        debug_assert!(index < BLOCK_BYTES / 8);
        // SAFETY: the block is mapped for good, readable and aligned, and `index` is inside of it at every call in this file.
        unsafe { &*std::ptr::with_exposed_provenance::<AtomicU64>(self.address + index * 8) }
    }

    /// One counter's word.
    pub(crate) fn counter(self, id: u32) -> u64 {
        if id < WORDS {
            self.word(id as usize)
        } else {
            0
        }
    }

    /// Counters below `end` that are not zero.
    pub(crate) fn counters(self, end: u32) -> impl Iterator<Item = (u32, u64)> {
        (FIRST_COUNTER..end.min(WORDS))
            .map(move |id| (id, self.word(id as usize)))
            .filter(|(_, value)| *value != 0)
    }

    /// Counts and bytes for which the table of keys had no room.
    pub(crate) fn lost(self) -> (u64, u64) {
        (self.word(LOST_COUNT), self.word(LOST_BYTES))
    }

    /// The keyed entries in use.
    pub(crate) fn keyed(self) -> impl Iterator<Item = KeyedEntry> {
        let rows = if self.word(KEYED_IN_USE) == 0 {
            0
        } else {
            KEYED_ROWS
        };
        (0..rows).filter_map(move |row| {
            let first = KEYED_OFFSET / 8 + row * 4;
            let key = self.word(first);
            let call_site = (key >> 32) as u32;
            (key != 0).then(|| KeyedEntry {
                call_site,
                site: (key.wrapping_sub(note(call_site)) / ROW as u64) as u32,
                klass: self.word(first + 1) as usize,
                count: self.word(first + 2),
                bytes: self.word(first + 3),
            })
        })
    }
}

/// What a thread notes of a call site (`DuckTrack.note`).
pub(crate) fn note(call_site: u32) -> u64 {
    let begin = (call_site.wrapping_mul(0x9E37_79B1) >> 1) & 0x7FFF_FFE0;
    u64::from(call_site) << 32 | u64::from(begin)
}

/// Where a key is looked for first (`DuckTrack.place`).
fn first_row(key: u64, klass: usize) -> usize {
    let spread = key.wrapping_add((klass as u64).wrapping_mul(0x2545_F491));
    spread as usize / ROW % KEYED_ROWS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(block: CounterBlock, index: usize, value: u64) {
        // SAFETY: the block is mapped for good and writable; this test is its only user.
        unsafe {
            std::ptr::with_exposed_provenance_mut::<u64>(block.address() + index * 8).write(value)
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let block = CounterBlock::new().expect("memory");
        assert_eq!(block.counters(WORDS).count() + block.keyed().count(), 0);
        write(block, 70, 9);
        write(block, KEYED_IN_USE, 1);
        write(block, KEYED_OFFSET / 8 + 4, note(7) + 3 * 32);
        write(block, KEYED_OFFSET / 8 + 6, 5);
        assert_eq!(block.counters(WORDS).collect::<Vec<_>>(), [(70, 9)]);
        assert_eq!(block.counters(70).count(), 0);
        let expected = KeyedEntry {
            call_site: 7,
            site: 3,
            klass: 0,
            count: 5,
            bytes: 0,
        };
        assert_eq!(block.keyed().collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn keyed_entries_are_added_up() {
        let block = CounterBlock::new().expect("memory");
        let entry = |call_site, klass, count| KeyedEntry {
            call_site,
            site: 17,
            klass,
            count,
            bytes: 8 * count,
        };
        for round in 1..=3 {
            for call_site in 0..100 {
                block.add_keyed(entry(call_site, 0, round));
                block.add_keyed(entry(call_site, 0x8000 + call_site as usize, 1));
            }
        }
        let mut found: Vec<KeyedEntry> = block.keyed().collect();
        found.sort_by_key(|entry| (entry.klass, entry.call_site));
        assert_eq!(found.len(), 200);
        assert_eq!(found[7], entry(7, 0, 6));
        assert_eq!(found[107], entry(7, 0x8007, 3));
    }

    #[test]
    fn only_the_buffer_of_events_is_copied() {
        let block = CounterBlock::new().expect("memory");
        let start = block.address() + EVENTS_OFFSET;
        assert_eq!(block.event_bytes(start, start + 12).len(), 12);
        assert_eq!(block.event_bytes(start - 8, start + 8), []);
        assert_eq!(block.event_bytes(start, start + EVENTS_BYTES + 4), []);
    }
}
