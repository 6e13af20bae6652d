//! Objects in old spaces that a collection has not looked at: they may be dead.
//!
//! A young collection says nothing of the old space, so counts of live objects rise until a collection looks there. An object is *doubtful* after the last full collection that
//! saw it alive (or after it was promoted), until it is found alive again; one that is found dead stays doubtful for all that time.
//!
//! ```text
//! collection    1      2      3      4 full   5      6 full
//! object a      born   old    old    alive    old    alive      never doubtful in the end
//! object b      born   old    old    dead                       doubtful after 1, 2 and 3
//! object c                    born   alive    old    dead       doubtful after 5
//! ```
//!
//! With x the count that no collection contradicts and d the doubtful objects, the true count is between x - d and x. What is still doubtful at the end
//! is taken as alive by the share in which old objects of the same site were alive where collections did look (mixed ones look at some regions).

use ducktrack_trace_format::{Collection, CollectionKind, SpaceKind};
use rustc_hash::FxHashMap;

use crate::OldSpaceLook;
use ducktrack_count_model::{SiteColumn, TypeColumn};
use ducktrack_heap_replay::{CollectionNumber, LiveObject, SpaceMap, is_young};
use ducktrack_live_heap::Amount;

/// Fewer looks at old objects say nothing of the others.
const FEWEST_LOOKS: u64 = 8;
/// The resolution of births, as a part of the run.
const STEPS: u32 = 64;

/// A site or a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    Site(SiteColumn),
    Type(TypeColumn),
}

/// Objects that may be dead after each of these collections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Doubt {
    from: u32,
    /// After this one they are known to be dead. `None`: to the end.
    until: Option<u32>,
    objects: u64,
}

/// What is doubtful.
#[derive(Clone, Debug, Default)]
pub(crate) struct GrowthDoubts {
    last_full: u32,
    last_look: Option<OldSpaceLook>,
    doubts: FxHashMap<Subject, Vec<Doubt>>,
    /// Found dead by the collection under way, by the first collection after which they are doubtful.
    dead: FxHashMap<(Subject, u32), u64>,
    /// Old objects that a collection looked at: alive, dead.
    looks: FxHashMap<Subject, (u64, u64)>,
    /// Objects that were promoted, and collections that they had survived before, together.
    promoted: (u64, u64),
    /// Live objects in old spaces that no full collection has seen.
    unseen: FxHashMap<Subject, Amount>,
}

/// True for spaces that young collections leave alone.
pub(crate) fn is_tenured(kind: SpaceKind) -> bool {
    !is_young(kind) && kind != SpaceKind::Archive
}

fn subjects(object: &LiveObject) -> [Subject; 2] {
    [Subject::Site(object.site), Subject::Type(object.ty)]
}

impl GrowthDoubts {
    /// An object is promoted after it has survived this many collections.
    pub(crate) fn promoted(&mut self, survived: u32) {
        self.promoted.0 += 1;
        self.promoted.1 += u64::from(survived);
    }

    /// A collection finds an object of an old space dead.
    pub(crate) fn died(&mut self, object: &LiveObject) {
        let from = self.doubtful_from(object);
        for subject in subjects(object) {
            *self.dead.entry((subject, from)).or_default() += 1;
            self.looks.entry(subject).or_default().1 += 1;
        }
    }

    /// A collection finds an object of an old space alive.
    pub(crate) fn kept(&mut self, object: &LiveObject) {
        for subject in subjects(object) {
            self.looks.entry(subject).or_default().0 += 1;
        }
    }

    /// The first collection after which an object is doubtful. When it was promoted is not kept of each: at the age at which objects are on the average.
    fn doubtful_from(&self, object: &LiveObject) -> u32 {
        let (objects, survived) = self.promoted;
        let age = u32::try_from(survived / objects.max(1)).unwrap_or(0);
        let old_from = object.birth.saturating_add(age);
        let first = old_from.max(self.last_full).saturating_add(1);
        let step = (self.last_full.max(object.birth) / STEPS).max(1);
        // Rounded down: doubtful rather too long.
        match first.saturating_sub(self.last_full) {
            0 | 1 => first,
            _ => (first / step * step).max(self.last_full.saturating_add(1)),
        }
    }

    /// A collection is complete.
    pub(crate) fn end_collection(&mut self, collection: &Collection) {
        let number = collection.number;
        for ((subject, from), objects) in self.dead.drain() {
            let doubt = Doubt {
                from,
                until: Some(number),
                objects,
            };
            self.doubts.entry(subject).or_default().push(doubt);
        }
        let is_full = collection.kind == CollectionKind::Full;
        if is_full {
            self.last_full = number;
        }
        if is_full || collection.kind == CollectionKind::Mixed {
            self.last_look = Some(OldSpaceLook {
                collection: CollectionNumber(number),
                unix_micros: collection.end_unix_micros,
                is_full,
            });
        }
    }

