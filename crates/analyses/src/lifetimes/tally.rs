//! Fates of the objects of one origin, and of one site with all its callers.

use core::cmp::Reverse;

use crate::{CallerLifetime, Lifetimes, Lives, SiteLifetime};
use ducktrack_count_model::{CallerColumn, SiteColumn};
use ducktrack_live_heap::{Amount, capped};

/// Objects of one origin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) lives: Lives,
    /// Objects of ended epochs that came without an address.
    pub(crate) unlocated: Amount,
    /// Those of them that a collection found; the others are dead. May run
    /// ahead of `unlocated`, and counts objects here whose caller was in doubt.
    pub(crate) located: Amount,
}

/// The entry of a list that grows as needed.
pub(crate) fn entry(list: &mut Vec<u64>, position: usize) -> &mut u64 {
    let position = position.min(Lifetimes::MOST_SURVIVED.max(64));
    if list.len() <= position {
        list.resize(position + 1, 0);
    }
    &mut list[position]
}

pub(crate) fn by_survived(list: &mut Vec<u64>, survived: u32) -> &mut u64 {
    entry(list, (survived as usize).min(Lifetimes::MOST_SURVIVED))
}

/// 0 for 0, else one more than the highest bit.
pub(crate) fn magnitude(bytes: u64) -> usize {
    (u64::BITS - bytes.leading_zeros()) as usize
}

impl Tally {
    /// Objects that died at the first collection of their life.
    pub(crate) fn died_at_once(&mut self, dead: Amount, epoch_bytes: Option<u64>) {
        if dead.is_zero() {
            return;
        }
        let lives = &mut self.lives;
        capped::add(by_survived(&mut lives.died, 0), dead.count);
        capped::add(by_survived(&mut lives.died_bytes, 0), dead.bytes);
        if let Some(bytes) = epoch_bytes {
            let entry = entry(&mut lives.bytes_until_death, magnitude(bytes));
            capped::add(entry, dead.count);
        }
    }

    /// Objects without an address that were not found.
    fn lost(&self) -> Amount {
        let mut lost = self.unlocated;
        lost -= self.located;
        lost
    }

    /// The heap was lost: what has not been found will not be found.
    pub(crate) fn settle(&mut self) {
        self.lives.unknown_fate += self.lost();
        (self.unlocated, self.located) = (Amount::default(), Amount::default());
    }

    /// Takes objects over from a caller of the same site. Those that were found where the caller
    /// was in doubt are here, but have been counted under whatever caller their events state.
    pub(crate) fn take_over(&mut self, of_caller: &mut Self) {
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

/// The tallies of one site.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfSite {
    pub(crate) without: Tally,
    pub(crate) callers: Vec<(CallerColumn, Tally)>,
}

impl OfSite {
    /// The row of the site. An object that was not found is dead.
    pub(crate) fn lifetime(mut self, site: SiteColumn) -> SiteLifetime {
        self.callers.sort_by_key(|(caller, _)| *caller);
        for (_, of_caller) in &mut self.callers {
            self.without.take_over(of_caller);
        }
        let without = [(CallerColumn::NONE, self.without)];
        let mut callers = Vec::new();
        let mut lives = Lives::default();
        for (caller, mut tally) in without.into_iter().chain(self.callers) {
            tally.died_at_once(tally.lost(), None);
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

/// Adds lives up.
pub(crate) fn add(total: &mut Lives, row: &Lives) {
    total.allocated += row.allocated;
    capped::add(&mut total.eliminated, row.eliminated);
    total.alive += row.alive;
    total.not_yet_collected += row.not_yet_collected;
    total.unknown_fate += row.unknown_fate;
    total.promoted += row.promoted;
    total.died_promoted += row.died_promoted;
    for (sum, list) in [
        (&mut total.died, &row.died),
        (&mut total.died_bytes, &row.died_bytes),
        (&mut total.bytes_until_death, &row.bytes_until_death),
        (&mut total.promoted_died, &row.promoted_died),
    ] {
        for (position, value) in list.iter().enumerate() {
            capped::add(entry(sum, position), *value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magnitudes() {
        assert_eq!(
            [0, 1, 2, 3, 4, u64::MAX].map(magnitude),
            [0, 1, 2, 2, 3, 64]
        );
    }
}
