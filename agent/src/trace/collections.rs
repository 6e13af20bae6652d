//! Records collections, from the VM's events and from the heap.
//!
//! ```text
//! GarbageCollectionStart    cut the buffers; read the heap
//! GarbageCollectionFinish   pass the fate of every object to the log
//! ```
//!
//! Both run on a VM thread while the world is stopped. They must not call the VM, and their time is part of the pause.

pub(crate) mod before_collection;
mod concurrent_cycles;
mod cycle_uses;
mod held_drivers;
mod hook_work;
pub(crate) mod kept_collections;
pub(crate) mod pause_work;

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Instant;

use ducktrack_hotspot::{
    Address, AllocationFrontier, ClassId, ClassTable, ClassesAhead, CollectionReport,
    CollectionWatch, Collector, DeadRecorder, JvmFlags, Shadow, ShadowedHeap, SizeRule,
    UnannouncedCollections, VmStructs,
};
use ducktrack_trace_format::{
    Collection, CollectionKind, HeapClass, HeapClassId, HeapClassSize, MovesLevel, Survivor,
    ThreadCut,
};
use ducktrack_trace_writer::Survivors;
use parking_lot::Mutex;

use super::layer::Layer;
use crate::core::Core;
use crate::core::vm_facts::heap_class_size;
use crate::options::{Moves, Options};
use crate::process::clock::{nanos_since, unix_micros};
use crate::trace::buffers::ThreadBuffers;
use before_collection::BeforeCollection;
use concurrent_cycles::ConcurrentCycles;

/// State kept between the VM's events.
#[derive(Default)]
pub(crate) struct Collections {
    state: Mutex<State>,
    /// If the collector does most of its work while the program runs.
    concurrent: OnceLock<Arc<ConcurrentCycles>>,
}

#[derive(Default)]
struct State {
    watch: Option<CollectionWatch>,
    started: Option<Started>,
    /// Rows of the class table that are in the trace.
    classes: u32,
    /// Whether a note about unknown fields was written.
    fault_noted: bool,
    reports: Vec<CollectionReport>,
}

struct Started {
    micros: u64,
    cuts: Vec<ThreadCut>,
    /// Nanoseconds of the agent's own work.
    nanos: u64,
}

impl Collections {
    /// Prepares for the VM's collector.
    ///
    /// # Errors
    /// Why moves are unknown; collections are then recorded without them.
    pub(crate) fn prepare(
        &self,
        vm: &VmStructs,
        flags: &JvmFlags,
        options: &Options,
        (stack_chunk_size, attached): (Option<usize>, bool),
        unannounced: Box<dyn UnannouncedCollections>,
    ) -> Result<(), String> {
        if options.moves == Moves::Off {
            return Ok(());
        }
        let collector = Collector::of(flags).ok_or("the collector is unknown")?;
        if collector == Collector::Z {
            let of_vm = (stack_chunk_size, attached);
            let cycles = ConcurrentCycles::find(vm, flags, options, of_vm)?;
            // A run begins once.
            let _ = self.concurrent.set(cycles);
            return Ok(());
        }
        let mut watch =
            CollectionWatch::new(vm, flags, collector).map_err(|error| error.to_string())?;
        if let Some(offset) = stack_chunk_size {
            watch.set_stack_chunk_size_offset(offset);
        }
        if !options.watch_writes {
            watch.leave_writes_unwatched();
        }
        if let Some(collection) = options.fault_at {
            watch.fail_at(collection);
        }
        watch.tell_unannounced(unannounced);
        let mut state = self.state.lock();
        state.watch = Some(watch);
        Ok(())
    }

    /// Records dead objects from now on.
    ///
    /// # Errors
    /// Why they cannot be recorded.
    pub(crate) fn record_dead(
        &self,
        vm: &VmStructs,
        flags: &JvmFlags,
        recorder: Box<dyn DeadRecorder>,
    ) -> Result<(), String> {
        let mut state = self.state.lock();
        let watch = state.watch.as_mut().ok_or("moves of objects are unknown")?;
        watch
            .record_dead(vm, flags, recorder)
            .map_err(|error| error.to_string())
    }

    /// Follows cycles that go on while the program runs, if the collector has such.
    ///
    /// # Errors
    /// Why they cannot be followed.
    pub(crate) fn follow_cycles(
        &self,
        core: &'static Core,
        buffers: &'static ThreadBuffers,
    ) -> Result<(), String> {
        let cycles = self.concurrent.get();
        cycles.map_or(Ok(()), |cycles| cycles.follow(core, buffers))
    }

    /// Moves are recorded as unknown from the next pause on, until a full collection lists the
    /// whole heap. Where cycles go on while the program runs, the heap is unknown already.
    pub(crate) fn list_anew(&self) {
        if let Some(cycles) = self.concurrent.get() {
            cycles.want_inventory();
        }
        if let Some(watch) = &mut self.state.lock().watch {
            watch.fail_at(1);
        }
    }

