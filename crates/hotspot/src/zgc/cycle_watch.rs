//! Follows the cycles of each generation: through the pauses, on the VM thread, and through what the drivers leave between them.

mod generation_watch;
mod uses;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::classes::class_table::ClassTable;
use crate::error::Error;
use crate::heap::object_walk::ObjectSizes;
use crate::hooks::driver_threads::{self, DriverObserver};
use crate::hooks::pause_hook::PauseHook;
use crate::vm::jvm_flags::JvmFlags;
use crate::vm::vm_structs::VmStructs;
use crate::vm::zgc_tables::Form;
use crate::zgc::address_key::Generation;
use crate::zgc::capture::{Capture, CycleFault, Outcome, Relocated, moves_fault};
use crate::zgc::collector_threads::CollectorThreads;
use crate::zgc::cycle_report::{CycleKind, CycleListener, CycleReport, CycleStart};
use crate::zgc::forwarding_table::RelocationSet;
use crate::zgc::generations::{MARK, MARK_COMPLETE, RELOCATE};
use crate::zgc::inventory::InventoryKeeper;
use crate::zgc::layout::Layout;
use crate::zgc::old_uses::OldUses;
use crate::zgc::own_thread::OwnThread;
use crate::zgc::use_reader::Stamps;
use crate::zgc::young_beside_old::YoungBesideOld;

use generation_watch::{GenerationWatch, Reader};

const FAILED: &str = "reading ZGC's structures failed";

/// An old cycle waits this long at most until the young cycle that began before it is through. If
/// that is not enough, it must not have promoted anything to where the old cycle freed memory.
const PATIENCE: Duration = Duration::from_millis(300);
const LOOK_AGAIN: Duration = Duration::from_micros(200);

/// Watches ZGC.
pub struct ZgcWatch {
    shared: Arc<Shared>,
}

impl std::fmt::Debug for ZgcWatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ZgcWatch({:?})", self.shared.layout.form)
    }
}

struct Shared {
    layout: Layout,
    generations: Vec<GenerationWatch>,
    objects: Mutex<Objects>,
    most_objects: usize,
    /// Generational only.
    beside: YoungBesideOld,
    /// Generational only.
    inventory: InventoryKeeper,
    threads: CollectorThreads,
    listener: OnceLock<Box<dyn CycleListener>>,
    /// Reads what drivers have copied.
    reading: Arc<OwnThread<CopiedCycle>>,
    /// Drivers copy nothing any more.
    is_closing: AtomicBool,
    /// If uses are recorded.
    stamps: OnceLock<Stamps>,
    /// If uses are recorded, generational only.
    old_uses: OldUses,
}

/// A cycle as its driver has copied it.
struct CopiedCycle {
    generation: Generation,
    number: u32,
    copy: Result<Relocated, CycleFault>,
    held_nanos: u64,
    collector_nanos: u64,
    over: Instant,
}

struct Objects {
    classes: ClassTable,
    sizes: ObjectSizes,
}

impl ZgcWatch {
    /// Finds ZGC's structures. Call in or after `VMInit`, before the first cycle.
    pub fn new(vm: &VmStructs, flags: &JvmFlags, most_objects: usize) -> Result<Self, Error> {
        let layout = Layout::load(vm, flags)?;
        let places = Generation::ALL.into_iter().zip(&layout.generations);
        let generations =
            places.map(|(generation, place)| GenerationWatch::new(generation, *place));
        let generations = generations.collect();
        let objects = Objects {
            classes: ClassTable::new(vm)?,
            sizes: ObjectSizes::load(vm, flags, None)?,
        };
        PauseHook::install(vm.libjvm())?;
        Ok(Self {
            shared: Arc::new(Shared {
                layout,
                generations,
                objects: Mutex::new(objects),
                most_objects,
                beside: YoungBesideOld::default(),
                inventory: InventoryKeeper::default(),
                threads: CollectorThreads::default(),
                listener: OnceLock::new(),
                reading: OwnThread::new(),
                is_closing: AtomicBool::new(false),
                stamps: OnceLock::new(),
                old_uses: OldUses::default(),
            }),
        })
    }

