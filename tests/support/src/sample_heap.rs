//! A heap for a run: what the reader would make of its event files, as plain data with numbers that add up.
//!
//! Every site of the run gets a life of its own, by its position:
//!
//! | position mod 4 | live objects after collection n |
//! |---|---|
//! | 0 | none: all die before their first collection |
//! | 1 | a level, reached at once |
//! | 2 | 10 more at every collection |
//! | 3 | up and down with a period of 8 collections |
//!
//! Beside the sites, the VM itself keeps 100 objects of 32 bytes without an event. Collections come every 50 ms and take
//! 4 ms (every tenth is a full one of 20 ms), a quarter of it the agent's walk.

use std::sync::Arc;

use ducktrack_analyses::{GcCost, HeapAt, Lifetimes, Survivors, Timeline, TraceModel};
use ducktrack_count_model::{CountModel, SiteIndex};
use ducktrack_heap_replay::{CollectionNumber, Moment};
use ducktrack_live_heap::Amount;

mod gc_costs;
mod info;
mod lifetimes;
mod live_heap;
mod survivors;
mod timeline;

/// Microseconds since 1970 at which the run starts.
const START: u64 = 1_700_000_000_000_000;
/// From one collection's begin to the next.
const STEP: u64 = 50_000;
/// What the VM keeps.
const OF_THE_VM: Amount = Amount {
    count: 100,
    bytes: 3200,
};

/// A trace and the answers to questions about it.
#[derive(Clone, Debug)]
pub struct SampleTrace {
    /// The run.
    pub model: TraceModel,
    /// At its end, after half of its collections, and at a moment that is not known.
    pub heaps: Vec<Option<HeapAt>>,
    /// Of its sites.
    pub lifetimes: Lifetimes,
    /// Of all collections.
    pub timeline: Timeline,
    /// Of the whole run.
    pub survivors: Survivors,
    /// Of all collections.
    pub costs: GcCost,
}

/// A run of this many collections.
pub fn sample_trace(mut count: CountModel, collections: u32) -> SampleTrace {
    count.run.mode = "trace".into();
    let heap = Heap {
        sites: count.indexed_sites().map(|(index, _)| index).collect(),
        count: &count,
        collections,
    };
    let info = heap.info();
    let heaps = vec![
        Some(heap.at(Moment::End)),
        Some(heap.at(Moment::After(CollectionNumber(collections / 2)))),
        None,
    ];
    let (lifetimes, timeline, survivors) = (heap.lifetimes(), heap.timeline(), heap.survivors());
    let costs = heap.costs();
    SampleTrace {
        model: TraceModel { count, info },
        heaps,
        lifetimes,
        timeline,
        survivors,
        costs,
    }
}

struct Heap<'a> {
    count: &'a CountModel,
    sites: Vec<SiteIndex>,
    collections: u32,
}

impl Heap<'_> {
    /// Bytes of one object of the site.
    fn size(&self, site: SiteIndex) -> u64 {
        let total = self.count.site(site).total;
        u64::try_from(total.bytes.max(8) / total.count.max(1))
            .unwrap_or(8)
            .max(8)
    }

    /// A level for the site: of larger ones more.
    fn level(&self, site: SiteIndex) -> u64 {
        let executed = u64::try_from(self.count.site(site).total.count).unwrap_or(0);
        executed.isqrt() * 4
    }

    fn live(&self, site: SiteIndex, collection: u32) -> Amount {
        let level = self.level(site);
        let count = match site.get() % 4 {
            0 => 0,
            1 => level,
            2 => u64::from(collection) * 10,
            _ => level * u64::from(collection % 8 + 1) / 8,
        };
        Amount {
            count,
            bytes: count * self.size(site),
        }
    }

    fn allocated(&self, site: SiteIndex) -> Amount {
        let executed = u64::try_from(self.count.site(site).total.count).unwrap_or(0);
        let count = executed.max(self.live(site, self.collections - 1).count);
        Amount {
            count,
            bytes: count * self.size(site),
        }
    }

    fn total(&self, collection: u32) -> Amount {
        let mut total: Amount = self
            .sites
            .iter()
            .map(|site| self.live(*site, collection))
            .sum();
        total += OF_THE_VM;
        total
    }

    /// The site's type, or the first of its parts.
    fn ty(&self, site: SiteIndex) -> Option<Arc<str>> {
        let row = self.count.site(site);
        row.ty
            .clone()
            .or_else(|| row.parts.first().and_then(|part| part.ty.clone()))
    }

    fn types(&self, collection: u32) -> Vec<(Option<Arc<str>>, Amount)> {
        let mut types: Vec<(Option<Arc<str>>, Amount)> = vec![(None, OF_THE_VM)];
        for site in &self.sites {
            let (ty, live) = (self.ty(*site), self.live(*site, collection));
            match types.iter_mut().find(|(other, _)| *other == ty) {
                Some((_, sum)) => *sum += live,
                None => types.push((ty, live)),
            }
        }
        types.retain(|(_, live)| live.count > 0);
        types.sort_by_key(|(_, live)| std::cmp::Reverse(live.bytes));
        types
    }
}
