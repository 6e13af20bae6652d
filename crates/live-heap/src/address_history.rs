//! Addresses of earlier epochs as they are now.
//!
//! A thread can note an object's address, stand still over several collections, and
//! say it only after them. So what the last collections did to addresses is kept.

use std::collections::VecDeque;

use ducktrack_trace_format::MoveRun;

use crate::fate_map::{Fate, FateMap};

/// Collections that are kept at most.
const MOST: usize = 64;
/// Runs of survivors that are kept at most, but for those of the last collection.
const MOST_RUNS: usize = 1 << 22;

/// The effects of the last collections.
#[derive(Debug, Default)]
pub struct AddressHistory {
    /// Number of the last collection.
    last: u32,
    /// The latest last.
    collections: VecDeque<PastCollection>,
    runs: usize,
}

#[derive(Debug)]
struct PastCollection {
    fates: FateMap,
    /// Survivors that the trace states anew: where they were, by address, and where they went.
    stated: Vec<(u64, u64)>,
    runs: usize,
}

impl AddressHistory {
    /// Takes the next collection.
    pub fn push(&mut self, number: u32, fates: FateMap, runs: &[MoveRun]) {
        let stated = runs.iter().filter(|run| run.found.is_some());
        self.last = number;
        self.runs += runs.len();
        self.collections.push_back(PastCollection {
            fates,
            stated: stated.map(|run| (run.from, run.to)).collect(),
            runs: runs.len(),
        });
        let is_too_much = |history: &Self| {
            history.collections.len() > MOST
                || history.collections.len() > 1 && history.runs > MOST_RUNS
        };
        while is_too_much(self) {
            let gone = self.collections.pop_front();
            self.runs -= gone.map_or(0, |gone| gone.runs);
        }
    }

    /// Where the object is now that was at the address in this epoch; `None`: it is dead, or the epoch is too long ago.
    pub fn now(&self, address: u64, epoch: u32) -> Option<u64> {
        let ago = self.last.checked_sub(epoch)? as usize;
        let first = self.collections.len().checked_sub(ago)?;
        let mut since = self.collections.range(first..);
        since.try_fold(address, |address, collection| collection.moved(address))
    }

    /// The fate, in the last collection, of the object that was at an address before it.
    pub fn last_fate(&self, address: u64) -> Fate {
        let last = self.collections.back();
        last.map_or(Fate::Untouched, |last| last.fates.fate(address))
    }
}

impl PastCollection {
    fn moved(&self, address: u64) -> Option<u64> {
        match self.fates.fate(address) {
            Fate::Untouched => Some(address),
            Fate::Survived(by) => Some(address.wrapping_add(by)),
            Fate::Found => {
                let at = self
                    .stated
                    .binary_search_by_key(&address, |run| run.0)
                    .ok()?;
                self.stated.get(at).map(|run| run.1)
            }
            Fate::Dead => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use ducktrack_trace_format::AddressRange;

    use super::*;

    fn collection(from: u64, to: u64) -> (FateMap, Vec<MoveRun>) {
        let runs = vec![MoveRun {
            from,
            to,
            bytes: 16,
            objects: 1,
            found: None,
        }];
        let range = AddressRange {
            start: 0x1000,
            end: 0x2000,
        };
        (FateMap::new(&[range], &runs), runs)
    }

    #[test]
    fn an_address_is_followed_through_collections() {
        let mut history = AddressHistory::default();
        assert_eq!(history.now(0x1100, 0), Some(0x1100));
        let (fates, runs) = collection(0x1100, 0x1800);
        history.push(1, fates, &runs);
        let (fates, runs) = collection(0x1800, 0x9000);
        history.push(2, fates, &runs);
        assert_eq!(history.now(0x1100, 0), Some(0x9000));
        assert_eq!(history.now(0x1800, 1), Some(0x9000));
        assert_eq!(history.now(0x1800, 2), Some(0x1800));
        assert_eq!(history.now(0x1800, 0), None);
        assert_eq!(history.now(0x5000, 0), Some(0x5000));
        assert_eq!(history.now(0x1800, 3), None);
        for number in 3..100 {
            history.push(number, FateMap::default(), &[]);
        }
        assert_eq!(history.now(0x9000, 0), None);
        assert_eq!(history.now(0x9000, 60), Some(0x9000));
    }
}
