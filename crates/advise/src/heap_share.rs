//! The part of a site's objects that reaches the heap: measured (`record=materialized`), or estimated
//! from samples, which are taken of objects on the heap only, and from the JVM's own count of bytes.
//!
//! The samples of a site, as a share of all samples, have that share of the JVM's count. So samples
//! that were dropped lower no site's part: they are missing everywhere. And a site has no more on
//! the heap than the JVM's count leaves beside the sites that run too seldom to be compiled.

use ducktrack_count_model::{CountModel, SiteIndex};
use ducktrack_profile::Profile;
use rustc_hash::FxHashMap;

/// With fewer expected samples their number says nothing.
const LEAST_EXPECTED: f64 = 8.0;
/// C2 compiles no method that was called less often (`Tier4MinInvocationThreshold`): its objects are not removed.
const LEAST_COMPILED: i64 = 600;
/// Standard errors of a share that chance may add.
const MOST_ERRORS: f64 = 2.0;

/// A part of a site's objects, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HeapShare {
    pub(crate) share: f64,
    /// No more reach the heap than this, 95 of 100 times.
    pub(crate) most: f64,
}

/// The shares of sites.
pub(crate) struct HeapShares {
    by_site: FxHashMap<SiteIndex, HeapShare>,
}

impl HeapShares {
    pub(crate) fn of(model: &CountModel, profile: &Profile) -> Self {
        let mut by_site = sampled(model, profile);
        for (index, site) in model.indexed_sites() {
            if let Some(heap) = site.materialized.filter(|_| site.total.count > 0) {
                let share = (heap.count as f64 / site.total.count as f64).clamp(0.0, 1.0);
                by_site.insert(index, HeapShare { share, most: share });
            }
        }
        Self { by_site }
    }

    /// `None`: not known.
    pub(crate) fn share(&self, site: SiteIndex) -> Option<HeapShare> {
        self.by_site.get(&site).copied()
    }
}

/// What is known of the whole run.
#[derive(Clone, Copy, Debug)]
struct Heap {
    /// All samples, and the bytes that they stand for.
    samples: f64,
    sampled_bytes: f64,
    /// The JVM's own count of the bytes on the heap, and the part of it that sites have whose code the JIT may have compiled.
    vm: Option<(f64, f64)>,
}

impl Heap {
    /// The share of a site with these executed bytes, of which samples stand for `sampled`.
    fn share(&self, executed: f64, sampled: f64) -> Option<HeapShare> {
        let bound = self.vm.map_or(1.0, |(_, compiled)| compiled / executed);
        let bound = bound.clamp(0.0, 1.0);
        let all = self.vm.map_or(self.sampled_bytes, |(vm, _)| vm);
        let expected = match all > 0.0 {
            true => self.samples * executed / all,
            false => 0.0,
        };
        if expected < LEAST_EXPECTED || self.sampled_bytes <= 0.0 {
            // Half of the objects or more: not known.
            return (bound < 0.5).then_some(HeapShare {
                share: bound,
                most: bound,
            });
        }
        let share = sampled * all / self.sampled_bytes / executed;
        // One sample more than none.
        let error = ((share * expected + 1.0) / expected / expected).sqrt();
        Some(HeapShare {
            share: share.min(bound),
            most: (share + MOST_ERRORS * error).min(bound),
        })
    }
}

/// Executed and sampled bytes.
#[derive(Clone, Copy, Debug, Default)]
struct SiteBytes {
    executed: f64,
    sampled: f64,
}

fn sampled(model: &CountModel, profile: &Profile) -> FxHashMap<SiteIndex, HeapShare> {
    let mut of_strata = vec![0.0; profile.strata.len()];
    let (mut sampled_bytes, mut samples) = (0.0, 0u64);
    for row in &profile.rows {
        let [_, of_row] = row.sampled();
        samples += row.samples;
        sampled_bytes += of_row;
        if let Some(sum) = of_strata.get_mut(row.stratum) {
            *sum += of_row;
        }
    }
    let vm = model.completeness.vm_bytes.map(|bytes| bytes as f64);
    let heap = Heap {
        samples: samples as f64,
        sampled_bytes,
        vm: vm.map(|bytes| (bytes, bytes - bytes_of_seldom(model) as f64)),
    };
    let mut sites: FxHashMap<SiteIndex, SiteBytes> = FxHashMap::default();
    for (stratum, sampled) in profile.strata.iter().zip(of_strata) {
        for site in &stratum.sites {
            let bytes = sites.entry(*site).or_default();
            bytes.executed += stratum.tally.bytes as f64;
            bytes.sampled += sampled;
        }
    }
    sites.retain(|_, bytes| bytes.executed > 0.0);
    let share = |(site, bytes): (SiteIndex, SiteBytes)| {
        Some((site, heap.share(bytes.executed, bytes.sampled)?))
    };
    sites.into_iter().filter_map(share).collect()
}

/// The bytes of sites that run too seldom to be compiled.
fn bytes_of_seldom(model: &CountModel) -> i64 {
    let sites = model.sites.iter();
    let seldom = sites.filter(|site| site.total.count < LEAST_COMPILED);
    seldom.map(|site| site.total.bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heap(samples: f64, sampled_bytes: f64) -> Heap {
        Heap {
            samples,
            sampled_bytes,
            vm: Some((24e6, 22e6)),
        }
    }

    #[test]
    fn dropped_samples_are_no_removed_objects() {
        // Half of the samples were dropped: 10 of 20 MB are in the samples, and 24 MB of all 24 reached the heap.
        let share = heap(120.0, 12e6).share(20e6, 10e6).expect("a share");
        assert_eq!(
            share,
            HeapShare {
                share: 1.0,
                most: 1.0
            }
        );
        // The same with few of its samples among all: removed, whatever was dropped.
        let share = heap(120.0, 12e6).share(20e6, 1e6).expect("a share");
        assert!(
            (share.share - 0.1).abs() < 0.01 && share.most < 0.2,
            "{share:?}"
        );
    }

    #[test]
    fn a_site_has_no_more_than_the_jvm_counts() {
        let share = heap(120.0, 24e6).share(44e6, 24e6).expect("a share");
        assert_eq!(
            share,
            HeapShare {
                share: 0.5,
                most: 0.5
            }
        );
        // Without samples the count alone tells it, where it tells enough.
        let share = heap(0.0, 0.0).share(88e6, 0.0).expect("a share");
        assert_eq!(
            share,
            HeapShare {
                share: 0.25,
                most: 0.25
            }
        );
        assert_eq!(heap(0.0, 0.0).share(30e6, 0.0), None);
    }

    #[test]
    fn few_samples_leave_the_most_open() {
        let share = heap(24.0, 24e6).share(10e6, 6e6).expect("a share");
        assert!((share.share - 0.6).abs() < 0.01, "{share:?}");
        assert_eq!(share.most, 1.0);
        assert_eq!(heap(12.0, 12e6).share(10e6, 5e6), None);
    }
}
