//! The replay of a trace: events and collections in, the live heap and its history out.
//!
//! ```text
//! replay.start_file(..)                       // each file of events
//! replay.sync_part(content)                   // its synchronization point
//! replay.end_epoch(&collection, runs, |view, parts| ..)   // each collection: the closure lets parts take the epoch's buffers
//! replay.explained(content)
//! replay.end(|view, parts| ..)                // the buffers after the last collection
//! let answers = replay.finish(..)
//! ```
//!
//! An *epoch* is the time between two collections. An object is born by an event (it ends at the address that the event gives), or found by a collection;
//! it keeps its identity by the moves of collections, and dies by a collection that does not name it. Memory is bounded by the live
//! heap, the survivors of one epoch and the moves of one collection.

use ducktrack_trace_format::{
    BlockKind, Collection, CollectionKind, EventFile, FormatError, HeapClassId, MoveRun,
    MovesLevel, Space, SpaceKind, ThreadCut, ThreadId,
};
use rustc_hash::FxHashMap;

use crate::collection_step::CollectionStep;
use crate::cost::CostBuilder;
use crate::growth::doubts::GrowthDoubts;
use crate::heap_samples::HeapSamples;
use crate::lifetimes::tallies::LifetimeTallies;
use crate::live_objects::{HEAP_DUMP, LiveObjects};
use crate::staleness::builder::StalenessBuilder;
use crate::timeline::points::timeline_point;
use crate::{HeapAt, Questions, Staleness, TimelinePoint};
use ducktrack_count_model::{TraceNames, TypeColumn};
use ducktrack_heap_replay::{
    AllocationClock, CollectionNumber, EpochPart, EpochView, EventFileRow, EventSums, Knowledge,
    LiveCounts, LiveHeap, Outcome, RunSums, SpaceMap, SyncCheck, TraceInfo,
};
use ducktrack_live_heap::{Amount, FateMap, capped, merged};

/// Replays the event files of a trace, in order.
#[derive(Debug)]
pub struct HeapReplay {
    pub(crate) names: TraceNames,
    pub(crate) questions: Questions,
    /// Objects of the current epoch that its collection finds dead.
    died_at_once: Amount,
    pub(crate) parts: Vec<EpochPart>,
    /// Collections so far.
    pub(crate) epoch: u32,
    pub(crate) heap: LiveHeap,
    pub(crate) counts: LiveCounts,
    pub(crate) knowledge: Knowledge,
    pub(crate) clock: AllocationClock,
    cuts: FxHashMap<ThreadId, ThreadCut>,
    pub(crate) spaces: SpaceMap,
    pub(crate) sync: Option<SyncCheck>,
    /// A collection (its number and end) whose heap has not been noted: explanations may still come.
    pub(crate) to_note: Option<(u32, u64)>,
    /// Why the last collection was made, and when it began, microseconds since 1970.
    cause: (String, u64),
    /// The heap that a dump shows.
    pub(crate) objects: Option<LiveObjects>,
    /// The last collection (its number and end) whose heap was noted.
    pub(crate) noted: Option<(u32, u64)>,
    /// Nothing was missing in the current file so far.
    pub(crate) file_is_whole: bool,
    /// Something went wrong since the last synchronization point.
    pub(crate) doubtful: bool,
    pub(crate) lifetimes: LifetimeTallies,
    /// If growth is asked for.
    pub(crate) doubts: Option<GrowthDoubts>,
    /// If asked for.
    pub(crate) costs: Option<CostBuilder>,
    /// By site column, for costs.
    site_types: Vec<TypeColumn>,
    /// If asked for.
    pub(crate) stale: Option<StalenessBuilder>,
    pub(crate) staleness: Option<Staleness>,
    pub(crate) samples: HeapSamples,
    pub(crate) points: Vec<TimelinePoint>,
    /// Time before collections that did not look at new objects, since the last one that did.
    deferred_micros: u64,
    pub(crate) heap_at: Vec<Option<HeapAt>>,
    pub(crate) allocated_after: Amount,
    pub(crate) info: TraceInfo,
    level: Option<MovesLevel>,
}

