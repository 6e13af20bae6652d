//! One pause: from `GarbageCollectionStart` to `GarbageCollectionFinish`, with one collection or several in it.

mod air;
pub(crate) mod allocation_frontier;
pub(crate) mod collection_watch;
mod counts;
mod failed_evacuation;
mod full_collections;
mod phase;
mod unwritten_pages;
mod write_watch;

use std::sync::Arc;
use std::time::Instant;

use crate::classes::class_table::ClassTable;
use crate::collection::collected_spaces::{CollectedSpaces, generations, regions};
use crate::collection::dead_objects::{DeadObjects, DeadRecorder};
use crate::collection::evacuation::evacuation_failure::FailureReading;
use crate::collection::evacuation::evacuation_walk::{Evacuated, EvacuationWalk};
use crate::collection::evacuation::forwarding_scan::scan_together;
use crate::collection::evacuation::new_places::NewPlaces;
use crate::collection::evacuation::piecewise_walk::walk_together;
use crate::collection::evacuation::young_coverage;
use crate::collection::first_inventory::FirstInventory;
use crate::collection::full_collection::FullCollectionReading;
use crate::collection::report::{CollectionKind, CollectionReport, MovesFault};
use crate::collection::survivor::Survivor;
use crate::error::Error;
use crate::heap::address_range::AddressRange;
use crate::heap::heap_spaces::HeapSpaces;
use crate::heap::object_walk::ObjectSizes;
use crate::heap::space::{Space, SpaceKind};
use crate::process::elapsed::nanos_since;
use crate::process::walk_pool::WalkPool;
use crate::vm::collection_cause::CollectionCause;
use crate::vm::collector::Collector;
use crate::vm::jvm_flags::JvmFlags;
use crate::vm::vm_structs::VmStructs;
use air::{Air, used};
use allocation_frontier::AllocationFrontier;
use counts::Counts;
use phase::PausePhase;
pub(crate) use phase::UnannouncedStep;
use unwritten_pages::{UnwrittenPages, WrittenMemory};

/// The state of the current pause, and what is kept from one pause to the next.
#[derive(Debug)]
pub(crate) struct Pause {
    collector: Collector,
    pub(crate) spaces: HeapSpaces,
    pub(crate) classes: ClassTable,
    pub(crate) sizes: ObjectSizes,
    cause: CollectionCause,
    full: FullCollectionReading,
    failure: FailureReading,
    /// The spaces at the start of the current collection.
    pub(crate) before: Vec<Space>,
    /// The spaces at the latest look inside the pause.
    pub(crate) latest: Vec<Space>,
    /// The VM's counts at the start of the current collection.
    counts_before: Counts,
    /// Classes may have been unloaded since the table was refreshed: in a full collection or at Remark.
    classes_may_be_gone: bool,
    pool: WalkPool,
    unwritten: UnwrittenPages,
    /// The recorder of dead objects.
    dead: Option<DeadObjects>,
    first: FirstInventory,
    /// The VM announces its collections from now on. A collection before that is no missed one.
    is_announced: bool,
    /// The VM's counts at the end of the last pause, or the first that were read after announcements began.
    last: Option<Counts>,
    phase: PausePhase,
    air: Air,
    /// Bytes used when the pause began.
    used_before: u64,
    /// What went wrong in `start`.
    fault: Option<MovesFault>,
    /// Moves are unknown after a fault, until a full collection is read.
    off: bool,
    /// For tests of behaviour after a fault: pauses until one is reported as unreadable.
    pub(crate) fault_in: Option<u32>,
    /// Reports of the finished collections of this pause.
    reports: Vec<CollectionReport>,
    walk_nanos: u64,
}

/// A collection whose moves are known.
#[derive(Debug)]
struct KnownCollection {
    kind: CollectionKind,
    found: Evacuated,
    collected: Vec<AddressRange>,
    /// The records of the recorder.
    dead_records: Option<Vec<Vec<u8>>>,
}

