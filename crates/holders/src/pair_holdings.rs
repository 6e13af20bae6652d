//! What only the references from one type to another hold: what is free once they are null.

use std::collections::BTreeMap;

use ducktrack_count_model::SiteIndex;
use ducktrack_heap_dump::Graph;

use crate::holdings::Holdings;
use crate::type_table::TypeNumber;

/// Bytes of a site's objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteBytes {
    /// Held by nothing but the references.
    pub held: u64,
    /// All of the site.
    pub all: u64,
}

impl Holdings {
    /// By site, the sites whose objects are held.
    pub fn held_only_by(
        &self,
        is_source: impl Fn(TypeNumber) -> bool,
        is_target: impl Fn(TypeNumber) -> bool,
    ) -> BTreeMap<Option<SiteIndex>, SiteBytes> {
        let is_reached = self.reached_without(&is_source, &is_target);
        let mut sites: BTreeMap<Option<SiteIndex>, SiteBytes> = BTreeMap::new();
        for (object, is_reached) in (0..self.dump.graph.objects()).zip(is_reached) {
            let bytes = self.dump.bytes(object);
            let site = sites.entry(self.origin_of(object).site).or_default();
            site.all += bytes;
            site.held += if is_reached { 0 } else { bytes };
        }
        sites.retain(|_, site| site.held > 0);
        sites
    }

    fn reached_without(
        &self,
        is_source: &impl Fn(TypeNumber) -> bool,
        is_target: &impl Fn(TypeNumber) -> bool,
    ) -> Vec<bool> {
        let mut is_reached = vec![false; self.dump.graph.objects() as usize];
        let roots = self.dump.graph.roots().iter().map(|(root, _)| *root);
        let mut todo: Vec<u32> = roots.chain(self.tree.orphans().iter().copied()).collect();
        while let Some(object) = todo.pop() {
            let Some(flag) = is_reached.get_mut(object as usize) else {
                continue;
            };
            if core::mem::replace(flag, true) {
                continue;
            }
            let cuts = is_source(self.type_of(object));
            let targets = self.dump.graph.successors(object);
            let kept = |target: &u32| !(cuts && is_target(self.type_of(*target)));
            todo.extend(targets.iter().copied().filter(kept));
        }
        is_reached
    }
}
