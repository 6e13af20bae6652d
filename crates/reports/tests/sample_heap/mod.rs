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

use ducktrack_heap_model::{
    Amount, CallerLifetime, CollectionNumber, CompositionPoint, CountModel, EventFileRow, Growth,
    GrowthPoint, GrowthRow, GrowthSubject, GrowthVerdict, HeapAt, HeapKnowledge, KnownStretch,
    Lifetimes, LiveCaller, LiveSite, LiveSpace, LiveThread, LiveType, Lives, Moment, Quality,
    Rotation, SiteIndex, SiteLifetime, SpaceUse, StretchGrowth, Timeline, TimelinePoint, TraceInfo,
    TraceModel,
};

/// Microseconds since 1970 at which the run starts.
const START: u64 = 1_700_000_000_000_000;
/// From one collection's begin to the next.
const STEP: u64 = 50_000;
/// What the VM keeps.
const OF_THE_VM: Amount = Amount {
    count: 100,
    bytes: 3200,
};

/// The model of a run of so many collections.
pub(crate) fn trace_model(mut count: CountModel, collections: u32) -> TraceModel {
    count.run.mode = "trace".into();
    let heap = Heap {
        sites: count.indexed_sites().map(|(index, _)| index).collect(),
        count: &count,
        collections,
    };
    let info = heap.info();
    let heap_at = vec![
        Some(heap.at(Moment::End)),
        Some(heap.at(Moment::After(CollectionNumber(collections / 2)))),
        None,
    ];
    let (lifetimes, timeline, growth) = (heap.lifetimes(), heap.timeline(), heap.growth());
    TraceModel {
        count,
        info,
        heap_at,
        lifetimes: Some(lifetimes),
        timeline: Some(timeline),
        growth: Some(growth),
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

    fn at(&self, moment: Moment) -> HeapAt {
        let collection = match moment {
            Moment::After(number) => number.0,
            Moment::End => self.collections - 1,
        };
        let mut sites: Vec<LiveSite> = self
            .sites
            .iter()
            .map(|site| self.live_site(*site, collection))
            .collect();
        sites.push(LiveSite {
            site: None,
            live: OF_THE_VM,
            ages: vec![0, 0, 0, 100],
            types: vec![LiveType {
                ty: None,
                live: OF_THE_VM,
            }],
            callers: Vec::new(),
        });
        sites.retain(|site| site.live.count > 0);
        sites.sort_by_key(|site| std::cmp::Reverse(site.live.bytes));
        let total = self.total(collection);
        let mut ages = vec![0; 4];
        for site in &sites {
            for (sum, age) in ages.iter_mut().zip(&site.ages) {
                *sum += age;
            }
        }
        HeapAt {
            moment,
            collection: Some(CollectionNumber(collection)),
            unix_micros: START + STEP * u64::from(collection + 1) + 4_000,
            total,
            not_yet_collected: Amount::default(),
            types: self
                .types(collection)
                .into_iter()
                .map(|(ty, live)| LiveType { ty, live })
                .collect(),
            sites,
            threads: vec![
                LiveThread {
                    name: Some("main".into()),
                    live: Amount {
                        count: total.count - 100,
                        bytes: total.bytes - 3200,
                    },
                },
                LiveThread {
                    name: None,
                    live: OF_THE_VM,
                },
            ],
            archived: Vec::new(),
            spaces: spaces(total),
            ages,
            quality: Quality {
                collection,
                objects: total.count,
                with_site: total.count - 100,
            },
        }
    }

    /// A tenth of the objects at each of the ages 0 to 2, the others at 3.
    fn live_site(&self, site: SiteIndex, collection: u32) -> LiveSite {
        let live = self.live(site, collection);
        let tenth = live.count / 10;
        LiveSite {
            site: Some(site),
            live,
            ages: vec![tenth, tenth, tenth, live.count - 3 * tenth],
            types: vec![LiveType {
                ty: self.ty(site),
                live,
            }],
            callers: self.live_callers(site, live),
        }
    }

    /// Half of the objects of a site with callers have the first of these, the others none.
    fn live_callers(&self, site: SiteIndex, live: Amount) -> Vec<LiveCaller> {
        let parts = &self.count.site(site).parts;
        let Some(call) = parts.iter().find_map(|part| part.context) else {
            return Vec::new();
        };
        let half = Amount {
            count: live.count / 2,
            bytes: live.count / 2 * self.size(site),
        };
        let mut rest = live;
        rest -= half;
        let tenth = live.count / 10;
        let mut ages = vec![tenth, tenth, tenth, live.count - 3 * tenth];
        ages[3] -= half.count;
        let row = |(call, live, ages)| LiveCaller {
            call,
            live,
            ages,
            types: vec![LiveType {
                ty: self.ty(site),
                live,
            }],
        };
        let of_caller = vec![0, 0, 0, half.count];
        [(None, rest, ages), (Some(call), half, of_caller)]
            .map(row)
            .into()
    }

    fn lifetimes(&self) -> Lifetimes {
        let mut sites: Vec<SiteLifetime> =
            self.sites.iter().map(|site| self.lives(*site)).collect();
        let of_the_vm = Lives {
            allocated: OF_THE_VM,
            alive: OF_THE_VM,
            ..Lives::default()
        };
        sites.push(SiteLifetime {
            lives: of_the_vm,
            ..SiteLifetime::default()
        });
        sites.retain(|site| site.lives.allocated.count > 0);
        sites.sort_by_key(|site| std::cmp::Reverse(site.lives.allocated.count));
        let mut total = Lives {
            died: vec![0; 4],
            died_bytes: vec![0; 4],
            bytes_until_death: vec![0; 24],
            promoted_died: vec![0; 4],
            ..Lives::default()
        };
        for site in sites.iter().map(|site| &site.lives) {
            total.allocated += site.allocated;
            total.eliminated += site.eliminated;
            total.alive += site.alive;
            total.promoted += site.promoted;
            total.died_promoted += site.died_promoted;
            add(&mut total.died, &site.died);
            add(&mut total.died_bytes, &site.died_bytes);
            add(&mut total.bytes_until_death, &site.bytes_until_death);
            add(&mut total.promoted_died, &site.promoted_died);
        }
        Lifetimes {
            sites,
            total,
            collections: u64::from(self.collections),
            known: true,
        }
    }

    /// Of the dead objects a hundredth each after 1, 2 and 3 collections (these promoted), the others before the first. The first caller of a site is
    /// to blame for those that did not die at once.
    fn lives(&self, site: SiteIndex) -> SiteLifetime {
        let size = self.size(site);
        let amount = |count| Amount {
            count,
            bytes: count * size,
        };
        let allocated = self.allocated(site);
        let alive = self.live(site, self.collections - 1);
        let dead = allocated.count - alive.count;
        let few = if site.get().is_multiple_of(4) {
            0
        } else {
            dead / 100
        };
        let bytes = |died: &[u64]| died.iter().map(|count| count * size).collect();
        let until_death = |at: usize, count| (0..24).map(move |b| if b == at { count } else { 0 });
        let later = [0, few, few, few];
        let of_caller = Lives {
            allocated: amount(3 * few),
            died: later.into(),
            died_bytes: bytes(&later),
            promoted: amount(few),
            died_promoted: amount(few),
            promoted_died: vec![0, 0, 0, few],
            bytes_until_death: until_death(23, 3 * few).collect(),
            ..Lives::default()
        };
        let at_once = [dead - 3 * few];
        let mut rest = allocated;
        rest -= of_caller.allocated;
        let without = Lives {
            allocated: rest,
            eliminated: if site.get() == 0 { 900_000 } else { 0 },
            died: at_once.into(),
            died_bytes: bytes(&at_once),
            alive,
            promoted: alive,
            bytes_until_death: until_death(20, at_once[0]).collect(),
            ..Lives::default()
        };
        let mut promoted = of_caller.promoted;
        promoted += alive;
        let died = vec![at_once[0], few, few, few];
        let bytes_until_death = of_caller.bytes_until_death.iter();
        let bytes_until_death = bytes_until_death.zip(&without.bytes_until_death);
        let lives = Lives {
            allocated,
            eliminated: without.eliminated,
            died_bytes: bytes(&died),
            died,
            alive,
            promoted,
            bytes_until_death: bytes_until_death.map(|(a, b)| a + b).collect(),
            ..of_caller.clone()
        };
        let parts = &self.count.site(site).parts;
        let call = parts.iter().find_map(|part| part.context);
        let caller = |(call, lives)| CallerLifetime { call, lives };
        let callers = match call.filter(|_| few > 0) {
            Some(call) => [(None, without), (Some(call), of_caller)]
                .map(caller)
                .into(),
            None => Vec::new(),
        };
        SiteLifetime {
            site: Some(site),
            lives,
            callers,
        }
    }

    fn timeline(&self) -> Timeline {
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

    fn growth(&self) -> Growth {
        let last = self.collections - 1;
        let mut rows: Vec<GrowthRow> = self
            .sites
            .iter()
            .filter(|site| self.live(**site, last).count > 0)
            .map(|site| {
                let series: Vec<Amount> = (0..=last).map(|at| self.live(*site, at)).collect();
                let subject = GrowthSubject::Site(Some(*site));
                GrowthRow {
                    callers: self.live_callers(*site, self.live(*site, last)),
                    ..verdict(subject, site.get(), self.size(*site), &series)
                }
            })
            .collect();
        let vm = vec![OF_THE_VM; self.collections as usize];
        rows.push(verdict(GrowthSubject::Site(None), 1, 32, &vm));
        for (ty, _) in self.types(last) {
            let of_type = |at: u32| {
                let found = self.types(at).into_iter().find(|(other, _)| *other == ty);
                found.map_or_else(Amount::default, |(_, live)| live)
            };
            let series: Vec<Amount> = if self.sites.len() < 100 {
                (0..=last).map(of_type).collect()
            } else {
                vec![of_type(last)]
            };
            rows.push(verdict(GrowthSubject::Type(ty), 1, 8, &series));
        }
        rows.sort_by_key(|row| (row.judged.verdict, std::cmp::Reverse(row.live.bytes)));
        Growth {
            rows,
            collections: u64::from(self.collections),
            known: true,
            stretches: vec![KnownStretch {
                since: CollectionNumber(0),
                until: CollectionNumber(self.collections),
            }],
        }
    }

    fn info(&self) -> TraceInfo {
        let allocated: Amount = self.sites.iter().map(|site| self.allocated(*site)).sum();
        let total = self.total(self.collections - 1);
        let quality = |collection: u32| Quality {
            collection,
            objects: self.total(collection).count,
            with_site: self.total(collection).count - 100,
        };
        TraceInfo {
            files: (3..6).map(file).collect(),
            events: allocated.count + 900_000,
            allocated,
            eliminated: 900_000,
            gaps: 412,
            gap_bytes: 98_304,
            buffers: 500,
            blocks: 700,
            event_bytes: (allocated.count + 900_000) * 4 + 12_000,
            survivors: total.count * 3,
            moved: total.count * 2,
            found: 100,
            move_bytes: total.count,
            sync_objects: 2 * total.count,
            sync_bytes: 9 * total.count,
            plain_bytes: (allocated.count + 900_000) * 4 + 12_000 + 10 * total.count,
            stored_bytes: (allocated.count + 900_000) / 2,
            collections: u64::from(self.collections),
            first_collection: Some(CollectionNumber(0)),
            last_collection: Some(CollectionNumber(self.collections - 1)),
            level: "exact".into(),
            knowledge: HeapKnowledge::Known,
            rotations: vec![Rotation {
                file: 4,
                collection: self.collections / 2,
                objects: self.total(self.collections / 2).count,
                differences: Some(0),
                quality: (self.collections / 2..self.collections)
                    .take(10)
                    .map(quality)
                    .collect(),
            }],
            start_micros: START + 20_000,
            end_micros: START + STEP * u64::from(self.collections + 1),
            ..TraceInfo::default()
        }
    }
}

fn file(index: u64) -> EventFileRow {
    EventFileRow {
        name: format!("events-{index:08}.trace"),
        index,
        bytes: 1_000_000 + index,
        blocks: 230,
        collections: 4,
    }
}

fn verdict(subject: GrowthSubject, position: usize, size: u64, live: &[Amount]) -> GrowthRow {
    let (verdict, slope) = match position % 4 {
        2 => (GrowthVerdict::Growing, 10.0),
        3 => (GrowthVerdict::Periodic, 0.0),
        _ => (GrowthVerdict::Bounded, 0.0),
    };
    let judged = StretchGrowth {
        verdict,
        confidence: 0.9875,
        slope_count: slope,
        slope_bytes: slope * size as f64,
    };
    GrowthRow {
        subject,
        judged,
        stretch: 0,
        stretches: vec![judged],
        live: live.last().copied().unwrap_or_default(),
        callers: Vec::new(),
        series: (0..)
            .zip(live)
            .map(|(collection, live)| GrowthPoint {
                collection,
                unix_micros: START + STEP * u64::from(collection + 1) + 4_000,
                live: *live,
            })
            .collect(),
    }
}

fn spaces(total: Amount) -> Vec<LiveSpace> {
    let half = Amount {
        count: total.count / 2,
        bytes: total.bytes / 2,
    };
    let mut rest = total;
    rest -= half;
    let space = |kind: &str, index: u32, live: Amount| LiveSpace {
        kind: kind.into(),
        index,
        bottom: 0x7000_0000,
        top: 0x7000_0000 + live.bytes * 2,
        live,
    };
    vec![
        space("old", 0, half),
        space("old", 1, Amount::default()),
        space("survivor", 2, rest),
    ]
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

fn add(sum: &mut [u64], values: &[u64]) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += value;
    }
}