impl Pause {
    pub(crate) fn new(
        vm: &VmStructs,
        flags: &JvmFlags,
        collector: Collector,
    ) -> Result<Self, Error> {
        let spaces = HeapSpaces::load(vm, collector)?;
        let sizes = ObjectSizes::load(vm, flags, None)?;
        let full = FullCollectionReading::load(vm, collector, &spaces, &sizes)?;
        Ok(Self {
            collector,
            spaces,
            classes: ClassTable::new(vm)?,
            sizes,
            full,
            failure: FailureReading::default(),
            cause: CollectionCause::load(vm),
            before: Vec::new(),
            latest: Vec::new(),
            counts_before: Counts::default(),
            classes_may_be_gone: true,
            pool: WalkPool::new(),
            unwritten: match collector {
                Collector::G1 => UnwrittenPages::of_regions(),
                _ => UnwrittenPages::default(),
            },
            dead: None,
            first: FirstInventory::default(),
            is_announced: false,
            last: None,
            phase: PausePhase::default(),
            air: Air::default(),
            used_before: 0,
            fault: None,
            off: false,
            fault_in: None,
            reports: Vec::new(),
            walk_nanos: 0,
        })
    }

    /// The VM announces its collections from now on.
    pub(crate) fn announced(&mut self) {
        self.is_announced = true;
    }

    pub(crate) fn leave_writes_unwatched(&mut self) {
        self.unwritten = UnwrittenPages::default();
    }

    /// Where allocating threads can report their progress; `None` if not needed.
    pub(crate) fn frontier(&self) -> Option<Arc<AllocationFrontier>> {
        self.unwritten.frontier()
    }

    /// Records dead objects from now on. Call before the first class is read.
    pub(crate) fn record_dead(
        &mut self,
        vm: &VmStructs,
        flags: &JvmFlags,
        recorder: Box<dyn DeadRecorder>,
    ) -> Result<(), Error> {
        self.classes.read_references(vm)?;
        self.dead = Some(DeadObjects::new(vm, flags, recorder)?);
        Ok(())
    }

    /// Reads the classes before the first pause: none has been unloaded, and new ones are put at the front of their chain.
    pub(crate) fn read_first_classes(&mut self) {
        if self.classes.len() == 0 && !self.phase.is_inside() && self.classes.refresh().is_ok() {
            self.classes_may_be_gone = false;
        }
    }

    /// Starts a pause: reads the spaces, the counts and the classes.
    pub(crate) fn start(&mut self) {
        let started = Instant::now();
        self.reports.clear();
        self.latest.clear();
        self.failure.forget();
        self.phase.start();
        self.air.pause_begins(started);
        self.fault = self.note_start().err();
        self.walk_nanos = nanos_since(started);
    }

    fn note_start(&mut self) -> Result<(), MovesFault> {
        self.spaces.list(&mut self.before)?;
        self.used_before = used(&self.before);
        self.counts_before = self.counts()?;
        if self.air.is_gone() {
            return Err(MovesFault::NoAir);
        }
        self.fail_on_demand()?;
        if let Some(last) = self.last
            && last.all != self.counts_before.all
        {
            if self.phase == PausePhase::Unannounced {
                // The VM has counted it already, and done nothing else yet.
                self.counts_before = last;
            } else if !self.off {
                return Err(MovesFault::Missed {
                    missed: self.counts_before.all.wrapping_sub(last.all),
                });
            }
        }
        if !self.off {
            if self.classes_may_be_gone {
                self.classes.refresh()?;
            } else {
                self.classes.refresh_fronts()?;
            }
            self.classes_may_be_gone = false;
            // SAFETY: the world has stopped, and the collection has not begun.
            unsafe { self.first.take(&self.before, &self.classes, &self.sizes) };
            self.unwritten.begin(&self.before, &self.pool);
        }
        Ok(())
    }

    fn fail_on_demand(&mut self) -> Result<(), MovesFault> {
        match self.fault_in.as_mut() {
            None => Ok(()),
            Some(pauses) if *pauses > 1 => {
                *pauses -= 1;
                Ok(())
            }
            Some(_) => {
                self.fault_in = None;
                Err(MovesFault::OnDemand)
            }
        }
    }

