//! A thread's memory for counts: counters, then keyed entries. `helper/java/lang/DuckTrack.java` counts there.
//!
//! ```text
//! 0         words 0..64: header (`block_word` in the crate `probe-vocabulary`)
//! 64 * 8    counters, one word each, to WORDS * 8
//! WORDS*8   keyed entries: key (note + 32 * site, bit 0 set if the class is part of the key), klass or 0, count, bytes
//! after     the thread's buffer of allocation events (mode trace)
//! after     in a block of a context: executions by bucket of their objects (`contexts=objects`), after those by bucket of bytes
//! after     records of the application's open calls (`app=`), see `helper/java/lang/DuckTrackCalls.java`
//!
//! note      call site << 32 | byte offset of its first entry in the table
//! ```
//!
//! Only the owning thread writes (plain adds). Readers see each word whole, at most a moment old. In mode trace, the thread that decodes
//! events writes counters and keyed entries, and the owning thread writes only its buffer and its histograms.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use ducktrack_hotspot::{Error, Reservation};
use ducktrack_probe_vocabulary::COUNTED_BY_CALLER;
use ducktrack_probe_vocabulary::block_word::{
    self, CONTEXT_DEPTH, CONTEXT_EXECUTION_BYTES, CONTEXT_EXECUTIONS, CONTEXT_FLOOR,
    CONTEXT_LARGEST, CONTEXT_MEASURED, CONTEXT_SKIPPED, CONTEXT_START, CONTEXT_THREAD,
    CONTEXT_VM_BYTES, KEYED_ABSENT, KEYED_IN_USE, KEYED_LIMIT, KEYED_LOST, KEYED_LOST_BYTES,
    KEYED_VERSION, NOTE, OBJECTS_MOST, OBJECTS_OF_EXECUTIONS, OPEN_CALLS, OPEN_CALLS_BEFORE,
    TOTAL_OBJECTS, USE_CLOCK,
};
use ducktrack_trace_format::{BlockWord, HISTOGRAM_BYTES, HISTOGRAM_PLACE, KEYED_PLACE, note};

/// Words of a block available for counters, header included.
pub(crate) const WORDS: u32 = 1 << 20;
/// The number of the first counter.
pub(crate) const FIRST_COUNTER: u32 = block_word::FIRST_COUNTER as u32;
/// Maximum bytes of the keyed table; a power of two.
pub(crate) const KEYED_BYTES: usize = 1 << 20;
/// Offset of the keyed entries.
pub(crate) const KEYED_OFFSET: usize = WORDS as usize * 8;
const _: () = assert!(KEYED_OFFSET as u64 == KEYED_PLACE);
/// Offset of the event buffer.
pub(crate) const EVENTS_OFFSET: usize = KEYED_OFFSET + KEYED_BYTES;
const _: () = assert!(EVENTS_OFFSET as u64 == HISTOGRAM_PLACE);
/// Bytes of the event buffer.
pub(crate) const EVENTS_BYTES: usize = 40 << 10;
const _: () = assert!(EVENTS_BYTES as u64 == HISTOGRAM_BYTES);
/// Offset of the histogram of executions by their objects.
pub(crate) const OBJECTS_HISTOGRAM_OFFSET: usize = EVENTS_OFFSET + EVENTS_BYTES;
/// Offset of the records of open calls.
pub(crate) const RECORDS_OFFSET: usize = OBJECTS_HISTOGRAM_OFFSET + EVENTS_BYTES;
/// Bytes of these records, which limits the nesting of the application's calls.
pub(crate) const RECORDS_BYTES: usize = 512 << 10;
/// Bytes of a record.
const RECORD_BYTES: usize = 64;
/// Bytes of a block.
pub(crate) const BLOCK_BYTES: usize = RECORDS_OFFSET + RECORDS_BYTES;

/// Bytes of a row.
pub(crate) const ROW: usize = 32;
/// Entries probed for a key.
const MOST_PROBES: usize = 256;

/// Set in a key if the class is part of the key.
const CLASS_IN_KEY: u64 = 1;

/// In the word of a context's thread: a virtual thread has entered it.
pub(crate) const CONTEXT_OF_VIRTUAL_THREAD: u64 = 1;
/// In the same word: the thread works for another one that has entered it.
pub(crate) const CONTEXT_IS_CARRIED: u64 = 2;

/// A counter block. Never unmapped, because compiled code and threads may hold its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CounterBlock {
    address: usize,
}

