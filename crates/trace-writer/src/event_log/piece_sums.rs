//! Plain events of one piece, added up by site and by caller.
//!
//! ```text
//! row of a site   the units that each of its objects has, or that they differ; events, eliminated ones, units on the heap
//! row of a pair   caller, site and units, and what they are kept as for the mirror; events
//! ```
//!
//! A few hundred sites make the thousands of events of a piece: one row is touched for each event, and all that is more than adding is done
//! once for each row.

use ducktrack_trace_format::{
    AGAIN, CallSiteId, FIRST_SITE, MAX_UNITS, SiteFacts, SiteId, UNIT, Word,
};

use super::mirror::KeptSite;
use super::site_cache::SiteCache;
use super::tally::{Alike, EventSum};

/// How many units the objects of a site have: this number, or one of these.
const UNKNOWN: u32 = u32::MAX;
const MEASURED: u32 = u32::MAX - 1;
/// The site has no events in this piece yet.
const UNTOUCHED: u32 = u32::MAX - 2;

/// So many events can be added before a number may be full.
const MOST_EVENTS: usize = u32::MAX as usize / MAX_UNITS as usize;

#[derive(Clone, Copy, Debug)]
struct SiteRow {
    /// What most events are compared with and nothing else: `size`, or [`UNTOUCHED`].
    expected: u32,
    /// Events of objects of `expected` units.
    as_expected: u32,
    eliminated: u32,
    /// Events of measured objects on the heap, and their units.
    measured: u32,
    units: u32,
    size: u32,
}

impl SiteRow {
    const NEW: Self = Self {
        expected: UNTOUCHED,
        as_expected: 0,
        eliminated: 0,
        measured: 0,
        units: 0,
        size: UNKNOWN,
    };

    fn size_of(site: SiteId, facts: &SiteCache) -> u32 {
        match facts.fixed_bytes(site) {
            Some(bytes) => bytes / UNIT as u32,
            None if facts.is_measured(site) => MEASURED,
            None => UNKNOWN,
        }
    }

    /// True for an eliminated object, and for one of a size that objects of the site have.
    #[inline]
    fn fits(&self, units: u32) -> bool {
        units == self.size || units == 0 || self.size == MEASURED
    }

    /// Adds an event that is the first of the site in the piece, or not as most. False: it does not fit.
    #[inline]
    fn add(&mut self, site: SiteId, units: u32, touched: &mut Vec<SiteId>) -> bool {
        if !self.fits(units) {
            return false;
        }
        if self.expected == UNTOUCHED {
            self.expected = self.size;
            touched.push(site);
        }
        match units {
            0 => self.eliminated += 1,
            _ if self.size == MEASURED => {
                self.measured += 1;
                self.units += units;
            }
            _ => self.as_expected += 1,
        }
        true
    }

    /// Gives the sum and begins anew.
    fn take(&mut self) -> EventSum {
        let on_heap = u64::from(self.as_expected + self.measured);
        let each = match self.size {
            UNKNOWN | MEASURED => 0,
            units => u64::from(units) * UNIT,
        };
        let on_heap_bytes = u64::from(self.as_expected) * each + u64::from(self.units) * UNIT;
        let eliminated = u64::from(self.eliminated);
        let sum = EventSum {
            executed: on_heap + eliminated,
            executed_bytes: on_heap_bytes + eliminated * each,
            on_heap,
            on_heap_bytes,
        };
        let size = self.size;
        *self = Self { size, ..Self::NEW };
        sum
    }
}

#[derive(Clone, Copy, Debug)]
struct PairRow {
    /// What objects of the pair are kept as; 0: the pair has not come yet.
    word: u32,
    executed: u32,
    caller: CallSiteId,
    site: SiteId,
}

impl PairRow {
    const NONE: Self = Self {
        word: 0,
        executed: 0,
        caller: CallSiteId(0),
        site: SiteId(0),
    };
}

/// What was taken of words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    /// So many, from the first on.
    pub(crate) words: usize,
    /// Of these are on the heap, and kept.
    pub(crate) kept: usize,
    /// Units of all.
    pub(crate) units: u64,
}

/// The sums.
#[derive(Debug)]
pub(crate) struct PieceSums {
    sites: Vec<SiteRow>,
    /// Sites with events in this piece.
    touched: Vec<SiteId>,
    /// By number.
    pairs: Vec<PairRow>,
    /// So many more events can be added before a row may be full.
    room: usize,
}

