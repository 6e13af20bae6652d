//! Which full collections other runs do without: for each caller, site, type and group, and for all objects together.

use crate::cost::object_group::{GroupsOfSites, ObjectGroup};
use crate::cost::other_run::FullCollection;
use crate::cost::other_runs::{FullSavings, OtherRuns};
use ducktrack_count_model::{Origin, SiteColumn, TypeColumn};
use ducktrack_heap_replay::LiveObject;

/// Other runs of everything that has a row.
#[derive(Clone, Debug, Default)]
pub(super) struct SavedCollections {
    origins: OtherRuns<Origin>,
    sites: OtherRuns<SiteColumn>,
    types: OtherRuns<TypeColumn>,
    groups: OtherRuns<usize>,
    all: OtherRuns<()>,
    group_count: usize,
    of_sites: GroupsOfSites,
    /// Bytes promoted since the last full collection.
    promoted: f64,
    /// In use in the old space after it.
    left: f64,
    last: FullCollection,
}

impl SavedCollections {
    pub(super) fn new(groups: &[ObjectGroup]) -> Self {
        Self {
            group_count: groups.len(),
            of_sites: GroupsOfSites::new(groups),
            ..Self::default()
        }
    }

    pub(super) fn promoted(&mut self, object: &LiveObject) {
        let bytes = object.bytes() as f64;
        self.promoted += bytes;
        self.origins.promoted(object.origin(), bytes);
        self.sites.promoted(object.site, bytes);
        self.types.promoted(object.ty, bytes);
        self.all.promoted((), bytes);
        for (group, share) in self.of_sites.of(object.site) {
            self.groups.promoted(*group, bytes * share);
        }
    }

    /// An object is alive in a full collection; `unused`: how many times the time it has not been used.
    pub(super) fn alive(&mut self, object: &LiveObject, unused: usize) {
        let bytes = object.bytes() as f64;
        self.origins.alive(object.origin(), bytes, unused);
        self.sites.alive(object.site, bytes, unused);
        self.types.alive(object.ty, bytes, unused);
        self.all.alive((), bytes, unused);
        for (group, share) in self.of_sites.of(object.site) {
            self.groups.alive(*group, bytes * share, unused);
        }
    }

    /// A full collection ends. `old`: bytes in use in old spaces before and after.
    pub(super) fn end(&mut self, old: (u64, u64), work: u64, is_asked: bool) {
        let (before, after) = (old.0 as f64, old.1 as f64);
        let full = FullCollection {
            started_at: self.left,
            filled_to: before,
            alive: after,
            work: work as f64,
            is_asked,
        };
        let promoted = core::mem::take(&mut self.promoted);
        self.origins.end(&full, promoted);
        self.sites.end(&full, promoted);
        self.types.end(&full, promoted);
        self.groups.end(&full, promoted);
        self.all.end(&full, promoted);
        self.left = after;
        self.last = full;
    }

    pub(super) fn groups(&self) -> usize {
        self.group_count
    }

    /// Groups that have a share of a site's objects.
    pub(super) fn shares(&self, site: SiteColumn) -> &[(usize, f64)] {
        self.of_sites.of(site)
    }

    pub(super) fn of_origin(&self, origin: Origin) -> FullSavings {
        self.origins.savings(origin, &self.last)
    }

    pub(super) fn of_site(&self, site: SiteColumn) -> FullSavings {
        self.sites.savings(site, &self.last)
    }

    pub(super) fn of_type(&self, ty: TypeColumn) -> FullSavings {
        self.types.savings(ty, &self.last)
    }

    pub(super) fn of_group(&self, group: usize) -> FullSavings {
        self.groups.savings(group, &self.last)
    }

    /// Of all objects.
    pub(super) fn of_all(&self) -> FullSavings {
        self.all.savings((), &self.last)
    }
}
