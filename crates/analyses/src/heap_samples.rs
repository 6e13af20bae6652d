//! Live objects of every site and type after collections, thinned out so that memory does not grow with the run.
//!
//! At most [`Timeline::MOST_POINTS`](crate::Timeline::MOST_POINTS) samples are kept: when they are full, every two neighbours become one, which stands for
//! twice as many collections. A sample has the amounts after its last collection and the lowest counts of all its collections. Across a gap in which the heap is not
//! known no samples are joined; where there are too many gaps for that, the oldest samples go.

use crate::Timeline;
use ducktrack_heap_replay::{Heap, LiveCounts, Pause};
use ducktrack_live_heap::Amount;

/// What lived after one or several collections in a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct HeapSample {
    /// The last collection.
    pub(crate) collection: u32,
    pub(crate) unix_micros: u64,
    pub(crate) total: Amount,
    pub(crate) sites: Vec<SampledColumn>,
    pub(crate) types: Vec<SampledColumn>,
    /// By type: objects that are older than the gap before the stretch, and have no site. There are none in the first stretch.
    pub(crate) forgotten: Vec<SampledColumn>,
    /// Stretches that have begun, in which the heap is known.
    pub(crate) stretch: usize,
}

/// One site or type in a sample; columns ascend, those that are always zero are left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SampledColumn {
    pub(crate) column: u32,
    /// After the last collection.
    pub(crate) last: Amount,
    /// Where there were fewest objects.
    pub(crate) lowest: Amount,
}

/// The samples of a run.
#[derive(Clone, Debug)]
pub(crate) struct HeapSamples {
    done: Vec<HeapSample>,
    open: Option<HeapSample>,
    /// Collections in `open`.
    taken: u64,
    /// Collections of a sample.
    stride: u64,
}

impl Default for HeapSamples {
    fn default() -> Self {
        Self {
            done: Vec::new(),
            open: None,
            taken: 0,
            stride: 1,
        }
    }
}

impl HeapSamples {
    /// Takes the state after a collection of a stretch.
    pub(crate) fn take(&mut self, heap: &Heap, at: Pause) {
        self.take_counts(at, &heap.counts, heap.knowledge.stretch());
    }

    fn take_counts(&mut self, at: Pause, live: &LiveCounts, stretch: usize) {
        if self
            .open
            .as_ref()
            .is_some_and(|open| open.stretch != stretch)
        {
            self.close();
        }
        let next = HeapSample {
            collection: at.collection,
            unix_micros: at.unix_micros,
            total: live.total,
            sites: columns(&live.sites),
            types: columns(&live.types),
            forgotten: columns(&live.forgotten),
            stretch,
        };
        self.open = Some(match self.open.take() {
            Some(open) => joined(open, next),
            None => next,
        });
        self.taken += 1;
        if self.taken >= self.stride {
            self.close();
        }
    }

    fn close(&mut self) {
        self.done.extend(self.open.take());
        self.taken = 0;
        if self.done.len() >= Timeline::MOST_POINTS {
            self.thin_out();
        }
        if self.done.len() >= Timeline::MOST_POINTS {
            self.done.drain(..Timeline::MOST_POINTS / 2);
        }
    }

    fn thin_out(&mut self) {
        let mut samples = core::mem::take(&mut self.done).into_iter().peekable();
        while let Some(first) = samples.next() {
            let second = samples.next_if(|second| second.stretch == first.stretch);
            self.done.push(match second {
                Some(second) => joined(first, second),
                None => first,
            });
        }
        self.stride *= 2;
    }

    /// All samples, the last one perhaps of fewer collections.
    pub(crate) fn finish(mut self) -> Vec<HeapSample> {
        self.done.extend(self.open.take());
        self.done
    }
}

fn columns(amounts: &[Amount]) -> Vec<SampledColumn> {
    let column = |(position, amount): (usize, &Amount)| {
        Some(SampledColumn {
            column: u32::try_from(position).ok()?,
            last: *amount,
            lowest: *amount,
        })
    };
    let all = amounts.iter().enumerate();
    all.filter(|(_, amount)| amount.count > 0)
        .filter_map(column)
        .collect()
}

