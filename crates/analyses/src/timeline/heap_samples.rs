//! Live objects of every site and type after collections, thinned out so that memory does not grow with the run.
//!
//! At most [`Timeline::MOST_POINTS`](crate::Timeline::MOST_POINTS) samples are kept: when they are full, of
//! every two neighbours the second stays, for twice as many collections. Of each stretch in which the heap
//! is known the last sample stays; where there are too many stretches for that, the oldest samples go.

use ducktrack_count_model::{SiteColumn, TypeColumn};
use ducktrack_heap_replay::{CollectionNumber, Heap, LiveCounts, Pause};
use ducktrack_live_heap::Amount;

use crate::timeline::live_parts::LiveParts;
use crate::{CompositionPoint, LivePart, Timeline};

/// The live objects after a collection, which stands for those before it as well.
#[derive(Clone, Debug, Default, PartialEq)]
struct HeapSample {
    point: CompositionPoint,
    /// Stretches that have begun, in which the heap is known.
    stretch: usize,
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
    pub(crate) fn take(&mut self, heap: &Heap, parts: Option<&LiveParts>, at: Pause) {
        let parts = parts.map(LiveParts::sorted).unwrap_or_default();
        self.take_counts(at, &heap.counts, parts, heap.knowledge.stretch());
    }

    fn take_counts(
        &mut self,
        at: Pause,
        live: &LiveCounts,
        parts: Vec<(LivePart, Amount)>,
        stretch: usize,
    ) {
        let open = self.open.as_ref();
        if open.is_some_and(|open| open.stretch != stretch) {
            self.close();
        }
        let point = CompositionPoint {
            collection: CollectionNumber(at.collection),
            unix_micros: at.unix_micros,
            total: live.total,
            sites: columns(&live.sites, SiteColumn::at),
            types: columns(&live.types, TypeColumn::at),
            parts,
        };
        self.open = Some(HeapSample { point, stretch });
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
    pub(crate) fn finish(mut self) -> Vec<CompositionPoint> {
        self.done.extend(self.open.take());
        self.done.into_iter().map(|sample| sample.point).collect()
    }
}

fn columns<C>(amounts: &[Amount], at: impl Fn(usize) -> C) -> Vec<(C, Amount)> {
    let all = amounts.iter().copied().enumerate();
    let living = all.filter(|(_, amount)| amount.count > 0);
    living
        .map(|(position, amount)| (at(position), amount))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The samples of a run of 5,000 collections, each of a stretch and with this many objects.
    fn samples(collection: impl Fn(u32) -> (usize, u64)) -> HeapSamples {
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
            samples.take_counts(pause, &live, Vec::new(), stretch);
        }
        assert!(samples.done.len() <= Timeline::MOST_POINTS);
        samples
    }

    #[test]
    fn a_long_run_keeps_the_values_after_its_collections() {
        let points = samples(|at| (1, u64::from(at) + 100)).finish();
        assert!(points.len() >= Timeline::MOST_POINTS / 2);
        for point in &points {
            let collection = u64::from(point.collection.0);
            let count = collection + 100;
            assert_eq!(point.unix_micros, 10 * collection);
            assert_eq!(point.total.count, count);
            assert_eq!(point.sites, [(SiteColumn::at(1), point.total)]);
        }
        assert_eq!(points.last().unwrap().collection.0, 4_999);
    }

    #[test]
    fn the_last_of_each_stretch_stays() {
        let last = |samples: &HeapSamples, stretch| {
            let all = samples.done.iter().chain(&samples.open);
            let mut of_stretch = all.filter(|sample| sample.stretch == stretch);
            of_stretch.next_back().unwrap().point.collection.0
        };
        let of_five = samples(|at| (1 + (at / 1_000) as usize, 1));
        for stretch in 1..=5 {
            assert_eq!(last(&of_five, stretch) as usize, 1_000 * stretch - 1);
        }
        let of_all = samples(|at| (at as usize, 1));
        assert_eq!(last(&of_all, 4_999), 4_999);
    }
}
