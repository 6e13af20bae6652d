//! What each site costs the collector.

use ducktrack_analyses::{
    CallerCost, Cost, Estimate, FullSavings, GcCost, KindCost, PauseModel, Saved, SiteCost,
    TypeCost,
};
use ducktrack_count_model::SiteIndex;
use ducktrack_live_heap::Amount;

use super::{Heap, OF_THE_VM};

impl Heap<'_> {
    pub(super) fn costs(&self) -> GcCost {
        let sites: Vec<SiteCost> = self.sites.iter().map(|site| self.cost(*site)).collect();
        let of_the_vm = SiteCost {
            cost: Cost {
                allocated: OF_THE_VM,
                copied: OF_THE_VM,
                copied_by_age: vec![OF_THE_VM.bytes],
                ..Cost::default()
            },
            ..SiteCost::default()
        };
        let mut costs = GcCost {
            sites: sites.into_iter().chain([of_the_vm]).collect(),
            ..GcCost::default()
        };
        for site in &costs.sites {
            costs.total += &site.cost;
        }
        costs.types = vec![TypeCost {
            ty: Some("Ljava/lang/String;".into()),
            cost: costs.total.clone(),
        }];
        let [young, full, _] = costs.total.kinds;
        let model = |pauses: u64, kind: KindCost, value: f64| PauseModel {
            pauses,
            asked: 1,
            nanos: 40_000_000,
            work: kind.work,
            scatter: 0.0,
            per_byte: Estimate {
                value,
                low: value / 2.0,
                high: value * 2.0,
            },
        };
        costs.models = [
            model(20, young, 0.5),
            model(2, full, 1.0),
            PauseModel::default(),
        ];
        costs
    }

    /// Of each site a quarter is copied once, half of that twice, and an eighth
    /// promoted, half of which dies soon. The first caller is to blame for all.
    fn cost(&self, site: SiteIndex) -> SiteCost {
        let size = self.size(site);
        let amount = |count| Amount {
            count,
            bytes: count * size,
        };
        let allocated = self.allocated(site);
        let (once, twice) = (amount(allocated.count / 4), amount(allocated.count / 8));
        let mut copied = once;
        copied += twice;
        let kind = |brought_on, work| KindCost {
            brought_on,
            work,
            brought_work: brought_on * 1_000_000.0,
        };
        let share = 1.0 / self.sites.len() as f64;
        let cost = Cost {
            allocated,
            copied,
            copied_by_age: vec![once.bytes, twice.bytes],
            copied_in_vain: twice.bytes,
            marked: 0,
            promoted: amount(allocated.count / 8),
            promoted_soon_dead: amount(allocated.count / 16),
            kinds: [
                kind(19.0 * share, copied.bytes),
                kind(share, twice.bytes),
                KindCost::default(),
            ],
            full: FullSavings {
                without: Saved {
                    collections: share,
                    work: twice.bytes as f64,
                },
                unused: [Saved {
                    collections: share / 2.0,
                    work: twice.bytes as f64 / 2.0,
                }; 2],
            },
            unused_copied: [twice.bytes / 4; 2],
        };
        let parts = &self.count.site(site).parts;
        let call = parts.iter().find_map(|part| part.context);
        let callers = call.map(|call| CallerCost {
            call: Some(call),
            cost: cost.clone(),
        });
        SiteCost {
            site: Some(site),
            callers: callers.into_iter().collect(),
            cost,
        }
    }
}