    /// Tells cycles from now on.
    ///
    /// # Errors
    /// The drivers are not there.
    pub fn tell(&self, listener: Box<dyn CycleListener>) -> Result<(), Error> {
        // A watch is told once.
        let _ = self.shared.listener.set(listener);
        let shared = Arc::downgrade(&self.shared);
        let read = move |copied| {
            if let Some(shared) = shared.upgrade() {
                shared.read(copied);
            }
        };
        self.shared.reading.start("ducktrack-zgc", read)?;
        let names: &[&str] = match self.shared.layout.form {
            Form::Generational => &["ZDriverMinor", "ZDriverMajor"],
            Form::Single => &["ZDriver"],
        };
        let observer = || Arc::clone(&self.shared) as Arc<dyn DriverObserver>;
        let found = driver_threads::observe(names, observer())
            || self.shared.layout.form == Form::Single
                && driver_threads::observe(&["XDriver"], observer());
        self.shared.threads.find();
        match found {
            true => Ok(()),
            false => Err(Error::Ambiguous {
                what: "the driver thread of ZGC",
            }),
        }
    }

    /// Call in `GarbageCollectionStart`. Whether the buffers must be cut: a cycle may count from this pause on.
    #[must_use]
    pub fn pause_begins(&self) -> bool {
        let mut cuts = false;
        for generation in &self.shared.generations {
            let (phase, number) = generation.now();
            let before = u64::from(phase) << 32 | u64::from(number);
            generation.before.store(before, Ordering::Relaxed);
            cuts |= match generation.generation {
                Generation::Young => phase == RELOCATE,
                Generation::Old => phase == MARK,
            };
        }
        cuts
    }

    /// Call in `GarbageCollectionFinish`. The cycle that counts from this pause on.
    ///
    /// # Errors
    /// The pause did what none should do: nothing is known from here on.
    pub fn pause_ends(&self) -> Result<Option<CycleStart>, &'static str> {
        let mut start = None;
        for generation in &self.shared.generations {
            start = start.or(generation.pause_ends(self.shared.layout.form)?);
        }
        self.shared.note_generations(start);
        driver_threads::expect();
        match driver_threads::has_failed() {
            true => Err(FAILED),
            false => Ok(start),
        }
    }

    /// Every class that was met so far. Release it soon: drivers wait for it.
    #[must_use]
    pub fn classes(&self) -> ZgcClasses<'_> {
        ZgcClasses(self.shared.objects())
    }

    /// All objects of a heap with generations are wanted: once enough cycles are over, one has `is_whole`. Without generations, each has.
    pub fn want_inventory(&self) {
        self.shared.inventory.want();
    }

    /// Whether the heap has two generations.
    #[must_use]
    pub fn is_generational(&self) -> bool {
        self.shared.layout.form == Form::Generational
    }

    /// Sets the offset of the field `size` of `jdk.internal.vm.StackChunk`, as [`crate::CollectionWatch::set_stack_chunk_size_offset`].
    pub fn set_stack_chunk_size_offset(&self, offset: usize) {
        self.shared
            .objects()
            .sizes
            .set_stack_chunk_size_offset(offset);
    }

    /// Call now and then: a driver that reads no clock after its relocation must not hold up what comes later.
    ///
    /// # Errors
    /// Nothing is known from here on.
    pub fn tick(&self) -> Result<(), &'static str> {
        self.shared.threads.find();
        for generation in &self.shared.generations {
            let mut reader = generation.reader();
            self.shared.finish(generation, &mut reader);
        }
        match driver_threads::has_failed() {
            true => Err(FAILED),
            false => Ok(()),
        }
    }

    /// Stops watching. A cycle under way counts as far as it came.
    pub fn end(&self) {
        let shared = &self.shared;
        shared.is_closing.store(true, Ordering::Release);
        for generation in &shared.generations {
            let mut reader = generation.reader();
            shared.finish(generation, &mut reader);
            reader.capture = None;
        }
        // Before drivers go on unseen.
        shared.reading.wait();
        driver_threads::rest();
        for generation in &shared.generations {
            shared.void(generation);
        }
        shared.reading.end();
    }
}

/// The classes of a [`ZgcWatch`].
pub struct ZgcClasses<'a>(MutexGuard<'a, Objects>);

impl std::ops::Deref for ZgcClasses<'_> {
    type Target = ClassTable;

    fn deref(&self) -> &ClassTable {
        &self.0.classes
    }
}

impl std::fmt::Debug for ZgcClasses<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} classes", self.0.classes.len())
    }
}

