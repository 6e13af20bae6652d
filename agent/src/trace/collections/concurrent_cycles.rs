//! Cycles of ZGC, which go on while the program runs: a collection has its place among
//! events from the pause on in which it counts, and is filled in when it is over.
//!
//! ```text
//! pause (VM thread)     the buffers are marked as cut; the collection gets its number
//! driver thread         right after it: the log gets what was cut off, and the place of the collection
//!                       later: where everything is; the log goes on with what came after that pause
//! ```
//!
//! The pause waits for no other thread ([`crate::trace::buffers`]).

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use ducktrack_hotspot::{
    ClassId, CycleFault, CycleKind, CycleListener, CycleReport, CycleStart, HeapViews, JvmFlags,
    OLD_GENERATION, Shadow, VmStructs, ZgcWatch,
};
use ducktrack_trace_format::{
    Collection, CollectionKind, HeapClass, MovesLevel, Space, SpaceKind, ThreadCut,
};
use ducktrack_trace_writer::{CollectionPlace, Survivors};
use parking_lot::Mutex;

use super::cycle_uses::{self, CycleClock};
use super::held_drivers::HeldDrivers;
use super::hook_work::{HookWork, UnderWay};
use super::{heap_class, survivor};
use crate::core::Core;
use crate::options::{LogLevel, Options};
use crate::process::clock::{nanos_since, unix_micros};
use crate::trace::buffers::ThreadBuffers;
use crate::trace::buffers::cut_pauses::{CutPause, PutCollection};

// Readers of the trace know it by this value.
const _: () = assert!(OLD_GENERATION as u64 == ducktrack_trace_format::OLD_GENERATION);

/// Bytes of a survivor while the log takes it.
const SURVIVOR_BYTES: u64 = 64;
/// Live objects of a cycle at most, if the agent's memory has no other bound.
const MOST_OBJECTS: u64 = 32 << 20;

/// The cycles under way.
pub(super) struct ConcurrentCycles {
    watch: ZgcWatch,
    /// The heap had objects before the recording, no cycle was recorded yet, and a cycle shows one generation.
    starts_unknown: AtomicBool,
    /// The pause under way, if its buffers were cut. Only the VM thread takes the lock.
    pause: Mutex<Option<BegunPause>>,
    open: Mutex<Vec<OpenCycle>>,
    /// Why nothing is known any more.
    fault: OnceLock<&'static str>,
    /// The first cycle from this collection on is not known, because a test asks for that; never: `u32::MAX`.
    fault_at: AtomicU32,
    held: HeldDrivers,
    use_clock: CycleClock,
    /// With `log=info`, which shows it.
    work: Option<HookWork>,
}

/// A pause whose buffers were cut.
struct BegunPause {
    micros: u64,
    /// The time of the agent's work at its start.
    nanos: u64,
    since: Instant,
}

/// A cycle that counts, and is not over.
struct OpenCycle {
    start: CycleStart,
    collection: Collection,
    place: CollectionPlace,
    /// When it began to count.
    since: Instant,
}

/// Fault of the first cycle of such a heap.
const STARTS_UNKNOWN: &str = "the recording began in the middle of the run: the heap is known once a cycle of each generation is over";

/// Where cycles are recorded.
struct Recorder {
    core: &'static Core,
    buffers: &'static ThreadBuffers,
    cycles: Arc<ConcurrentCycles>,
    /// Rows of the class table that are in the trace.
    classes: Mutex<u32>,
}

