//! Plain events of one piece, added up by site and by caller.
//!
//! ```text
//! row of a site   the units that each of its objects has, or that they differ; events, eliminated ones, units on the heap
//! row of a pair   caller, site and units, and what they are kept as for the mirror; events
//! ```
//!
//! A few hundred sites make the thousands of events of a piece: one row is touched for each event, and all that is more than adding is done
//! once for each row.

use ducktrack_trace_format::{CallSiteId, SiteFacts, SiteId, UNIT};

use super::mirror::KeptSite;
use super::site_cache::SiteCache;
use super::tally::EventSum;

/// No plain event has so many units: that the site's size is not known yet, or does not fit.
const NO_UNITS: u16 = u16::MAX;

#[derive(Clone, Copy, Debug)]
struct SiteRow {
    /// Units of each object, and which bits of them are compared: none where each object has its own.
    units_of_each: u16,
    compared: u16,
    executed: u32,
    eliminated: u32,
    units: u64,
}

impl SiteRow {
    const UNKNOWN: Self = Self {
        units_of_each: NO_UNITS,
        compared: u16::MAX,
        executed: 0,
        eliminated: 0,
        units: 0,
    };

    fn of(site: SiteId, facts: &SiteCache) -> Self {
        let mut row = Self::UNKNOWN;
        if let Some(bytes) = facts.fixed_bytes(site) {
            let units = u64::from(bytes) / UNIT;
            row.units_of_each = u16::try_from(units).unwrap_or(NO_UNITS);
        } else if facts.is_measured(site) {
            row.compared = 0;
        }
        row
    }

    /// True for an eliminated object, and for one of a size that objects of the site have.
    #[inline]
    fn fits(&self, units: u32) -> bool {
        units == 0 || (units as u16 ^ self.units_of_each) & self.compared == 0
    }

    #[inline]
    fn add(&mut self, site: SiteId, units: u32, touched: &mut Vec<SiteId>) {
        if self.executed == 0 {
            touched.push(site);
        }
        self.executed += 1;
        self.eliminated += u32::from(units == 0);
        self.units += u64::from(units);
    }

