//! The heap and its collections over time.

use std::sync::Arc;

use ducktrack_analyses::{CompositionPoint, SpaceUse, Timeline, TimelinePoint};
use ducktrack_count_model::SiteIndex;
use ducktrack_heap_replay::CollectionNumber;
use ducktrack_live_heap::Amount;

use super::{Heap, OF_THE_VM, START, STEP};

impl Heap<'_> {
    pub(super) fn timeline(&self) -> Timeline {
        let last = self.collections - 1;
        let columns: Vec<Option<Arc<str>>> = self
            .types(last)
            .into_iter()
            .take(Timeline::MOST_COLUMNS)
            .map(|(ty, _)| ty)
            .collect();
        let mut sites = self.sites.clone();
        sites.retain(|site| self.live(*site, last).count > 0);
        sites.sort_by_key(|site| std::cmp::Reverse(self.live(*site, last).bytes));
        sites.truncate(Timeline::MOST_COLUMNS - 1);
        let mut site_columns: Vec<Option<SiteIndex>> = sites.iter().copied().map(Some).collect();
        site_columns.push(None);
        Timeline {
            points: (0..self.collections).map(|at| self.point(at)).collect(),
            allocated_after: Amount::default(),
            start_micros: START + 20_000,
            end_micros: START + STEP * u64::from(self.collections + 1),
            composition: (0..self.collections)
                .map(|at| self.composition(at, &columns, &sites))
                .collect(),
            types: columns,
            sites: site_columns,
        }
    }

    fn composition(
        &self,
        collection: u32,
        types: &[Option<Arc<str>>],
        sites: &[SiteIndex],
    ) -> CompositionPoint {
        let of_types = self.types(collection);
        let of_type = |ty: &Option<Arc<str>>| {
            let found = of_types.iter().find(|(other, _)| other == ty);
            found.map_or_else(Amount::default, |(_, live)| *live)
        };
        let mut of_sites: Vec<Amount> = sites
            .iter()
            .map(|site| self.live(*site, collection))
            .collect();
        of_sites.push(OF_THE_VM);
        CompositionPoint {
            collection: CollectionNumber(collection),
            unix_micros: START + STEP * u64::from(collection + 1) + 4_000,
            total: self.total(collection),
            types: types.iter().map(of_type).collect(),
            sites: of_sites,
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
            9 => "full",
            5 => "mixed",
            _ => "young",
        };
        let cause = if full {
            "System.gc()"
        } else {
            "G1 Evacuation Pause"
        };
        TimelinePoint {
            collection,
            cause: cause.into(),
            kind: kind.into(),
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

fn uses(live: Amount, young: u64) -> Vec<SpaceUse> {
    let space = |kind: &str, number: u32, used: u64| SpaceUse {
        kind: kind.into(),
        number,
        used,
    };
    vec![
        space("eden", 3, young),
        space("survivor", 1, live.bytes / 8),
        space("old", 6, live.bytes - live.bytes / 8),
    ]
}
