//! Births and deaths by site and caller while a trace is replayed.
//!
//! Deaths are counted of objects whose whole life is known: those born since the heap is known, as long as it is. Where it is
//! lost, what lives has an unknown fate, as has what is born until it is known again; and so has, from then on, what is older.
//!
//! ```text
//! collection    3        4        5 fault   6        7 all objects   8
//! heap          known    known    lost               known           known
//! born in epoch    3 counts | 4 unknown | 5 unknown | 6 unknown | 7 counts
//! ```

use core::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::lifetimes::tally::{OfSite, Tally, add, by_survived, entry, magnitude};
use crate::{Lifetimes, Lives, SiteLifetime};
use ducktrack_count_model::{CallerColumn, Origin, SiteColumn};
use ducktrack_heap_replay::{Epoch, EpochEnd, EpochSums, LiveObject, SiteTally};
use ducktrack_live_heap::{Amount, capped};

/// Tallies by origin.
#[derive(Clone, Debug, Default)]
pub struct LifetimeTallies {
    /// Without a caller, by site column.
    sites: Vec<Tally>,
    callers: FxHashMap<(SiteColumn, CallerColumn), Tally>,
    /// Objects count whose birth is in this epoch or later. `None`: the heap is not known.
    since: Option<u32>,
}

impl LifetimeTallies {
    /// The heap is known; what is born from this epoch on counts (0: everything).
    pub(crate) fn begin(&mut self, since: u32) {
        self.settle();
        self.since = Some(since);
    }

    /// The heap is lost, with these objects. Events of the last epoch that is known may follow; [`LifetimeTallies::settle`] ends that.
    pub(crate) fn lose<'a>(&mut self, objects: impl Iterator<Item = &'a LiveObject>) {
        for object in objects {
            if self.counts(object) {
                let lives = &mut self.of(object.origin()).lives;
                lives.unknown_fate += Amount::one(object.bytes());
            }
        }
    }

    /// An object that was lost is there after all.
    pub(crate) fn keep(&mut self, object: &LiveObject) {
        if self.counts(object) {
            let lives = &mut self.of(object.origin()).lives;
            lives.unknown_fate -= Amount::one(object.bytes());
        }
    }

    /// The epochs in which the heap was known are complete.
    pub(crate) fn settle(&mut self) {
        if self.since.take().is_none() {
            return;
        }
        let mut callers: Vec<_> = self.callers.iter_mut().collect();
        callers.sort_unstable_by_key(|(origin, _)| **origin);
        for ((site, _), of_caller) in callers {
            at(&mut self.sites, *site).take_over(of_caller);
            of_caller.settle();
        }
        self.sites.iter_mut().for_each(Tally::settle);
    }

    /// Is the whole life of the object known?
    pub(crate) fn counts(&self, object: &LiveObject) -> bool {
        self.since.is_some_and(|since| object.birth >= since)
    }

    fn of(&mut self, origin: Origin) -> &mut Tally {
        if origin.caller != CallerColumn::NONE {
            return self
                .callers
                .entry((origin.site, origin.caller))
                .or_default();
        }
        at(&mut self.sites, origin.site)
    }

    /// Objects of an epoch that do not live on.
    pub(crate) fn count_young(&mut self, origin: Origin, young: &SiteTally, epoch: Epoch) {
        // Stragglers are of the epoch before.
        let is_followed = self
            .since
            .is_some_and(|since| since == 0 || epoch.number > since);
        let tally = self.of(origin);
        let lives = &mut tally.lives;
        for amount in [young.gone, young.unplaced, young.stragglers] {
            lives.allocated += amount;
        }
        capped::add(&mut lives.eliminated, young.eliminated);
        match is_followed {
            true => tally.unlocated += young.stragglers,
            false => lives.unknown_fate += young.stragglers,
        }
        let unsettled = match epoch.end {
            EpochEnd::Collection => {
                tally.died_at_once(young.gone, Some(epoch.bytes));
                tally.unlocated += young.unplaced;
                return;
            }
            EpochEnd::Unknown => &mut lives.unknown_fate,
            EpochEnd::Trace => &mut lives.not_yet_collected,
        };
        *unsettled += young.gone;
        *unsettled += young.unplaced;
    }

    /// An object that was allocated.
    pub(crate) fn count_birth(&mut self, object: &LiveObject) {
        self.of(object.origin()).lives.allocated += Amount::one(object.bytes());
    }

    pub(crate) fn alive(&mut self, object: &LiveObject) {
        if self.counts(object) {
            self.of(object.origin()).lives.alive += Amount::one(object.bytes());
        }
    }

    pub(crate) fn count_promotion(&mut self, object: &LiveObject) {
        if self.counts(object) {
            self.of(object.origin()).lives.promoted += Amount::one(object.bytes());
        }
    }

    /// An object that the collection ending `epoch` found dead.
    pub(crate) fn count_death(&mut self, object: &LiveObject, epoch: u32, clock: &EpochSums) {
        if !self.counts(object) {
            return;
        }
        let survived = epoch.saturating_sub(object.birth);
        let lives = &mut self.of(object.origin()).lives;
        *by_survived(&mut lives.died, survived) += 1;
        capped::add(by_survived(&mut lives.died_bytes, survived), object.bytes());
        if let Some(bytes) = clock.since(object.birth) {
            *entry(&mut lives.bytes_until_death, magnitude(bytes)) += 1;
        }
        if object.is_promoted() {
            lives.died_promoted += Amount::one(object.bytes());
            *by_survived(&mut lives.promoted_died, survived) += 1;
        }
    }

    /// An object that had no address was found; it was counted as an object without a site before. The object must count.
    pub(crate) fn located(&mut self, object: &LiveObject) {
        let one = Amount::one(object.bytes());
        let found = self.of(object.origin());
        found.located += one;
        if object.is_promoted() {
            found.lives.promoted += one;
        }
        let without = &mut self.of(Origin::default()).lives;
        without.allocated -= one;
        if object.is_promoted() {
            without.promoted -= one;
        }
    }

    /// The table; `known` if any deaths are known.
    pub(crate) fn table(self, collections: u64, known: bool) -> Lifetimes {
        let without = self.sites.into_iter().map(|without| OfSite {
            without,
            callers: Vec::new(),
        });
        let mut by_site: Vec<OfSite> = without.collect();
        for ((site, caller), tally) in self.callers {
            if by_site.len() <= site.position() {
                by_site.resize(site.position() + 1, OfSite::default());
            }
            by_site[site.position()].callers.push((caller, tally));
        }
        let by_site = by_site.into_iter().enumerate();
        let mut sites: Vec<SiteLifetime> = by_site
            .map(|(position, tallies)| tallies.lifetime(SiteColumn::at(position)))
            .collect();
        let mut total = Lives::default();
        sites.iter().for_each(|row| add(&mut total, &row.lives));
        sites.retain(|row| !row.lives.is_empty());
        sites.sort_by_key(|row| Reverse(row.lives.allocated));
        Lifetimes {
            sites,
            total,
            collections,
            known,
        }
    }
}

