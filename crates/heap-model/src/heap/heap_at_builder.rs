//! Adds the live objects up by type, site, caller, thread, age and space.

use std::sync::Arc;

use ducktrack_trace_format::{Space, SpaceKind, ThreadId};
use rustc_hash::FxHashMap;

use crate::heap::column::{CallerColumn, SiteColumn, TypeColumn};
use crate::heap::live_object::LiveObject;
use crate::heap::space_map::SpaceMap;
use crate::heap::trace_names::TraceNames;
use crate::{
    Amount, CollectionNumber, HeapAt, Lifetimes, LiveCaller, LiveSite, LiveSpace, LiveThread,
    LiveType, Moment, Quality, SiteIndex,
};

/// What objects are told apart by.
type Part = (SiteColumn, CallerColumn, TypeColumn);

/// Sums over objects, at a moment before an epoch.
#[derive(Debug, Default)]
pub(crate) struct HeapSums {
    parts: FxHashMap<Part, Amount>,
    threads: FxHashMap<Option<ThreadId>, Amount>,
    ages: Ages,
    spaces: Vec<Amount>,
    not_yet_collected: Amount,
    /// To be taken off.
    elsewhere: FxHashMap<Part, Amount>,
}

/// Objects by collections survived.
type Ages = FxHashMap<(SiteColumn, CallerColumn), Vec<u64>>;

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
        let part = (object.site, object.caller, object.ty);
        *self.parts.entry(part).or_default() += one;
        *self.threads.entry(object.thread()).or_default() += one;
        let survived = epoch.saturating_sub(object.birth);
        let ages = self.ages.entry((object.site, object.caller));
        add_age(ages.or_default(), survived, 1);
        self.spaces.resize(spaces.spaces().len(), Amount::default());
        let space = spaces.position(object.address());
        if let Some(space) = space.and_then(|space| self.spaces.get_mut(space)) {
            *space += one;
        }
    }

    /// Adds objects that no collection has seen.
    pub(crate) fn add_new(&mut self, site: SiteColumn, ty: TypeColumn, amount: Amount) {
        let part = (site, CallerColumn::NONE, ty);
        *self.parts.entry(part).or_default() += amount;
        let ages = self.ages.entry((site, CallerColumn::NONE)).or_default();
        add_age(ages, 0, amount.count);
        self.not_yet_collected += amount;
    }

    /// Objects that [`HeapSums::add_new`] adds (before or after) without a caller and with the type of their site have this caller and type.
    pub(crate) fn set_apart(
        &mut self,
        site: SiteColumn,
        stated: TypeColumn,
        (caller, ty): (CallerColumn, TypeColumn),
        amount: Amount,
    ) {
        let added = (site, CallerColumn::NONE, stated);
        *self.elsewhere.entry(added).or_default() += amount;
        *self.parts.entry((site, caller, ty)).or_default() += amount;
        add_age(
            self.ages.entry((site, caller)).or_default(),
            0,
            amount.count,
        );
    }

    /// The thread of objects that no collection has seen.
    pub(crate) fn add_thread(&mut self, thread: ThreadId, amount: Amount) {
        *self.threads.entry(Some(thread)).or_default() += amount;
    }

    /// The callers of each site.
    pub(crate) fn callers(self, names: &TraceNames) -> FxHashMap<SiteIndex, Vec<LiveCaller>> {
        let sites = live_sites(&self.parts, self.ages, names);
        let callers = sites.into_iter();
        callers
            .filter_map(|site| Some((site.site?, site.callers)))
            .collect()
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
        for (part, amount) in core::mem::take(&mut self.elsewhere) {
            *self.parts.entry(part).or_default() -= amount;
            let new = self
                .ages
                .get_mut(&(part.0, part.1))
                .and_then(|ages| ages.first_mut());
            if let Some(new) = new {
                *new -= amount.count;
            }
        }
        self.parts.retain(|_, amount| !amount.is_zero());
        let total: Amount = self.parts.values().copied().sum();
        let spaces = live_spaces(spaces, &self.spaces);
        let sites = live_sites(&self.parts, self.ages, names);
        let ages = sum_of_ages(sites.iter().map(|site| &site.ages));
        let without_site = sites.iter().filter(|site| site.site.is_none());
        let without_site: u64 = without_site.map(|site| site.live.count).sum();
        HeapAt {
            moment,
            collection,
            unix_micros,
            total,
            not_yet_collected: self.not_yet_collected,
            types: live_types(
                self.parts.iter().map(|((_, _, ty), live)| (*ty, *live)),
                names,
            ),
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
    parts: &FxHashMap<Part, Amount>,
    mut ages: Ages,
    names: &TraceNames,
) -> Vec<LiveSite> {
    let mut by_site: FxHashMap<SiteColumn, Vec<SitePart>> = FxHashMap::default();
    for ((site, caller, ty), live) in parts {
        by_site
            .entry(*site)
            .or_default()
            .push((*caller, *ty, *live));
    }
    let row = |(site, parts): (SiteColumn, Vec<SitePart>)| {
        let mut callers = live_callers(site, &parts, &mut ages, names);
        let all_ages = callers.iter().map(|row| &row.ages);
        let all_ages = sum_of_ages(all_ages);
        // A caller that is not known is no row of its own.
        callers.retain(|row| row.call.is_some() || row.live != live_of(&parts));
        LiveSite {
            site: site.site(),
            live: live_of(&parts),
            ages: all_ages,
            callers,
            types: live_types(parts.into_iter().map(|(_, ty, live)| (ty, live)), names),
        }
    };
    let mut rows: Vec<LiveSite> = by_site.into_iter().map(row).collect();
    rows.sort_by(|a, b| (b.live.bytes, a.site).cmp(&(a.live.bytes, b.site)));
    rows
}

/// Of one site.
type SitePart = (CallerColumn, TypeColumn, Amount);

fn live_of(parts: &[SitePart]) -> Amount {
    parts.iter().map(|(_, _, live)| *live).sum()
}

fn sum_of_ages<'a>(lists: impl Iterator<Item = &'a Vec<u64>>) -> Vec<u64> {
    let mut sum = Vec::new();
    for (survived, count) in lists.flat_map(|ages| (0..).zip(ages)) {
        add_age(&mut sum, survived, *count);
    }
    sum
}

fn live_callers(
    site: SiteColumn,
    parts: &[SitePart],
    ages: &mut Ages,
    names: &TraceNames,
) -> Vec<LiveCaller> {
    let mut by_caller: FxHashMap<CallerColumn, Vec<(TypeColumn, Amount)>> = FxHashMap::default();
    for (caller, ty, live) in parts {
        by_caller.entry(*caller).or_default().push((*ty, *live));
    }
    let row = |(caller, types): (CallerColumn, Vec<(TypeColumn, Amount)>)| LiveCaller {
        call: caller.call(),
        live: types.iter().map(|(_, live)| *live).sum(),
        ages: ages.remove(&(site, caller)).unwrap_or_default(),
        types: live_types(types.into_iter(), names),
    };
    let mut rows: Vec<LiveCaller> = by_caller.into_iter().map(row).collect();
    rows.sort_by(|a, b| (b.live.bytes, a.call).cmp(&(a.live.bytes, b.call)));
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