impl Shared {
    fn objects(&self) -> MutexGuard<'_, Objects> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The generations whose phases this driver runs now.
    fn owned(&self, driver: usize) -> Option<&GenerationWatch> {
        let Some(place) = self.layout.active_type else {
            return self.generations.first();
        };
        // SAFETY: a word of the VM's heap, which lives as long as the VM.
        let active: u32 = unsafe { place.read() };
        match (driver, active) {
            (0, 0) | (1, 1..=3) => self.generations.first(),
            (1, _) => self.generations.last(),
            _ => None,
        }
    }

    fn look_at(&self, watch: &GenerationWatch) {
        let (phase, number) = watch.now();
        if phase == MARK || watch.told.load(Ordering::Acquire) == number {
            return;
        }
        // The agent's own thread may hold it for a moment. This look must not be left out: the next may come too late.
        let mut reader = watch.reader();
        let started = watch.started.load(Ordering::Acquire);
        if started != number || self.is_closing.load(Ordering::Acquire) {
            return;
        }
        reader.held_since = Some(Instant::now());
        match (phase, reader.captured == number) {
            (MARK_COMPLETE, false) => self.capture(watch, &mut reader, number),
            (RELOCATE, true) => self.relocated(watch, &mut reader),
            (RELOCATE, false) => {
                let what = "the end of marking passed unseen";
                self.tell(watch, number, Err(CycleFault::Missed { what }));
            }
            _ => {}
        }
        reader.held_nanos = reader.held();
        reader.held_since = None;
    }

    fn capture(&self, watch: &GenerationWatch, reader: &mut Reader, number: u32) {
        self.give_up(watch, reader);
        reader.captured = number;
        (reader.held_nanos, reader.held_since) = (0, Some(Instant::now()));
        // From here on the VM may free what is still to be read.
        self.reading.wait_for_need();
        match Capture::read(&self.layout, watch.generation, number, self.most_objects) {
            Ok(mut capture) => {
                capture.beside = self.inventory.beside(watch.generation, number);
                if let Err(fault) = self.begin_uses(watch, &mut capture) {
                    self.tell(watch, number, Err(fault));
                    return;
                }
                reader.capture = Some(capture);
                self.wait_for_young(watch);
            }
            Err(fault) => self.tell(watch, number, Err(fault)),
        }
    }

    /// On the thread of ours: reads a cycle that its driver has copied, and tells it.
    fn read(&self, copied: CopiedCycle) {
        let CopiedCycle {
            generation, number, ..
        } = copied;
        let mut all = self.generations.iter();
        let Some(watch) = all.find(|watch| watch.generation == generation) else {
            return;
        };
        let copy = copied.copy.as_ref().ok();
        let (beside, step) = (
            copy.and_then(Relocated::beside),
            copy.and_then(Relocated::step),
        );
        let outcome = copied.copy.and_then(|copy| {
            let objects = &mut *self.objects();
            // Old cycles, and those of the whole heap, unload classes.
            objects.classes.may_be_unloaded();
            let classes = (&mut objects.classes, &objects.sizes);
            copy.outcome(&self.layout, classes, self.stamps.get())
        });
        let report = outcome.and_then(|mut outcome| {
            if generation == Generation::Young {
                self.beside.note_promotions(number, &outcome);
                watch.read.store(number, Ordering::Release);
                // Stamps are left, which no driver frees unseen.
                self.reading.let_go();
                self.add_old_uses(beside.zip(step), &mut outcome);
            } else if !self.beside.is_ordered(&outcome) {
                let what = "a young cycle took too long beside an old one";
                return Err(CycleFault::Missed { what });
            }
            let kind = watch.kind(self.layout.form);
            let report = self.reported(kind, (number, beside), outcome, copied.held_nanos);
            Ok(CycleReport {
                collector_nanos: copied.collector_nanos,
                over: Some(copied.over),
                ..report
            })
        });
        self.tell(watch, number, report);
    }

    /// In a pause: the state of the old generation when a young cycle begins.
    fn note_generations(&self, start: Option<CycleStart>) {
        let (Some(start), Some(old)) = (start, self.generations.get(1)) else {
            return;
        };
        if start.kind == CycleKind::Young {
            let (phase, number) = old.now();
            let begins = old.begins.swap(false, Ordering::Relaxed);
            let state = (phase == MARK, begins);
            self.inventory.young_begins(start.number, number, state);
        }
    }