impl HeapReplay {
    /// A replay whose events are taken by `workers` parts at a time.
    pub fn new(names: TraceNames, questions: Questions, workers: usize) -> Self {
        let (columns, by_caller) = (names.site_columns, questions.by_caller());
        let heap_at = questions.heap_at.iter().map(|_| None).collect();
        let asks_for_uses = questions.staleness.is_some()
            || questions.heap_dump.is_some()
            || questions.cost.is_some();
        let stale = asks_for_uses.then(StalenessBuilder::default);
        let doubts = questions.growth.then(GrowthDoubts::default);
        let costs = questions.cost.as_ref().map(CostBuilder::new);
        let site_types = match questions.cost.is_some() {
            true => names.column_types(),
            false => Vec::new(),
        };
        Self {
            names,
            questions,
            died_at_once: Amount::default(),
            parts: (0..workers.max(1)).map(|_| EpochPart::default()).collect(),
            epoch: 0,
            heap: LiveHeap::default(),
            counts: LiveCounts::default(),
            knowledge: Knowledge::default(),
            clock: AllocationClock::default(),
            cuts: FxHashMap::default(),
            spaces: SpaceMap::default(),
            sync: None,
            to_note: None,
            cause: (String::new(), 0),
            objects: None,
            noted: None,
            file_is_whole: false,
            doubtful: false,
            lifetimes: LifetimeTallies::new(columns, by_caller),
            doubts,
            costs,
            site_types,
            stale,
            staleness: None,
            samples: HeapSamples::default(),
            points: Vec::new(),
            deferred_micros: 0,
            heap_at,
            allocated_after: Amount::default(),
            info: TraceInfo::default(),
            level: None,
        }
    }

    /// The next file begins. `header` is `None` when its first block is lost.
    pub fn start_file(&mut self, name: &str, bytes: u64, header: Option<&EventFile>) {
        let is_first = self.info.files.is_empty();
        let before = self.info.files.last().map(|file| file.index);
        let index = header.map_or(0, |header| u64::from(header.index));
        self.info.files.push(EventFileRow {
            name: name.to_owned(),
            index,
            bytes,
            ..EventFileRow::default()
        });
        self.file_is_whole = header.is_some();
        let Some(header) = header else {
            return self.damaged();
        };
        capped::add(&mut self.info.lost_blocks, header.lost_blocks);
        capped::add(&mut self.info.lost_bytes, header.lost_bytes);
        self.doubtful |= header.lost_blocks > 0;
        if is_first {
            self.epoch = header.epoch;
            if header.index == 0 && header.epoch == 0 {
                self.knowledge.gain(CollectionNumber(0));
                self.lifetimes.begin(0);
            }
        } else if before.is_some_and(|before| index != before + 1) {
            self.lose(header.epoch, "files of events are missing".to_owned());
            self.epoch = header.epoch;
        }
        if header.without_moves {
            self.lose(header.epoch, WITHOUT_MOVES.to_owned());
        }
    }

