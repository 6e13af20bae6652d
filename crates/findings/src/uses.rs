//! When the objects of a row were last used, where that is recorded.

use ducktrack_analyses::{Staleness, SurvivorRow};
use ducktrack_holders::LastUse;

use crate::finding::Uses;

/// The last uses of a row's live objects; `None`: not recorded.
pub(crate) fn uses(staleness: &Staleness, row: &SurvivorRow) -> Option<Uses> {
    let is_its = |site: Option<_>| site.is_some_and(|site| row.sites.contains(&site));
    let mut levels: Vec<u64> = Vec::new();
    for row in staleness.sites.iter().filter(|row| is_its(row.site)) {
        let of_row = LastUse::of_levels(&row.levels).levels;
        if levels.len() < of_row.len() {
            levels.resize(of_row.len(), 0);
        }
        for (sum, more) in levels.iter_mut().zip(of_row) {
            *sum += more;
        }
    }
    let last = (!levels.is_empty()).then_some(LastUse { levels })?;
    let unused_for = last.median();
    Some(Uses {
        unused_since: unused_for.and_then(|unused| moment_before(staleness, unused)),
        unused_for,
        last,
    })
}

/// About when the collection this many collections before the end was, microseconds since 1970.
fn moment_before(staleness: &Staleness, collections: u32) -> Option<u64> {
    let wanted = staleness.collection.0.saturating_sub(collections);
    let mut points = staleness.points.iter().rev();
    let point = points.find(|point| point.collection.0 <= wanted)?;
    Some(point.unix_micros)
}
