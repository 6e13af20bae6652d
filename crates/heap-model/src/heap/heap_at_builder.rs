//! Adds the live objects up by type, site, thread, age and space.

use std::sync::Arc;

use ducktrack_trace_format::{Space, SpaceKind, ThreadId};
use rustc_hash::FxHashMap;

use crate::heap::column::{SiteColumn, TypeColumn};
use crate::heap::live_object::LiveObject;
use crate::heap::space_map::SpaceMap;
use crate::heap::trace_names::TraceNames;
use crate::{
    Amount, CollectionNumber, HeapAt, Lifetimes, LiveSite, LiveSpace, LiveThread, LiveType, Moment,
    Quality,
};

/// Sums over objects, at a moment before an epoch.
#[derive(Debug, Default)]
pub(crate) struct HeapSums {
    parts: FxHashMap<(SiteColumn, TypeColumn), Amount>,
    threads: FxHashMap<Option<ThreadId>, Amount>,
    ages: FxHashMap<SiteColumn, Vec<u64>>,
    spaces: Vec<Amount>,
    not_yet_collected: Amount,
    /// To be taken off.
    retyped: FxHashMap<(SiteColumn, TypeColumn), Amount>,
}

fn add_age(ages: &mut Vec<u64>, survived: u32, count: u64) {
    let at = (survived as usize).min(Lifetimes::MOST_SURVIVED);
    if ages.len() <= at {
        ages.resize(at + 1, 0);
    }
    ages[at] += count;
}

impl HeapSums {
    /// Adds an object that lives after `epoch - 1` was ended by a collection.
    pub(crate) fn add(&mut self, object: &LiveObject, epoch: u32, spaces: &SpaceMap) {
        let one = Amount::one(object.bytes());
        *self.parts.entry((object.site, object.ty)).or_default() += one;
        *self.threads.entry(object.thread()).or_default() += one;
        let survived = epoch.saturating_sub(object.birth);
        add_age(self.ages.entry(object.site).or_default(), survived, 1);
        self.spaces.resize(spaces.spaces().len(), Amount::default());
        let space = spaces.position(object.address());
        if let Some(space) = space.and_then(|space| self.spaces.get_mut(space)) {
            *space += one;
        }
    }

    /// Adds objects that no collection has seen.
    pub(crate) fn add_new(&mut self, site: SiteColumn, ty: TypeColumn, amount: Amount) {
        *self.parts.entry((site, ty)).or_default() += amount;
        add_age(self.ages.entry(site).or_default(), 0, amount.count);
        self.not_yet_collected += amount;
    }

    /// Objects that [`HeapSums::add_new`] adds (before or after) with the type of their site are of another.
    pub(crate) fn retype(
        &mut self,
        site: SiteColumn,
        from: TypeColumn,
        to: TypeColumn,
        amount: Amount,
    ) {
        if from != to {
            *self.retyped.entry((site, from)).or_default() += amount;
            *self.parts.entry((site, to)).or_default() += amount;
        }
    }

    /// The thread of objects that no collection has seen.
    pub(crate) fn add_thread(&mut self, thread: ThreadId, amount: Amount) {
        *self.threads.entry(Some(thread)).or_default() += amount;
    }

    /// The tables.
    pub(crate) fn finish(
        mut self,
        moment: Moment,
        collection: Option<CollectionNumber>,
        unix_micros: u64,
        spaces: &SpaceMap,
        names: &TraceNames,
    ) -> HeapAt {
        for (key, amount) in core::mem::take(&mut self.retyped) {
            *self.parts.entry(key).or_default() -= amount;
        }
        self.parts.retain(|_, amount| !amount.is_zero());
        let total: Amount = self.parts.values().copied().sum();
        let spaces = live_spaces(spaces, &self.spaces);
        let sites = live_sites(&self.parts, self.ages, names);
        let mut ages = Vec::new();
        for (survived, count) in sites.iter().flat_map(|site| site.ages.iter().enumerate()) {
            add_age(
                &mut ages,
                u32::try_from(survived).unwrap_or(u32::MAX),
                *count,
            );
        }
        let without_site = sites.iter().filter(|site| site.site.is_none());
        let without_site: u64 = without_site.map(|site| site.live.count).sum();
        HeapAt {
            moment,
            collection,
            unix_micros,
            total,
            not_yet_collected: self.not_yet_collected,
            types: live_types(self.parts.iter().map(|((_, ty), live)| (*ty, *live)), names),
            sites,
            threads: live_threads(&self.threads, names),
            spaces,
            ages,
            quality: Quality {
                collection: collection.map_or(0, |collection| collection.0),
                objects: total.count,
                with_site: total.count - without_site,
            },
        }
    }
}

fn live_types(
    parts: impl Iterator<Item = (TypeColumn, Amount)>,
    names: &TraceNames,
) -> Vec<LiveType> {
    let mut sums: FxHashMap<TypeColumn, Amount> = FxHashMap::default();
    for (ty, live) in parts {
        *sums.entry(ty).or_default() += live;
    }
    let row = |(ty, live): (TypeColumn, Amount)| LiveType {
        ty: names.types.name(ty).cloned(),
        live,
    };
    let mut rows: Vec<LiveType> = sums.into_iter().map(row).collect();
    rows.sort_by(|a, b| (b.live.bytes, &a.ty).cmp(&(a.live.bytes, &b.ty)));
    rows
}

fn live_sites(
    parts: &FxHashMap<(SiteColumn, TypeColumn), Amount>,
    mut ages: FxHashMap<SiteColumn, Vec<u64>>,
    names: &TraceNames,
) -> Vec<LiveSite> {
    let mut by_site: FxHashMap<SiteColumn, Vec<(TypeColumn, Amount)>> = FxHashMap::default();
    for ((site, ty), live) in parts {
        by_site.entry(*site).or_default().push((*ty, *live));
    }
    let row = |(site, types): (SiteColumn, Vec<(TypeColumn, Amount)>)| LiveSite {
        site: site.site(),
        live: types.iter().map(|(_, live)| *live).sum(),
        ages: ages.remove(&site).unwrap_or_default(),
        types: live_types(types.into_iter(), names),
    };
    let mut rows: Vec<LiveSite> = by_site.into_iter().map(row).collect();
    rows.sort_by(|a, b| (b.live.bytes, a.site).cmp(&(a.live.bytes, b.site)));
    rows
}

fn live_threads(
    threads: &FxHashMap<Option<ThreadId>, Amount>,
    names: &TraceNames,
) -> Vec<LiveThread> {
    let mut by_name: FxHashMap<Option<Arc<str>>, Amount> = FxHashMap::default();
    for (thread, live) in threads.iter().filter(|(_, live)| !live.is_zero()) {
        *by_name.entry(names.thread(*thread)).or_default() += *live;
    }
    let row = |(name, live)| LiveThread { name, live };
    let mut rows: Vec<LiveThread> = by_name.into_iter().map(row).collect();
    rows.sort_by(|a, b| (b.live.bytes, &a.name).cmp(&(a.live.bytes, &b.name)));
    rows
}

fn live_spaces(spaces: &SpaceMap, sums: &[Amount]) -> Vec<LiveSpace> {
    let row = |(at, space): (usize, &Space)| LiveSpace {
        kind: Arc::from(space.kind.name()),
        index: space.index,
        bottom: space.bottom,
        top: space.top,
        live: sums.get(at).copied().unwrap_or_default(),
    };
    let used = spaces.spaces().iter().enumerate();
    used.filter(|(_, space)| space.kind != SpaceKind::Free)
        .map(row)
        .collect()
}
