//! Everything a trace introduces: classes, methods, sites, counters, calls, threads, contexts.

use std::collections::BTreeMap;

use ducktrack_trace_format::{
    CallSite, CallSiteId, CalledMethod, CalledSite, Class, ClassId, Context, ContextBlock,
    ContextId, Counter, CounterId, HeapClass, HeapClassId, HeapClassSize, Method, MethodId,
    ReferenceLayout, Site, SiteId, StaticField, Thread, ThreadId, Unit,
};
use rustc_hash::FxHashMap;

use crate::definition_table::DefinitionTable;
use crate::field_layouts::FieldLayouts;
use crate::site_facts::SiteFactsTable;
use crate::stable_name::stable_descriptor;
use crate::{ContextIndex, Inconsistency};

/// The dictionary of a trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Definitions {
    pub(crate) classes: DefinitionTable<ClassId, Class>,
    pub(crate) methods: DefinitionTable<MethodId, Method>,
    pub(crate) sites: DefinitionTable<SiteId, Site>,
    pub(crate) counters: DefinitionTable<CounterId, Counter>,
    pub(crate) calls: DefinitionTable<CallSiteId, CallSite>,
    pub(crate) called_sites: DefinitionTable<SiteId, CalledSite>,
    pub(crate) site_facts: SiteFactsTable,
    threads: FxHashMap<ThreadId, Thread>,
    contexts: BTreeMap<ContextId, Context>,
    /// The contexts for which the values of a thread count.
    blocks: FxHashMap<ThreadId, Vec<ContextId>>,
    sizes: FxHashMap<SiteId, u32>,
    two_sizes: Vec<Inconsistency>,
    pub(crate) heap_classes: Vec<HeapClassOutline>,
    pub(crate) layouts: FieldLayouts,
    pub(crate) references: ReferenceLayout,
    pub(crate) called_methods: Vec<CalledMethod>,
    pub(crate) static_fields: Vec<StaticField>,
}

/// The facts kept of a class of objects on the heap.
#[derive(Clone, Debug)]
pub(crate) struct HeapClassOutline {
    pub(crate) id: HeapClassId,
    /// Descriptor with stable names.
    pub(crate) ty: String,
    pub(crate) size: HeapClassSize,
    pub(crate) klass: u64,
    /// As the VM has it.
    pub(crate) name: String,
}

impl Definitions {
    pub(crate) fn set_size(&mut self, site: SiteId, bytes: u32) {
        let first = *self.sizes.entry(site).or_insert(bytes);
        if first != bytes {
            self.two_sizes.push(Inconsistency::TwoSizes {
                site,
                first,
                second: bytes,
            });
        }
    }

    pub(crate) fn add_heap_class(&mut self, class: HeapClass) {
        let descriptor = match class.name.starts_with('[') {
            true => class.name.clone(),
            false => format!("L{};", class.name),
        };
        self.heap_classes.push(HeapClassOutline {
            id: class.id,
            ty: stable_descriptor(&descriptor),
            size: class.size,
            klass: class.klass,
            name: class.name.clone(),
        });
        self.layouts.add_class(class);
    }

    /// All threads, also those that have ended.
    pub(crate) fn threads(&self) -> impl Iterator<Item = &Thread> {
        self.threads.values()
    }

    /// Sites whose bytes are measured where they run.
    pub(crate) fn measured_sites(&self) -> impl Iterator<Item = SiteId> {
        let terms = self
            .counters
            .items()
            .iter()
            .flat_map(|counter| &counter.terms);
        let in_bytes = |unit| matches!(unit, Unit::Bytes | Unit::MaterializedBytes);
        terms
            .filter(move |term| in_bytes(term.unit))
            .map(|term| term.site)
    }

    pub(crate) fn size(&self, site: SiteId) -> Option<u32> {
        self.sizes.get(&site).copied()
    }

    /// Introduces a thread, or gives it its new name.
    pub(crate) fn set_thread(&mut self, thread: Thread) {
        self.threads.insert(thread.id, thread);
    }

    pub(crate) fn set_context(&mut self, context: Context) {
        self.contexts.insert(context.id, context);
    }

    pub(crate) fn set_context_block(&mut self, block: ContextBlock) {
        self.blocks.insert(block.thread, block.contexts);
    }

    /// All contexts, in order of their ids: those of [`crate::ContextIndex`].
    pub(crate) fn contexts(&self) -> impl Iterator<Item = &Context> {
        self.contexts.values()
    }

    /// The contexts for which the values of a thread count; none for a thread's own.
    pub(crate) fn contexts_of(&self, thread: ThreadId) -> Vec<ContextIndex> {
        let ids = self.blocks.get(&thread).into_iter().flatten();
        let index = |id: &ContextId| self.contexts.keys().position(|known| known == id);
        ids.filter_map(index).map(ContextIndex).collect()
    }

    pub(crate) fn thread(&self, id: ThreadId) -> Option<&Thread> {
        self.threads.get(&id)
    }

    /// Contradictions between definitions.
    pub(crate) fn inconsistencies(&self) -> Vec<Inconsistency> {
        let redefined = [
            (
                "class",
                self.classes.redefined().map(|(times, id)| (times, id.0)),
            ),
            (
                "method",
                self.methods.redefined().map(|(times, id)| (times, id.0)),
            ),
            (
                "site",
                self.sites.redefined().map(|(times, id)| (times, id.0)),
            ),
            (
                "counter",
                self.counters.redefined().map(|(times, id)| (times, id.0)),
            ),
            (
                "call site",
                self.calls.redefined().map(|(times, id)| (times, id.0)),
            ),
            (
                "called site",
                (self.called_sites.redefined()).map(|(times, id)| (times, id.0)),
            ),
        ];
        let redefined = redefined.into_iter().filter_map(|(what, found)| {
            let (times, first) = found?;
            Some(Inconsistency::Redefined { what, times, first })
        });
        redefined.chain(self.two_sizes.iter().cloned()).collect()
    }
}