    /// A collection ended the epoch. `runs` are its moves, `complete` says whether all of them are there; `decode` must let the parts take
    /// the contents of all event blocks since the collection before, each once.
    ///
    /// True: the collection did not look at new objects (G1's Remark and Cleanup). The same blocks must be put back, to be taken `again` with those of
    /// the next epoch.
    pub fn end_epoch(
        &mut self,
        collection: &Collection,
        runs: Vec<MoveRun>,
        complete: bool,
        decode: impl FnOnce(&EpochView<'_>, &mut [EpochPart]),
    ) -> bool {
        self.end_epoch_of(collection, runs, None, complete, decode)
    }

    /// The same; `classes`: those of the runs, if each is one survivor of which it is not known whether an event explains it.
    pub(crate) fn end_epoch_of(
        &mut self,
        collection: &Collection,
        mut runs: Vec<MoveRun>,
        classes: Option<&[HeapClassId]>,
        complete: bool,
        decode: impl FnOnce(&EpochView<'_>, &mut [EpochPart]),
    ) -> bool {
        self.note_heap();
        self.abandon_sync();
        let run_sums = RunSums::of(&runs);
        self.check_moves(collection, run_sums.objects, complete);
        let fates = self.knowledge.is_known().then(|| {
            let fates = FateMap::new(&merged(&collection.collected), &runs);
            capped::add(&mut self.info.unexplained_survivors, fates.misplaced);
            fates
        });
        // The survivors of the epoch take the room of the runs that are not needed any more.
        if classes.is_none() {
            runs.retain(|run| run.found.is_some());
            runs.shrink_to_fit();
        }
        let defers = fates.is_some() && !looks_at_new_objects(collection);
        let sums = self.decode(fates.as_ref(), defers, decode);
        self.clock.tick(
            self.epoch,
            sums.allocated.bytes.saturating_add(sums.gap_bytes),
        );
        self.close_tallies(&sums, fates.is_some());
        let outcome = fates.map(|fates| {
            let outcome = self.apply(collection, &runs, classes, &fates);
            self.note_unexplained(&run_sums, classes.is_some(), &fates, &outcome);
            outcome
        });
        self.note_costs(collection, &sums, outcome.is_some(), defers);
        if let Some(doubts) = self.doubts.as_mut().filter(|_| outcome.is_some()) {
            doubts.end_collection(collection);
        }
        self.epoch = collection.number;
        self.knowledge.reach(CollectionNumber(collection.number));
        self.cuts = collection
            .cuts
            .iter()
            .map(|cut| (cut.thread, *cut))
            .collect();
        self.spaces = SpaceMap::new(&collection.after);
        let is_known = outcome.is_some();
        if let Some(stale) = &mut self.stale {
            stale.note(collection);
        }
        self.note_collection(collection, &run_sums, &sums, outcome);
        self.join_deferred(defers);
        self.to_note = is_known.then_some((collection.number, collection.end_unix_micros));
        defers
    }

    /// Loses the heap if the collection does not say all.
    fn check_moves(&mut self, collection: &Collection, counted: u64, complete: bool) {
        let number = collection.number;
        let counts = collection.counts;
        let reason = if number != self.epoch.saturating_add(1) {
            Some(format!(
                "collections between {} and {number} are missing",
                self.epoch
            ))
        } else if let Some(fault) = &collection.fault {
            Some(fault.clone())
        } else if collection.level == MovesLevel::Off || collection.kind == CollectionKind::Other {
            Some(WITHOUT_MOVES.to_owned())
        } else if !complete || counted != counts.moved.saturating_add(counts.stayed) {
            Some(format!(
                "moves of collection {number} are damaged or missing"
            ))
        } else {
            None
        };
        if let Some(reason) = reason {
            self.lose(number, reason);
        }
    }

    pub(crate) fn lose(&mut self, since: u32, reason: String) {
        self.note_heap();
        self.answer_last();
        if self.knowledge.is_known() {
            self.lifetimes.lose(self.heap.iter());
            if let Some(doubts) = &mut self.doubts {
                doubts.settle(self.heap.iter(), &self.spaces, Some(self.epoch));
            }
        }
        self.knowledge.lose(CollectionNumber(since), reason);
        self.heap.clear();
        self.counts.clear();
        self.restart_uses();
    }

    /// The heap was found anew: only births of its objects are known, no uses.
    pub(crate) fn restart_uses(&mut self) {
        if let Some(stale) = &mut self.stale {
            stale.uses.restart(self.heap.iter_mut());
        }
    }

    /// Takes the content of a block of a later mode; those of other kinds than uses are left out.
    pub fn extension(&mut self, kind: BlockKind, content: &[u8]) -> Result<(), FormatError> {
        if kind != BlockKind::USES {
            return Ok(());
        }
        self.note_heap();
        match &mut self.stale {
            Some(stale) => stale.take(content, &mut self.heap),
            None => Ok(()),
        }
    }

    pub(crate) fn decode(
        &mut self,
        fates: Option<&FateMap>,
        defers: bool,
        decode: impl FnOnce(&EpochView<'_>, &mut [EpochPart]),
    ) -> EventSums {
        let view = EpochView {
            names: &self.names,
            fates,
            cuts: &self.cuts,
            defers,
            // A heap that is not known is no answer at the end, either.
            is_end: fates.is_none() && self.knowledge.is_known(),
            by_caller: self.questions.by_caller(),
        };
        decode(&view, &mut self.parts);
        let mut sums = EventSums::default();
        for part in &mut self.parts {
            sums.add(&core::mem::take(&mut part.sums));
        }
        self.info.add_events(&sums);
        sums
    }

    /// Takes the tallies of an epoch that a collection ended.
    fn close_tallies(&mut self, sums: &EventSums, known: bool) {
        let lifetimes = &mut self.lifetimes;
        let epoch_bytes = sums.allocated.bytes.saturating_add(sums.gap_bytes);
        for part in &mut self.parts {
            part.threads.clear();
            part.drain_tallies(&self.names, |origin, tally| {
                lifetimes.allocated(origin, tally.gone);
                lifetimes.allocated(origin, tally.unplaced);
                lifetimes.allocated(origin, tally.stragglers);
                lifetimes.eliminated(origin, tally.eliminated);
                lifetimes.straggled(origin, tally.stragglers, self.epoch);
                if let Some(costs) = self.costs.as_mut().filter(|_| known) {
                    let ty = self.site_types.get(origin.site.position());
                    for amount in [tally.gone, tally.unplaced, tally.stragglers] {
                        costs.allocated(origin, ty.copied().unwrap_or_default(), amount);
                    }
                }
                if known {
                    lifetimes.died_at_once(origin, tally.gone, Some(epoch_bytes));
                    lifetimes.unlocated(origin, tally.unplaced);
                    self.died_at_once += tally.gone;
                } else {
                    lifetimes.unknown_fate(origin, tally.gone);
                    lifetimes.unknown_fate(origin, tally.unplaced);
                }
            });
        }
        if !known {
            lifetimes.settle();
        }
    }

    fn apply(
        &mut self,
        collection: &Collection,
        runs: &[MoveRun],
        classes: Option<&[HeapClassId]>,
        fates: &FateMap,
    ) -> Outcome {
        if let Some(costs) = &mut self.costs {
            costs.begin_collection(collection);
        }
        let mut step = CollectionStep::new(
            &mut self.heap,
            &mut self.counts,
            &mut self.lifetimes,
            &self.clock,
            &self.names,
            collection,
            self.epoch,
        )
        .with_uses(self.stale.as_mut().map(|stale| &mut stale.uses))
        .with_costs(self.costs.as_mut())
        .with_doubts(self.doubts.as_mut());
        step.outcome.died = core::mem::take(&mut self.died_at_once);
        step.relocate(collection, fates);
        for part in &mut self.parts {
            // A large epoch's list must not stay allocated beside the heap.
            let survivors = core::mem::take(&mut part.survivors);
            step.add_survivors(survivors.into_iter(), fates);
        }
        step.add_found(runs);
        step.settle();
        if let Some(classes) = classes {
            step.add_unexplained(runs, classes);
        }
        step.outcome
    }

    /// Counts the survivors that runs claim and nothing explains. Where the runs do not say which (`is_kept`), those that were found are explained.
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
            .abs_diff(outcome.explained.saturating_add(unjudged));
        capped::add(&mut self.info.unexplained_survivors, unexplained);
        self.doubtful |= unexplained > 0;
    }

    /// A collection that does not look at new objects knows nothing of what was allocated before it: the time goes to the next that does.
    fn join_deferred(&mut self, defers: bool) {
        let Some(point) = self.points.last_mut() else {
            return;
        };
        if defers {
            self.deferred_micros += core::mem::take(&mut point.mutator_micros);
        } else if point.mutator_micros > 0 {
            point.mutator_micros += core::mem::take(&mut self.deferred_micros);
        }
    }

    fn note_costs(
        &mut self,
        collection: &Collection,
        sums: &EventSums,
        is_known: bool,
        defers: bool,
    ) {
        let Some(costs) = &mut self.costs else {
            return;
        };
        if !is_known {
            return costs.lost(collection);
        }
        let bytes = sums.allocated.bytes.saturating_add(sums.gap_bytes);
        costs.end_collection(collection, self.epoch, bytes, defers);
        if costs.begins_cycle_end(collection) {
            self.heap.iter().for_each(|object| costs.marked(object));
        }
    }

    fn note_collection(
        &mut self,
        collection: &Collection,
        runs: &RunSums,
        sums: &EventSums,
        outcome: Option<Outcome>,
    ) {
        self.info.add_collection(collection, runs, outcome);
        self.cause = (collection.cause.clone(), collection.start_unix_micros);
        let level = self
            .level
            .map_or(collection.level, |known| lower(known, collection.level));
        self.level = Some(level);
        self.info.level = level.name().to_owned();
        if self.questions.timeline {
            let before = self
                .points
                .last()
                .map_or(self.info.start_micros, |point| point.end_micros);
            let live = outcome.map(|_| self.counts.total);
            self.points
                .push(timeline_point(collection, before, sums, outcome, live));
        }
    }
}

impl HeapReplay {
    /// Keeps the objects if a heap dump that is asked for began with this collection: it is the last that began before the time in the dump's head.
    /// (The JVM may write the dump before it says that the collection has ended.)
    pub(crate) fn note_objects(&mut self, collection: u32, unix_micros: u64) {
        let Some(millis) = self.questions.heap_dump else {
            return;
        };
        if self.cause.1 > millis.saturating_add(1).saturating_mul(1000) {
            return;
        }
        let is_the_dumps = self.cause.0 == HEAP_DUMP && self.knowledge.is_known();
        self.objects = is_the_dumps.then(|| {
            let at = (collection, unix_micros);
            let (objects, stale) = (self.heap.iter(), self.stale.as_ref());
            LiveObjects::new(at, objects, stale, &self.spaces, &self.names)
        });
    }
}

const WITHOUT_MOVES: &str =
    "moves of objects are not recorded (the collector does not show them, or moves=off)";

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