impl ConcurrentCycles {
    /// Finds the collector's structures.
    ///
    /// # Errors
    /// Why its cycles cannot be followed.
    pub(super) fn find(
        vm: &VmStructs,
        flags: &JvmFlags,
        options: &Options,
        (stack_chunk_size, attached): (Option<usize>, bool),
    ) -> Result<Arc<Self>, String> {
        let bound = options.memory.map(|bound| bound / 4 / SURVIVOR_BYTES);
        let most = bound.map_or(MOST_OBJECTS, |bound| bound.min(MOST_OBJECTS));
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let watch = ZgcWatch::new(vm, flags, most).map_err(|error| error.to_string())?;
        if let Some(offset) = stack_chunk_size {
            watch.set_stack_chunk_size_offset(offset);
        }
        let starts_unknown = AtomicBool::new(attached && watch.is_generational());
        if attached {
            watch.want_inventory();
        }
        Ok(Arc::new(Self {
            watch,
            starts_unknown,
            pause: Mutex::default(),
            open: Mutex::default(),
            fault: OnceLock::new(),
            fault_at: AtomicU32::new(options.fault_at.unwrap_or(u32::MAX)),
            held: HeldDrivers::default(),
            use_clock: CycleClock::default(),
            work: (options.log_level >= LogLevel::Info).then(HookWork::default),
        }))
    }

    /// Records cycles from now on.
    ///
    /// # Errors
    /// Why they cannot be followed.
    pub(super) fn follow(
        self: &Arc<Self>,
        core: &'static Core,
        buffers: &'static ThreadBuffers,
    ) -> Result<(), String> {
        buffers.put_collections(Arc::clone(self) as Arc<dyn PutCollection>);
        let recorder = Recorder {
            core,
            buffers,
            cycles: Arc::clone(self),
            classes: Mutex::default(),
        };
        self.watch.tell(Box::new(recorder)).map_err(|error| {
            self.fail("ZGC's driver threads are not known");
            error.to_string()
        })
    }

    /// The addresses at which the program sees the heap's memory.
    ///
    /// # Errors
    /// Why uses cannot be recorded.
    pub(super) fn views(&self) -> Result<HeapViews, &'static str> {
        self.watch.views()
    }

    /// Uses are recorded with the cycles that begin from now on.
    pub(super) fn record_uses(&self, shadow: Shadow, clock: &'static AtomicU64) {
        self.watch.tell_uses(shadow, clock);
        self.use_clock.start(clock);
    }

    /// In a pause: an epoch begins, and maybe a cycle counts from here on.
    fn step_clock(&self, start: Option<CycleStart>, epoch: u32) {
        if let (Some(value), Some(start)) = (self.use_clock.step(epoch), start) {
            self.watch.clock_stepped(start, value);
        }
    }

    /// The heap is not known: all of it is to be listed.
    pub(super) fn want_inventory(&self) {
        self.watch.want_inventory();
    }

    /// Ends cycles that are over and that no driver has told.
    pub(super) fn tick(&self) {
        if let Err(fault) = self.watch.tick() {
            self.fail(fault);
        }
        if let Some(fault) = self.fault.get() {
            self.give_up(fault);
        }
    }

    /// Nothing is known any more.
    fn fail(&self, fault: &'static str) {
        // The first reason is the one that counts.
        let _ = self.fault.set(fault);
    }

    /// Nothing more will be known of the cycles that are under way.
    fn give_up(&self, fault: &str) {
        let rest = std::mem::take(&mut *self.open.lock());
        for cycle in rest {
            cycle.fill_with_fault(fault);
        }
    }

    /// A pause begins. The world is stopped. `cut` marks the buffers as cut.
    pub(super) fn pause_begins(&self, cut: impl FnOnce()) {
        self.measure(HookWork::begins, || self.mark_pause(cut));
    }

    fn mark_pause(&self, cut: impl FnOnce()) {
        let (since, micros) = (Instant::now(), unix_micros());
        let cuts = self.watch.pause_begins();
        if cuts {
            cut();
        }
        *self.pause.lock() = cuts.then(|| BegunPause {
            micros,
            since,
            nanos: nanos_since(since),
        });
    }

    /// A pause ends. The world is stopped.
    pub(super) fn pause_ends(&self, buffers: &ThreadBuffers) {
        self.measure(HookWork::ends, || self.record_pause(buffers));
    }

    fn measure(&self, note: fn(&HookWork, UnderWay), work: impl FnOnce()) {
        let Some(hook) = &self.work else {
            return work();
        };
        let under_way = UnderWay::begin();
        work();
        note(hook, under_way);
    }

    fn record_pause(&self, buffers: &ThreadBuffers) {
        let own = Instant::now();
        let start = self.watch.pause_ends().unwrap_or_else(|fault| {
            self.fail(fault);
            None
        });
        let Some(pause) = self.pause.lock().take() else {
            return;
        };
        let micros = (pause.micros, unix_micros());
        let own_nanos = pause.nanos + nanos_since(own);
        buffers.begin_epoch(|number| {
            self.step_clock(start, number);
            CutPause {
                number,
                start,
                since: pause.since,
                micros,
                own_nanos,
            }
        });
    }

    /// Whether buffers were cut by a pause that goes on.
    pub(super) fn is_in_cut(&self) -> bool {
        self.pause.lock().is_some()
    }

    /// How long the drivers were held.
    pub(super) fn held(&self) -> &HeldDrivers {
        &self.held
    }

    /// The agent's work in pauses, if it is shown.
    pub(super) fn work(&self) -> Option<&HookWork> {
        self.work.as_ref()
    }

    /// Ends everything that is under way.
    pub(super) fn end(&self) {
        self.watch.end();
        self.give_up("the recording ended during a cycle");
    }

    /// Takes a cycle, and those of its kind that began before it and will not be known.
    fn take(&self, start: CycleStart) -> (Option<OpenCycle>, Vec<OpenCycle>) {
        let mut open = self.open.lock();
        let is_of_kind = |cycle: &mut OpenCycle| cycle.start.kind == start.kind;
        let (this, missed) = open
            .extract_if(.., is_of_kind)
            .partition::<Vec<_>, _>(|cycle| cycle.start.number == start.number);
        let (later, missed): (Vec<_>, Vec<_>) = missed
            .into_iter()
            .partition(|cycle| cycle.start.number.wrapping_sub(start.number) < 1 << 31);
        open.extend(later);
        (this.into_iter().next(), missed)
    }
}

