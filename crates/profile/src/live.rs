//! Live objects by stack: those of each site, distributed in proportion to what the site allocated through each
//! stack.

use ducktrack_count_model::{SiteIndex, Tally};
use rustc_hash::FxHashMap;

use crate::allotment::allot;
use crate::profile::Profile;

impl Profile {
    /// Live objects and bytes of each row. Their sum is that of `live` over all sites with rows.
    pub fn live_rows(&self, live: &FxHashMap<SiteIndex, Tally>) -> Vec<Tally> {
        let mut rows_of_site: FxHashMap<SiteIndex, Vec<usize>> = FxHashMap::default();
        for (at, row) in self.rows.iter().enumerate() {
            let stratum = self.strata.get(row.stratum);
            for site in stratum.into_iter().flat_map(|stratum| &stratum.sites) {
                rows_of_site.entry(*site).or_default().push(at);
            }
        }
        let mut sums = vec![Tally::default(); self.rows.len()];
        for (site, rows) in rows_of_site {
            let Some(amount) = live.get(&site) else {
                continue;
            };
            let weight = |at: &usize| self.rows.get(*at).map_or(0, |row| row.tally.bytes);
            let weights: Vec<f64> = rows.iter().map(|at| weight(at).max(0) as f64).collect();
            let parts = allot(amount.count, &weights)
                .into_iter()
                .zip(allot(amount.bytes, &weights));
            for (at, (count, bytes)) in rows.iter().zip(parts) {
                if let Some(sum) = sums.get_mut(*at) {
                    *sum += Tally { count, bytes };
                }
            }
        }
        sums
    }
}
