//! The two tables in native memory that the helper class reads: idle blocks by combination, and combinations by what they are made of.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use ducktrack_hotspot::{Error, Reservation};

use super::names::MOST_COMBINATIONS;

/// Idle blocks of a combination that Java finds, a cache line each.
pub(super) const STRIPES: usize = 8;
/// Bytes of a cache line.
const LINE: usize = 64;
/// Entries of the table of combinations; half of them are used at most.
const ENTRIES: usize = 1 << 16;
/// Bytes of an entry: key, combination.
const ENTRY: usize = 16;

/// Idle blocks, as values of a slot; 0: none.
pub(super) struct Banks {
    address: usize,
}

impl Banks {
    pub(super) fn new() -> Result<Self, Error> {
        Ok(Self {
            address: permanent(MOST_COMBINATIONS * STRIPES * LINE)?,
        })
    }

    pub(super) fn address(&self) -> usize {
        self.address
    }

    fn word(&self, combination: u32, stripe: usize) -> &AtomicI64 {
        let index = (combination as usize).min(MOST_COMBINATIONS - 1) * STRIPES + stripe % STRIPES;
        // SAFETY: the table is never unmapped, and the line is inside it.
        unsafe { &*std::ptr::with_exposed_provenance::<AtomicI64>(self.address + index * LINE) }
    }

    /// Takes an idle block of a combination.
    pub(super) fn take(&self, combination: u32) -> Option<i64> {
        let words = (0..STRIPES).map(|stripe| self.word(combination, stripe));
        let mut used = words.filter(|word| word.load(Ordering::Relaxed) != 0);
        used.find_map(|word| Some(word.swap(0, Ordering::AcqRel)).filter(|slot| *slot != 0))
    }

    /// Puts an idle block where threads find it; false: there is no free place.
    pub(super) fn put(&self, combination: u32, slot: i64) -> bool {
        (0..STRIPES).any(|stripe| {
            let word = self.word(combination, stripe);
            word.load(Ordering::Relaxed) == 0
                && word
                    .compare_exchange(0, slot, Ordering::AcqRel, Ordering::Relaxed)
                    .is_ok()
        })
    }

    /// Takes this idle block; false: a thread has it.
    pub(super) fn take_this(&self, combination: u32, slot: i64) -> bool {
        (0..STRIPES).any(|stripe| {
            let word = self.word(combination, stripe);
            word.load(Ordering::Relaxed) == slot
                && word
                    .compare_exchange(slot, 0, Ordering::AcqRel, Ordering::Relaxed)
                    .is_ok()
        })
    }

    /// Forgets all blocks.
    pub(super) fn clear(&self) {
        for combination in 0..MOST_COMBINATIONS {
            for stripe in 0..STRIPES {
                let word = self.word(u32::try_from(combination).unwrap_or(0), stripe);
                // Pages that were never written stay so.
                if word.load(Ordering::Relaxed) != 0 {
                    word.store(0, Ordering::Release);
                }
            }
        }
    }
}

/// Combinations by the combination around them and the context that is entered. Open addressing; nothing is removed.
pub(super) struct CombinationTable {
    address: usize,
    used: AtomicU64,
}

impl CombinationTable {
    /// Bits of an offset.
    pub(super) const MASK: usize = (ENTRIES - 1) * ENTRY;

    pub(super) fn new() -> Result<Self, Error> {
        Ok(Self {
            address: permanent(ENTRIES * ENTRY)?,
            used: AtomicU64::new(0),
        })
    }

    pub(super) fn address(&self) -> usize {
        self.address
    }

    fn word(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the table is never unmapped; offsets are masked.
        unsafe { &*std::ptr::with_exposed_provenance::<AtomicU64>(self.address + offset) }
    }

    /// Adds an entry. Callers hold the lock of the names. A full table is not added to: the caller has the answer.
    pub(super) fn insert(&self, around: u32, context: u32, value: i32) {
        let key = u64::from(around) << 32 | u64::from(context);
        let mut offset = first_offset(key);
        loop {
            match self.word(offset).load(Ordering::Relaxed) {
                0 if self.used.load(Ordering::Relaxed) >= ENTRIES as u64 / 2 => return,
                0 => {
                    self.used.fetch_add(1, Ordering::Relaxed);
                    let value = i64::from(value).cast_unsigned();
                    self.word(offset + 8).store(value, Ordering::Relaxed);
                    self.word(offset).store(key, Ordering::Release);
                    return;
                }
                found if found == key => return,
                _ => offset = (offset + ENTRY) & Self::MASK,
            }
        }
    }
}

/// As in `DuckTrackContexts.combination`.
fn first_offset(key: u64) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24) as usize & CombinationTable::MASK
}

fn permanent(bytes: usize) -> Result<usize, Error> {
    let reservation = Reservation::anywhere(bytes)?;
    let address = reservation.address().0;
    let _ = reservation.keep();
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_block_is_taken_once() {
        let banks = Banks::new().expect("memory");
        for slot in 1..=8 {
            assert!(banks.put(5, slot));
        }
        assert!(!banks.put(5, 9));
        assert_eq!(banks.take(4), None);
        assert!(banks.take_this(5, 3) && !banks.take_this(5, 3) && !banks.take_this(4, 2));
        assert!(banks.put(5, 3));
        let mut taken: Vec<i64> = std::iter::from_fn(|| banks.take(5)).collect();
        taken.sort_unstable();
        assert_eq!(taken, (1..=8).collect::<Vec<_>>());
        assert!(banks.put(5, 9));
        banks.clear();
        assert_eq!(banks.take(5), None);
    }

    #[test]
    fn combinations_that_collide_are_all_there() {
        let table = CombinationTable::new().expect("memory");
        for around in 0..200 {
            for context in 1..100 {
                table.insert(around, context, (around * 100 + context).cast_signed());
            }
        }
        let find = |key: u64| {
            let mut offset = first_offset(key);
            while table.word(offset).load(Ordering::Relaxed) != key {
                assert_ne!(table.word(offset).load(Ordering::Relaxed), 0);
                offset = (offset + ENTRY) & CombinationTable::MASK;
            }
            table.word(offset + 8).load(Ordering::Relaxed)
        };
        for around in 0..200_u64 {
            for context in 1..100 {
                assert_eq!(find(around << 32 | context), around * 100 + context);
            }
        }
    }
}
