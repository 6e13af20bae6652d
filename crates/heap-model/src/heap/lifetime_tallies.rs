//! Births and deaths by site and caller while a trace is replayed.

use core::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::heap::allocation_clock::AllocationClock;
use crate::heap::column::{CallerColumn, Origin, SiteColumn};
use crate::heap::live_object::LiveObject;
use crate::{Amount, CallerLifetime, Lifetimes, Lives, SiteLifetime};

/// Tallies by origin.
#[derive(Clone, Debug, Default)]
pub(crate) struct LifetimeTallies {
    /// Without a caller, by site column.
    sites: Vec<Tally>,
    callers: FxHashMap<(SiteColumn, CallerColumn), Tally>,
    /// Callers are asked for.
    by_caller: bool,
}

/// Objects of one origin.
#[derive(Clone, Debug, Default)]
struct Tally {
    lives: Lives,
    /// Objects of ended epochs that came without an address.
    unlocated: Amount,
    /// Those of them that a collection found; the others are dead. May run ahead of `unlocated`, and counts objects here whose caller was in doubt.
    located: Amount,
}

/// The entry of a list that grows as needed.
fn entry(list: &mut Vec<u64>, position: usize) -> &mut u64 {
    let position = position.min(Lifetimes::MOST_SURVIVED.max(64));
    if list.len() <= position {
        list.resize(position + 1, 0);
    }
    &mut list[position]
}

fn by_survived(list: &mut Vec<u64>, survived: u32) -> &mut u64 {
    entry(list, (survived as usize).min(Lifetimes::MOST_SURVIVED))
}

/// 0 for 0, else one more than the highest bit.
fn magnitude(bytes: u64) -> usize {
    (u64::BITS - bytes.leading_zeros()) as usize
}

impl Tally {
    /// Objects that died at the first collection of their life.
    fn died_at_once(&mut self, dead: Amount, epoch_bytes: Option<u64>) {
        if dead.is_zero() {
            return;
        }
        let lives = &mut self.lives;
        *by_survived(&mut lives.died, 0) += dead.count;
        *by_survived(&mut lives.died_bytes, 0) += dead.bytes;
        if let Some(bytes) = epoch_bytes {
            *entry(&mut lives.bytes_until_death, magnitude(bytes)) += dead.count;
        }
    }

    /// Objects without an address that were not found.
    fn lost(&self) -> Amount {
        let mut lost = self.unlocated;
        lost -= self.located;
        lost
    }

    /// Takes objects over from a caller of the same site. Those that were found where the caller was in doubt are here, but have been counted under
    /// whichever caller their events said.
    fn take_over(&mut self, of_caller: &mut Self) {
        let mut surplus = self.located;
        surplus -= self.unlocated;
        let lost = of_caller.lost();
        let found = Amount {
            count: surplus.count.min(lost.count),
            bytes: surplus.bytes.min(lost.bytes),
        };
        of_caller.lives.allocated -= found;
        of_caller.unlocated -= found;
        self.lives.allocated += found;
        self.unlocated += found;
    }
}

impl LifetimeTallies {
    pub(crate) fn new(columns: usize, by_caller: bool) -> Self {
        Self {
            sites: vec![Tally::default(); columns],
            callers: FxHashMap::default(),
            by_caller,
        }
    }

    fn of(&mut self, origin: Origin) -> &mut Tally {
        if self.by_caller && origin.caller != CallerColumn::NONE {
            return self
                .callers
                .entry((origin.site, origin.caller))
                .or_default();
        }
        let position = origin.site.position();
        if self.sites.len() <= position {
            self.sites.resize(position + 1, Tally::default());
        }
        &mut self.sites[position]
    }

    pub(crate) fn allocated(&mut self, origin: Origin, amount: Amount) {
        self.of(origin).lives.allocated += amount;
    }

    pub(crate) fn eliminated(&mut self, origin: Origin, count: u64) {
        self.of(origin).lives.eliminated += count;
    }

    pub(crate) fn not_yet_collected(&mut self, origin: Origin, amount: Amount) {
        self.of(origin).lives.not_yet_collected += amount;
    }

    pub(crate) fn alive(&mut self, object: &LiveObject) {
        self.of(object.origin()).lives.alive += Amount::one(object.bytes());
    }

    pub(crate) fn promoted(&mut self, object: &LiveObject) {
        self.of(object.origin()).lives.promoted += Amount::one(object.bytes());
    }

    /// Objects that died at the first collection of their life.
    pub(crate) fn died_at_once(&mut self, origin: Origin, dead: Amount, epoch_bytes: Option<u64>) {
        self.of(origin).died_at_once(dead, epoch_bytes);
    }