impl PutCollection for ConcurrentCycles {
    /// Gives the collection of a pause its place in the log. It is filled in when its cycle is over.
    fn put(&self, buffers: &ThreadBuffers, pause: CutPause, cuts: Vec<ThreadCut>) {
        let CutPause { start, since, .. } = pause;
        let collection = Collection {
            number: pause.number,
            kind: start.map_or(CollectionKind::Cleanup, |start| kind(start.kind)),
            vm_total: start.map_or(0, |start| start.number),
            start_unix_micros: pause.micros.0,
            end_unix_micros: pause.micros.1,
            walk_nanos: pause.own_nanos,
            level: MovesLevel::Exact,
            cuts,
            fault: self.fault.get().map(|fault| (*fault).to_owned()),
            ..Collection::default()
        };
        match start.filter(|_| collection.fault.is_none()) {
            Some(start) => {
                let place = buffers.log().await_collection();
                self.open.lock().push(OpenCycle {
                    start,
                    collection,
                    place,
                    since,
                });
            }
            None => {
                // What comes after a collection that is missing is not known.
                let copy = buffers.keep_collection(&collection, &[], &Survivors::default());
                buffers.log().put_collection(collection, copy);
            }
        }
    }
}

impl OpenCycle {
    fn fill_with_fault(mut self, fault: &str) {
        self.collection.fault = Some(fault.to_owned());
        let nothing = Survivors::default();
        self.place
            .fill(Arc::default(), self.collection, nothing, (Vec::new(), None));
    }
}

impl CycleListener for Recorder {
    fn between_phases(&self) {
        self.buffers.settle_cuts();
        self.buffers.log().deliver();
    }

