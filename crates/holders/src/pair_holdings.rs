//! What only the references from one type to another hold: what is free once they are null.

use std::collections::BTreeMap;

use ducktrack_count_model::SiteIndex;
use ducktrack_heap_dump::Graph;

use crate::holdings::Holdings;
use crate::type_table::TypeNumber;

/// The JDK has objects of the same types: a trial leaves those alone.
const NEARLY_ALL: f64 = 0.99;

/// Bytes of a site's objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteBytes {
    /// Held by nothing but the references.
    pub held: u64,
    /// All of the site.
    pub all: u64,
}

impl Holdings {
    /// Bytes that only the references from one type to those objects of another hold that `is_it`.
    pub(crate) fn bytes_held_only_by(
        &self,
        source: TypeNumber,
        target: TypeNumber,
        is_it: impl Fn(u32) -> bool,
    ) -> u64 {
        let cuts =
            |from, to| self.type_of(from) == source && self.type_of(to) == target && is_it(to);
        let is_reached = self
            .held()
            .reached_without(self.tree.orphans(), |_| false, cuts);
        let held = (0_u32..)
            .zip(is_reached)
            .filter(|(_, is_reached)| !is_reached);
        held.map(|(object, _)| self.dump.bytes(object)).sum()
    }

    /// How old the targets of references from one type to another were when they were used last, in
    /// collections: of nearly all of them, at most this. `None`: there are none, or uses were not recorded.
    pub fn longest_used(
        &self,
        is_source: impl Fn(TypeNumber) -> bool,
        is_target: impl Fn(TypeNumber) -> bool,
    ) -> Option<u32> {
        let types = 0..self.types.types() as u32;
        let (sources, targets): (Vec<bool>, Vec<bool>) = types
            .map(TypeNumber)
            .map(|ty| (is_source(ty), is_target(ty)))
            .unzip();
        let is_of =
            |list: &[bool], object: u32| list.get(self.type_of(object).0 as usize) == Some(&true);
        let holders = (0..self.dump.graph.objects()).filter(|object| is_of(&sources, *object));
        let held = holders.flat_map(|holder| self.dump.graph.successors(holder));
        let held = held.copied().filter(|object| is_of(&targets, *object));
        let mut ages: Vec<u32> = held
            .filter_map(|object| self.dump.age_at_use(object))
            .collect();
        let at = (ages.len() as f64 * NEARLY_ALL) as usize;
        let at = at.min(ages.len().checked_sub(1)?);
        Some(*ages.select_nth_unstable(at).1)
    }

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
        let cuts = |from, to| is_source(self.type_of(from)) && is_target(self.type_of(to));
        self.held()
            .reached_without(self.tree.orphans(), |_| false, cuts)
    }
}
