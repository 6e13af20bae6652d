//! One line of source is one site, whichever loader its class came from, and whichever bytecode index the compiler gave it.

use std::sync::Arc;

use ducktrack_count_model::{CallIndex, CountModel, MethodIndex, SiteIndex};
use ducktrack_leaks::Lines;
use rustc_hash::FxHashMap;

use super::SurvivorRow;

/// A place as a person names it: class, method, and line (or bytecode index, where there is no line).
type Place = (Arc<str>, Arc<str>, u32);

fn place(count: &CountModel, method: MethodIndex, bci: u16, line: Option<u16>) -> Option<Place> {
    let method = count.methods.get(method.get())?;
    let at = line.map_or(u32::from(bci) << 16 | 0xffff, u32::from);
    Some((method.class.clone(), method.name.clone(), at))
}

fn place_of_site(count: &CountModel, site: SiteIndex) -> Option<Place> {
    let row = count.sites.get(site.get())?;
    place(count, row.method, row.bci, row.line)
}

fn place_of_call(count: &CountModel, call: CallIndex) -> Option<(Place, Arc<str>)> {
    let row = count.calls.get(call.get())?;
    Some((
        place(count, row.method, row.bci, row.line)?,
        row.target.clone(),
    ))
}

/// Rows of one place, caller and type become one; it has the site of the row with most live bytes.
pub(super) fn merged(rows: Vec<SurvivorRow>, count: &CountModel) -> Vec<SurvivorRow> {
    let mut place_of = FxHashMap::default();
    let mut merged: Vec<(SurvivorRow, u64)> = Vec::new();
    for row in rows {
        let site = row.site.and_then(|site| place_of_site(count, site));
        let call = row.call.and_then(|call| place_of_call(count, call));
        let key = (site, call, row.ty.clone());
        let next = merged.len();
        let place = *place_of.entry(key).or_insert(next);
        match merged.get_mut(place) {
            None => {
                let bytes = row.history.live().bytes;
                merged.push((row, bytes));
            }
            Some((sum, most)) => {
                let bytes = row.history.live().bytes;
                if bytes > *most {
                    (sum.site, sum.call, *most) = (row.site, row.call, bytes);
                }
                sum.history.add(&row.history);
                sum.sites.extend(row.sites);
                sum.calls.extend(row.calls);
            }
        }
    }
    let mut rows: Vec<SurvivorRow> = merged.into_iter().map(|(row, _)| row).collect();
    for row in &mut rows {
        row.sites.sort_unstable();
        row.sites.dedup();
        row.calls.sort_unstable();
        row.calls.dedup();
        row.loaders = loaders(row, count);
    }
    let order = |row: &SurvivorRow| {
        (
            core::cmp::Reverse(row.history.live().bytes),
            row.site,
            row.call,
            row.ty.clone(),
        )
    };
    rows.sort_by_cached_key(order);
    rows
}

/// By cell: the lines of source that allocate in it, each for each caller and type, and those of them that do for the first time.
pub(super) fn lines(rows: &[SurvivorRow], cells: usize) -> Vec<Lines> {
    let mut lines = vec![Lines::default(); cells];
    for row in rows.iter().filter(|row| row.site.is_some()) {
        let births = lines.iter_mut().zip(&row.history.born);
        let at_work = births.filter(|(_, born)| born.objects > 0);
        for (at, (lines, _)) in at_work.enumerate() {
            lines.at_work += 1;
            lines.new += u32::from(at == 0);
        }
    }
    lines
}

/// By cell: class loaders that are kept, by what the constructor of each makes for itself.
pub(super) fn kept_loaders(rows: &[SurvivorRow], cells: usize, count: &CountModel) -> Vec<u64> {
    let is_its = |row: &&SurvivorRow| {
        let place = row.site.and_then(|site| place_of_site(count, site));
        place.is_some_and(|(class, method, _)| {
            class.as_ref() == "java/lang/ClassLoader" && method.as_ref() == "<init>"
        })
    };
    let mut loaders = vec![0; cells];
    for row in rows.iter().filter(is_its) {
        for (most, kept) in loaders.iter_mut().zip(&row.history.kept) {
            *most = kept.objects.max(*most);
        }
    }
    loaders
}

fn loaders(row: &SurvivorRow, count: &CountModel) -> u32 {
    let loader = |site: &SiteIndex| {
        let site = count.sites.get(site.get())?;
        Some(count.methods.get(site.method.get())?.loader.clone())
    };
    let mut loaders: Vec<Arc<str>> = row.sites.iter().filter_map(loader).collect();
    loaders.sort_unstable();
    loaders.dedup();
    u32::try_from(loaders.len()).unwrap_or(u32::MAX)
}
