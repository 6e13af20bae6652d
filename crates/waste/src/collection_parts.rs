//! What a collection is made of: its object, its table and nodes, the collection inside; not its elements.

use rustc_hash::FxHashSet;

use ducktrack_heap_dump::{Graph, HeapGraph};

use crate::collection_shapes::{Count, Shape};
use crate::contents::{CollectionFacts, Contents, NONE};
use crate::reach::Reach;

/// A collection, seen from its outermost object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Collection<'a> {
    /// The object that the program has.
    pub(crate) outer: &'a CollectionFacts,
    /// The object with the table: another one for a set that is made of a map.
    pub(crate) inner: &'a CollectionFacts,
}

impl<'a> Collection<'a> {
    /// A collection by its facts; `None`: what is inside of it is unknown, or others have it, too.
    pub(crate) fn of(
        contents: &'a Contents,
        reach: &Reach,
        facts: &'a CollectionFacts,
    ) -> Option<Self> {
        let inner = match facts.shape.shape().count {
            Count::Inner => inside(contents, reach, facts)?,
            _ => facts,
        };
        Some(Self {
            outer: facts,
            inner,
        })
    }

    pub(crate) fn shape(&self) -> &'static Shape {
        self.inner.shape.shape()
    }

    /// Its table, if no other object has the same: empty collections share one.
    pub(crate) fn table(&self, reach: &Reach) -> Option<u32> {
        let table = self.inner.table;
        (table != NONE && reach.in_degree(table) == 1).then_some(table)
    }

    /// Its objects, the outermost first.
    pub(crate) fn parts(&self, graph: &HeapGraph, reach: &Reach) -> Vec<u32> {
        let mut parts = vec![self.outer.object];
        if self.outer.object != self.inner.object {
            parts.push(self.inner.object);
        }
        parts.extend(self.table(reach));
        let mut seen: FxHashSet<u32> = parts.iter().copied().collect();
        let names = self.shape().parts;
        let mut next = 0;
        while let Some(part) = parts.get(next).copied() {
            next += 1;
            for target in graph.successors(part) {
                if names.contains(&graph.class_name(*target)) && seen.insert(*target) {
                    parts.push(*target);
                }
            }
        }
        parts
    }

    /// How many elements it has.
    pub(crate) fn size(&self, graph: &HeapGraph, reach: &Reach) -> u64 {
        match self.shape().count {
            Count::Field(_) | Count::Inner => u64::from(self.inner.size),
            Count::Elements => match self.inner.table {
                NONE => 0,
                table => graph.successors(table).len() as u64,
            },
            Count::Nodes(nodes) => {
                let parts = self.parts(graph, reach);
                let is_node = |part: &&u32| nodes.contains(&graph.class_name(**part));
                parts.iter().filter(is_node).count() as u64
            }
        }
    }
}

/// The collection inside of another, if that alone has it.
pub(crate) fn inside<'a>(
    contents: &'a Contents,
    reach: &Reach,
    facts: &CollectionFacts,
) -> Option<&'a CollectionFacts> {
    let inner = contents.collection(facts.table)?;
    let is_direct = !matches!(inner.shape.shape().count, Count::Inner);
    (is_direct && reach.in_degree(inner.object) == 1).then_some(inner)
}