/// An entry of the keyed table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyedEntry {
    pub(crate) call_site: u32,
    pub(crate) site: u32,
    pub(crate) klass: usize,
    pub(crate) count: u64,
    pub(crate) bytes: u64,
}

/// The open calls of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpenCalls {
    /// The bottom call, which has no record; 0 if there is none.
    pub(crate) bottom: u32,
    /// Records in use.
    pub(crate) records: usize,
}

impl OpenCalls {
    fn of(word: u64) -> Self {
        let records = usize::try_from(word >> 32).unwrap_or(0) / RECORD_BYTES;
        Self {
            bottom: u32::try_from(word & u64::from(u32::MAX)).unwrap_or(0),
            records: records.min(RECORDS_BYTES / RECORD_BYTES),
        }
    }

    fn word(self) -> u64 {
        ((self.records * RECORD_BYTES) as u64) << 32 | u64::from(self.bottom)
    }
}

/// The values of a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockValues {
    pub(crate) counters: Vec<(u32, u64)>,
    pub(crate) keyed: Vec<KeyedEntry>,
    /// Counts and bytes that found no room in the keyed table.
    pub(crate) lost: (u64, u64),
}

impl CounterBlock {
    /// A block at any address.
    pub(crate) fn new() -> Result<Self, Error> {
        Ok(Self::of(Reservation::anywhere(BLOCK_BYTES)?))
    }

    /// The block shared by threads without their own. Its address is as low as possible, because it becomes a constant in compiled code.
    pub(crate) fn shared() -> Result<Self, Error> {
        Ok(Self::of(Reservation::low_if_possible(BLOCK_BYTES)?))
    }

    fn of(reservation: Reservation) -> Self {
        let address = reservation.address().0;
        // With huge pages every touched counter would cost 2 MB. If the advice is refused, only memory is wasted.
        // SAFETY: the range belongs to this reservation.
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
    /// There must be one.
    pub(crate) unsafe fn at(address: usize) -> Self {
        Self { address }
    }

    pub(crate) fn address(self) -> usize {
        self.address
    }

    /// The block that the slot of a thread, or of its carrier, leads to from this
    /// one, which all threads share; `None`: the thread has none of its own.
    pub(crate) fn of_slot(self, slot: i64) -> Option<Self> {
        let address = self.address.wrapping_add_signed(slot as isize);
        // SAFETY: the helper classes pass the slot of a thread: 0, or what leads to its block.
        (slot != 0).then(|| unsafe { Self::at(address) })
    }

    /// Resets everything to 0 and frees the memory. Threads may count meanwhile; their increments are either kept or lost.
    pub(crate) fn clear(self) {
        // SAFETY: the block is our own memory and never unmapped; released pages read as zeros on the next access.
        let cleared = unsafe {
            libc::madvise(
                std::ptr::with_exposed_provenance_mut(self.address),
                BLOCK_BYTES,
                libc::MADV_DONTNEED,
            )
        };
        debug_assert_eq!(cleared, 0, "the range is mapped");
    }

    /// In the block shared by all threads: the clock for stamps of uses.
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
            + part(EVENTS_OFFSET, 2 * EVENTS_BYTES)
    }

    /// Bytes of the keyed table.
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

    /// Replaces the keyed table, using `map`, by one of this many bytes. Readers wait meanwhile.
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

