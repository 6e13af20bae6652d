//! The replay: epochs and collections in, news for analyses out.

use ducktrack_count_model::TraceNames;
use ducktrack_live_heap::{Amount, FateMap, WITHOUT_MOVES, capped, merged};
use ducktrack_trace_format::{
    BlockKind, Collection, CollectionKind, EventFile, FormatError, MovesLevel, Space, SpaceKind,
    ThreadCut, ThreadId, decode_uses,
};
use rustc_hash::FxHashMap;

use crate::analysis::{Analysis, Collected, Epoch, EpochEnd, Gain, Loss, Pause, Rest, Step, Wants};
use crate::collection_step::CollectionStep;
use crate::cycle::Cycle;
use crate::epoch_part::{EpochPart, EpochView, EventSums, Pass};
use crate::heap::Heap;
use crate::live_counts::LiveCounts;
use crate::live_object::LiveHeap;
use crate::outcome::Outcome;
use crate::run_sums::RunSums;
use crate::slices::{self, Slice, Slicing};
use crate::space_map::SpaceMap;
use crate::sync_check::SyncCheck;
use crate::{CollectionNumber, EventFileRow};

/// Room for so many survivors of an epoch (24 MB) serves for the next one, too.
const MOST_KEPT: usize = 1 << 19;

/// Replays the event files of a trace, in order.
pub struct HeapReplay<'a> {
    pub(crate) analyses: Vec<&'a mut dyn Analysis>,
    pub(crate) heap: Heap,
    pub(crate) parts: Vec<EpochPart>,
    cuts: FxHashMap<ThreadId, ThreadCut>,
    pub(crate) sync: Option<SyncCheck>,
    /// A collection whose heap may still get explanations.
    pub(crate) unsettled: Option<Pause>,
    /// Nothing was missing in the current file so far.
    pub(crate) file_is_whole: bool,
    /// Something went wrong since the last synchronization point.
    pub(crate) doubtful: bool,
    level: Option<MovesLevel>,
    /// Bytes of all blocks of events so far.
    event_bytes: u64,
    /// Bytes of events that are not taken again with the epoch in which the clock counts them.
    deferred: u64,
}

impl<'a> HeapReplay<'a> {
    /// A replay for these analyses, whose events are taken by `workers` parts at a time.
    pub fn new(names: TraceNames, analyses: Vec<&'a mut dyn Analysis>, workers: usize) -> Self {
        Self {
            analyses,
            heap: Heap::new(names),
            parts: (0..workers.max(1)).map(|_| EpochPart::default()).collect(),
            cuts: FxHashMap::default(),
            sync: None,
            unsettled: None,
            file_is_whole: false,
            doubtful: false,
            level: None,
            event_bytes: 0,
            deferred: 0,
        }
    }

    /// The heap as far as it is replayed.
    pub fn heap(&self) -> &Heap {
        &self.heap
    }

    /// The heap at the end; analyses are free again.
    pub fn finish(mut self) -> Heap {
        let heap = &mut self.heap;
        heap.info.close(&heap.knowledge);
        self.heap
    }

    /// Goes on with the names of more sites, which
    /// [`finish_trace_after`](ducktrack_count_model::CountModelBuilder::finish_trace_after) has made of the same trace.
    pub fn set_names(&mut self, names: TraceNames) {
        self.heap.set_names(names);
    }

    /// The next file begins. `header` is `None` when its first block is lost.
    pub fn start_file(&mut self, name: &str, bytes: u64, header: Option<&EventFile>) {
        let info = &mut self.heap.info;
        let is_first = info.files.is_empty();
        let before = info.files.last().map(|file| file.index);
        let index = header.map_or(0, |header| u64::from(header.index));
        info.files.push(EventFileRow {
            name: name.to_owned(),
            index,
            bytes,
            ..EventFileRow::default()
        });
        self.file_is_whole = header.is_some();
        let Some(header) = header else {
            return self.damaged();
        };
        capped::add(&mut info.lost_blocks, header.lost_blocks);
        capped::add(&mut info.lost_bytes, header.lost_bytes);
        self.doubtful |= header.lost_blocks > 0;
        if is_first {
            self.heap.epoch = header.epoch;
            if header.index == 0 && header.epoch == 0 {
                self.heap.knowledge.gain(CollectionNumber(0));
                self.gained(Gain {
                    since: Some(0),
                    is_first: false,
                });
            }
        } else if before.is_some_and(|before| index != before + 1) {
            self.lose(header.epoch, "files of events are missing".to_owned());
            self.heap.epoch = header.epoch;
        }
        if header.without_moves {
            self.lose(header.epoch, WITHOUT_MOVES.to_owned());
        }
    }

