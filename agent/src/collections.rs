//! Collections, as the VM announces them and as the heap shows them.
//!
//! ```text
//! GarbageCollectionStart    buffers are cut; the heap as it is
//! GarbageCollectionFinish   what became of every object, to the log
//! ```
//!
//! Both run on a thread of the VM while the world is stopped: no call of the VM is allowed, and every moment is a part of the pause.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use ducktrack_hotspot::{
    AllocationFrontier, ClassId, ClassTable, ClassesAhead, CollectionReport, CollectionWatch,
    Collector, FieldLayout, JvmFlags, SizeRule, UnannouncedCollections, VmStructs,
};
use ducktrack_trace_format as format;
use ducktrack_trace_format::{
    Collection, HeapClass, HeapClassId, HeapClassSize, HeapField, HeapLayout, Record, ThreadCut,
};
use ducktrack_trace_writer::{Survivor, Survivors};
use parking_lot::Mutex;

use crate::agent::Agent;
use crate::event_buffer::unix_micros;
use crate::memory;
use crate::options::{Moves, Options};
use crate::tracing::Tracing;
use crate::vm_facts::heap_class_size;

/// What is kept between the events of the VM.
#[derive(Default)]
pub(crate) struct Collections {
    state: Mutex<State>,
    pending: Mutex<Pending>,
    /// Classes that events have named.
    named: AtomicU32,
}

/// What the trace file does not have yet. To put what the pauses found into records can wait.
#[derive(Default)]
struct Pending {
    /// Classes that events have named.
    named: Vec<HeapClass>,
    /// Classes that pauses found, and their layouts.
    found: Vec<Arc<[HeapClass]>>,
    layouts: Vec<FieldLayout>,
}

/// Numbers of classes that events name; the class table counts from 0 on.
const FIRST_NAMED: u32 = 1 << 31;

#[derive(Default)]
struct State {
    watch: Option<CollectionWatch>,
    level: format::MovesLevel,
    started: Option<Started>,
    /// Rows of the class table that the trace has.
    classes: u32,
    /// It was said that fields are not known.
    said: bool,
    reports: Vec<CollectionReport>,
}

struct Started {
    micros: u64,
    cuts: Vec<ThreadCut>,
    /// What the agent's own work took.
    nanos: u64,
}

/// Collections that the VM does not announce are recorded like the others.
struct WithoutEvents;

impl UnannouncedCollections for WithoutEvents {
    fn began(&mut self) {
        if let Some(agent) = crate::callbacks::agent() {
            agent.collection_started();
        }
    }

    fn ended(&mut self) {
        if let Some(agent) = crate::callbacks::agent() {
            agent.collection_finished();
        }
    }
}

impl Collections {
    /// Prepares for the VM's collector.
    ///
    /// # Errors
    /// Why moves cannot be known; collections are recorded without them.
    pub(crate) fn prepare(
        &self,
        vm: &VmStructs,
        flags: &JvmFlags,
        options: &Options,
        stack_chunk_size: Option<usize>,
    ) -> Result<(), String> {
        let (level, name) = match options.moves {
            Moves::Exact => (
                ducktrack_hotspot::MovesLevel::Exact,
                format::MovesLevel::Exact,
            ),
            Moves::Finish => (
                ducktrack_hotspot::MovesLevel::Finish,
                format::MovesLevel::Finish,
            ),
            Moves::Off => return Ok(()),
        };
        let collector = Collector::of(flags).ok_or("the collector is not known")?;
        let mut watch =
            CollectionWatch::new(vm, flags, collector, level).map_err(|error| error.to_string())?;
        if let Some(offset) = stack_chunk_size {
            watch.set_stack_chunk_size_offset(offset);
        }
        if let Some(collection) = options.fault_at {
            watch.fail_at(collection);
        }
        // Seen at level exact only; elsewhere such a collection is a fault of the next one.
        watch.tell_unannounced(Box::new(WithoutEvents));
        let mut state = self.state.lock();
        state.watch = Some(watch);
        state.level = name;
        Ok(())
    }

    pub(crate) fn are_watched(&self) -> bool {
        self.state.lock().watch.is_some()
    }

