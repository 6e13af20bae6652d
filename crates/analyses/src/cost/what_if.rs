//! The duration of a run under other conditions, from the costs of this one.
//!
//! - *A part of some objects* ([`SiteCost::part`]): that part of their work, and of the collections that they cause.
//! - *Another young size*: young collections come in proportion. Objects that die young are copied in proportion
//!   to the collections, others as often as before; the interval reaches from one to the other for all of them.
//! - *Another heap size*, with the young space as it is: full collections
//!   come when promoted bytes have filled the room that the one before left.

use ducktrack_count_model::CallIndex;

use crate::cost::gc_cost::{CallerCost, Cost, GcCost, SiteCost};
use crate::cost::pause_model::Estimate;

impl SiteCost {
    /// A share of the objects of each caller.
    pub fn part(&self, share_of: impl Fn(Option<CallIndex>) -> f64) -> Cost {
        let whole = [CallerCost {
            call: None,
            cost: self.cost.clone(),
        }];
        let callers = match self.callers.as_slice() {
            [] => &whole[..],
            callers => callers,
        };
        let (mut part, mut all, mut kept) = (Cost::default(), 0.0, 0.0);
        for caller in callers {
            let share = share_of(caller.call);
            part += &caller.cost.part(share);
            // Promoted bytes bring full collections on; where nothing is promoted, allocated ones.
            let promoted = caller.cost.promoted.bytes as f64;
            let weight = promoted + caller.cost.allocated.bytes as f64 * f64::EPSILON;
            all += weight;
            kept += weight * share;
        }
        let share = if all > 0.0 { kept / all } else { 0.0 };
        part.full.without = self.cost.full.without.part(share);
        part
    }
}

impl GcCost {
    /// Bytes allocated from one young collection to the next, on the average. `None`: there was none.
    pub fn young_bytes(&self) -> Option<u64> {
        let [young, _, _] = &self.models;
        self.total.allocated.bytes.checked_div(young.pauses)
    }

    /// Nanoseconds of all pauses if this many bytes fit between two young collections. `None`: there was none.
    pub fn with_young(&self, bytes: u64) -> Option<Estimate> {
        let [young, full, cycle] = &self.models;
        let times = self.young_bytes()? as f64 / bytes.max(1) as f64;
        let pauses = (young.pauses.saturating_sub(young.asked)) as f64 * times + young.asked as f64;
        let vain = self.total.copied_in_vain.min(young.work) as f64;
        let rest = young.work as f64 - vain;
        let of = |work: f64| young.time(pauses, work);
        let (fixed, scaled) = (of(young.work as f64), of(young.work as f64 * times));
        let estimate = of(rest + vain * times);
        let others = Estimate::exact((full.nanos.saturating_add(cycle.nanos)) as f64);
        let estimate = [fixed, scaled].iter().fold(estimate, |estimate, bound| {
            estimate.reaching(bound.low).reaching(bound.high)
        });
        Some(estimate + others)
    }

    /// Nanoseconds of all pauses with a heap of this many bytes. `None`: no
    /// full collection came because the heap was full, so the room is unknown.
    pub fn with_heap(&self, bytes: u64) -> Option<HeapWhatIf> {
        let [young, full, cycle] = &self.models;
        let brought_on = full
            .pauses
            .checked_sub(full.asked)
            .filter(|brought| *brought > 0)?;
        let (used, left) = self.around_full?;
        let room = used.checked_sub(left).filter(|room| *room > 0)?;
        let Some(other_room) = bytes.checked_sub(left).filter(|room| *room > 0) else {
            return Some(HeapWhatIf::TooSmall { live: left });
        };
        let others = Estimate::exact((young.nanos.saturating_add(cycle.nanos)) as f64);
        let each = full.nanos as f64 / full.pauses.max(1) as f64;
        let collections = brought_on as f64 * room as f64 / other_room as f64;
        let of = |collections: f64| each * (collections + full.asked as f64);
        let estimate = Estimate::exact(of(collections))
            .reaching(of(collections.floor()))
            .reaching(of(collections.ceil()));
        Some(HeapWhatIf::Pauses(estimate + others))
    }
}