    /// A collection ended the epoch. `decode` must let the parts take the contents of all event blocks since the collection before, each
    /// once each time that it is called. `event_bytes` are the bytes of these blocks: what is a large part of the run is cut into slices.
    ///
    /// True: the collection did not look at new objects (G1's Remark and Cleanup). The
    /// same blocks must be put back, to be taken `again` with those of the next epoch.
    pub fn end_epoch(
        &mut self,
        mut cycle: Cycle<'_>,
        event_bytes: u64,
        mut decode: impl FnMut(&EpochView<'_>, &mut [EpochPart]),
    ) -> bool {
        self.settle();
        self.abandon_sync();
        let run_sums = RunSums::of(&cycle.runs);
        if let Err(reason) = cycle.check(self.heap.epoch, run_sums.objects) {
            self.lose(cycle.collection.number, reason);
        }
        let fates = self.heap.is_known().then(|| cycle.fates());
        capped::add(
            &mut self.heap.info.unexplained_survivors,
            fates.as_ref().map_or(0, |fates| fates.misplaced),
        );
        cycle.drop_explained_runs();
        let defers = fates.is_some() && !looks_at_new_objects(&cycle.collection);
        let slicing = match fates.is_some() && !defers {
            true => self.slicing(event_bytes, &mut decode),
            false => None,
        };
        let sums = self.decode(fates.as_ref(), defers, slicing.as_ref(), decode);
        let bytes = sums.allocated.bytes.saturating_add(sums.gap_bytes);
        self.heap.slices = match (&slicing, defers) {
            (_, true) => Vec::new(),
            (Some(slicing), _) => self.slices(slicing),
            (None, _) => vec![Slice {
                bytes: bytes.saturating_add(self.deferred),
                end_micros: 0,
            }],
        };
        self.deferred = if defers {
            self.deferred.saturating_add(bytes)
        } else {
            0
        };
        let epoch = Epoch {
            number: self.heap.epoch,
            bytes,
            slice: 0,
            end: match fates {
                Some(_) => EpochEnd::Collection,
                None => EpochEnd::Unknown,
            },
        };
        self.heap.clock.add(epoch.number, epoch.bytes, 0);
        let gone = self.tell_died_young(epoch);
        let outcome = fates.map(|fates| {
            let outcome = self.apply(&cycle, gone, &fates);
            self.note_unexplained(&run_sums, cycle.classes.is_some(), &fates, &outcome);
            outcome
        });
        self.close_epoch(&cycle.collection, &run_sums, outcome);
        let end = Collected {
            collection: &cycle.collection,
            epoch: epoch.number,
            sums: &sums,
            defers,
            outcome,
        };
        for analysis in &mut self.analyses {
            analysis.collected(&self.heap, &end);
        }
        defers
    }

    fn close_epoch(&mut self, collection: &Collection, runs: &RunSums, outcome: Option<Outcome>) {
        let heap = &mut self.heap;
        heap.epoch = collection.number;
        heap.knowledge.reach(CollectionNumber(collection.number));
        heap.spaces = SpaceMap::new(&collection.after);
        heap.info.add_collection(collection, runs, outcome);
        let level = self
            .level
            .map_or(collection.level, |known| lower(known, collection.level));
        self.level = Some(level);
        heap.info.level = level.name().to_owned();
        let cuts = collection.cuts.iter();
        self.cuts = cuts.map(|cut| (cut.thread, *cut)).collect();
        self.unsettled = outcome.map(|_| Pause {
            collection: collection.number,
            unix_micros: collection.end_unix_micros,
        });
    }

    pub(crate) fn lose(&mut self, since: u32, reason: String) {
        self.settle();
        if self.heap.is_known() {
            self.lost(Loss::Collection);
        }
        self.heap.knowledge.lose(CollectionNumber(since), reason);
        self.heap.objects = LiveHeap::default();
        self.heap.counts = LiveCounts::default();
    }

    pub(crate) fn lost(&mut self, loss: Loss) {
        for analysis in &mut self.analyses {
            analysis.lost(&self.heap, loss);
        }
    }

    pub(crate) fn gained(&mut self, gain: Gain) {
        for analysis in &mut self.analyses {
            analysis.gained(&self.heap, gain);
        }
    }

    /// The heap after the last collection, when its objects will have no more events.
    fn settle(&mut self) {
        if let Some(pause) = self.unsettled.take() {
            self.note_quality(pause.collection);
            for analysis in &mut self.analyses {
                analysis.settled(&self.heap, pause);
            }
        }
    }

    /// Takes the content of a block of a later mode; those of other kinds than uses are left out.
    pub fn extension(&mut self, kind: BlockKind, content: &[u8]) -> Result<(), FormatError> {
        if kind != BlockKind::USES {
            return Ok(());
        }
        self.settle();
        if !self.wants().uses {
            return Ok(());
        }
        let (head, uses) = decode_uses(content)?;
        for analysis in &mut self.analyses {
            analysis.uses(head);
        }
        for used in uses {
            let used = used?;
            if let Some(object) = self.heap.objects.get(used.address)
                && let Some(before) = object.use_in(used.epoch)
            {
                for analysis in &mut self.analyses {
                    analysis.used(object, before);
                }
            }
        }
        Ok(())
    }

    fn wants(&self) -> Wants {
        let wants = self.analyses.iter().map(|analysis| analysis.wants());
        wants.fold(Wants::default(), |all, one| Wants {
            callers: all.callers | one.callers,
            uses: all.uses | one.uses,
            slices: all.slices | one.slices,
        })
    }

    /// Slices, if the epoch has a large part of the run so far.
    fn slicing(
        &mut self,
        event_bytes: u64,
        decode: &mut impl FnMut(&EpochView<'_>, &mut [EpochPart]),
    ) -> Option<Slicing> {
        self.event_bytes = self.event_bytes.saturating_add(event_bytes);
        let of_run = event_bytes.saturating_mul(slices::MOST);
        let count = of_run.div_ceil(self.event_bytes.max(1)).min(slices::MOST);
        if count < 2 || !self.wants().slices {
            return None;
        }
        let view = EpochView {
            names: &self.heap.names,
            fates: None,
            cuts: &self.cuts,
            defers: false,
            is_end: false,
            by_caller: false,
            pass: Pass::Measure,
        };
        decode(&view, &mut self.parts);
        let mut pieces = Vec::new();
        for part in &mut self.parts {
            pieces.append(&mut part.pieces);
            part.slices = vec![0; count as usize];
        }
        let before = self.heap.clock.until(u32::MAX);
        Some(Slicing::of(&pieces, count, before))
    }

    /// The slices of an epoch whose events have been taken.
    fn slices(&mut self, slicing: &Slicing) -> Vec<Slice> {
        let mut slices: Vec<Slice> = slicing
            .ends()
            .map(|end_micros| Slice {
                bytes: 0,
                end_micros,
            })
            .collect();
        for part in &mut self.parts {
            for (slice, bytes) in slices.iter_mut().zip(part.slices.drain(..)) {
                slice.bytes = slice.bytes.saturating_add(bytes);
            }
        }
        slices
    }

    fn decode(
        &mut self,
        fates: Option<&FateMap>,
        defers: bool,
        slicing: Option<&Slicing>,
        decode: impl FnOnce(&EpochView<'_>, &mut [EpochPart]),
    ) -> EventSums {
        let by_caller = self.wants().callers;
        let view = EpochView {
            names: &self.heap.names,
            fates,
            cuts: &self.cuts,
            defers,
            // A heap that is not known is no answer at the end, either.
            is_end: fates.is_none() && self.heap.is_known(),
            by_caller,
            pass: slicing.map_or(Pass::Take, Pass::TakeSliced),
        };
        decode(&view, &mut self.parts);
        let mut sums = EventSums::default();
        for part in &mut self.parts {
            sums.add(&core::mem::take(&mut part.sums));
        }
        self.heap.info.add_events(&sums);
        sums
    }

    /// Hands out the tallies of an epoch; gives what is gone.
    fn tell_died_young(&mut self, epoch: Epoch) -> Amount {
        let mut gone = Amount::default();
        let (heap, analyses) = (&self.heap, &mut self.analyses);
        for part in &mut self.parts {
            if epoch.end != EpochEnd::Trace {
                part.threads.clear();
            }
            part.drain_tallies(&heap.names, |origin, tally, slice| {
                let epoch = Epoch { slice, ..epoch };
                gone += tally.gone;
                for analysis in &mut *analyses {
                    analysis.died_young(origin, &tally, heap, epoch);
                }
            });
        }
        gone
    }

    fn apply(&mut self, cycle: &Cycle<'_>, gone: Amount, fates: &FateMap) -> Outcome {
        let collection = &*cycle.collection;
        for analysis in &mut self.analyses {
            analysis.begin(&self.heap, collection);
        }
        let heap = &mut self.heap;
        let mut step = CollectionStep {
            objects: &mut heap.objects,
            counts: &mut heap.counts,
            names: &heap.names,
            analyses: &mut self.analyses,
            step: Step {
                collection,
                epoch: heap.epoch,
                clock: &heap.clock,
                before: SpaceMap::new(&collection.before),
                after: SpaceMap::new(&collection.after),
            },
            outcome: Outcome {
                died: gone,
                ..Outcome::default()
            },
        };
        step.relocate(&merged(&collection.collected), fates);
        for part in &mut self.parts {
            let mut survivors = core::mem::take(&mut part.survivors);
            step.add_survivors(survivors.drain(..), fates);
            // A large epoch's list must not stay allocated beside the heap.
            if survivors.capacity() <= MOST_KEPT {
                part.survivors = survivors;
            }
        }
        step.add_found(&cycle.runs);
        step.settle();
        if let Some(classes) = &cycle.classes {
            step.add_unexplained(&cycle.runs, classes);
        }
        step.outcome
    }

    /// Counts the survivors that runs claim and nothing explains. Where the
    /// runs do not say which (`is_kept`), those that were found are explained.
    fn note_unexplained(
        &mut self,
        runs: &RunSums,
        is_kept: bool,
        fates: &FateMap,
        outcome: &Outcome,
    ) {
        let unjudged = if is_kept { outcome.found } else { 0 };
        let unexplained = runs
            .claimed
            .saturating_sub(fates.misplaced)
            .abs_diff(outcome.explained.saturating_add(unjudged))
            .saturating_add(outcome.strays);
        capped::add(&mut self.heap.info.unexplained_survivors, unexplained);
        self.doubtful |= unexplained > 0;
    }

    /// The files have ended. `decode` must let the parts take the contents of all event blocks since the last collection.
    pub fn end(&mut self, decode: impl FnOnce(&EpochView<'_>, &mut [EpochPart])) {
        let mut rest = Rest {
            last_pause: self.unsettled.map_or(0, |pause| pause.unix_micros),
            ..Rest::default()
        };
        self.settle();
        for analysis in &mut self.analyses {
            analysis.ending(&self.heap);
        }
        self.abandon_sync();
        let sums = self.decode(None, false, None, decode);
        rest.allocated = sums.allocated;
        self.tell_died_young(Epoch {
            number: self.heap.epoch,
            bytes: sums.allocated.bytes.saturating_add(sums.gap_bytes),
            slice: 0,
            end: EpochEnd::Trace,
        });
        for part in &mut self.parts {
            rest.threads.extend(part.threads.drain());
            rest.apart.extend(part.apart.drain());
        }
        for analysis in &mut self.analyses {
            analysis.ended(&self.heap, &rest);
        }
    }
}

/// Was the space that new objects go to collected? (Where spaces are not recorded: yes.)
fn looks_at_new_objects(collection: &Collection) -> bool {
    let mut eden = collection
        .before
        .iter()
        .filter(|space| space.kind == SpaceKind::Eden);
    let is_collected = |space: &Space| {
        let mut ranges = collection.collected.iter();
        ranges.any(|range| range.start < space.top && space.bottom < range.end)
    };
    match collection.kind {
        CollectionKind::Cleanup => eden.any(is_collected),
        CollectionKind::Old => false,
        _ => true,
    }
}

fn lower(a: MovesLevel, b: MovesLevel) -> MovesLevel {
    let rank = |level| match level {
        MovesLevel::Off => 0,
        MovesLevel::Finish => 1,
        MovesLevel::Exact => 2,
    };
    if rank(b) < rank(a) { b } else { a }
}
