//! Births and deaths by site while a trace is replayed.

use crate::heap::allocation_clock::AllocationClock;
use crate::heap::column::SiteColumn;
use crate::heap::live_object::LiveObject;
use crate::{Amount, Lifetimes, SiteLifetime};

/// Tallies by site column.
#[derive(Clone, Debug, Default)]
pub(crate) struct LifetimeTallies {
    rows: Vec<SiteLifetime>,
    /// Objects of ended epochs that came without an address.
    unlocated: Vec<Amount>,
    /// Those of them that a collection found; the others are dead. May run ahead of `unlocated`.
    located: Vec<Amount>,
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

impl LifetimeTallies {
    pub(crate) fn new(columns: usize) -> Self {
        Self {
            rows: vec![SiteLifetime::default(); columns],
            unlocated: vec![Amount::default(); columns],
            located: vec![Amount::default(); columns],
        }
    }

    fn row(&mut self, column: SiteColumn) -> &mut SiteLifetime {
        let position = column.position();
        if self.rows.len() <= position {
            self.rows.resize(position + 1, SiteLifetime::default());
            self.unlocated.resize(position + 1, Amount::default());
            self.located.resize(position + 1, Amount::default());
        }
        &mut self.rows[position]
    }

    pub(crate) fn allocated(&mut self, column: SiteColumn, amount: Amount) {
        self.row(column).allocated += amount;
    }

    pub(crate) fn eliminated(&mut self, column: SiteColumn, count: u64) {
        self.row(column).eliminated += count;
    }

    pub(crate) fn not_yet_collected(&mut self, column: SiteColumn, amount: Amount) {
        self.row(column).not_yet_collected += amount;
    }

    pub(crate) fn alive(&mut self, column: SiteColumn, amount: Amount) {
        self.row(column).alive += amount;
    }

    pub(crate) fn promoted(&mut self, object: &LiveObject) {
        self.row(object.site).promoted += Amount::one(object.bytes());
    }

    /// Objects that died at the first collection of their life.
    pub(crate) fn died_at_once(
        &mut self,
        column: SiteColumn,
        dead: Amount,
        epoch_bytes: Option<u64>,
    ) {
        if dead.is_zero() {
            return;
        }
        let row = self.row(column);
        *by_survived(&mut row.died, 0) += dead.count;
        *by_survived(&mut row.died_bytes, 0) += dead.bytes;
        if let Some(bytes) = epoch_bytes {
            *entry(&mut row.bytes_until_death, magnitude(bytes)) += dead.count;
        }
    }

    /// An object that the collection ending `epoch` found dead.
    pub(crate) fn died(&mut self, object: &LiveObject, epoch: u32, clock: &AllocationClock) {
        let survived = epoch.saturating_sub(object.birth);
        let row = self.row(object.site);
        *by_survived(&mut row.died, survived) += 1;
        *by_survived(&mut row.died_bytes, survived) += object.bytes();
        if let Some(bytes) = clock.since(object.birth) {
            *entry(&mut row.bytes_until_death, magnitude(bytes)) += 1;
        }
        if object.is_promoted() {
            row.died_promoted += Amount::one(object.bytes());
            *by_survived(&mut row.promoted_died, survived) += 1;
        }
    }

    /// Objects of an epoch that has ended whose address is not known.
    pub(crate) fn unlocated(&mut self, column: SiteColumn, amount: Amount) {
        self.row(column);
        self.unlocated[column.position()] += amount;
    }

    /// One of them was found; it was counted as an object without a site before.
    pub(crate) fn located(&mut self, column: SiteColumn, object: &LiveObject) {
        let one = Amount::one(object.bytes());
        self.row(column);
        self.located[column.position()] += one;
        let without = self.row(SiteColumn::NONE);
        without.allocated -= one;
        if object.is_promoted() {
            without.promoted -= one;
            self.row(column).promoted += one;
        }
    }

    /// The table; `known` says whether deaths are.
    pub(crate) fn finish(mut self, collections: u64, known: bool) -> Lifetimes {
        let mut total = SiteLifetime::default();
        for position in 0..self.rows.len() {
            let mut unlocated = self.unlocated[position];
            unlocated -= self.located[position];
            if known && !unlocated.is_zero() {
                self.died_at_once(SiteColumn::at(position), unlocated, None);
            }
            let row = &mut self.rows[position];
            row.site = SiteColumn::at(position).site();
            add(&mut total, row);
        }
        let mut sites = self.rows;
        sites.retain(|row| !row.allocated.is_zero() || row.eliminated > 0 || row.dead() > 0);
        sites.sort_by_key(|row| core::cmp::Reverse(row.allocated));
        Lifetimes {
            sites,
            total,
            collections,
            known,
        }
    }
}

fn add(total: &mut SiteLifetime, row: &SiteLifetime) {
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
        let mut clock = AllocationClock::default();
        (0..50).for_each(|epoch| clock.tick(epoch, 1000));
        let mut tallies = LifetimeTallies::new(2);
        let mut object = LiveObject::new(64, 16, site, TypeColumn::NONE, 47);
        tallies.died(&object, 49, &clock);
        object.promote();
        object.birth = 0;
        tallies.died(&object, 49, &clock);
        tallies.died_at_once(
            site,
            Amount {
                count: 5,
                bytes: 80,
            },
            Some(1000),
        );
        let lifetimes = tallies.finish(50, true);
        let row = &lifetimes.sites[0];
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
}