    /// Called now and then: no cycle that is over must stay open.
    pub(crate) fn tick(&self) {
        if let Some(cycles) = self.concurrent.get() {
            cycles.tick();
        }
    }

    /// Ends the cycles that are under way, before the log ends.
    pub(crate) fn end_cycles(&self, core: &Core) {
        if let Some(cycles) = self.concurrent.get() {
            cycles.end();
            core.log.info(&cycles.held().to_string());
            if let Some(work) = cycles.work() {
                core.log.info(&work.to_string());
            }
        }
    }

    /// The VM announces its collections from now on.
    pub(crate) fn announced(&self) {
        if let Some(watch) = &self.state.lock().watch {
            watch.announced();
        }
    }

    /// Stops looking at collections, and frees the threads and memory for that.
    pub(crate) fn release(&self) {
        let watch = self.state.lock().watch.take();
        // Waits for its threads without holding the lock.
        drop(watch);
    }

    pub(crate) fn are_watched(&self) -> bool {
        self.concurrent.get().is_some() || self.state.lock().watch.is_some()
    }

    /// The heap as its shadow must be.
    ///
    /// # Errors
    /// Why uses cannot be recorded.
    pub(crate) fn shadowed_heap(&self) -> Result<ShadowedHeap, &'static str> {
        const UNKNOWN: &str = "moves of objects are unknown, so uses cannot be assigned to objects";
        match self.concurrent.get() {
            Some(cycles) => cycles.views().map(ShadowedHeap::Views),
            None => self.reserved_heap().map(ShadowedHeap::Plain).ok_or(UNKNOWN),
        }
    }

    /// Uses are in this shadow from now on. Where collections end in their pauses, these read it.
    pub(crate) fn record_uses(&self, shadow: Shadow, clock: &'static AtomicU64) {
        if let Some(cycles) = self.concurrent.get() {
            cycles.record_uses(shadow, clock);
        }
    }

    /// First address and length of the reserved heap; `None` if moves are unknown, or collections go on while the program runs.
    pub(crate) fn reserved_heap(&self) -> Option<(Address, usize)> {
        Some(self.state.lock().watch.as_ref()?.reserved_heap())
    }

    /// Where threads report their progress; `None` if not needed.
    pub(crate) fn frontier(&self) -> Option<Arc<AllocationFrontier>> {
        self.state.lock().watch.as_ref()?.frontier()
    }

    /// Reads classes before pauses, while they are watched and need classes.
    pub(crate) fn classes_ahead(&self) -> Weak<ClassesAhead> {
        let state = self.state.lock();
        let ahead = state
            .watch
            .as_ref()
            .and_then(CollectionWatch::classes_ahead);
        ahead.map_or_else(Weak::new, |ahead| Arc::downgrade(&ahead))
    }

    /// Reads the VM's classes while it starts, so that the first pause need not.
    pub(crate) fn read_first_classes(&self, core: &Core, buffers: &ThreadBuffers) {
        let mut state = self.state.lock();
        if let Some(watch) = &state.watch {
            watch.read_first_classes();
        }
        self.record_new_classes(core, buffers, &mut state);
    }

    /// Handles the start of a collection, after the world has stopped.
    pub(crate) fn started(&self, core: &Core, buffers: &ThreadBuffers) {
        let Some(facts) = core.facts().filter(|_| !buffers.has_ended()) else {
            return;
        };
        if let Some(cycles) = self.concurrent.get() {
            return cycles.pause_begins(|| buffers.mark_cut(&facts.threads));
        }
        buffers.log().world_stands_still();
        let pause = Instant::now();
        let micros = unix_micros();
        let cuts = buffers.cut(&facts.threads);
        let mut state = self.state.lock();
        if let Some(watch) = &mut state.watch {
            watch.start();
        }
        state.started = Some(Started {
            micros,
            cuts,
            nanos: nanos_since(pause),
        });
    }

    /// Handles the end of a collection, before the world continues.
    pub(crate) fn finished(&self, core: &Core, buffers: &ThreadBuffers, layers: &[Box<dyn Layer>]) {
        if let Some(cycles) = self.concurrent.get() {
            if !buffers.has_ended() || cycles.is_in_cut() {
                cycles.pause_ends(buffers);
            }
            return;
        }
        if !buffers.has_ended() {
            self.read_collections(core, buffers, layers);
        }
        buffers.log().world_goes_on();
    }

    fn read_collections(&self, core: &Core, buffers: &ThreadBuffers, layers: &[Box<dyn Layer>]) {
        let mut state = self.state.lock();
        let Some(started) = state.started.take() else {
            return;
        };
        let mut reports = std::mem::take(&mut state.reports);
        if let Some(watch) = &mut state.watch {
            watch.finish(&mut reports);
        }
        // The reports say how long it took to make them.
        let own = Instant::now();
        self.record_new_classes(core, buffers, &mut state);
        let mut before = BeforeCollection::default();
        for layer in layers {
            layer.read_pause(buffers, &reports, &mut before);
        }
        let started = Started {
            nanos: started.nanos + nanos_since(own),
            ..started
        };
        record_collections(buffers, started, before, &mut reports);
        for layer in layers {
            layer.pause_ends(core, buffers.epoch());
        }
        state.reports = reports;
        drop(state);
        buffers.seen().clear();
    }

    /// Records classes added to the table since the last call.
    fn record_new_classes(&self, core: &Core, buffers: &ThreadBuffers, state: &mut State) {
        let Some(watch) = &state.watch else { return };
        let mut classes = watch.classes();
        let layouts = classes.take_layouts();
        let fault = classes.layouts_fault().map(ToString::to_string);
        let new = (state.classes..).map_while(|id| heap_class(&classes, ClassId(id)));
        let new: Arc<[HeapClass]> = new.collect();
        drop(classes);
        state.classes += new.len() as u32;
        core.heap_classes.add_found(&new, layouts);
        if !new.is_empty() {
            buffers.log().classes(new);
        }
        if let Some(fault) = fault.filter(|_| !std::mem::replace(&mut state.fault_noted, true)) {
            core.add_note(format!(
                "the fields of (further) classes are unknown: {fault}"
            ));
        }
    }
}

