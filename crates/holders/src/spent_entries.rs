//! Objects that only spent entries of weak tables hold: the referent is gone, and the next use of the table drops the entry.

use crate::holdings::Holdings;

impl Holdings {
    /// By object: something holds it, but nothing except such entries; the entries themselves too. Empty if there are none.
    pub fn held_by_spent_entries(&self) -> Vec<bool> {
        let spent = self.dump.graph.spent_references();
        if spent.is_empty() {
            return Vec::new();
        }
        let is_reached = self.held().reached_without(
            self.tree.orphans(),
            |object| spent.contains(&object),
            |_, _| false,
        );
        let held = (0_u32..).zip(is_reached);
        held.map(|(object, is_reached)| {
            !is_reached && self.tier(object) == ducktrack_heap_dump::Tier::Firm
        })
        .collect()
    }
}
