//! The clock goes on by the slices of each epoch, and the span ends within one.

use ducktrack_heap_replay::{LiveObject, Slice};
use ducktrack_leaks::{COHORTS, Cell};
use ducktrack_trace_format::{Collection, CollectionKind};
use rustc_hash::FxHashMap;

use super::SurvivorsBuilder;
use crate::survivors::cells::Place;
use crate::survivors::rows::Born;

impl SurvivorsBuilder {
    /// A collection ends an epoch. To be called before the epoch's objects are taken.
    pub(super) fn begin_epoch(&mut self, epoch: u32, collection: &Collection, slices: &[Slice]) {
        self.ticked = Some(epoch);
        self.is_mixed = collection.kind == CollectionKind::Mixed;
        if self.is_over || self.is_after {
            return self.young.clear();
        }
        let mut slices = slices;
        if collection.start_unix_micros > self.until {
            let is_in = |slice: &Slice| slice.end_micros > 0 && slice.end_micros <= self.until;
            let (before, after) = slices.split_at(slices.partition_point(is_in));
            self.end_span(before);
            self.unjudged = after.iter().map(|slice| slice.bytes).sum();
            slices = before;
        }
        if !self.is_over {
            self.tick(epoch, collection, slices);
        }
        self.young.clear();
    }

    /// The span ends after these slices of an epoch. If no look at the old space was in its last
    /// cohort, the next one decides: its live objects were alive at the end of the span.
    fn end_span(&mut self, slices: &[Slice]) {
        let bytes = slices.iter().map(|slice| slice.bytes).sum::<u64>();
        let has_begun = self.epochs > 0 || !slices.is_empty();
        let allocated = self.allocated.saturating_add(bytes);
        if !has_begun
            || !self.known
            || self
                .look_after(allocated - allocated / COHORTS as u64)
                .is_some()
        {
            self.is_over = true;
            return;
        }
        self.at_end = Some(Box::new(Self {
            young: FxHashMap::default(),
            ..self.clone()
        }));
        self.is_after = true;
    }

    /// The clock goes on by the slices of an epoch. None: its objects are counted with those of the next one.
    fn tick(&mut self, epoch: u32, collection: &Collection, slices: &[Slice]) {
        self.collections += 1;
        if slices.is_empty() {
            if self.epochs > 0 || self.last_end >= self.from {
                self.cells.begin_deferred(epoch);
            }
            return;
        }
        let mut started = core::mem::replace(&mut self.last_end, collection.end_unix_micros);
        let end_of = |slice: &Slice| match slice.end_micros {
            0 => collection.start_unix_micros,
            end => end.min(collection.start_unix_micros),
        };
        let is_before = |slice: &&Slice| started.max(end_of(slice)) <= self.from;
        let mut skipped = slices.iter().take_while(is_before).count();
        if started < self.from {
            // The one in which the span begins is not whole.
            skipped = (skipped + 1).min(slices.len());
        }
        if let Some(last) = skipped.checked_sub(1).and_then(|last| slices.get(last)) {
            started = started.max(end_of(last));
        }
        let slices = slices.get(skipped..).unwrap_or_default();
        if slices.is_empty() {
            return;
        }
        if self.epochs == 0 {
            self.start = started;
        }
        self.epochs += 1;
        self.cells.begin(epoch, skipped);
        for (slice, left) in slices.iter().zip((0..slices.len()).rev()) {
            let end = end_of(slice);
            let cell = Cell {
                bytes: slice.bytes,
                micros: end.saturating_sub(started),
            };
            started = started.max(end);
            self.allocated = self.allocated.saturating_add(slice.bytes);
            let end = if left == 0 && !self.is_after {
                collection.end_unix_micros
            } else {
                end
            };
            if self.cells.push(cell, end) {
                self.fold();
            }
        }
        for ((key, slice), amount) in core::mem::take(&mut self.young) {
            if let Some(cell) = self.cells.of(epoch, slice).cell() {
                *self.row(key).1.born.at(cell) += amount;
            }
        }
    }

    /// When an object was born. `None`: after the span.
    pub(super) fn born_at(&self, object: &LiveObject) -> Option<Born> {
        let place = self.cells.of(object.birth, object.slice());
        let is_after = self.is_after && place == Place::After;
        (!is_after).then(|| Born {
            cell: place.cell(),
            is_undated: object.is_undated(),
        })
    }
}
