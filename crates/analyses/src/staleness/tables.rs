//! Rows of staleness by type, site and caller.

use ducktrack_count_model::{CallerColumn, SiteColumn, TraceNames, TypeColumn};
use rustc_hash::FxHashMap;

use crate::heap_at::live_rows::Part;
use crate::{Levels, StaleCaller, StaleSite, StaleType};

pub(super) fn types<'a>(
    parts: impl Iterator<Item = (TypeColumn, &'a Levels)>,
    names: &TraceNames,
) -> Vec<StaleType> {
    let rows = summed(parts).into_iter().map(|(ty, levels)| StaleType {
        ty: names.types.name(ty).cloned(),
        levels,
    });
    let mut rows: Vec<StaleType> = rows.collect();
    rows.sort_by(|a, b| (bytes(&b.levels), &a.ty).cmp(&(bytes(&a.levels), &b.ty)));
    rows
}

pub(super) fn sites(parts: &FxHashMap<Part, Levels>, names: &TraceNames) -> Vec<StaleSite> {
    let mut by_site: FxHashMap<SiteColumn, Vec<(CallerColumn, TypeColumn, &Levels)>> =
        FxHashMap::default();
    for ((site, caller, ty), levels) in parts {
        by_site
            .entry(*site)
            .or_default()
            .push((*caller, *ty, levels));
    }
    let row = |(site, parts): (SiteColumn, Vec<(CallerColumn, TypeColumn, &Levels)>)| {
        let mut levels = Levels::default();
        parts.iter().for_each(|(_, _, part)| levels.join(part));
        StaleSite {
            site: site.site(),
            levels,
            callers: callers(&parts),
            types: types(parts.iter().map(|(_, ty, levels)| (*ty, *levels)), names),
        }
    };
    let mut rows: Vec<StaleSite> = by_site.into_iter().map(row).collect();
    rows.sort_by(|a, b| (bytes(&b.levels), a.site).cmp(&(bytes(&a.levels), b.site)));
    rows
}

fn callers(parts: &[(CallerColumn, TypeColumn, &Levels)]) -> Vec<StaleCaller> {
    let by_caller = summed(parts.iter().map(|(caller, _, levels)| (*caller, *levels)));
    let mut rows: Vec<StaleCaller> = by_caller
        .into_iter()
        .map(|(caller, levels)| StaleCaller {
            call: caller.call(),
            levels,
        })
        .collect();
    if rows.iter().all(|row| row.call.is_none()) {
        rows.clear();
    }
    rows.sort_by(|a, b| (bytes(&b.levels), a.call).cmp(&(bytes(&a.levels), b.call)));
    rows
}

fn summed<'a, K: core::hash::Hash + Eq>(
    parts: impl Iterator<Item = (K, &'a Levels)>,
) -> FxHashMap<K, Levels> {
    let mut sums: FxHashMap<K, Levels> = FxHashMap::default();
    for (key, levels) in parts {
        sums.entry(key).or_default().join(levels);
    }
    sums
}

fn bytes(levels: &Levels) -> u64 {
    levels.total().bytes
}