    fn completed(&self, start: CycleStart, outcome: Result<CycleReport, CycleFault>) {
        let (cycle, missed) = self.cycles.take(start);
        for cycle in missed {
            cycle.fill_with_fault("a cycle passed unseen");
        }
        let Some(cycle) = cycle else {
            return;
        };
        if outcome.is_err() {
            self.cycles.watch.want_inventory();
        }
        let number = cycle.collection.number;
        match outcome {
            Ok(_) if number >= self.cycles.fault_at.load(Ordering::Relaxed) => {
                self.cycles.fault_at.store(u32::MAX, Ordering::Relaxed);
                self.cycles.watch.want_inventory();
                cycle.fill_with_fault("a fault was asked for");
            }
            Ok(_) if self.cycles.starts_unknown.swap(false, Ordering::AcqRel) => {
                cycle.fill_with_fault(STARTS_UNKNOWN);
            }
            Ok(report) => self.record(cycle, report),
            Err(fault) => cycle.fill_with_fault(&fault.to_string()),
        }
    }
}

impl Recorder {
    fn record(&self, mut cycle: OpenCycle, report: CycleReport) {
        let over = report.over.unwrap_or_else(Instant::now);
        let took = over.saturating_duration_since(cycle.since);
        let held = Duration::from_nanos(report.held_nanos);
        let collection = &mut cycle.collection;
        collection.collector_nanos = report.collector_nanos;
        if report.is_void {
            collection.kind = CollectionKind::Cleanup;
        }
        let range = |range: ducktrack_hotspot::AddressRange| range.map(|at| at.0 as u64);
        collection.collected = report.collected.iter().map(|found| range(*found)).collect();
        let before = collection.collected.iter();
        collection.before = spaces(before.map(|range| (range.start, range.bytes())));
        let after = report.survivors.iter();
        collection.after = spaces(after.map(|found| (found.to.0 as u64, found.bytes())));
        let survivors = Survivors {
            objects: vec![report.survivors.into_iter().map(survivor).collect()],
            whole_heap: report.is_whole && !report.is_void,
        };
        let classes = self.new_classes();
        let uses = report.uses.as_ref();
        let uses = uses.map(|found| cycle_uses::encode(found, collection.number));
        let uses = uses.unwrap_or_default();
        let copy = self.buffers.keep_collection(collection, &uses, &survivors);
        let place = cycle.place;
        place.fill(classes, cycle.collection, survivors, (uses, copy));
        self.cycles.held.add(held, took);
    }

    /// Classes that were not in the trace yet.
    fn new_classes(&self) -> Arc<[HeapClass]> {
        let mut known = self.classes.lock();
        let table = self.cycles.watch.classes();
        let new = (*known..).map_while(|id| heap_class(&table, ClassId(id)));
        let new: Arc<[HeapClass]> = new.collect();
        drop(table);
        *known += new.len() as u32;
        self.core.heap_classes.add_found(&new, Vec::new());
        new
    }
}

fn kind(kind: CycleKind) -> CollectionKind {
    match kind {
        CycleKind::Whole => CollectionKind::Full,
        CycleKind::Young => CollectionKind::Young,
        CycleKind::Old => CollectionKind::Old,
    }
}

/// The generations as spaces, as long as what they hold: pages are too many.
fn spaces(parts: impl Iterator<Item = (u64, u64)>) -> Vec<Space> {
    const OLD: u64 = OLD_GENERATION as u64;
    let (mut young, mut old) = (0, 0);
    for (address, bytes) in parts {
        match address & OLD {
            0 => young += bytes,
            _ => old += bytes,
        }
    }
    let space = |kind, index, bottom, bytes| Space {
        kind,
        index,
        bottom,
        top: bottom + bytes,
    };
    vec![
        space(SpaceKind::Eden, 1, 0, young),
        space(SpaceKind::Old, 0, OLD, old),
    ]
}
