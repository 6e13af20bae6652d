//! What only soft references hold: the JVM clears these before a heap is full.

use ducktrack_heap_dump::{Graph, Tier};

use crate::holdings::Holdings;

impl Holdings {
    /// By object: something holds it, but nothing without a soft reference on the way. Empty if there is no soft reference.
    pub fn softly_held(&self) -> Vec<bool> {
        let graph = &self.dump.graph;
        if !graph.has_soft_references() {
            return Vec::new();
        }
        let is_soft = |from: u32, to: u32| graph.soft_successor(from) == Some(to);
        let is_reached = self
            .held()
            .reached_without(self.tree.orphans(), |_| false, is_soft);
        let softly = (0_u32..).zip(is_reached);
        softly
            .map(|(object, is_reached)| !is_reached && self.tier(object) != Tier::Unheld)
            .collect()
    }
}
