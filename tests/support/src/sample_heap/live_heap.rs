//! The live heap after a collection: by site, caller, thread, type and space.

use ducktrack_analyses::{HeapAt, LiveCaller, LiveSite, LiveSpace, LiveThread, LiveType};
use ducktrack_count_model::SiteIndex;
use ducktrack_heap_replay::{CollectionNumber, Moment, Quality};
use ducktrack_live_heap::Amount;

use super::{Heap, OF_THE_VM, START, STEP};

impl Heap<'_> {
    pub(super) fn at(&self, moment: Moment) -> HeapAt {
        let collection = match moment {
            Moment::After(number) => number.0,
            Moment::Last | Moment::End => self.collections - 1,
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
    pub(super) fn live_callers(&self, site: SiteIndex, live: Amount) -> Vec<LiveCaller> {
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
