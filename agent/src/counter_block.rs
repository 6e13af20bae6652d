//! A thread's memory for counts: counters, then keyed entries. Layout in `helper/java/lang/DuckTrack.java`.
//!
//! ```text
//! 0         words 0..64: header (1 call site under way, 3 and 4 keyed counts and bytes lost, 5 keyed entries in use)
//! 64 * 8    counters, one word each, to WORDS * 8
//! WORDS*8   keyed entries: key (call site << 32 | site, bit 31 set where the class counts), klass or 0, count, bytes
//! ```
//!
//! Only the owning thread writes (plain adds); readers see each word whole, at most a moment old.

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
/// Bytes of a block.
pub(crate) const BLOCK_BYTES: usize = KEYED_OFFSET + KEYED_BYTES;

/// Set in the site's half of a key where the class is a part of the key.
const CLASS_IN_KEY: u32 = 1 << 31;
const CALL_SITE: usize = 1;
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

    pub(crate) fn address(self) -> usize {
        self.address
    }

    pub(crate) fn resident_bytes(self) -> u64 {
        ducktrack_hotspot::resident_bytes(ducktrack_hotspot::Address(self.address), BLOCK_BYTES)
            .unwrap_or(0) as u64
    }

    /// Before another thread gets the block: the one before may have ended in the middle of a tracked call.
    pub(crate) fn forget_call_site(self) {
        self.atomic(CALL_SITE).store(0, Ordering::Relaxed);
    }

    fn word(self, index: usize) -> u64 {
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
            KEYED_BYTES / 32
        };
        (0..rows).filter_map(move |row| {
            let first = KEYED_OFFSET / 8 + row * 4;
            let key = self.word(first);
            (key != 0).then(|| KeyedEntry {
                call_site: (key >> 32) as u32,
                site: key as u32 & !CLASS_IN_KEY,
                klass: self.word(first + 1) as usize,
                count: self.word(first + 2),
                bytes: self.word(first + 3),
            })
        })
    }
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
        write(block, KEYED_OFFSET / 8 + 4, (7 << 32) | 3);
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
}