    fn sum(&self) -> EventSum {
        let (executed, eliminated) = (u64::from(self.executed), u64::from(self.eliminated));
        let each = match (self.compared, self.units_of_each) {
            (0, _) | (_, NO_UNITS) => 0,
            (_, each) => u64::from(each),
        };
        let on_heap_bytes = self.units * UNIT;
        EventSum {
            executed,
            executed_bytes: on_heap_bytes + eliminated * each * UNIT,
            on_heap: executed - eliminated,
            on_heap_bytes,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct PairRow {
    caller: CallSiteId,
    site: SiteId,
    units: u32,
    kept: KeptSite,
    executed: u32,
}

/// The sums.
#[derive(Debug, Default)]
pub(crate) struct PieceSums {
    sites: Vec<SiteRow>,
    /// Sites with events in this piece.
    touched: Vec<SiteId>,
    /// By number; `None` has not come yet.
    pairs: Vec<Option<PairRow>>,
}

impl PieceSums {
    /// Adds an event without a caller. False: it is not as events of the site are.
    #[inline]
    pub(crate) fn add(&mut self, site: SiteId, units: u32, facts: &SiteCache) -> bool {
        match self.sites.get_mut(site.0 as usize) {
            Some(row) if row.fits(units) => row.add(site, units, &mut self.touched),
            _ => return self.add_unknown(site, units, facts),
        }
        true
    }

    #[cold]
    fn add_unknown(&mut self, site: SiteId, units: u32, facts: &SiteCache) -> bool {
        let fits = self.learn(site, units, facts);
        if fits && let Some(row) = self.sites.get_mut(site.0 as usize) {
            row.add(site, units, &mut self.touched);
        }
        fits
    }

    /// Adds an event of a pair that has come before; what its objects are kept as. `None`: it has not come.
    #[inline]
    pub(crate) fn add_pair(&mut self, number: u32) -> Option<KeptSite> {
        let row = self.pairs.get_mut(number as usize)?.as_mut()?;
        row.executed += 1;
        Some(row.kept)
    }

    /// Adds the first event of a pair. False: it is not as events of the site are.
    #[cold]
    pub(crate) fn add_first_of_pair(
        &mut self,
        number: u32,
        caller: CallSiteId,
        (site, units): (SiteId, u32),
        kept: KeptSite,
        facts: &SiteCache,
    ) -> bool {
        let row = self.sites.get(site.0 as usize);
        if !row.is_some_and(|row| row.fits(units)) && !self.learn(site, units, facts) {
            return false;
        }
        let number = number as usize;
        if self.pairs.len() <= number {
            self.pairs.resize(number + 1, None);
        }
        if let Some(row) = self.pairs.get_mut(number) {
            *row = Some(PairRow {
                caller,
                site,
                units,
                kept,
                executed: 1,
            });
        }
        true
    }

    /// Asks for a site's size, if it is not known; whether an event fits now.
    #[cold]
    fn learn(&mut self, site: SiteId, units: u32, facts: &SiteCache) -> bool {
        let index = site.0 as usize;
        if self.sites.len() <= index {
            let length = (index + 1).next_power_of_two();
            self.sites.resize(length, SiteRow::UNKNOWN);
        }
        let Some(row) = self.sites.get_mut(index) else {
            return false;
        };
        if row.units_of_each == NO_UNITS && row.compared != 0 {
            let known = SiteRow::of(site, facts);
            row.units_of_each = known.units_of_each;
            row.compared = known.compared;
        }
        row.fits(units)
    }

    /// Gives all sums and begins anew.
    pub(crate) fn drain(&mut self, mut give: impl FnMut(SiteId, Option<CallSiteId>, &EventSum)) {
        for site in self.touched.drain(..) {
            if let Some(row) = self.sites.get_mut(site.0 as usize) {
                give(site, None, &row.sum());
                (row.executed, row.eliminated, row.units) = (0, 0, 0);
            }
        }
        for pair in self.pairs.drain(..).flatten() {
            if let Some(row) = self.sites.get(pair.site.0 as usize) {
                let sum = SiteRow {
                    executed: pair.executed,
                    eliminated: if pair.units == 0 { pair.executed } else { 0 },
                    units: u64::from(pair.units) * u64::from(pair.executed),
                    ..*row
                };
                give(pair.site, Some(pair.caller), &sum.sum());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    struct Facts;

    impl SiteFacts for Facts {
        fn fixed_bytes(&self, site: SiteId) -> Option<u32> {
            [(16, 24), (17, 40_000)]
                .into_iter()
                .find_map(|(known, bytes)| (site.0 == known).then_some(bytes))
        }

        fn is_measured(&self, site: SiteId) -> bool {
            site.0 == 18
        }
    }

    #[test]
    fn what_fits_is_added_up_once() {
        let facts = SiteCache::new(Arc::new(Facts));
        let mut sums = PieceSums::default();
        let mut add = |site, units| sums.add(SiteId(site), units, &facts);
        assert!(add(16, 3) && add(16, 0) && add(16, 3));
        assert!(!add(16, 4), "there is a gap in it");
        assert!(!add(17, 4_000), "it is more than a word says");
        assert!(add(18, 5) && add(18, 7) && add(18, 0));
        assert!(!add(19, 2) && add(19, 0), "the size is not known");
        let kept = KeptSite::alone(SiteId(18)).unwrap();
        let mut add_first = |number, site| {
            let caller = CallSiteId(9);
            sums.add_first_of_pair(number, caller, (SiteId(site), 6), kept, &facts)
        };
        assert!(add_first(2, 18) && !add_first(3, 16));
        for _ in 0..3 {
            assert_eq!(sums.add_pair(2), Some(kept));
        }
        assert_eq!(sums.add_pair(3), None);
        let mut given = Vec::new();
        sums.drain(|site, caller, sum| given.push((site.0, caller, *sum)));
        let sum = |executed, executed_bytes, on_heap, on_heap_bytes| EventSum {
            executed,
            executed_bytes,
            on_heap,
            on_heap_bytes,
        };
        assert_eq!(
            given,
            [
                (16, None, sum(3, 72, 2, 48)),
                (18, None, sum(3, 96, 2, 96)),
                (19, None, sum(1, 0, 0, 0)),
                (18, Some(CallSiteId(9)), sum(4, 192, 4, 192)),
            ]
        );
        sums.drain(|_, _, _| panic!("everything was given"));
    }
}
