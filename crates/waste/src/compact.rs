//! What compact headers would save.

use rustc_hash::FxHashMap;

use ducktrack_heap_dump::{ClassIndex, ContentHead, HeapGraph, ObjectModel};

/// Adds up the sizes that objects would have with compact headers.
#[derive(Debug)]
pub(crate) struct CompactSizes<'a> {
    graph: &'a HeapGraph,
    model: ObjectModel,
    instances: FxHashMap<ClassIndex, u64>,
    /// Bytes saved.
    saved: u64,
}

impl<'a> CompactSizes<'a> {
    pub(crate) fn new(graph: &'a HeapGraph) -> Self {
        Self {
            graph,
            model: graph.model().with_compact_headers(),
            instances: FxHashMap::default(),
            saved: 0,
        }
    }

    /// Adds an object of the live heap.
    pub(crate) fn add(&mut self, head: ContentHead) {
        let (classes, model) = (self.graph.classes(), self.model);
        let bytes = match classes.element_bytes(head.class, model.reference) {
            Some(element) => model.array_bytes(element, u64::from(head.length)),
            None => *self
                .instances
                .entry(head.class)
                .or_insert_with(|| model.instance_bytes(classes, head.class, |_| false)),
        };
        self.saved += self.graph.bytes(head.object).saturating_sub(bytes);
    }

    /// Bytes that compact headers would save; `None`: the JVM had them.
    pub(crate) fn saved(self) -> Option<u64> {
        (self.model != self.graph.model()).then_some(self.saved)
    }
}
