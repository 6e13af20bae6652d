//! Events of one piece that say no more than their site, or their site and their caller: added up by site and by pair, and written shorter at once.
//!
//! ```text
//! row of a site   the units that each of its objects has, or that they differ; events, eliminated ones, units on the heap
//! sum of a pair   what its objects are kept as for the mirror; events
//! ```
//!
//! A few hundred sites make the thousands of events of a piece: one row is touched for each event, and all that is more than adding is done
//! once for each row. Pairs have their sums in the places where the shortener finds them.

use ducktrack_trace_format::{
    CALLER, EventShortener, FIRST_SITE, MAX_UNITS, ShortWords, SiteFacts, SiteId, UNIT, Word,
};

use super::mirror::KeptSite;
use super::site_cache::SiteCache;
use super::tally::EventSum;

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

/// Events of a pair of a caller and a site's word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PairSum {
    /// What each object is kept as; 0: these events are not added up here.
    pub(crate) kept: Word,
    pub(crate) executed: u32,
}

/// Writes words shorter, with the sums of pairs.
pub(crate) type PairShortener = EventShortener<PairSum>;

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
    /// So many more events can be added before a row may be full.
    room: usize,
}

impl Default for PieceSums {
    fn default() -> Self {
        Self {
            sites: Vec::new(),
            touched: Vec::new(),
            room: MOST_EVENTS,
        }
    }
}

impl PieceSums {
    /// True when nothing more can be added before [`PieceSums::drain`]. No piece of the agent's is so long.
    pub(crate) fn is_full(&self) -> bool {
        self.room == 0
    }