fn at(sites: &mut Vec<Tally>, site: SiteColumn) -> &mut Tally {
    let position = site.position();
    if sites.len() <= position {
        sites.resize(position + 1, Tally::default());
    }
    &mut sites[position]
}

#[cfg(test)]
mod tests {
    use super::*;
    use ducktrack_count_model::{CallIndex, TypeColumn};

    fn epoch(number: u32, end: EpochEnd) -> Epoch {
        Epoch {
            slice: 0,
            number,
            bytes: 1000,
            end,
        }
    }

    #[test]
    fn deaths_by_collections_survived() {
        let site = SiteColumn::at(1);
        let origin = Origin {
            site,
            caller: CallerColumn::NONE,
        };
        let mut clock = EpochSums::default();
        (0..50).for_each(|epoch| clock.add(epoch, 1000, 0));
        let mut tallies = LifetimeTallies::default();
        tallies.begin(0);
        let mut object = LiveObject::new(64, 16, site, TypeColumn::NONE, 47);
        tallies.count_death(&object, 49, &clock);
        object.promote();
        object.birth = 0;
        tallies.count_death(&object, 49, &clock);
        let young = SiteTally {
            gone: Amount {
                count: 5,
                bytes: 80,
            },
            ..SiteTally::default()
        };
        tallies.count_young(origin, &young, epoch(49, EpochEnd::Collection));
        let lifetimes = tallies.table(50, true);
        let row = &lifetimes.sites[0].lives;
        assert_eq!(
            (row.died[0], row.died[2], row.died[31], row.died.len()),
            (5, 1, 1, 32)
        );
        assert_eq!((row.died_bytes[0], row.died_bytes[31]), (80, 16));
        assert_eq!(
            (
                row.bytes_until_death[10],
                row.bytes_until_death[12],
                row.bytes_until_death[16]
            ),
            (5, 1, 1)
        );
        assert_eq!(row.died_promoted, Amount::one(16));
        assert_eq!(row.dead(), 7);
        assert_eq!(lifetimes.total.died, row.died);
    }

    #[test]
    fn what_was_found_of_a_doubtful_caller_has_none() {
        let (site, object) = (SiteColumn::at(1), Amount::one(16));
        let by = |call| Origin {
            site,
            caller: CallerColumn::of(CallIndex::at(call)),
        };
        let nobody = Origin {
            site,
            caller: CallerColumn::NONE,
        };
        let mut tallies = LifetimeTallies::default();
        tallies.begin(0);
        for origin in [by(3), by(3), by(5), nobody] {
            let young = SiteTally {
                unplaced: object,
                ..SiteTally::default()
            };
            tallies.count_young(origin, &young, epoch(0, EpochEnd::Collection));
        }
        // Two are found by their site alone, as collections find them first: without a site.
        let found = LiveObject::new(64, 16, site, TypeColumn::NONE, 0);
        for _ in 0..2 {
            tallies.of(Origin::default()).lives.allocated += object;
            tallies.located(&found);
            tallies.alive(&found);
        }
        let lifetimes = tallies.table(1, true);
        assert_eq!(lifetimes.sites.len(), 1);
        let row = &lifetimes.sites[0];
        assert_eq!((row.lives.allocated.count, row.lives.alive.count), (4, 2));
        assert_eq!(row.lives.dead(), 2);
        let callers = row.callers.iter();
        let callers: Vec<_> = callers
            .map(|row| (row.call, row.lives.allocated.count, row.lives.dead()))
            .collect();
        let call = |call| Some(CallIndex::at(call));
        assert_eq!(callers, [(None, 2, 0), (call(3), 1, 1), (call(5), 1, 1)]);
    }
}