    /// Where threads tell how far they have come; `None`: nobody wants to know.
    pub(crate) fn frontier(&self) -> Option<Arc<AllocationFrontier>> {
        self.state.lock().watch.as_ref()?.frontier()
    }

    /// Where classes are read ahead of the pauses; `None`: nobody looks at them.
    pub(crate) fn classes_ahead(&self) -> Option<Arc<ClassesAhead>> {
        self.state.lock().watch.as_ref()?.classes_ahead()
    }

    /// A class whose objects' events name its address. Its number is none of the class table's.
    pub(crate) fn add_named_class(&self, name: &str, klass: usize, size: HeapClassSize) {
        let number = self.named.fetch_add(1, Ordering::Relaxed);
        self.pending.lock().named.push(HeapClass {
            id: HeapClassId(FIRST_NAMED | number),
            name: name.to_owned(),
            size,
            klass: klass as u64,
            fields: Vec::new(),
        });
    }

    /// Records that are not written yet.
    pub(crate) fn take_pending(&self) -> Vec<Record> {
        let Pending {
            named,
            found,
            layouts,
        } = std::mem::take(&mut *self.pending.lock());
        let found = found.iter().flat_map(|classes| classes.iter().cloned());
        let classes = named.into_iter().chain(found).map(Record::HeapClass);
        let layouts = layouts.into_iter().map(heap_layout);
        classes.chain(layouts.map(Record::HeapLayout)).collect()
    }
}

impl Agent {
    /// While the VM starts: the classes that it has by now are nothing new to the first pause.
    pub(crate) fn read_first_classes(&self) {
        let Some(tracing) = self.tracing() else {
            return;
        };
        let mut state = self.collections.state.lock();
        if let Some(watch) = &state.watch {
            watch.read_first_classes();
        }
        self.record_new_classes(tracing, &mut state);
    }

    /// The world has stopped for a collection.
    pub(crate) fn collection_started(&self) {
        let (Some(tracing), Some(facts)) = (self.tracing(), self.facts()) else {
            return;
        };
        if tracing.has_ended() {
            return;
        }
        tracing.log().world_stands_still();
        memory::begin_pause();
        let pause = Instant::now();
        let micros = unix_micros();
        let cuts = tracing.cut(&facts.threads);
        let mut state = self.collections.state.lock();
        if let Some(watch) = &mut state.watch {
            watch.start();
        }
        state.started = Some(Started {
            micros,
            cuts,
            nanos: nanos_since(pause),
        });
    }

    /// The collection is over, the world still stands.
    pub(crate) fn collection_finished(&self) {
        let Some(tracing) = self.tracing() else {
            return;
        };
        if !tracing.has_ended() {
            self.read_collections(tracing);
        }
        memory::end_pause();
        tracing.log().world_goes_on();
    }

    fn read_collections(&self, tracing: &Tracing) {
        let mut state = self.collections.state.lock();
        let Some(started) = state.started.take() else {
            return;
        };
        let mut reports = std::mem::take(&mut state.reports);
        if let Some(watch) = &mut state.watch {
            watch.finish(&mut reports);
        }
        self.record_new_classes(tracing, &mut state);
        self.record_collections(tracing, &state, started, &mut reports);
        state.reports = reports;
        drop(state);
        tracing.seen().clear();
    }

    fn record_collections(
        &self,
        tracing: &Tracing,
        state: &State,
        started: Started,
        reports: &mut Vec<CollectionReport>,
    ) {
        let end = unix_micros();
        let mut cuts = Some(started.cuts);
        if reports.is_empty() {
            tracing.log().collection(
                Collection {
                    number: tracing.next_epoch(),
                    kind: format::CollectionKind::Other,
                    start_unix_micros: started.micros,
                    end_unix_micros: end,
                    walk_nanos: started.nanos,
                    cuts: cuts.take().unwrap_or_default(),
                    ..Collection::default()
                },
                Survivors::default(),
            );
        }
        for mut report in reports.drain(..) {
            // Both sorts are of one size: `collect` converts them where they are.
            let parts = std::mem::take(&mut report.survivors).into_parts();
            let parts = parts.into_iter().map(|part| part.into_iter().map(survivor));
            let survivors = Survivors {
                objects: parts.map(Iterator::collect).collect(),
                whole_heap: report.anew,
                listed: report.listed,
            };
            let mut collection = collection(&report, state.level);
            collection.number = tracing.next_epoch();
            collection.start_unix_micros = started.micros;
            collection.end_unix_micros = end;
            collection.walk_nanos += started.nanos;
            collection.cuts = cuts.take().unwrap_or_default();
            tracing.log().collection(collection, survivors);
        }
    }