    /// An object that the collection ending `epoch` found dead.
    pub(crate) fn died(&mut self, object: &LiveObject, epoch: u32, clock: &AllocationClock) {
        let survived = epoch.saturating_sub(object.birth);
        let lives = &mut self.of(object.origin()).lives;
        *by_survived(&mut lives.died, survived) += 1;
        *by_survived(&mut lives.died_bytes, survived) += object.bytes();
        if let Some(bytes) = clock.since(object.birth) {
            *entry(&mut lives.bytes_until_death, magnitude(bytes)) += 1;
        }
        if object.is_promoted() {
            lives.died_promoted += Amount::one(object.bytes());
            *by_survived(&mut lives.promoted_died, survived) += 1;
        }
    }

    /// Objects of an epoch that has ended whose address is not known.
    pub(crate) fn unlocated(&mut self, origin: Origin, amount: Amount) {
        self.of(origin).unlocated += amount;
    }

    /// One of them was found; it was counted as an object without a site before.
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

    /// The table; `known` says whether deaths are.
    pub(crate) fn finish(self, collections: u64, known: bool) -> Lifetimes {
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
            .map(|(position, tallies)| tallies.lifetime(SiteColumn::at(position), known))
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

/// The tallies of one site.
#[derive(Clone, Debug, Default)]
struct OfSite {
    without: Tally,
    callers: Vec<(CallerColumn, Tally)>,
}

impl OfSite {
    fn lifetime(mut self, site: SiteColumn, known: bool) -> SiteLifetime {
        self.callers.sort_by_key(|(caller, _)| *caller);
        for (_, of_caller) in &mut self.callers {
            self.without.take_over(of_caller);
        }
        let without = [(CallerColumn::NONE, self.without)];
        let mut callers = Vec::new();
        let mut lives = Lives::default();
        for (caller, mut tally) in without.into_iter().chain(self.callers) {
            if known {
                tally.died_at_once(tally.lost(), None);
            }
            add(&mut lives, &tally.lives);
            if !tally.lives.is_empty() {
                callers.push(CallerLifetime {
                    call: caller.call(),
                    lives: tally.lives,
                });
            }
        }
        callers.sort_by_key(|row| (Reverse(row.lives.allocated), row.call));
        if callers.iter().all(|row| row.call.is_none()) {
            callers.clear();
        }
        SiteLifetime {
            site: site.site(),
            lives,
            callers,
        }
    }
}

fn add(total: &mut Lives, row: &Lives) {
    total.allocated += row.allocated;
    total.eliminated += row.eliminated;
    total.alive += row.alive;
    total.not_yet_collected += row.not_yet_collected;
    total.promoted += row.promoted;
    total.died_promoted += row.died_promoted;
    for (sum, list) in [
        (&mut total.died, &row.died),
        (&mut total.died_bytes, &row.died_bytes),
        (&mut total.bytes_until_death, &row.bytes_until_death),
        (&mut total.promoted_died, &row.promoted_died),
    ] {
        for (position, value) in list.iter().enumerate() {
            *entry(sum, position) += value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CallIndex;
    use crate::heap::column::TypeColumn;

    #[test]
    fn magnitudes() {
        assert_eq!(
            [0, 1, 2, 3, 4, u64::MAX].map(magnitude),
            [0, 1, 2, 2, 3, 64]
        );
    }

    #[test]
    fn deaths_by_collections_survived() {
        let site = SiteColumn::at(1);
        let origin = Origin {
            site,
            caller: CallerColumn::NONE,
        };
        let mut clock = AllocationClock::default();
        (0..50).for_each(|epoch| clock.tick(epoch, 1000));
        let mut tallies = LifetimeTallies::new(2, true);
        let mut object = LiveObject::new(64, 16, site, TypeColumn::NONE, 47);
        tallies.died(&object, 49, &clock);
        object.promote();
        object.birth = 0;
        tallies.died(&object, 49, &clock);
        tallies.died_at_once(
            origin,
            Amount {
                count: 5,
                bytes: 80,
            },
            Some(1000),
        );
        let lifetimes = tallies.finish(50, true);
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
            caller: CallerColumn::of(CallIndex(call)),
        };
        let nobody = Origin {
            site,
            caller: CallerColumn::NONE,
        };
        let mut tallies = LifetimeTallies::new(2, true);
        for origin in [by(3), by(3), by(5), nobody] {
            tallies.allocated(origin, object);
            tallies.unlocated(origin, object);
        }
        // Two are found by their site alone, as collections find them first: without a site.
        let found = LiveObject::new(64, 16, site, TypeColumn::NONE, 0);
        for _ in 0..2 {
            tallies.allocated(Origin::default(), object);
            tallies.located(&found);
            tallies.alive(&found);
        }
        let lifetimes = tallies.finish(1, true);
        assert_eq!(lifetimes.sites.len(), 1);
        let row = &lifetimes.sites[0];
        assert_eq!((row.lives.allocated.count, row.lives.alive.count), (4, 2));
        assert_eq!(row.lives.dead(), 2);
        let callers = row.callers.iter();
        let callers: Vec<_> = callers
            .map(|row| (row.call, row.lives.allocated.count, row.lives.dead()))
            .collect();
        let call = |call| Some(CallIndex(call));
        assert_eq!(callers, [(None, 2, 0), (call(3), 1, 1), (call(5), 1, 1)]);
    }
}