    /// Called whenever the VM thread reads the clock. Returns the start and the end of a pause that the VM does not announce.
    pub(crate) fn look(&mut self) -> Option<UnannouncedStep> {
        if self.phase.is_inside() {
            self.look_inside();
            let is_over = self.phase == PausePhase::Unannounced && !self.spaces.is_collecting();
            return is_over.then_some(UnannouncedStep::Ended);
        }
        if !self.is_announced {
            return None;
        }
        let now = self.counts().ok()?;
        let last = *self.last.get_or_insert(now);
        let is_pausing = last.all != now.all && self.spaces.is_collecting();
        self.phase.look_between(is_pausing)
    }

    /// Reads the spaces inside the pause.
    fn look_inside(&mut self) {
        // While moves are off, only a full collection is read: it makes them known again.
        if self.fault.is_some() || self.look_at_full() || self.off {
            return;
        }
        // G1 has many regions, and only the report of a failed evacuation needs them.
        let is_listed = self.collector != Collector::G1 || self.failure.has_failed();
        if is_listed && let Err(error) = self.spaces.list(&mut self.latest) {
            self.fault = Some(error.into());
        } else if self.young_is_over() {
            self.report_young();
        } else if let Err(error) = self.look_at_evacuation() {
            self.fault = Some(error.into());
        }
    }

    /// Whether a young collection has emptied eden while the pause continues. Serial and Parallel collect the young spaces before a full
    /// collection in the same pause.
    fn young_is_over(&self) -> bool {
        let is_filled = |spaces: &[Space]| {
            spaces
                .iter()
                .any(|space| space.kind == SpaceKind::Eden && space.bottom < space.top)
        };
        self.collector != Collector::G1
            && is_filled(&self.before)
            && !is_filled(&self.latest)
            && self
                .counts()
                .is_ok_and(|counts| counts.all != self.counts_before.all)
    }

    /// Reports the finished young collection.
    fn report_young(&mut self) {
        let started = Instant::now();
        let after = self.latest.clone();
        // Serial up to JDK 21 counts both as one full collection from the start.
        let counts = Counts {
            full: self.counts_before.full,
            ..self.counts().unwrap_or(self.counts_before)
        };
        let outcome = self.last_collection(&after, counts);
        self.off |= outcome.is_err();
        let report = self.report(outcome, after.clone(), counts, started);
        self.reports.push(report);
        self.walk_nanos = 0;
        self.before = after;
        self.counts_before = counts;
    }

    /// Reports every collection of the pause.
    pub(crate) fn finish(&mut self, reports: &mut Vec<CollectionReport>) {
        let first = reports.len();
        self.finish_all(reports);
        self.note_air(reports.get(first..).unwrap_or_default());
        let after = reports.last().map(|report| report.after.as_slice());
        self.unwritten.end(after.unwrap_or_default());
        if let Some(report) = reports.get_mut(first) {
            self.first.give_to(report);
        }
        self.classes_may_be_gone |= reports.iter().skip(first).any(|report| {
            let unloads = !matches!(report.kind, CollectionKind::Young | CollectionKind::Mixed);
            unloads || report.fault.is_some()
        });
    }

    fn finish_all(&mut self, reports: &mut Vec<CollectionReport>) {
        self.phase.finish();
        // SAFETY: the world is still stopped, on the same thread.
        let completed = unsafe { self.full.finish(&self.classes, &self.sizes) };
        self.report_full(completed);
        if self.is_all_reported() {
            self.last = Some(self.counts_before);
            reports.append(&mut self.reports);
            return;
        }
        let started = Instant::now();
        let mut after = Vec::new();
        let noted = self.spaces.list(&mut after);
        let counts = self.counts().unwrap_or(self.counts_before);
        self.last = Some(counts);
        let outcome = match (self.fault.take(), noted) {
            _ if self.off => Err(MovesFault::Off),
            (Some(fault), _) => Err(fault),
            (None, Err(error)) => Err(error.into()),
            (None, Ok(())) => self.last_collection(&after, counts),
        };
        self.off |= outcome.is_err();
        let report = self.report(outcome, after, counts, started);
        self.reports.push(report);
        reports.append(&mut self.reports);
    }

    /// Whether every collection of the pause has been reported.
    fn is_all_reported(&self) -> bool {
        !self.reports.is_empty() && self.counts() == Ok(self.counts_before)
    }