    /// These objects are complete: the heap is lost after collection `until`, or the trace ends (`None`).
    pub(crate) fn settle<'a>(
        &mut self,
        objects: impl Iterator<Item = &'a LiveObject>,
        spaces: &SpaceMap,
        until: Option<u32>,
    ) {
        let mut open: FxHashMap<(Subject, u32), u64> = FxHashMap::default();
        let is_old = |object: &LiveObject| spaces.kind(object.address()).is_some_and(is_tenured);
        for object in objects.filter(|object| is_old(object)) {
            let from = self.doubtful_from(object);
            for subject in subjects(object) {
                *open.entry((subject, from)).or_default() += 1;
                if object.birth >= self.last_full {
                    *self.unseen.entry(subject).or_default() += Amount::one(object.bytes());
                }
            }
        }
        for ((subject, from), objects) in open {
            // Rounded up: rather too many in doubt.
            let objects = (objects as f64 * (1.0 - self.survival(subject))).ceil() as u64;
            let until = until.map(|until| until.saturating_add(1));
            let doubt = Doubt {
                from,
                until,
                objects,
            };
            self.doubts.entry(subject).or_default().push(doubt);
        }
        if until.is_some() {
            self.unseen.clear();
        }
    }

    /// The share of old objects that were alive where a collection looked; 0: none did.
    fn survival(&self, subject: Subject) -> f64 {
        match self.looks.get(&subject) {
            Some((alive, dead)) if alive + dead >= FEWEST_LOOKS => {
                *alive as f64 / (alive + dead) as f64
            }
            _ => 0.0,
        }
    }

    /// Doubtful objects after each of these collections (ascending). Empty: there are none at any time.
    pub(crate) fn of(&self, subject: Subject, collections: &[u32]) -> Vec<u64> {
        let Some(doubts) = self.doubts.get(&subject) else {
            return Vec::new();
        };
        let mut changes = vec![0_i128; collections.len() + 1];
        let place = |collection: u32| collections.partition_point(|at| *at < collection);
        for doubt in doubts {
            let from = place(doubt.from);
            let until = doubt.until.map_or(collections.len(), place).max(from);
            for (at, change) in [(from, 1), (until, -1)] {
                if let Some(sum) = changes.get_mut(at) {
                    *sum += change * i128::from(doubt.objects);
                }
            }
        }
        let sums = changes.iter().scan(0_i128, |sum, change| {
            *sum += change;
            Some(u64::try_from(*sum).unwrap_or(0))
        });
        sums.take(collections.len()).collect()
    }

    /// Live objects that no collection has looked at since they came into an old space.
    pub(crate) fn unseen(&self, subject: Subject) -> Amount {
        self.unseen.get(&subject).copied().unwrap_or_default()
    }

    /// When the old space was last looked at, at least in part.
    pub(crate) fn last_look(&self) -> Option<OldSpaceLook> {
        self.last_look
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ducktrack_trace_format::Space;

    fn object(birth: u32, site: usize) -> LiveObject {
        LiveObject::new(1_016, 16, SiteColumn::at(site), TypeColumn::NONE, birth)
    }

    fn collection(number: u32, kind: CollectionKind) -> Collection {
        Collection {
            number,
            kind,
            ..Collection::default()
        }
    }

    #[test]
    fn the_example() {
        let mut doubts = GrowthDoubts::default();
        let all = [1, 2, 3, 4, 5, 6];
        let site = |site| Subject::Site(SiteColumn::at(site));
        for number in all {
            let kind = match number {
                4 | 6 => CollectionKind::Full,
                _ => CollectionKind::Young,
            };
            match number {
                4 => {
                    doubts.kept(&object(0, 1));
                    doubts.died(&object(0, 2));
                }
                6 => {
                    doubts.kept(&object(0, 1));
                    doubts.died(&object(2, 3));
                }
                _ => {}
            }
            doubts.end_collection(&collection(number, kind));
        }
        assert_eq!(doubts.of(site(1), &all), []);
        assert_eq!(doubts.of(site(2), &all), [1, 1, 1, 0, 0, 0]);
        assert_eq!(doubts.of(site(3), &all), [0, 0, 0, 0, 1, 0]);
        assert_eq!(doubts.last_look().map(|look| look.collection.0), Some(6));
    }

    #[test]
    fn what_no_collection_has_looked_at_is_doubtful_to_the_end() {
        let mut doubts = GrowthDoubts::default();
        let old = SpaceMap::new(&[Space {
            kind: SpaceKind::Old,
            index: 0,
            bottom: 8,
            top: 2_000,
        }]);
        doubts.end_collection(&collection(1, CollectionKind::Young));
        doubts.end_collection(&collection(2, CollectionKind::Young));
        let objects = [object(0, 1), object(1, 1)];
        doubts.settle(objects.iter(), &old, None);
        let site = Subject::Site(SiteColumn::at(1));
        assert_eq!(doubts.of(site, &[1, 2]), [1, 2]);
        assert_eq!(
            doubts.unseen(site),
            Amount {
                count: 2,
                bytes: 32
            }
        );
        assert_eq!(doubts.last_look(), None);
    }

    #[test]
    fn what_mixed_collections_saw_speaks_for_the_others() {
        let mut doubts = GrowthDoubts::default();
        let old = SpaceMap::new(&[Space {
            kind: SpaceKind::Old,
            index: 0,
            bottom: 8,
            top: 2_000,
        }]);
        (0..9).for_each(|_| doubts.kept(&object(0, 1)));
        doubts.died(&object(0, 1));
        doubts.end_collection(&collection(1, CollectionKind::Mixed));
        let objects: Vec<LiveObject> = (0..100).map(|_| object(1, 1)).collect();
        doubts.settle(objects.iter(), &old, None);
        let site = Subject::Site(SiteColumn::at(1));
        assert_eq!(doubts.of(site, &[1, 2]), [0, 10]);
    }
}