fn joined(first: HeapSample, second: HeapSample) -> HeapSample {
    HeapSample {
        sites: joined_columns(&first.sites, &second.sites),
        types: joined_columns(&first.types, &second.types),
        forgotten: joined_columns(&first.forgotten, &second.forgotten),
        ..second
    }
}

fn joined_columns(first: &[SampledColumn], second: &[SampledColumn]) -> Vec<SampledColumn> {
    let mut joined = Vec::with_capacity(first.len().max(second.len()));
    let mut first = first.iter().peekable();
    let zero = Amount::default();
    let gone = |known: &SampledColumn| SampledColumn {
        last: zero,
        lowest: zero,
        ..*known
    };
    for next in second {
        while let Some(known) = first.next_if(|known| known.column < next.column) {
            joined.push(gone(known));
        }
        let before = first.next_if(|known| known.column == next.column);
        let before = before.map_or(zero, |known| known.lowest);
        let lowest = if before.count <= next.lowest.count {
            before
        } else {
            next.lowest
        };
        joined.push(SampledColumn { lowest, ..*next });
    }
    joined.extend(first.map(gone));
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pause(collection: u32, unix_micros: u64) -> Pause {
        Pause {
            collection,
            unix_micros,
        }
    }

    fn live(counts: &[u64]) -> LiveCounts {
        let amount = |count: &u64| Amount {
            count: *count,
            bytes: 8 * count,
        };
        let mut live = LiveCounts::default();
        live.sites = counts.iter().map(amount).collect();
        live.total = counts.iter().map(amount).sum();
        live
    }

    #[test]
    fn a_long_run_keeps_lows_and_last_values() {
        let mut samples = HeapSamples::default();
        for at in 0..5_000_u64 {
            samples.take_counts(
                pause(at as u32, 10 * at),
                &live(&[at % 7, u64::from(at == 4_000), 100 + at]),
                1,
            );
        }
        let samples = samples.finish();
        assert!(
            samples.len() <= Timeline::MOST_POINTS && samples.len() >= Timeline::MOST_POINTS / 2
        );
        let last = samples.last().unwrap();
        assert_eq!(
            (last.collection, last.unix_micros, last.total.count),
            (4_999, 49_990, 5_099 + 4_999 % 7)
        );
        let mut from = 0;
        for sample in &samples {
            let to = u64::from(sample.collection);
            let of = |column| {
                sample
                    .sites
                    .iter()
                    .find(|known| known.column == column)
                    .unwrap()
            };
            assert_eq!(of(2).last.count, 100 + to);
            assert_eq!(of(2).lowest.count, 100 + from);
            if to - from >= 7 {
                assert_eq!(of(0).lowest.count, 0);
            }
            from = to + 1;
        }
    }

    #[test]
    fn stretches_are_not_joined() {
        let mut samples = HeapSamples::default();
        for at in 0..5_000_u32 {
            let stretch = 1 + (at / 1_000) as usize;
            samples.take_counts(pause(at, 0), &live(&[stretch as u64]), stretch);
        }
        let samples = samples.finish();
        assert!(samples.len() <= Timeline::MOST_POINTS);
        for sample in &samples {
            let of_stretch = sample.stretch as u64;
            assert_eq!(sample.sites[0].lowest.count, of_stretch, "{sample:?}");
            assert_eq!(u64::from(sample.collection / 1_000), of_stretch - 1);
        }
        assert_eq!(samples.last().unwrap().collection, 4_999);

        let mut samples = HeapSamples::default();
        (0..5_000_u32).for_each(|at| samples.take_counts(pause(at, 0), &live(&[1]), at as usize));
        let samples = samples.finish();
        assert!(samples.len() <= Timeline::MOST_POINTS);
        assert_eq!(samples.last().unwrap().stretch, 4_999);
    }
}
