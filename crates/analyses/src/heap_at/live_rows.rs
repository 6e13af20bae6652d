//! The rows of the tables of a heap: sums, with the names that columns stand for.

use std::sync::Arc;

use ducktrack_trace_format::{Space, SpaceKind, ThreadId};
use rustc_hash::FxHashMap;

use crate::{Lifetimes, LiveCaller, LiveSite, LiveSpace, LiveThread, LiveType};
use ducktrack_count_model::{CallerColumn, SiteColumn, TraceNames, TypeColumn};
use ducktrack_heap_replay::SpaceMap;
use ducktrack_live_heap::{Amount, capped};

/// The properties by which objects are grouped.
pub(crate) type Part = (SiteColumn, CallerColumn, TypeColumn);

/// Objects by collections survived.
pub(crate) type Ages = FxHashMap<(SiteColumn, CallerColumn), Vec<u64>>;

pub(crate) fn add_age(ages: &mut Vec<u64>, survived: u32, count: u64) {
    let at = (survived as usize).min(Lifetimes::MOST_SURVIVED);
    if ages.len() <= at {
        ages.resize(at + 1, 0);
    }
    capped::add(&mut ages[at], count);
}

pub(crate) fn live_types(
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

/// `parts` are not zero.
pub(crate) fn live_sites(
    parts: &FxHashMap<Part, Amount>,
    mut ages: Ages,
    names: &TraceNames,
) -> Vec<LiveSite> {
    let mut by_site: FxHashMap<SiteColumn, Vec<SitePart>> = FxHashMap::default();
    for ((site, caller, ty), live) in parts {
        let parts = by_site.entry(*site).or_default();
        parts.push((*caller, *ty, *live));
    }
    let row =
        |(site, parts): (SiteColumn, Vec<SitePart>)| live_site(site, &parts, &mut ages, names);
    let mut rows: Vec<LiveSite> = by_site.into_iter().map(row).collect();
    rows.sort_by(|a, b| (b.live.bytes, a.site).cmp(&(a.live.bytes, b.site)));
    rows
}

/// A part of one site.
type SitePart = (CallerColumn, TypeColumn, Amount);

fn live_site(
    site: SiteColumn,
    parts: &[SitePart],
    ages: &mut Ages,
    names: &TraceNames,
) -> LiveSite {
    let callers = live_callers(site, parts, ages, names);
    let is_known = |row: &LiveCaller| row.call.is_some();
    LiveSite {
        site: site.site(),
        live: parts.iter().map(|(_, _, live)| *live).sum(),
        ages: sum_of_ages(callers.iter().map(|row| &row.ages)),
        types: live_types(parts.iter().map(|(_, ty, live)| (*ty, *live)), names),
        callers: match callers.iter().any(is_known) {
            true => callers,
            false => Vec::new(),
        },
    }
}

pub(crate) fn sum_of_ages<'a>(lists: impl Iterator<Item = &'a Vec<u64>>) -> Vec<u64> {
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

pub(crate) fn live_threads(
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

pub(crate) fn live_spaces(spaces: &SpaceMap, sums: &[Amount]) -> Vec<LiveSpace> {
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