    /// A cycle is over: its report, of the whole heap if that is wanted and known.
    fn reported(
        &self,
        kind: CycleKind,
        (number, beside): (u32, Option<u32>),
        mut outcome: Outcome,
        held: u64,
    ) -> CycleReport {
        let whole = match kind {
            CycleKind::Whole => return CycleReport::of(outcome, held, true),
            CycleKind::Young => self.inventory.young_is_over(number, beside, &outcome),
            CycleKind::Old => {
                self.inventory.old_is_over(number, beside, &outcome);
                None
            }
        };
        let (is_whole, uses) = (whole.is_some(), outcome.uses.take());
        let report = CycleReport::of(whole.unwrap_or(outcome), held, is_whole);
        CycleReport { uses, ..report }
    }

    /// Waits until the young cycle that began before this old one's Mark End is
    /// through: it promotes objects, and the old cycle is about to free memory.
    fn wait_for_young(&self, watch: &GenerationWatch) {
        let Some(young) = self.generations.first() else {
            return;
        };
        if watch.generation == Generation::Young {
            return;
        }
        self.beside.forget();
        let since = Instant::now();
        let started = young.started.load(Ordering::Acquire);
        let is_through = || young.read.load(Ordering::Acquire).wrapping_sub(started) < 1 << 31;
        while !is_through() {
            if since.elapsed() > PATIENCE {
                self.beside.goes_on(started);
                return;
            }
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// The cycle before was not seen to end, and the next is about to reset its tables: they are complete by now.
    fn give_up(&self, watch: &GenerationWatch, reader: &mut Reader) {
        if reader.capture.is_some() {
            reader.set = None;
            self.relocated(watch, reader);
        }
        if let Some(capture) = reader.capture.take() {
            let what = "the end of relocation passed unseen";
            self.tell(watch, capture.seqnum, Err(CycleFault::Missed { what }));
        }
    }

    /// Reads the tables, if they are complete.
    fn relocated(&self, watch: &GenerationWatch, reader: &mut Reader) {
        if reader.capture.is_none() {
            return;
        }
        let set = match reader.set.take() {
            Some(set) => Ok(set),
            None => RelocationSet::read(&mut reader.place, &self.layout),
        };
        if let Err(fault) = self.copy_stamps(reader, &set) {
            let number = reader.captured;
            reader.capture = None;
            self.tell(watch, number, Err(fault));
            return;
        }
        let tables = match set {
            Ok(set) if !set.is_released(&self.layout) => {
                reader.set = Some(set);
                return;
            }
            Ok(set) => set.copies(&self.layout),
            Err(fault) => Err(fault),
        };
        let Some(capture) = reader.capture.take() else {
            return;
        };
        let number = capture.seqnum;
        let copy = tables.map(|tables| capture.relocated(tables));
        self.reading.give(CopiedCycle {
            generation: watch.generation,
            number,
            copy: copy.map_err(|fault| moves_fault(&fault)),
            held_nanos: reader.held(),
            // 0 would be a pause.
            collector_nanos: self.threads.used(watch.kind(self.layout.form)).max(1),
            over: Instant::now(),
        });
    }

    /// Copies a cycle whose relocation is over, away from its driver.
    fn finish(&self, watch: &GenerationWatch, reader: &mut Reader) {
        let (phase, number) = watch.now();
        if reader.capture.is_some() && phase == RELOCATE && reader.captured == number {
            self.relocated(watch, reader);
        }
    }

    /// A cycle that is not over when the recording ends decides nothing.
    fn void(&self, watch: &GenerationWatch) {
        let started = watch.started.load(Ordering::Acquire);
        if watch.told.load(Ordering::Acquire) != started {
            let nothing = CycleReport {
                is_void: true,
                ..CycleReport::default()
            };
            self.tell(watch, started, Ok(nothing));
        }
    }

    fn tell(&self, watch: &GenerationWatch, number: u32, outcome: Result<CycleReport, CycleFault>) {
        let kind = watch.kind(self.layout.form);
        if outcome.is_err() {
            self.inventory.is_lost();
        }
        if let Some(listener) = self.listener.get() {
            listener.completed(CycleStart { kind, number }, outcome);
        }
        watch.read.store(number, Ordering::Release);
        watch.told.store(number, Ordering::Release);
    }
}

impl DriverObserver for Shared {
    fn look(&self, driver: usize) {
        if let Some(listener) = self.listener.get() {
            listener.between_phases();
        }
        if let Some(watch) = self.owned(driver) {
            self.look_at(watch);
        }
    }
}