/// A run with another heap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeapWhatIf {
    /// Nanoseconds of all pauses.
    Pauses(Estimate),
    /// The live objects do not fit: these are their bytes.
    TooSmall {
        /// After full collections, on the average.
        live: u64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::gc_cost::KindCost;
    use crate::cost::other_run::Saved;
    use crate::cost::other_runs::FullSavings;
    use crate::cost::pause_model::{PauseModel, PauseSample};
    use ducktrack_live_heap::Amount;

    /// 40 young pauses of 1,000 ns and 2 ns a byte, two full ones of 500,000 ns.
    fn costs() -> GcCost {
        let young: Vec<PauseSample> = (0..40_u64)
            .map(|at| PauseSample {
                nanos: 1_000 + 2 * (100 + at),
                work: 100 + at,
            })
            .collect();
        let full = [PauseSample {
            nanos: 500_000,
            work: 1_000,
        }; 2];
        let models = [
            PauseModel::fit(&young, 0),
            PauseModel::fit(&full, 0),
            PauseModel::default(),
        ];
        let work = models[0].work;
        let kind = |brought_on, work| KindCost {
            brought_on,
            work,
            brought_work: 0.0,
        };
        GcCost {
            total: Cost {
                allocated: Amount {
                    count: 4_000,
                    bytes: 400_000,
                },
                copied_in_vain: work / 2,
                kinds: [kind(40.0, work), kind(2.0, 2_000), KindCost::default()],
                full: FullSavings {
                    without: Saved {
                        collections: 2.0,
                        work: 2_000.0,
                    },
                    ..FullSavings::default()
                },
                ..Cost::default()
            },
            models,
            around_full: Some((900, 300)),
            ..GcCost::default()
        }
    }

    #[test]
    fn a_young_space_of_twice_the_size_halves_constants_and_what_dies_young() {
        let costs = costs();
        assert_eq!(costs.young_bytes(), Some(10_000));
        let now = costs.with_young(10_000).expect("known");
        assert!((now.value - costs.pause_nanos() as f64).abs() < 1.0);
        let twice = costs.with_young(20_000).expect("known");
        let work = costs.models[0].work as f64;
        let expected = 20.0 * 1_000.0 + 2.0 * work * 0.75 + 1_000_000.0;
        assert!((twice.value - expected).abs() < 1.0, "{twice:?}");
        assert!(twice.low < twice.value && twice.value < twice.high);
        assert_eq!(GcCost::default().with_young(1), None);
    }

    #[test]
    fn a_larger_heap_has_fewer_full_collections_and_a_small_one_does_not_hold_what_lives() {
        let costs = costs();
        let Some(HeapWhatIf::Pauses(more)) = costs.with_heap(1_500) else {
            panic!("known");
        };
        let young = costs.models[0].nanos as f64;
        assert!((more.value - young - 500_000.0).abs() < 1.0, "{more:?}");
        assert_eq!(
            costs.with_heap(200),
            Some(HeapWhatIf::TooSmall { live: 300 })
        );
        assert_eq!(GcCost::default().with_heap(1), None);
    }

    #[test]
    fn a_young_collection_comes_where_a_full_one_stood_in_for_it() {
        let saved = Saved {
            collections: 1.0,
            work: 1_000.0,
        };
        let leak = Cost {
            full: FullSavings {
                unused: [saved; 2],
                ..FullSavings::default()
            },
            ..Cost::default()
        };
        let beside = costs();
        let instead = GcCost {
            stands_in: 1.0,
            ..costs()
        };
        let young = &beside.models[0];
        let each = young.nanos as f64 / young.pauses as f64;
        let less = beside.unused(&leak).value - instead.unused(&leak).value;
        assert!((less - each).abs() < 1e-6, "{less} of {each}");
    }

    #[test]
    fn half_of_all_saves_half() {
        let costs = costs();
        let site = SiteCost {
            cost: costs.total.clone(),
            ..SiteCost::default()
        };
        let half = costs.without(&site.part(|_| 0.5));
        let all = costs.pause_nanos() as f64;
        assert!(
            (half.value - all / 2.0).abs() < 0.01 * all,
            "{half:?} of {all}"
        );
    }
}