    /// Classes that the table has got since the last time.
    fn record_new_classes(&self, tracing: &Tracing, state: &mut State) {
        let Some(watch) = &state.watch else { return };
        let mut classes = watch.classes();
        let layouts = classes.take_layouts();
        let fault = classes.layouts_fault().map(ToString::to_string);
        let new = (state.classes..).map_while(|id| heap_class(&classes, ClassId(id)));
        let new: Arc<[HeapClass]> = new.collect();
        drop(classes);
        state.classes += new.len() as u32;
        let mut pending = self.collections.pending.lock();
        pending.layouts.extend(layouts);
        if !new.is_empty() {
            pending.found.push(Arc::clone(&new));
            tracing.log().classes(new);
        }
        drop(pending);
        if let Some(fault) = fault.filter(|_| !std::mem::replace(&mut state.said, true)) {
            self.add_note(format!(
                "the fields of (further) classes are not known: {fault}"
            ));
        }
    }
}

fn nanos_since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
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

fn heap_layout(layout: FieldLayout) -> HeapLayout {
    let text = |bytes: &[u8]| ducktrack_classfile::decode_modified_utf8(bytes).into_owned();
    let fields = layout.fields.iter().map(|field| HeapField {
        name: text(&field.name),
        descriptor: text(&field.descriptor),
        offset: Some(field.offset),
    });
    HeapLayout {
        class: HeapClassId(layout.class.0),
        superclass: layout.superclass.map(|class| HeapClassId(class.0)),
        fields: fields.collect(),
    }
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

fn survivor(survivor: ducktrack_hotspot::Survivor) -> Survivor {
    Survivor::new(
        survivor.from.0 as u64,
        survivor.to.0 as u64,
        survivor.bytes(),
        HeapClassId(survivor.class.0),
    )
}

fn collection(report: &CollectionReport, level: format::MovesLevel) -> Collection {
    use ducktrack_hotspot::CollectionKind as Kind;
    Collection {
        vm_total: report.number,
        kind: match report.kind {
            Kind::Young => format::CollectionKind::Young,
            Kind::Mixed => format::CollectionKind::Mixed,
            Kind::Full => format::CollectionKind::Full,
            Kind::Cleanup => format::CollectionKind::Cleanup,
            _ => format::CollectionKind::Other,
        },
        cause: report.cause.clone(),
        walk_nanos: report.walk_nanos,
        level,
        before: report.before.iter().map(space).collect(),
        after: report.after.iter().map(space).collect(),
        collected: report
            .collected
            .iter()
            .map(|range| format::AddressRange {
                start: range.start.0 as u64,
                end: range.end.0 as u64,
            })
            .collect(),
        fault: report.fault.as_ref().map(ToString::to_string),
        ..Collection::default()
    }
}

fn space(space: &ducktrack_hotspot::Space) -> format::Space {
    use ducktrack_hotspot::SpaceKind as Kind;
    format::Space {
        kind: match space.kind {
            Kind::Eden => format::SpaceKind::Eden,
            Kind::Survivor => format::SpaceKind::Survivor,
            Kind::To => format::SpaceKind::To,
            Kind::Old => format::SpaceKind::Old,
            Kind::HumongousStart => format::SpaceKind::HumongousStart,
            Kind::HumongousContinues => format::SpaceKind::HumongousContinues,
            Kind::Archive => format::SpaceKind::Archive,
            Kind::Free => format::SpaceKind::Free,
            _ => format::SpaceKind::Other,
        },
        index: space.index,
        bottom: space.bottom.0 as u64,
        top: space.top.0 as u64,
    }
}