    /// Reads the collection that ended with this pause.
    fn last_collection(
        &mut self,
        after: &[Space],
        counts: Counts,
    ) -> Result<KnownCollection, MovesFault> {
        if counts.full != self.counts_before.full {
            return Err(MovesFault::PhaseMissed { phase: "all of it" });
        }
        let collected = self.collected(after, counts)?;
        if let Some(reading) = self.failure.take_failed() {
            return self.failed_evacuation(reading, &collected, after);
        }
        if !collected.kept.is_empty() {
            return Err(failed_evacuation::END_MISSED);
        }
        let kind = if collected.is_mixed() {
            CollectionKind::Mixed
        } else if collected.evacuation {
            CollectionKind::Young
        } else {
            CollectionKind::Cleanup
        };
        let found = self.read_evacuated(&collected, after)?;
        let dead_records = self.record_evacuated(&collected, after);
        Ok(KnownCollection {
            kind,
            found,
            collected: ranges(collected.evacuated.iter().chain(&collected.humongous)),
            dead_records,
        })
    }

    /// Passes the dead objects of evacuated spaces to the recorder. `None` if there is no recorder, or if some of them cannot be read.
    fn record_evacuated(
        &mut self,
        collected: &CollectedSpaces,
        after: &[Space],
    ) -> Option<Vec<Vec<u8>>> {
        let mut dead = self.dead.take()?;
        let room = ranges(after.iter().chain(&collected.evacuated));
        let (classes, sizes) = (&self.classes, &self.sizes);
        let mut walk = EvacuationWalk::new(classes, sizes, &room);
        let evacuated = collected.evacuated.iter().all(|space| {
            // SAFETY: the world is stopped; the old copies are still in the space, and all new ones lie below the tops.
            let passed = unsafe {
                walk.dead_of(space, |object, class| {
                    dead.object(object, class, classes, sizes);
                })
            };
            passed.is_ok()
        });
        let humongous = collected.humongous.iter().all(|space| {
            // SAFETY: the object starts at the bottom of a region that is still committed.
            let object = unsafe { walk.old_copy(space.bottom, space.top) };
            if let Ok(object) = &object {
                // SAFETY: it was just read as an object of this class.
                unsafe { dead.object(space.bottom, object.class.id, classes, sizes) };
            }
            object.is_ok()
        });
        let records = dead.recorder().take();
        self.dead = Some(dead);
        let is_known = evacuated && humongous && classes.references_fault().is_none();
        is_known.then_some(records)
    }

    fn collected(&self, after: &[Space], counts: Counts) -> Result<CollectedSpaces, MovesFault> {
        let counted = counts.all != self.counts_before.all;
        match self.collector {
            Collector::G1 => regions(&self.before, after, counted),
            _ if counted => Ok(generations(&self.before, after)),
            _ => Ok(CollectedSpaces::default()),
        }
    }

    /// Reads the old copies and the objects at the new places.
    fn read_evacuated(
        &mut self,
        collected: &CollectedSpaces,
        after: &[Space],
    ) -> Result<Evacuated, MovesFault> {
        let all = &collected.evacuated;
        let written = self.unwritten.written();
        let in_written = written.and_then(|written| {
            let read = written.spaces(all);
            let mut found = self.read_spaces(&read, Some(&written), after).ok()?;
            found.unread = (all.len() - read.len()) as u64;
            Some(found)
        });
        let mut found = match in_written {
            Some(found) => found,
            None => self.read_spaces(all, None, after)?,
        };
        self.unwritten.learn(all, &found);
        found.add_dead(collected.humongous.len());
        Ok(found)
    }

    /// Finds the survivors of these spaces, and checks them against the objects at the new places.
    fn read_spaces(
        &self,
        evacuated: &[Space],
        written: Option<&WrittenMemory>,
        after: &[Space],
    ) -> Result<Evacuated, MovesFault> {
        let mut places = NewPlaces::of(&self.before, after);
        if let Some(found) = self.scan_old_copies(evacuated, written, after, &places) {
            return Ok(found);
        }
        let found = self.walk_old_copies(evacuated, after)?;
        places.forget_claims();
        self.check_coverage(&found.survivors, &places)?;
        Ok(found)
    }