    /// Moves the entries to private memory, with a table of maximum length,
    /// because the file has no room. The entries in the file stay as they are.
    ///
    /// # Errors
    /// The system has no memory. The table stays where it is and does not grow.
    pub(crate) fn make_keyed_private(self) -> Result<(), Error> {
        let table = self.keyed_table(KEYED_BYTES);
        self.set_word(KEYED_LIMIT, 0);
        self.change_keyed(KEYED_BYTES, || {
            // SAFETY: the place of the keyed entries belongs to this block, its contents were copied, and its only writer is in this call.
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

    /// Replaces the block by private memory, all zeros. Its values are discarded.
    ///
    /// # Errors
    /// The block is unchanged.
    pub(crate) fn make_private(self) -> Result<(), Error> {
        // SAFETY: the block is our own memory and never unmapped. A concurrent store happens before or after.
        unsafe { replace_with_private(self.address, BLOCK_BYTES) }
    }

    /// The keyed entries as words of a table of this many bytes.
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

    /// Replaces its values by those of another block. No thread counts in either.
    pub(crate) fn take_values(self, values: &BlockValues) {
        self.clear_values();
        self.add_values(values, 0);
    }

    /// All values, with counters below `end`.
    pub(crate) fn values(self, end: u32) -> BlockValues {
        BlockValues {
            counters: self.counters(end).collect(),
            keyed: self.keyed().collect(),
            lost: self.lost(),
        }
    }

    /// Adds values of another block, and what it had of the VM's bytes. No thread counts in this one.
    pub(crate) fn add_values(self, values: &BlockValues, vm_bytes: i64) {
        for (id, value) in &values.counters {
            self.add(*id, *value);
        }
        for entry in &values.keyed {
            self.add_keyed(*entry);
        }
        self.add_to(KEYED_LOST, values.lost.0);
        self.add_to(KEYED_LOST_BYTES, values.lost.1);
        self.add_to(CONTEXT_VM_BYTES, vm_bytes.cast_unsigned());
    }

    /// Makes an idle block of contexts count from zero again. Reads no page of counters that has none of these values.
    pub(crate) fn forget_values(self, values: &BlockValues) {
        for (id, _) in &values.counters {
            self.set_word(*id as usize, 0);
        }
        let table = KEYED_OFFSET / 8..KEYED_OFFSET / 8 + self.keyed_bytes() / 8;
        // A thread in a context has brought its totals, where they are kept.
        let histograms = match self.word(TOTAL_OBJECTS) {
            0 => EVENTS_OFFSET / 8..OBJECTS_HISTOGRAM_OFFSET / 8,
            _ => EVENTS_OFFSET / 8..RECORDS_OFFSET / 8,
        };
        self.clear_words(table);
        self.clear_words(histograms);
        for index in [
            KEYED_LOST,
            KEYED_LOST_BYTES,
            KEYED_IN_USE,
            CONTEXT_EXECUTIONS,
            CONTEXT_EXECUTION_BYTES,
            CONTEXT_LARGEST,
            OBJECTS_OF_EXECUTIONS,
            OBJECTS_MOST,
            CONTEXT_VM_BYTES,
        ] {
            self.set_word(index, 0);
        }
        self.note_vm_bytes(0);
        self.forget_call_site();
    }

    /// Sets words to 0. Does not write one that is, so its page stays clean.
    fn clear_words(self, words: Range<usize>) {
        for index in words {
            if self.word(index) != 0 {
                self.set_word(index, 0);
            }
        }
    }

    fn clear_values(self) {
        self.clear_words(FIRST_COUNTER as usize..(KEYED_OFFSET + self.keyed_bytes()) / 8);
        for index in [NOTE, KEYED_LOST, KEYED_LOST_BYTES, KEYED_IN_USE] {
            self.set_word(index, 0);
        }
    }

    /// Records the bytes that the VM reports for the block's threads. Does not write an unchanged value, so the page stays clean.
    pub(crate) fn note_vm_bytes(self, bytes: u64) {
        if self.word(BlockWord::VmBytes as usize) != bytes {
            self.set_word(BlockWord::VmBytes as usize, bytes);
        }
    }

    /// Clears the note before another thread gets the block, because the previous one may have ended in the middle of a tracked call.
    pub(crate) fn forget_call_site(self) {
        self.atomic(NOTE).store(0, Ordering::Relaxed);
        self.atomic(OPEN_CALLS).store(0, Ordering::Relaxed);
        for word in [CONTEXT_SKIPPED, CONTEXT_MEASURED, CONTEXT_FLOOR] {
            self.set_word(word, 0);
        }
    }

    /// Bytes by the VM's count that were moved here from another block, because
    /// its thread ran in a context; less than 0 if they were moved away.
    pub(crate) fn context_bytes(self) -> i64 {
        self.word(CONTEXT_VM_BYTES).cast_signed()
    }

    /// The native thread that runs in the block's context; 0: none.
    pub(crate) fn context_thread(self) -> usize {
        let flags = CONTEXT_OF_VIRTUAL_THREAD | CONTEXT_IS_CARRIED;
        usize::try_from(self.word(CONTEXT_THREAD) & !flags).unwrap_or(0)
    }

    /// The bytes that thread had allocated when it entered the context.
    pub(crate) fn context_start(self) -> u64 {
        self.word(CONTEXT_START)
    }

    /// How many contexts were open on the thread then, with this one.
    pub(crate) fn context_depth(self) -> u64 {
        self.word(CONTEXT_DEPTH)
    }

    /// Objects and bytes so far, and those of them that are charged.
    pub(crate) fn totals(self) -> [u64; 4] {
        std::array::from_fn(|word| self.word(TOTAL_OBJECTS + word))
    }

    pub(crate) fn set_totals(self, totals: [u64; 4]) {
        for (word, value) in totals.into_iter().enumerate() {
            self.set_word(TOTAL_OBJECTS + word, value);
        }
    }

    pub(crate) fn open_calls(self) -> OpenCalls {
        OpenCalls::of(self.word(OPEN_CALLS))
    }

    /// Those that were open when the current virtual thread was mounted.
    pub(crate) fn open_calls_before(self) -> OpenCalls {
        OpenCalls::of(self.word(OPEN_CALLS_BEFORE))
    }

    pub(crate) fn set_open_calls(self, open: OpenCalls) {
        self.set_word(OPEN_CALLS, open.word());
    }

    /// The words of a record.
    pub(crate) fn record(self, number: usize) -> [u64; 7] {
        let first = (RECORDS_OFFSET + number * RECORD_BYTES) / 8;
        std::array::from_fn(|word| self.word(first + word))
    }

    /// Writes a record. Returns false if there is no room.
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

    /// Adds to a counter on a thread other than the owner.
    pub(crate) fn add(self, id: u32, amount: u64) {
        if id < WORDS {
            self.add_to(id as usize, amount);
        }
    }

    /// Adds to a keyed entry on a thread other than the owner. `klass` is 0 if the class is not part of the key.
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
        self.add_to(KEYED_LOST, key.count);
        self.add_to(KEYED_LOST_BYTES, key.bytes);
    }

    fn add_to(self, index: usize, amount: u64) {
        self.set_word(index, self.word(index).wrapping_add(amount));
    }

    /// Sets a word of the header or of the event buffer.
    pub(crate) fn set_word(self, index: usize, value: u64) {
        self.atomic(index).store(value, Ordering::Relaxed);
    }

    /// The same, ordered after all earlier writes.
    pub(crate) fn release_word(self, index: usize, value: u64) {
        self.atomic(index).store(value, Ordering::Release);
    }

    /// The bytes between two addresses in the event buffer; empty if they are not both in it.
    ///
    /// # Safety
    /// The block's owner must not write a byte before `to` while the slice is in use.
    pub(crate) unsafe fn event_bytes(self, from: usize, to: usize) -> &'static [u8] {
        let buffer = self.address + EVENTS_OFFSET;
        if from < buffer || to < from || to > buffer + EVENTS_BYTES {
            return &[];
        }
        // SAFETY: the range lies inside the block, which is never unmapped; the caller ensures that no thread writes there.
        unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(from), to - from) }
    }

    pub(crate) fn word(self, index: usize) -> u64 {
        self.atomic(index).load(Ordering::Relaxed)
    }

    fn atomic(self, index: usize) -> &'static AtomicU64 {
        debug_assert!(index < BLOCK_BYTES / 8);
        // SAFETY: the block is never unmapped, readable and aligned, and `index` is inside it at every call in this file.
        unsafe { &*std::ptr::with_exposed_provenance::<AtomicU64>(self.address + index * 8) }
    }

    /// The word of a counter.
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

    /// Counts and bytes that found no room in the keyed table.
    pub(crate) fn lost(self) -> (u64, u64) {
        (self.word(KEYED_LOST), self.word(KEYED_LOST_BYTES))
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
            (key != 0 && call_site != COUNTED_BY_CALLER).then(|| KeyedEntry {
                call_site,
                site: (key.wrapping_sub(note(call_site)) / ROW as u64) as u32,
                klass: self.word(first + 1) as usize,
                count: self.word(first + 2),
                bytes: self.word(first + 3),
            })
        })
    }
}

/// Maps new private memory over a range.
///
/// # Safety
/// The caller must own the range, whose contents are lost.
pub(crate) unsafe fn replace_with_private(start: usize, length: usize) -> Result<(), Error> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    let place = std::ptr::with_exposed_provenance_mut::<libc::c_void>(start);
    // SAFETY: the caller owns the range and gives up its contents.
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

/// The first row to probe for a key (`DuckTrack.place`), modulo the rows of the table.
fn first_row(key: u64, klass: usize) -> usize {
    let spread = key.wrapping_add((klass as u64).wrapping_mul(0x2545_F491));
    spread as usize / ROW
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(block: CounterBlock, index: usize, value: u64) {
        // SAFETY: the block is never unmapped and is writable; this test is its only user.
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
        // SAFETY: no thread writes to this block.
        let length = |from, to| unsafe { block.event_bytes(from, to) }.len();
        assert_eq!(length(start, start + 12), 12);
        assert_eq!(length(start - 8, start + 8), 0);
        assert_eq!(length(start, start + EVENTS_BYTES + 4), 0);
    }
}
