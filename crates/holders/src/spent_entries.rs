//! Objects that only spent entries of weak tables hold: the referent is gone, and the next use of the table drops the entry.

use crate::holdings::Holdings;

impl Holdings {
    /// By object: something holds it, but nothing except such entries; the entries themselves too. Empty if there are none.
    pub fn held_by_spent_entries(&self) -> Vec<bool> {
        let graph = &self.dump.graph;
        let spent = graph.spent_entries();
        if spent.is_empty() {
            return Vec::new();
        }
        // A spent entry may be in a chain: the next one is of its class, and the table holds it.
        let cuts = |from, to| spent.contains(from) && graph.class_of(from) != graph.class_of(to);
        let is_reached = self
            .held()
            .reached_without(self.tree.orphans(), |_| false, cuts);
        let held = (0_u32..).zip(is_reached);
        held.map(|(object, is_reached)| {
            (!is_reached || spent.contains(object))
                && self.tier(object) == ducktrack_heap_dump::Tier::Firm
        })
        .collect()
    }
}
