//! Values of blocks that count for other contexts by now: sums by row, without the pages that a block takes.

use ducktrack_trace_format::ThreadId;
use rustc_hash::FxHashMap;

use crate::threads::counter_block::{BlockValues, KeyedEntry};

/// Site, caller to blame and class of a keyed entry.
type Key = (u32, u32, usize);

/// The sums, by the id of their row.
#[derive(Default)]
pub(crate) struct FoldedRows {
    rows: FxHashMap<ThreadId, FoldedRow>,
}

/// The sums of a row.
#[derive(Default)]
pub(crate) struct FoldedRow {
    /// Ascending.
    counters: Vec<(u32, u64)>,
    keyed: FxHashMap<Key, (u64, u64)>,
    /// Bytes by the VM's own count.
    pub(crate) vm_bytes: i64,
}

impl FoldedRows {
    /// Adds a block's values to a row.
    pub(crate) fn add(&mut self, id: ThreadId, values: &BlockValues, vm_bytes: i64) {
        self.rows.entry(id).or_default().add(values, vm_bytes);
    }

    /// The sums of a row.
    pub(crate) fn row(&self, id: ThreadId) -> Option<&FoldedRow> {
        self.rows.get(&id)
    }

    /// All rows, in no order.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (ThreadId, &FoldedRow)> {
        self.rows.iter().map(|(id, row)| (*id, row))
    }
}

impl FoldedRow {
    fn add(&mut self, values: &BlockValues, vm_bytes: i64) {
        self.counters.extend_from_slice(&values.counters);
        self.counters.sort_unstable_by_key(|(id, _)| *id);
        self.counters.dedup_by(|later, first| {
            let is_same = later.0 == first.0;
            if is_same {
                first.1 = first.1.wrapping_add(later.1);
            }
            is_same
        });
        self.counters.shrink_to_fit();
        for entry in &values.keyed {
            let sum = self
                .keyed
                .entry((entry.site, entry.call_site, entry.klass))
                .or_default();
            *sum = (
                sum.0.wrapping_add(entry.count),
                sum.1.wrapping_add(entry.bytes),
            );
        }
        self.vm_bytes = self.vm_bytes.wrapping_add(vm_bytes);
    }

    /// Counters that are not zero.
    pub(crate) fn counters(&self) -> impl Iterator<Item = (u32, u64)> {
        self.counters.iter().copied()
    }

    /// The keyed entries.
    pub(crate) fn keyed(&self) -> impl Iterator<Item = KeyedEntry> {
        let entry =
            |(&(site, call_site, klass), &(count, bytes)): (&Key, &(u64, u64))| KeyedEntry {
                call_site,
                site,
                klass,
                count,
                bytes,
            };
        self.keyed.iter().map(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_row_are_added_up() {
        let entry = |call_site, count| KeyedEntry {
            call_site,
            site: 3,
            klass: 0,
            count,
            bytes: 8 * count,
        };
        let values = |counters: &[(u32, u64)], keyed| BlockValues {
            counters: counters.to_vec(),
            keyed,
            lost: (0, 0),
        };
        let mut folded = FoldedRows::default();
        let one = values(&[(70, 1), (90, 2)], vec![entry(1, 5)]);
        let other = values(&[(65, 7), (90, 3)], vec![entry(1, 2), entry(2, 1)]);
        folded.add(ThreadId(4), &one, 100);
        folded.add(ThreadId(4), &other, -30);
        folded.add(ThreadId(5), &one, 1);
        let (_, row) = folded
            .rows()
            .find(|(id, _)| *id == ThreadId(4))
            .expect("a row");
        let counters: Vec<_> = row.counters().collect();
        assert_eq!(counters, [(65, 7), (70, 1), (90, 5)]);
        let mut keyed: Vec<_> = row.keyed().collect();
        keyed.sort_by_key(|entry| entry.call_site);
        assert_eq!(keyed, [entry(1, 7), entry(2, 1)]);
        assert_eq!((row.vm_bytes, folded.rows().count()), (70, 2));
    }
}
