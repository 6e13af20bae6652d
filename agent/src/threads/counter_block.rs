//! A thread's memory for counts: counters, then keyed entries. Layout in `helper/java/lang/DuckTrack.java`.
//!
//! ```text
//! 0         words 0..64: header (1 note of the call under way, 3 and 4 keyed counts and bytes lost, 5 keyed entries in use)
//! 64 * 8    counters, one word each, to WORDS * 8
//! WORDS*8   keyed entries: key (note + 32 * site, bit 0 set where the class counts), klass or 0, count, bytes
//! after     the thread's buffer of allocation events (mode trace)
//! after     records of calls under way that the application made (`app=`), see `helper/java/lang/DuckTrackCalls.java`
//!
//! note      call site << 32 | where in the table its entries begin, in bytes
//! ```
//!
//! Only the owning thread writes (plain adds); readers see each word whole, at most a moment old. In mode trace the thread that decodes
//! events writes counters and keyed entries, and the owning thread only its buffer and its histograms.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use ducktrack_hotspot::{Error, Reservation};
use ducktrack_trace_format::{BlockWord, KEYED_PLACE, note};

/// Words of a block that may be counters, header included.
pub(crate) const WORDS: u32 = 1 << 20;
/// The first counter's number.
pub(crate) const FIRST_COUNTER: u32 = 64;
/// Bytes of the table of keyed entries; a power of two.
pub(crate) const KEYED_BYTES: usize = 1 << 20;
/// Where the keyed entries start.
pub(crate) const KEYED_OFFSET: usize = WORDS as usize * 8;
const _: () = assert!(KEYED_OFFSET as u64 == KEYED_PLACE);
/// Where the buffer of events starts.
pub(crate) const EVENTS_OFFSET: usize = KEYED_OFFSET + KEYED_BYTES;
/// Bytes of the buffer of events.
pub(crate) const EVENTS_BYTES: usize = 40 << 10;
/// Where the records of calls under way start.
pub(crate) const RECORDS_OFFSET: usize = EVENTS_OFFSET + EVENTS_BYTES;
/// Bytes of these records: so deep may calls of the application be nested.
pub(crate) const RECORDS_BYTES: usize = 512 << 10;
/// Bytes of a record.
const RECORD_BYTES: usize = 64;
/// Bytes of a block.
pub(crate) const BLOCK_BYTES: usize = RECORDS_OFFSET + RECORDS_BYTES;

/// Bytes of a row.
pub(crate) const ROW: usize = 32;
/// Entries that are looked at for a key.
const MOST_PROBES: usize = 256;

/// Set in a key where the class is a part of the key.
const CLASS_IN_KEY: u64 = 1;
const NOTE: usize = 1;
const LOST_COUNT: usize = 3;
const LOST_BYTES: usize = 4;
const KEYED_IN_USE: usize = 5;
/// From this many entries on the table must grow; 0: it does not grow.
const KEYED_LIMIT: usize = 6;
/// Bytes of the place of keyed entries that the table does not have; 0: it is as large as its place.
const KEYED_ABSENT: usize = 7;
/// Odd while the table changes its place.
const KEYED_VERSION: usize = 36;
const USE_CLOCK: usize = 40;
/// Objects and bytes that the thread has executed, and those of them that are charged.
const TOTALS: usize = 48;
/// Bytes of records in use, and the same when the virtual thread that runs here was mounted.
const RECORDS_TOP: usize = 52;
const RECORDS_BASE: usize = 53;

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

