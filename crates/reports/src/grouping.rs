//! Sums by type, by caller, by kind, by package: always largest first, ties by name, so that output is stable.

use std::collections::BTreeMap;

use ducktrack_count_model::Tally;

use crate::class_name::package_of;
use crate::view::{CallerId, Cell, SiteRow};

/// Sums cells by type.
pub(crate) fn by_type<'a>(cells: impl IntoIterator<Item = &'a Cell>) -> Vec<(&'a str, Tally)> {
    sums(
        cells
            .into_iter()
            .map(|cell| (cell.ty.as_str(), cell.executed)),
    )
}

/// Sums cells by caller; `None` is "not known".
pub(crate) fn by_caller(cells: &[Cell]) -> Vec<(Option<CallerId>, Tally)> {
    sums(cells.iter().map(|cell| (cell.caller, cell.executed)))
}

/// Sums sites by way of allocating.
pub(crate) fn by_kind(sites: &[SiteRow]) -> Vec<(&'static str, Tally)> {
    sums(sites.iter().map(|site| (site.kind, site.executed)))
}

/// Sums sites by package.
pub(crate) fn by_package(sites: &[SiteRow]) -> Vec<(&str, Tally)> {
    sums(
        sites
            .iter()
            .map(|site| (package_of(&site.location.class), site.executed)),
    )
}

/// Sums by key; largest bytes first, then objects, then the key's own order.
pub(crate) fn sums<K: Ord>(pairs: impl Iterator<Item = (K, Tally)>) -> Vec<(K, Tally)> {
    let mut totals: BTreeMap<K, Tally> = BTreeMap::new();
    for (key, amount) in pairs {
        *totals.entry(key).or_default() += amount;
    }
    let mut sorted: Vec<_> = totals.into_iter().collect();
    sorted.sort_by(|a, b| {
        (b.1.bytes, b.1.count)
            .cmp(&(a.1.bytes, a.1.count))
            .then_with(|| a.0.cmp(&b.0))
    });
    sorted
}