    /// Finds the survivors by scanning for old copies. Returns `None` if a doubt remains.
    fn scan_old_copies(
        &self,
        evacuated: &[Space],
        written: Option<&WrittenMemory>,
        after: &[Space],
        places: &NewPlaces,
    ) -> Option<Evacuated> {
        let (pool, classes) = (&self.pool, &self.classes);
        let room = ranges(after.iter().chain(evacuated));
        let new_walk = || EvacuationWalk::new(classes, &self.sizes, &room);
        let written = written.map(|written| written.or_not_watched(evacuated));
        // SAFETY: the world is stopped, and this is the thread that runs the collection; memory below the tops is committed.
        unsafe {
            let scanned = scan_together(pool, evacuated, written.as_deref(), places, new_walk)?;
            let met = young_coverage::meet(places, classes, pool, new_walk).ok()?;
            scanned.settle(places, met, pool, &mut new_walk())
        }
    }

    fn walk_old_copies(
        &self,
        evacuated: &[Space],
        after: &[Space],
    ) -> Result<Evacuated, MovesFault> {
        // A wrongly guessed start may yield a wrong new address, which must lie in readable memory as well.
        let room = ranges(after.iter().chain(evacuated));
        // SAFETY: the world is stopped and the spaces are committed; addresses from guesses are checked against `room`.
        unsafe {
            walk_together(&self.pool, evacuated, || {
                EvacuationWalk::new(&self.classes, &self.sizes, &room)
            })
        }
    }

    /// Checks that the new places hold exactly the objects that moved there.
    fn check_coverage(&self, survivors: &[Survivor], places: &NewPlaces) -> Result<(), MovesFault> {
        let room = [self.spaces.reserved_range()];
        let new_walk = || EvacuationWalk::new(&self.classes, &self.sizes, &room);
        // SAFETY: the world is stopped; memory below the tops is committed.
        unsafe { young_coverage::check(survivors, places, &self.classes, &self.pool, new_walk) }
    }

    fn report(
        &mut self,
        outcome: Result<KnownCollection, MovesFault>,
        after: Vec<Space>,
        counts: Counts,
        started: Instant,
    ) -> CollectionReport {
        let (fault, known) = match outcome {
            Ok(known) => (None, known),
            Err(fault) => {
                let unknown = KnownCollection {
                    kind: self.kind_by_counts(counts),
                    found: Evacuated::default(),
                    collected: Vec::new(),
                    dead_records: None,
                };
                (Some(fault), unknown)
            }
        };
        let KnownCollection {
            kind,
            found,
            collected,
            dead_records,
        } = known;
        let cause = match kind {
            CollectionKind::Cleanup => String::new(),
            _ => self.cause.text(),
        };
        let report = CollectionReport {
            number: counts.all,
            kind,
            cause,
            before: std::mem::take(&mut self.before),
            after,
            collected,
            dead: found.dead,
            walked: found.walked,
            unread: found.unread,
            doubted: found.doubted,
            dead_records,
            survivors: found.into_survivors(),
            walk_nanos: self.walk_nanos + nanos_since(started),
            fault,
            anew: false,
        };
        self.tell_survivors(&report);
        report
    }

    /// Passes the survivors to the recorder, which tracks objects.
    fn tell_survivors(&mut self, report: &CollectionReport) {
        if let Some(dead) = &mut self.dead {
            dead.recorder().survived(&report.survivors);
        }
    }

    fn kind_by_counts(&self, counts: Counts) -> CollectionKind {
        if counts.full != self.counts_before.full {
            CollectionKind::Full
        } else if counts.all != self.counts_before.all {
            CollectionKind::Young
        } else {
            CollectionKind::Cleanup
        }
    }

    fn counts(&self) -> Result<Counts, Error> {
        Counts::read(&self.spaces)
    }
}

/// The memory of all collected spaces, ascending.
fn ranges<'a>(spaces: impl Iterator<Item = &'a Space>) -> Vec<AddressRange> {
    let mut ranges: Vec<AddressRange> = spaces.map(AddressRange::from).collect();
    ranges.sort_unstable();
    ranges
}