impl Default for PieceSums {
    fn default() -> Self {
        Self {
            sites: Vec::new(),
            touched: Vec::new(),
            pairs: Vec::new(),
            room: MOST_EVENTS,
        }
    }
}

impl PieceSums {
    /// True when nothing more can be added before [`PieceSums::drain`]. No piece of the agent's is so long.
    pub(crate) fn is_full(&self) -> bool {
        self.room == 0
    }

    /// Adds plain words, and gives what is to be kept of them. The word behind those that were taken is not plain, or it is new here
    /// ([`PieceSums::learn`], [`PieceSums::learn_pair`]), or there is no more room.
    pub(crate) fn add_plain(&mut self, words: &[Word], kept: &mut [Word]) -> Taken {
        let Self {
            sites,
            touched,
            pairs,
            room,
        } = self;
        let mut taken = Taken::default();
        let most = kept.len().min(*room);
        for bytes in words.iter().take(most) {
            let word = u32::from_le_bytes(*bytes);
            let (site, mut units) = (SiteId(word >> 12), word & MAX_UNITS);
            let mut keep = word;
            if site.0 >= FIRST_SITE {
                let Some(row) = sites.get_mut(site.0 as usize) else {
                    break;
                };
                if units == row.expected {
                    row.as_expected += 1;
                } else if !row.add(site, units, touched) {
                    break;
                }
            } else {
                let row = pairs.get_mut(units as usize);
                let Some(row) = row.filter(|row| site.0 == AGAIN && row.word != 0) else {
                    break;
                };
                row.executed += 1;
                keep = row.word;
                units = keep & MAX_UNITS;
            }
            // An eliminated object leaves its place to the next.
            if let Some(place) = kept.get_mut(taken.kept) {
                *place = keep.to_le_bytes();
            }
            taken.kept += usize::from(units > 0);
            taken.words += 1;
            taken.units += u64::from(units);
        }
        *room -= taken.words;
        taken
    }

    /// Asks for a site's size, if it is not known; whether an event of so many units is as events of the site are.
    #[cold]
    pub(crate) fn learn(&mut self, site: SiteId, units: u32, facts: &SiteCache) -> bool {
        let index = site.0 as usize;
        if self.sites.len() <= index && KeptSite::alone(site).is_some() {
            let length = (index + 1).next_power_of_two().min(KeptSite::MOST_ALONE);
            self.sites.resize(length, SiteRow::NEW);
        }
        let Some(row) = self.sites.get_mut(index) else {
            return false;
        };
        if row.size == UNKNOWN {
            row.size = SiteRow::size_of(site, facts);
            if row.expected == UNKNOWN {
                row.expected = row.size;
            }
        }
        row.fits(units)
    }

    /// Whether an object of so many units is as events of the site are.
    #[inline]
    pub(crate) fn fits(&mut self, site: SiteId, units: u32, facts: &SiteCache) -> bool {
        let row = self.sites.get(site.0 as usize);
        row.is_some_and(|row| row.fits(units)) || self.learn(site, units, facts)
    }

    /// What objects of a pair are kept as.
    #[cold]
    pub(crate) fn learn_pair(
        &mut self,
        number: u32,
        (caller, site): (CallSiteId, SiteId),
        kept: KeptSite,
        units: u32,
    ) {
        let number = number as usize;
        if self.pairs.len() <= number {
            self.pairs.resize(number + 1, PairRow::NONE);
        }
        if let Some(row) = self.pairs.get_mut(number) {
            *row = PairRow {
                word: kept.in_word() | units,
                executed: 0,
                caller,
                site,
            };
        }
    }

    /// Gives all sums and begins anew.
    pub(crate) fn drain(&mut self, mut give: impl FnMut(&Alike, &EventSum)) {
        for site in self.touched.drain(..) {
            if let Some(row) = self.sites.get_mut(site.0 as usize) {
                give(&alike(site, None), &row.take());
            }
        }
        for pair in self.pairs.drain(..).filter(|pair| pair.executed > 0) {
            if let Some(row) = self.sites.get(pair.site.0 as usize) {
                give(&alike(pair.site, Some(pair.caller)), &pair.sum(row));
            }
        }
        self.room = MOST_EVENTS;
    }
}

