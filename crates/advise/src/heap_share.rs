//! The part of a site's objects that reaches the heap: measured (`materialized=on`), or estimated from samples, which are taken of objects on the
//! heap only.

use ducktrack_count_model::{CountModel, SiteIndex};
use ducktrack_profile::Profile;
use rustc_hash::FxHashMap;

/// With fewer expected samples their number says nothing.
const LEAST_EXPECTED: f64 = 8.0;

/// The shares of sites.
pub(crate) struct HeapShares {
    by_site: FxHashMap<SiteIndex, f64>,
}

impl HeapShares {
    pub(crate) fn of(model: &CountModel, profile: &Profile) -> Self {
        let mut by_site = sampled(model, profile);
        for (index, site) in model.indexed_sites() {
            if let Some(heap) = site.materialized.filter(|_| site.total.count > 0) {
                by_site.insert(index, heap.count as f64 / site.total.count as f64);
            }
        }
        Self { by_site }
    }

    /// From 0 to 1; `None`: not known.
    pub(crate) fn share(&self, site: SiteIndex) -> Option<f64> {
        self.by_site.get(&site).map(|share| share.clamp(0.0, 1.0))
    }
}

fn sampled(model: &CountModel, profile: &Profile) -> FxHashMap<SiteIndex, f64> {
    let mut heap_of: Vec<f64> = vec![0.0; profile.strata.len()];
    let (mut bytes, mut samples) = (0.0, 0u64);
    for row in &profile.rows {
        let [_, of_row] = row.sampled();
        samples += row.samples;
        bytes += of_row;
        if let Some(sum) = heap_of.get_mut(row.stratum) {
            *sum += of_row;
        }
    }
    // The JVM's own count is a bound of everything on the heap.
    let vm_bytes = model.completeness.vm_bytes.map(|bytes| bytes as f64);
    let per_sample = match samples {
        0 => None,
        some => Some(bytes / some as f64),
    };
    let mut shares = FxHashMap::default();
    for (stratum, heap) in profile.strata.iter().zip(heap_of) {
        let executed = stratum.tally.bytes as f64;
        if executed <= 0.0 {
            continue;
        }
        let bound = vm_bytes.map_or(1.0, |vm_bytes| vm_bytes / executed);
        let expected = per_sample.map_or(0.0, |per_sample| executed / per_sample);
        let share = match expected >= LEAST_EXPECTED {
            true => Some((heap / executed).min(bound)),
            false => Some(bound).filter(|bound| *bound < 0.5),
        };
        for site in &stratum.sites {
            if let Some(share) = share {
                shares.insert(*site, share);
            }
        }
    }
    shares
}
