//! Looks for totals that cannot be.

use crate::{Inconsistency, SiteIndex, SiteRow, ThreadIndex, ThreadRow};

/// Sites below zero, or with more on the heap than executed.
pub(crate) fn impossible_sites(sites: &[SiteRow]) -> Vec<Inconsistency> {
    let mut found = Vec::new();
    for (position, row) in sites.iter().enumerate() {
        let site = SiteIndex(position);
        let materialized = row.materialized.unwrap_or_default();
        let lowest_bucket = row
            .lengths
            .iter()
            .map(|bucket| bucket.count)
            .min()
            .unwrap_or(0);
        let values = [
            ("count", row.total.count),
            ("bytes", row.total.bytes),
            ("materialized count", materialized.count),
            ("materialized bytes", materialized.bytes),
            ("length bucket", lowest_bucket),
        ];
        for (what, value) in values.into_iter().filter(|(_, value)| *value < 0) {
            found.push(Inconsistency::NegativeSite { site, what, value });
        }
        if materialized.count > row.total.count.max(0) {
            found.push(Inconsistency::MoreMaterializedThanExecuted { site });
        }
    }
    found
}

/// Threads below zero over all sites.
pub(crate) fn impossible_threads(threads: &[ThreadRow]) -> Vec<Inconsistency> {
    let mut found = Vec::new();
    for (position, row) in threads.iter().enumerate() {
        let thread = ThreadIndex(position);
        let values = [("count", row.total.count), ("bytes", row.total.bytes)];
        for (what, value) in values.into_iter().filter(|(_, value)| *value < 0) {
            found.push(Inconsistency::NegativeThread {
                thread,
                what,
                value,
            });
        }
    }
    found
}