fn alike(site: SiteId, caller: Option<CallSiteId>) -> Alike {
    Alike {
        site,
        caller,
        klass: None,
    }
}

impl PairRow {
    fn sum(&self, site: &SiteRow) -> EventSum {
        let mut one = SiteRow {
            size: site.size,
            ..SiteRow::NEW
        };
        one.add(self.site, self.word & MAX_UNITS, &mut Vec::new());
        let (each, executed) = (one.take(), u64::from(self.executed));
        EventSum {
            executed,
            executed_bytes: each.executed_bytes * executed,
            on_heap: each.on_heap * executed,
            on_heap_bytes: each.on_heap_bytes * executed,
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

    fn word(site: u32, units: u32) -> Word {
        (site << 12 | units).to_le_bytes()
    }

    /// Sums that know the sites that have sizes.
    fn sums(facts: &SiteCache) -> PieceSums {
        let mut sums = PieceSums::default();
        assert!(sums.learn(SiteId(16), 3, facts));
        assert!(
            !sums.learn(SiteId(17), 4_000, facts),
            "more than a word says"
        );
        assert!(sums.learn(SiteId(18), 1, facts));
        assert!(!sums.learn(SiteId(19), 2, facts), "the size is not known");
        assert!(!sums.learn(SiteId(KeptSite::MOST_ALONE as u32), 0, facts));
        sums
    }

    fn drained(sums: &mut PieceSums) -> Vec<(u32, Option<CallSiteId>, EventSum)> {
        let mut given = Vec::new();
        sums.drain(|alike, sum| given.push((alike.site.0, alike.caller, *sum)));
        given
    }

    fn sum(executed: u64, executed_bytes: u64, on_heap: u64, on_heap_bytes: u64) -> EventSum {
        EventSum {
            executed,
            executed_bytes,
            on_heap,
            on_heap_bytes,
        }
    }

    #[test]
    fn what_fits_is_added_up_and_kept() {
        let facts = SiteCache::new(Arc::new(Facts));
        let mut sums = sums(&facts);
        let kept_pair = KeptSite::alone(SiteId(900)).unwrap();
        sums.learn_pair(2, (CallSiteId(9), SiteId(18)), kept_pair, 6);
        let words = [
            word(16, 3),
            word(16, 0),
            word(AGAIN, 2),
            word(18, 5),
            word(18, 0),
            word(19, 0),
            word(AGAIN, 2),
            word(16, 3),
            // There is a gap in it.
            word(16, 4),
            word(16, 3),
        ];
        let mut kept = [[0; 4]; 10];
        let taken = sums.add_plain(&words, &mut kept);
        assert_eq!((taken.words, taken.kept, taken.units), (8, 5, 23));
        assert_eq!(
            kept[..5],
            [(16, 3), (900, 6), (18, 5), (900, 6), (16, 3)].map(|(site, units)| word(site, units))
        );
        for unknown in [word(AGAIN, 3), word(17, 4_000), word(15, 2), word(4, 2)] {
            assert_eq!(sums.add_plain(&[unknown], &mut kept), Taken::default());
        }
        assert_eq!(
            drained(&mut sums),
            [
                (16, None, sum(3, 72, 2, 48)),
                (18, None, sum(2, 40, 1, 40)),
                (19, None, sum(1, 0, 0, 0)),
                (18, Some(CallSiteId(9)), sum(2, 96, 2, 96)),
            ]
        );
        assert_eq!(drained(&mut sums), []);
        assert_eq!(sums.add_plain(&words[2..3], &mut kept), Taken::default());
    }

    #[test]
    fn a_row_that_may_be_full_takes_no_more() {
        let facts = SiteCache::new(Arc::new(Facts));
        let mut sums = sums(&facts);
        let words = vec![word(18, MAX_UNITS); MOST_EVENTS + 1];
        let mut kept = vec![[0; 4]; words.len()];
        assert_eq!(sums.add_plain(&words, &mut kept).words, MOST_EVENTS);
        assert!(sums.is_full());
        let (count, bytes) = (
            MOST_EVENTS as u64,
            MOST_EVENTS as u64 * 8 * u64::from(MAX_UNITS),
        );
        assert_eq!(
            drained(&mut sums),
            [(18, None, sum(count, bytes, count, bytes))]
        );
        assert!(!sums.is_full());
    }
}
