//! Live objects of every site and type after collections, thinned out so that memory does not grow with the run.
//!
//! At most [`Timeline::MOST_POINTS`](crate::Timeline::MOST_POINTS) samples are kept: when they are full, of every two neighbours the second stays, for
//! twice as many collections. Of each stretch in which the heap is known the last sample stays; where there are too many stretches for that, the oldest samples go.

use crate::Timeline;
use ducktrack_heap_replay::{Heap, LiveCounts, Pause};
use ducktrack_live_heap::Amount;

/// What lived after a collection, which stands for those before it as well.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct HeapSample {
    pub(crate) collection: u32,
    pub(crate) unix_micros: u64,
    pub(crate) total: Amount,
    pub(crate) sites: Vec<SampledColumn>,
    pub(crate) types: Vec<SampledColumn>,
    /// Stretches that have begun, in which the heap is known.
    stretch: usize,
}

/// A site or type with its objects; columns ascend, those of nothing are left out.
pub(crate) type SampledColumn = (u32, Amount);

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
        let open = self.open.as_ref();
        if open.is_some_and(|open| open.stretch != stretch) {
            self.close();
        }
        self.open = Some(HeapSample {
            collection: at.collection,
            unix_micros: at.unix_micros,
            total: live.total,
            sites: columns(&live.sites),
            types: columns(&live.types),
            stretch,
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
            self.done.push(second.unwrap_or(first));
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
    let all = (0..).zip(amounts.iter().copied());
    all.filter(|(_, amount)| amount.count > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The samples of a run of 5,000 collections, each of a stretch and with this many objects.
    fn samples(collection: impl Fn(u32) -> (usize, u64)) -> Vec<HeapSample> {
        let mut samples = HeapSamples::default();
        for at in 0..5_000_u32 {
            let (stretch, count) = collection(at);
            let mut live = LiveCounts::default();
            live.total = Amount {
                count,
                bytes: 8 * count,
            };
            live.sites = vec![Amount::default(), live.total];
            let pause = Pause {
                collection: at,
                unix_micros: 10 * u64::from(at),
            };
            samples.take_counts(pause, &live, stretch);
        }
        let samples = samples.finish();
        assert!(samples.len() <= Timeline::MOST_POINTS);
        samples
    }

    #[test]
    fn a_long_run_keeps_the_values_after_its_collections() {
        let samples = samples(|at| (1, u64::from(at) + 100));
        assert!(samples.len() >= Timeline::MOST_POINTS / 2);
        for sample in &samples {
            let count = u64::from(sample.collection) + 100;
            assert_eq!(sample.unix_micros, 10 * u64::from(sample.collection));
            assert_eq!((sample.total.count, sample.sites.len()), (count, 1));
            assert_eq!((sample.sites[0].0, sample.sites[0].1.count), (1, count));
        }
        assert_eq!(samples.last().unwrap().collection, 4_999);
    }

    #[test]
    fn the_last_of_each_stretch_stays() {
        let of_five = samples(|at| (1 + (at / 1_000) as usize, 1));
        for stretch in 1..=5 {
            let last = of_five.iter().rfind(|sample| sample.stretch == stretch);
            assert_eq!(last.unwrap().collection as usize, 1_000 * stretch - 1);
        }
        let of_all = samples(|at| (at as usize, 1));
        assert_eq!(of_all.last().unwrap().stretch, 4_999);
    }
}
