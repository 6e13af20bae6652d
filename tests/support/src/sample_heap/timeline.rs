//! The heap and its collections over time.

use std::collections::BTreeMap;

use ducktrack_analyses::{CompositionPoint, LivePart, SpaceUse, Timeline, TimelinePoint};
use ducktrack_count_model::{CallIndex, CallerColumn, Origin, SiteColumn, TypeColumn, TypeNames};
use ducktrack_heap_replay::CollectionNumber;
use ducktrack_live_heap::Amount;
use ducktrack_trace_format::{CollectionKind, SpaceKind};

use super::{Heap, OF_THE_VM, START, STEP};

impl Heap<'_> {
    pub(super) fn timeline(&self) -> Timeline {
        let mut type_names = TypeNames::default();
        let composition = (0..self.collections)
            .map(|at| self.composition(at, &mut type_names))
            .collect();
        Timeline {
            points: (0..self.collections).map(|at| self.point(at)).collect(),
            allocated_after: Amount::default(),
            start_micros: START + 20_000,
            end_micros: START + STEP * u64::from(self.collections + 1),
            type_names,
            composition,
        }
    }

    fn composition(&self, collection: u32, names: &mut TypeNames) -> CompositionPoint {
        let mut parts: BTreeMap<LivePart, Amount> = BTreeMap::new();
        parts.insert(LivePart::default(), OF_THE_VM);
        for site in &self.sites {
            let live = self.live(*site, collection);
            let ty = self.ty(*site);
            let ty = ty.map_or(TypeColumn::NONE, |ty| names.column(&ty));
            let mut of_caller = |call: Option<CallIndex>, live| {
                let caller = call.map_or(CallerColumn::NONE, CallerColumn::of);
                let site = SiteColumn::of(*site);
                let origin = Origin { site, caller };
                *parts.entry(LivePart { origin, ty }).or_default() += live;
            };
            let callers = self.live_callers(*site, live);
            if callers.is_empty() {
                of_caller(None, live);
            }
            for caller in callers {
                of_caller(caller.call, caller.live);
            }
        }
        parts.retain(|_, live| live.count > 0);
        CompositionPoint {
            collection: CollectionNumber(collection),
            unix_micros: START + STEP * u64::from(collection + 1) + 4_000,
            total: self.total(collection),
            types: sums(&parts, |part| part.ty),
            sites: sums(&parts, |part| part.origin.site),
            parts: parts.into_iter().collect(),
        }
    }

    fn point(&self, collection: u32) -> TimelinePoint {
        let full = collection % 10 == 9;
        let pause = if full { 20_000 } else { 4_000 };
        let start = START + STEP * u64::from(collection + 1);
        let live = self.total(collection);
        // More in every other collection, so that the rate is no straight line.
        let allocated = Amount {
            count: 20_000 + 5_000 * u64::from(collection % 2),
            bytes: 640_000 + 160_000 * u64::from(collection % 2),
        };
        let kind = match collection % 10 {
            9 => CollectionKind::Full,
            5 => CollectionKind::Mixed,
            _ => CollectionKind::Young,
        };
        let cause = if full {
            "System.gc()"
        } else {
            "G1 Evacuation Pause"
        };
        TimelinePoint {
            collection,
            cause: cause.into(),
            kind,
            start_micros: start,
            end_micros: start + pause,
            walk_nanos: pause * 250,
            allocated,
            gap_bytes: 4_096,
            mutator_micros: STEP - 4_000,
            moved: Some(Amount {
                count: live.count / 4,
                bytes: live.bytes / 4,
            }),
            stayed: Some(Amount::default()),
            died: Some(allocated),
            died_promoted: Some(Amount::default()),
            promoted: Some(Amount {
                count: live.count / 40,
                bytes: live.bytes / 40,
            }),
            live: Some(live),
            before: uses(live, allocated.bytes),
            after: uses(live, 0),
            fault: None,
        }
    }
}

fn sums<C: Ord>(
    parts: &BTreeMap<LivePart, Amount>,
    of: impl Fn(&LivePart) -> C,
) -> Vec<(C, Amount)> {
    let mut sums: BTreeMap<C, Amount> = BTreeMap::new();
    for (part, live) in parts {
        *sums.entry(of(part)).or_default() += *live;
    }
    sums.into_iter().collect()
}

fn uses(live: Amount, young: u64) -> Vec<SpaceUse> {
    let space = |kind: SpaceKind, number: u32, used: u64| SpaceUse { kind, number, used };
    vec![
        space(SpaceKind::Eden, 3, young),
        space(SpaceKind::Survivor, 1, live.bytes / 8),
        space(SpaceKind::Old, 6, live.bytes - live.bytes / 8),
    ]
}
