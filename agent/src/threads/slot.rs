//! The word of a thread that leads to its counter block.
//!
//! It holds `block - shared block`, so 0, the value in a new thread, means the shared block. It can be in three places, best first:
//!
//! | place | where | when |
//! |---|---|---|
//! | reserved | `JavaThread::_jvmci_reserved0`, reached from `eetop` | JVMCI's table is in libjvm and JVMCI is off |
//! | padding | unused padding inside `java.lang.Thread` (`@Contended`) | JDK 11 and 17 |
//! | hash | a table keyed by `eetop` | always |

use std::sync::atomic::{AtomicU64, Ordering};

use ducktrack_hotspot::{Error, JvmFlags, Reservation, VmStructs, jvmci_reserved_slot};
use parking_lot::Mutex;

/// The environment variable by which tests select a place other than the best (feature `test-switches`).
pub(crate) const FORCED_PLACE: &str = "DUCKTRACK_SLOT";
/// Entries of the hash table: 16 bytes each, at most half of them used.
const HASH_ENTRIES: usize = 1 << 16;

/// The place of slots.
pub(crate) enum Slot {
    /// At this offset in the native thread.
    Reserved { offset: usize },
    /// At this offset in the `java.lang.Thread`.
    Padding { offset: usize },
    /// In a hash table.
    Hash(HashTable),
}

impl Slot {
    /// The best place in this VM. `padding` is the offset of unused padding in `java.lang.Thread`, if there is any. `forced` is for tests:
    /// `padding` or `hash` skips better places.
    ///
    /// # Errors
    /// If there is not even memory for a hash table.
    pub(crate) fn choose(
        vm: &VmStructs,
        flags: &JvmFlags,
        padding: Option<usize>,
        forced: Option<&str>,
    ) -> Result<(Self, Option<String>), Error> {
        let refusal = match (forced, jvmci_reserved_slot(vm, flags)) {
            (None, Ok(offset)) => return Ok((Self::Reserved { offset }, None)),
            (None, Err(refusal)) => refusal.to_string(),
            (Some(forced), _) => format!("{FORCED_PLACE} is {forced}"),
        };
        let slot = match padding {
            Some(offset) if forced != Some("hash") => Self::Padding { offset },
            _ => Self::Hash(HashTable::new()?),
        };
        Ok((slot, Some(refusal)))
    }

    /// The name of the place in the trace.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Reserved { .. } => "jvmci-reserved",
            Self::Padding { .. } => "thread-padding",
            Self::Hash(_) => "eetop-hash",
        }
    }

    /// The helper's constant `SLOT_KIND`.
    pub(crate) fn kind(&self) -> i64 {
        match self {
            Self::Reserved { .. } => 0,
            Self::Padding { .. } => 1,
            Self::Hash(_) => 2,
        }
    }

    /// The helper's constant `SLOT_OFFSET`.
    pub(crate) fn offset(&self) -> i64 {
        match self {
            Self::Reserved { offset } | Self::Padding { offset } => {
                i64::try_from(*offset).unwrap_or(0)
            }
            Self::Hash(_) => 0,
        }
    }

    /// Address and mask of the hash table; 0 without one.
    pub(crate) fn table(&self) -> (i64, i64) {
        match self {
            Self::Hash(table) => (table.address.cast_signed() as i64, HashTable::MASK as i64),
            _ => (0, 0),
        }
    }

    /// Sets the slot of a native thread. Returns false if it must be set through the helper class (padding) or if there is no room.
    pub(crate) fn set(&self, native_thread: usize, value: u64) -> bool {
        match self {
            Self::Reserved { offset } => {
                // SAFETY: `native_thread` is the `eetop` of a live thread (the caller is that thread, or the VM has just listed it and it
                // cannot end meanwhile), and the offset was checked to be inside a JavaThread.
                let word = unsafe {
                    &*std::ptr::with_exposed_provenance::<AtomicU64>(native_thread + offset)
                };
                word.store(value, Ordering::Release);
                true
            }
            Self::Padding { .. } => false,
            Self::Hash(table) => table.set(native_thread, value),
        }
    }
}

/// Open addressing with linear probing. A key stays permanently (the VM reuses thread addresses), with value 0 after its thread has ended.
pub(crate) struct HashTable {
    address: usize,
    used: Mutex<usize>,
}

impl HashTable {
    const MASK: usize = HASH_ENTRIES * 16 - 1 - 15;

    fn new() -> Result<Self, Error> {
        let reservation = Reservation::anywhere(HASH_ENTRIES * 16)?;
        let address = reservation.address().0;
        let _ = reservation.keep();
        Ok(Self {
            address,
            used: Mutex::new(0),
        })
    }

    fn word(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the table is never unmapped, and the masked `offset` is below its size.
        unsafe { &*std::ptr::with_exposed_provenance::<AtomicU64>(self.address + offset) }
    }

    fn set(&self, native_thread: usize, value: u64) -> bool {
        let mut used = self.used.lock();
        let key = native_thread as u64;
        let mut offset = (native_thread >> 4) & Self::MASK;
        loop {
            match self.word(offset).load(Ordering::Relaxed) {
                0 if *used >= HASH_ENTRIES / 2 => return false,
                0 => {
                    *used += 1;
                    self.word(offset + 8).store(value, Ordering::Release);
                    self.word(offset).store(key, Ordering::Release);
                    return true;
                }
                found if found == key => {
                    self.word(offset + 8).store(value, Ordering::Release);
                    return true;
                }
                _ => offset = (offset + 16) & Self::MASK,
            }
        }
    }

    #[cfg(test)]
    fn get(&self, native_thread: usize) -> u64 {
        let mut offset = (native_thread >> 4) & Self::MASK;
        loop {
            match self.word(offset).load(Ordering::Relaxed) {
                0 => return 0,
                found if found == native_thread as u64 => {
                    return self.word(offset + 8).load(Ordering::Relaxed);
                }
                _ => offset = (offset + 16) & Self::MASK,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colliding_threads_have_slots_of_their_own() {
        let table = HashTable::new().expect("memory");
        let threads: Vec<usize> = (0..1000)
            .map(|number| 0x7f00_0000_1000 + number * HASH_ENTRIES * 256)
            .collect();
        for (value, thread) in (1u64..).zip(&threads) {
            assert!(table.set(*thread, value));
        }
        for (value, thread) in (1u64..).zip(&threads) {
            assert_eq!(table.get(*thread), value);
        }
        assert!(table.set(threads[5], 0));
        assert_eq!(table.get(threads[5]), 0);
        assert_eq!(table.get(threads[6]), 7);
        assert_eq!(table.get(12345), 0);
    }

    #[test]
    fn a_full_table_says_so() {
        let table = HashTable::new().expect("memory");
        let set = (1..=HASH_ENTRIES)
            .filter(|number| table.set(number * 16, 1))
            .count();
        assert_eq!(set, HASH_ENTRIES / 2);
    }
}