/// What a block has counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockValues {
    pub(crate) counters: Vec<(u32, u64)>,
    pub(crate) keyed: Vec<KeyedEntry>,
    /// Counts and bytes for which the table of keys had no room.
    pub(crate) lost: (u64, u64),
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

    /// Everything is 0 again, and takes no memory. Threads may count meanwhile: what they add is there, or is gone.
    pub(crate) fn clear(self) {
        // SAFETY: the block is memory of its own that is never given back; where pages are taken out, the next access finds zeros.
        let cleared = unsafe {
            libc::madvise(
                std::ptr::with_exposed_provenance_mut(self.address),
                BLOCK_BYTES,
                libc::MADV_DONTNEED,
            )
        };
        debug_assert_eq!(cleared, 0, "the range is mapped");
    }

    /// In the block that all threads share: the clock of stamps of uses.
    pub(crate) fn use_clock(self) -> &'static AtomicU64 {
        self.atomic(USE_CLOCK)
    }

    pub(crate) fn resident_bytes(self) -> u64 {
        let part = |offset: usize, length: usize| {
            let start = ducktrack_hotspot::Address(self.address + offset);
            ducktrack_hotspot::resident_bytes(start, length).unwrap_or(0) as u64
        };
        part(0, KEYED_OFFSET)
            + part(KEYED_OFFSET, self.keyed_bytes())
            + part(EVENTS_OFFSET, EVENTS_BYTES)
    }

    /// Bytes of the table of keyed entries.
    pub(crate) fn keyed_bytes(self) -> usize {
        match usize::try_from(self.word(KEYED_ABSENT)) {
            Ok(absent) if absent < KEYED_BYTES => KEYED_BYTES - absent,
            _ => KEYED_BYTES,
        }
    }

    /// Keyed entries in use.
    #[cfg(test)]
    pub(crate) fn keyed_in_use(self) -> usize {
        usize::try_from(self.word(KEYED_IN_USE)).unwrap_or(usize::MAX)
    }

    /// Puts another table into the place of the keyed entries by `map`; it has this many bytes. Readers wait meanwhile.
    pub(crate) fn change_keyed<T>(self, bytes: usize, map: impl FnOnce() -> T) -> T {
        let version = self.atomic(KEYED_VERSION);
        version.fetch_add(1, Ordering::AcqRel);
        let mapped = map();
        self.set_word(KEYED_ABSENT, KEYED_BYTES.saturating_sub(bytes) as u64);
        let limit = if bytes < KEYED_BYTES {
            bytes / ROW / 2
        } else {
            0
        };
        self.set_word(KEYED_LIMIT, limit as u64);
        version.fetch_add(1, Ordering::AcqRel);
        mapped
    }

    /// The entries go to private memory, as large as a table may be: there is no room in the file. What the file has of them stays as it is.
    ///
    /// # Errors
    /// The system has no memory: the table stays where it is, and does not grow.
    pub(crate) fn make_keyed_private(self) -> Result<(), Error> {
        let table = self.keyed_table(KEYED_BYTES);
        self.set_word(KEYED_LIMIT, 0);
        self.change_keyed(KEYED_BYTES, || {
            // SAFETY: the place of the keyed entries is this block's own, and a copy of what is there was taken; its only writer is in this call.
            unsafe { replace_with_private(self.address + KEYED_OFFSET, KEYED_BYTES) }
        })?;
        for (index, word) in (KEYED_OFFSET / 8..).zip(table) {
            if word != 0 {
                self.set_word(index, word);
            }
        }
        self.set_word(BlockWord::KeyedPrivate as usize, 1);
        Ok(())
    }

    /// Puts private memory, all zeros, into the place of the block: nothing of what was counted is needed.
    ///
    /// # Errors
    /// The block stays as it is.
    pub(crate) fn make_private(self) -> Result<(), Error> {
        // SAFETY: the block is memory of its own that is never given back. A thread that stores meanwhile does so before or after.
        unsafe { replace_with_private(self.address, BLOCK_BYTES) }
    }

    /// The words of the keyed entries, as a table of this many bytes has them.
    pub(crate) fn keyed_table(self, bytes: usize) -> Vec<u64> {
        let rows = bytes / ROW;
        let mut table = vec![0; rows * 4];
        for row in 0..self.keyed_bytes() / ROW {
            let first = KEYED_OFFSET / 8 + row * 4;
            let entry: [u64; 4] = std::array::from_fn(|word| self.word(first + word));
            if entry[0] == 0 {
                continue;
            }
            let mut place = first_row(entry[0], entry[1] as usize) % rows;
            while table.get(place * 4).is_some_and(|key| *key != 0) {
                place = (place + 1) % rows;
            }
            if let Some(free) = table.get_mut(place * 4..place * 4 + 4) {
                free.copy_from_slice(&entry);
            }
        }
        table
    }

    /// Takes the values of another block in the place of its own. No thread counts in either.
    pub(crate) fn take_values(self, values: &BlockValues) {
        self.clear_values();
        for (id, value) in &values.counters {
            self.set_word(*id as usize, *value);
        }
        for entry in &values.keyed {
            self.add_keyed(*entry);
        }
        self.add_to(LOST_COUNT, values.lost.0);
        self.add_to(LOST_BYTES, values.lost.1);
    }

    /// All values, with counters below `end`.
    pub(crate) fn values(self, end: u32) -> BlockValues {
        BlockValues {
            counters: self.counters(end).collect(),
            keyed: self.keyed().collect(),
            lost: self.lost(),
        }
    }

    fn clear_values(self) {
        for index in
            (FIRST_COUNTER as usize..KEYED_OFFSET / 8).filter(|index| self.word(*index) != 0)
        {
            self.set_word(index, 0);
        }
        for word in 0..self.keyed_bytes() / 8 {
            if self.word(KEYED_OFFSET / 8 + word) != 0 {
                self.set_word(KEYED_OFFSET / 8 + word, 0);
            }
        }
        for index in [NOTE, LOST_COUNT, LOST_BYTES, KEYED_IN_USE] {
            self.set_word(index, 0);
        }
    }

    /// What the VM says that the block's threads have allocated. A page that nothing changes stays clean.
    pub(crate) fn note_vm_bytes(self, bytes: u64) {
        if self.word(BlockWord::VmBytes as usize) != bytes {
            self.set_word(BlockWord::VmBytes as usize, bytes);
        }
    }

    /// Before another thread gets the block: the one before may have ended in the middle of a tracked call.
    pub(crate) fn forget_call_site(self) {
        self.atomic(NOTE).store(0, Ordering::Relaxed);
        self.atomic(RECORDS_TOP).store(0, Ordering::Relaxed);
    }

    /// Objects and bytes so far, and how much of them is charged.
    pub(crate) fn totals(self) -> [u64; 4] {
        std::array::from_fn(|word| self.word(TOTALS + word))
    }

    #[cfg(test)]
    pub(crate) fn set_totals(self, totals: [u64; 4]) {
        for (word, value) in totals.into_iter().enumerate() {
            self.set_word(TOTALS + word, value);
        }
    }

    /// The records of the virtual thread that is mounted: the first, and one more than the last.
    pub(crate) fn records(self) -> (usize, usize) {
        let number = |word| usize::try_from(self.word(word)).unwrap_or(0) / RECORD_BYTES;
        let top = number(RECORDS_TOP).min(RECORDS_BYTES / RECORD_BYTES);
        (number(RECORDS_BASE).min(top), top)
    }

    /// How many records are in use.
    pub(crate) fn set_records(self, top: usize) {
        self.set_word(RECORDS_TOP, (top * RECORD_BYTES) as u64);
    }

    /// The words of a record.
    pub(crate) fn record(self, number: usize) -> [u64; 7] {
        let first = (RECORDS_OFFSET + number * RECORD_BYTES) / 8;
        std::array::from_fn(|word| self.word(first + word))
    }

    /// Writes a record; false: there is no room.
    pub(crate) fn set_record(self, number: usize, words: &[u64; 7]) -> bool {
        let has_room = number < RECORDS_BYTES / RECORD_BYTES;
        if has_room {
            let first = (RECORDS_OFFSET + number * RECORD_BYTES) / 8;
            for (index, word) in (first..).zip(words) {
                self.set_word(index, *word);
            }
        }
        has_room
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
        let rows = self.keyed_bytes() / ROW;
        let mut row = first_row(wanted, key.klass) % rows;
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
            row = (row + 1) % rows;
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

    /// The same, after everything that was written before.
    pub(crate) fn release_word(self, index: usize, value: u64) {
        self.atomic(index).store(value, Ordering::Release);
    }

    /// The bytes between two addresses in the buffer of events; none, where they are not both in it.
    ///
    /// # Safety
    /// The block's owner writes no byte before `to` while they are used.
    pub(crate) unsafe fn event_bytes(self, from: usize, to: usize) -> &'static [u8] {
        let buffer = self.address + EVENTS_OFFSET;
        if from < buffer || to < from || to > buffer + EVENTS_BYTES {
            return &[];
        }
        // SAFETY: the range is inside of the block, which is mapped for good; the caller sees to it that no thread writes there.
        unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(from), to - from) }
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
        self.counters_in(0..end)
    }

    /// Counters of a range that are not zero.
    pub(crate) fn counters_in(self, range: Range<u32>) -> impl Iterator<Item = (u32, u64)> {
        (range.start.max(FIRST_COUNTER)..range.end.min(WORDS))
            .map(move |id| (id, self.word(id as usize)))
            .filter(|(_, value)| *value != 0)
    }

    /// Counts and bytes for which the table of keys had no room.
    pub(crate) fn lost(self) -> (u64, u64) {
        (self.word(LOST_COUNT), self.word(LOST_BYTES))
    }

    /// The keyed entries in use.
    pub(crate) fn keyed(self) -> impl Iterator<Item = KeyedEntry> {
        let version = || self.atomic(KEYED_VERSION).load(Ordering::Acquire);
        loop {
            let before = version();
            if before.is_multiple_of(2) {
                let entries: Vec<KeyedEntry> = self.keyed_now().collect();
                if version() == before {
                    return entries.into_iter();
                }
            }
            std::thread::yield_now();
        }
    }

    fn keyed_now(self) -> impl Iterator<Item = KeyedEntry> {
        let rows = match self.word(KEYED_IN_USE) {
            0 => 0,
            _ => self.keyed_bytes() / ROW,
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

/// Puts fresh private memory into the place of what is mapped there.
///
/// # Safety
/// The caller owns the range, and needs nothing of what is in it.
unsafe fn replace_with_private(start: usize, length: usize) -> Result<(), Error> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    let place = std::ptr::with_exposed_provenance_mut::<libc::c_void>(start);
    // SAFETY: the caller's.
    let mapped = unsafe {
        libc::mmap(
            place,
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            flags,
            -1,
            0,
        )
    };
    match mapped {
        libc::MAP_FAILED => Err(Error::Reserve {
            length,
            errno: std::io::Error::last_os_error().raw_os_error().unwrap_or(0),
        }),
        _ => Ok(()),
    }
}

/// Where a key is looked for first (`DuckTrack.place`), modulo the rows of the table.
fn first_row(key: u64, klass: usize) -> usize {
    let spread = key.wrapping_add((klass as u64).wrapping_mul(0x2545_F491));
    spread as usize / ROW
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
        // SAFETY: no thread writes into this block.
        let length = |from, to| unsafe { block.event_bytes(from, to) }.len();
        assert_eq!(length(start, start + 12), 12);
        assert_eq!(length(start - 8, start + 8), 0);
        assert_eq!(length(start, start + EVENTS_BYTES + 4), 0);
    }
}