fn record_collections(
    buffers: &ThreadBuffers,
    started: Started,
    mut before: BeforeCollection,
    reports: &mut Vec<CollectionReport>,
) {
    let end = unix_micros();
    let mut cuts = Some(started.cuts);
    if reports.is_empty() {
        before.write_stamps(buffers, None);
        buffers.collection(
            Collection {
                number: buffers.next_epoch(),
                kind: CollectionKind::Other,
                start_unix_micros: started.micros,
                end_unix_micros: end,
                walk_nanos: started.nanos,
                cuts: cuts.take().unwrap_or_default(),
                ..Collection::default()
            },
            std::mem::take(&mut before.uses),
            Survivors::default(),
        );
    }
    for mut report in reports.drain(..) {
        // Both types have the same size, so `collect` converts them in place.
        let parts = std::mem::take(&mut report.survivors).into_parts();
        let parts = parts.into_iter().map(|part| part.into_iter().map(survivor));
        let survivors = Survivors {
            objects: parts.map(Iterator::collect).collect(),
            whole_heap: report.anew,
        };
        before.write_stamps(buffers, report.dead_records.take());
        let mut collection = collection(&report);
        collection.number = buffers.next_epoch();
        collection.start_unix_micros = started.micros;
        collection.end_unix_micros = end;
        collection.walk_nanos += started.nanos;
        collection.cuts = cuts.take().unwrap_or_default();
        buffers.collection(collection, std::mem::take(&mut before.uses), survivors);
    }
}

fn heap_class(classes: &ClassTable, id: ClassId) -> Option<HeapClass> {
    let class = classes.class(id)?;
    Some(HeapClass {
        id: HeapClassId(id.0),
        name: ducktrack_classfile::decode_modified_utf8(&class.name).into_owned(),
        size: class_size(class.rule),
        klass: class.klass.0 as u64,
        fields: Vec::new(),
    })
}

fn class_size(rule: SizeRule) -> HeapClassSize {
    match rule {
        SizeRule::Fixed(bytes) => {
            u32::try_from(bytes).map_or(HeapClassSize::PerObject, HeapClassSize::Instance)
        }
        SizeRule::Array(helper) => heap_class_size(helper),
        _ => HeapClassSize::PerObject,
    }
}

pub(crate) fn survivor(survivor: ducktrack_hotspot::Survivor) -> Survivor {
    Survivor::new(
        survivor.from.0 as u64,
        survivor.to.0 as u64,
        survivor.bytes(),
        HeapClassId(survivor.class.0),
    )
}

fn collection(report: &CollectionReport) -> Collection {
    let number = |address: Address| address.0 as u64;
    Collection {
        vm_total: report.number,
        kind: report.kind,
        cause: report.cause.clone(),
        walk_nanos: report.walk_nanos,
        level: MovesLevel::Exact,
        before: report
            .before
            .iter()
            .map(|space| space.map(number))
            .collect(),
        after: report.after.iter().map(|space| space.map(number)).collect(),
        collected: report
            .collected
            .iter()
            .map(|range| range.map(number))
            .collect(),
        fault: report.fault.as_ref().map(ToString::to_string),
        ..Collection::default()
    }
}