    /// Adds words, writes them to `short`, and gives what is to be kept of them. What stands behind those that were taken says more, or it is new here
    /// ([`PieceSums::learn`]), or it is a pair's first, or there is no more room.
    pub(crate) fn add_words(
        &mut self,
        words: &[Word],
        kept: &mut [Word],
        shortener: &mut PairShortener,
        short: &mut ShortWords<'_>,
    ) -> Taken {
        let Self {
            sites,
            touched,
            room,
        } = self;
        let mut taken = Taken::default();
        let mut rest = words;
        let mut events = 0;
        let most = kept.len().min(*room);
        // Each event is one word now.
        for written in short.rest().iter_mut().take(most) {
            let [first, behind @ ..] = rest else {
                break;
            };
            let word = u32::from_le_bytes(*first);
            let (site, mut units) = (SiteId(word >> 12), word & MAX_UNITS);
            let mut keep = *first;
            if site.0 >= FIRST_SITE {
                let Some(row) = sites.get_mut(site.0 as usize) else {
                    break;
                };
                if units == row.expected {
                    row.as_expected += 1;
                } else if !row.add(site, units, touched) {
                    break;
                }
                *written = *first;
                rest = behind;
            } else {
                let [caller, word, behind @ ..] = behind else {
                    break;
                };
                let (caller, word) = (u32::from_le_bytes(*caller), u32::from_le_bytes(*word));
                if site.0 != CALLER {
                    break;
                }
                let Some((again, pair)) = shortener.again(caller, word) else {
                    break;
                };
                if pair.kept == [0; 4] {
                    break;
                }
                pair.executed += 1;
                (keep, units) = (pair.kept, word & MAX_UNITS);
                *written = again.to_le_bytes();
                rest = behind;
            }
            // An eliminated object leaves its place to the next.
            if let Some(place) = kept.get_mut(taken.kept) {
                *place = keep;
            }
            taken.kept += usize::from(units > 0);
            taken.units += u64::from(units);
            events += 1;
        }
        short.filled(events);
        *room -= events;
        taken.words = words.len() - rest.len();
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

    /// Gives the sums of sites and begins anew.
    pub(crate) fn drain(&mut self, mut give: impl FnMut(SiteId, &EventSum)) {
        for site in self.touched.drain(..) {
            if let Some(row) = self.sites.get_mut(site.0 as usize) {
                give(site, &row.take());
            }
        }
        self.room = MOST_EVENTS;
    }

    /// So many events of a site's word.
    pub(crate) fn sum_of(&self, word: u32, executed: u32) -> EventSum {
        let (site, executed) = (SiteId(word >> 12), u64::from(executed));
        let row = self.sites.get(site.0 as usize);
        let mut one = SiteRow {
            size: row.map_or(UNKNOWN, |row| row.size),
            ..SiteRow::NEW
        };
        one.add(site, word & MAX_UNITS, &mut Vec::new());
        let each = one.take();
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

    fn drained(sums: &mut PieceSums) -> Vec<(u32, EventSum)> {
        let mut given = Vec::new();
        sums.drain(|site, sum| given.push((site.0, *sum)));
        given
    }

    /// What is taken of words, and what is written for it.
    fn add(
        sums: &mut PieceSums,
        shortener: &mut PairShortener,
        words: &[Word],
        kept: &mut [Word],
    ) -> (Taken, Vec<Word>) {
        let mut room = vec![[0; 4]; words.len()];
        let mut short = ShortWords::new(&mut room);
        let taken = sums.add_words(words, kept, shortener, &mut short);
        let written = short.len();
        room.truncate(written);
        (taken, room)
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
    fn what_fits_is_added_up_kept_and_written() {
        let facts = SiteCache::new(Arc::new(Facts));
        let mut sums = sums(&facts);
        let (caller, again) = (word(CALLER, 0), word(14, 0));
        let pair = [caller, 9_u32.to_le_bytes(), word(18, 6)];
        let kept_pair = word(900, 6);
        let mut shortener = PairShortener::default();
        let first = PairSum {
            kept: kept_pair,
            executed: 0,
        };
        let mut unused = [[0; 4]; 3];
        let mut written = ShortWords::new(&mut unused);
        shortener.add(9, u32::from_le_bytes(pair[2]), first, &mut written);
        let words = [
            &[word(16, 3), word(16, 0)],
            &pair[..],
            &[word(18, 5), word(18, 0), word(19, 0)],
            &pair,
            // There is a gap in it.
            &[word(16, 3), word(16, 4), word(16, 3)],
        ]
        .concat();
        let mut kept = [[0; 4]; 14];
        let (taken, written) = add(&mut sums, &mut shortener, &words, &mut kept);
        assert_eq!((taken.words, taken.kept, taken.units), (12, 5, 23));
        let on_heap = [word(16, 3), kept_pair, word(18, 5), kept_pair, word(16, 3)];
        assert_eq!(kept[..5], on_heap);
        let shorter = [
            &words[..2],
            &[again],
            &words[5..8],
            &[again],
            &words[11..12],
        ];
        assert_eq!(written, shorter.concat());
        for unknown in [word(17, 4_000), word(15, 2), word(4, 2), caller] {
            let (taken, _) = add(&mut sums, &mut shortener, &[unknown], &mut kept);
            assert_eq!(taken, Taken::default());
        }
        let mut pairs = Vec::new();
        shortener.drain(|caller, word, sum| {
            pairs.push((caller, word >> 12, sums.sum_of(word, sum.executed)));
        });
        assert_eq!(pairs, [(9, 18, sum(2, 96, 2, 96))]);
        let expected = [
            (16, sum(3, 72, 2, 48)),
            (18, sum(2, 40, 1, 40)),
            (19, sum(1, 0, 0, 0)),
        ];
        assert_eq!(drained(&mut sums), expected);
        assert_eq!(drained(&mut sums), []);
        // Its sum was given: it is a first one again.
        let (taken, _) = add(&mut sums, &mut shortener, &pair, &mut kept);
        assert_eq!(taken, Taken::default());
    }

    #[test]
    fn a_row_that_may_be_full_takes_no_more() {
        let facts = SiteCache::new(Arc::new(Facts));
        let mut sums = sums(&facts);
        let mut shortener = PairShortener::default();
        let words = vec![word(18, MAX_UNITS); MOST_EVENTS + 1];
        let mut kept = vec![[0; 4]; words.len()];
        let (taken, _) = add(&mut sums, &mut shortener, &words, &mut kept);
        assert_eq!(taken.words, MOST_EVENTS);
        assert!(sums.is_full());
        let (count, bytes) = (
            MOST_EVENTS as u64,
            MOST_EVENTS as u64 * 8 * u64::from(MAX_UNITS),
        );
        assert_eq!(drained(&mut sums), [(18, sum(count, bytes, count, bytes))]);
        assert!(!sums.is_full());
    }
}
