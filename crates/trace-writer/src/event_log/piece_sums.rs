//! Sums the events of a piece that state no more than their site, or their
//! site and caller, by word and by pair ([`ThreadSums`]), and writes them.
//!
//! ```text
//! word            how often it came (the table of words), if it is a whole event
//! row of a site   the units that each of its objects has, or that they differ; events on the heap and their units; eliminated events
//! sum of a pair   how the mirror keeps its objects; number of events
//! ```
//!
//! A piece has thousands of events, but only a few hundred different words. So for each event only the word is looked up. The site's row is
//! consulted once per different word: for whether the size matches the site's, and when the sums of words become those of sites.

use ducktrack_heap_mirror::{KeptSite, SiteCache};
use ducktrack_trace_format::{
    CALLER, CLASS_STATED, FIRST_CALLED_SITE, FIRST_SITE, MAX_UNITS, ShortWords, SiteFacts, SiteId,
    UNIT, Word,
};

use super::pair_sums::PairSums;
use super::tally::EventSum;
use super::thread_sums::ThreadSums;
use super::typed_sums::TypedSums;
use super::word_block::{self, BLOCK, WordBlock};
use super::word_counts::{WordCount, WordCounts};

/// Size of a site's objects in units, or one of these special values.
const UNKNOWN: u32 = u32::MAX;
const MEASURED: u32 = u32::MAX - 1;

/// How many events can be added before a `u32` may overflow.
const MOST_EVENTS: usize = u32::MAX as usize / MAX_UNITS as usize;

#[derive(Clone, Copy, Debug)]
struct SiteRow {
    size: u32,
    /// Events of objects on the heap, and the units of all these objects.
    on_heap: u32,
    units: u32,
    eliminated: u32,
}

impl SiteRow {
    const NEW: Self = Self {
        size: UNKNOWN,
        on_heap: 0,
        units: 0,
        eliminated: 0,
    };

    fn size_of(site: SiteId, facts: &SiteCache) -> u32 {
        match facts.fixed_bytes(site) {
            Some(bytes) => bytes / UNIT as u32,
            None if facts.is_measured(site) => MEASURED,
            None => UNKNOWN,
        }
    }

    /// True for an eliminated object, and for a size that the site's objects can have.
    #[inline]
    fn fits(&self, units: u32) -> bool {
        units == self.size || units == 0 || self.size == MEASURED
    }

    /// Adds events of a fitting size; true if they are the row's first.
    fn add(&mut self, units: u32, events: u32) -> bool {
        let is_first = self.on_heap == 0 && self.eliminated == 0;
        match units {
            0 => self.eliminated += events,
            _ => {
                self.on_heap += events;
                self.units += units * events;
            }
        }
        is_first
    }

    /// Returns the sum and starts again.
    fn take(&mut self) -> EventSum {
        let (on_heap, eliminated) = (u64::from(self.on_heap), u64::from(self.eliminated));
        let each = match self.size {
            UNKNOWN | MEASURED => 0,
            units => u64::from(units) * UNIT,
        };
        let on_heap_bytes = u64::from(self.units) * UNIT;
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

/// How much of the given words was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TakenWords {
    /// How many words, counted from the first.
    pub(crate) words: usize,
    /// How many events.
    pub(crate) events: usize,
    /// How many of their events are on the heap, and so kept.
    pub(crate) kept: usize,
    /// Units of all their objects.
    pub(crate) units: u64,
}

/// The words still to take, and the room for written and kept words.
struct Run<'a> {
    rest: &'a [Word],
    written: &'a mut [Word],
    kept: &'a mut [Word],
    /// The most events to take.
    most: usize,
    events: usize,
    written_count: usize,
    kept_count: usize,
    units: u64,
}

impl<'a> Run<'a> {
    /// Takes one event. The next event overwrites the kept word of an eliminated object.
    #[inline(always)]
    fn take<const WORDS: usize, const KEEPS: bool>(
        &mut self,
        written: [Word; WORDS],
        kept: Word,
        units: u32,
    ) {
        let place = self.written.get_mut(self.written_count..);
        if let Some(place) = place.and_then(|place| place.first_chunk_mut()) {
            *place = written;
        }
        self.written_count += WORDS;
        if KEEPS {
            if let Some(place) = self.kept.get_mut(self.kept_count) {
                *place = kept;
            }
            self.kept_count += usize::from(units > 0);
        }
        self.events += 1;
        self.units += u64::from(units);
    }

    /// Room for a block of written words and, if objects are kept, a block of kept words.
    #[inline(always)]
    fn room<const KEEPS: bool>(&mut self) -> Option<(&mut WordBlock, Option<&mut WordBlock>)> {
        if self.most - self.events < BLOCK {
            return None;
        }
        let written = self.written.get_mut(self.written_count..)?;
        let written = written.first_chunk_mut()?;
        if !KEEPS {
            return Some((written, None));
        }
        let kept = self.kept.get_mut(self.kept_count..)?.first_chunk_mut()?;
        Some((written, Some(kept)))
    }

    /// Records that a block of one-word events was written, and how many of them were kept.
    #[inline(always)]
    fn took_block(&mut self, after: &'a [Word], kept: usize, units: u32) {
        self.rest = after;
        self.events += BLOCK;
        self.written_count += BLOCK;
        self.kept_count += kept;
        self.units += u64::from(units);
    }
}

/// The rows of sites, and of called sites (sites with their callers).
#[derive(Debug, Default)]
struct SiteRows {
    sites: Vec<SiteRow>,
    called: Vec<SiteRow>,
    /// Sites with events in this piece.
    touched: Vec<SiteId>,
}

impl SiteRows {
    fn get(&self, site: SiteId) -> Option<&SiteRow> {
        match site.0.checked_sub(FIRST_CALLED_SITE) {
            Some(number) => self.called.get(number as usize),
            None => self.sites.get(site.0 as usize),
        }
    }

    fn get_mut(&mut self, site: SiteId) -> Option<&mut SiteRow> {
        match site.0.checked_sub(FIRST_CALLED_SITE) {
            Some(number) => self.called.get_mut(number as usize),
            None => self.sites.get_mut(site.0 as usize),
        }
    }

    /// Creates the row of a site; `None` if kept words cannot encode the site.
    fn make(&mut self, site: SiteId) -> Option<&mut SiteRow> {
        KeptSite::alone(site)?;
        let (rows, number) = match site.0.checked_sub(FIRST_CALLED_SITE) {
            Some(number) => (&mut self.called, number as usize),
            None => (&mut self.sites, site.0 as usize),
        };
        if rows.len() <= number {
            rows.resize((number + 1).next_power_of_two(), SiteRow::NEW);
        }
        rows.get_mut(number)
    }

    /// Whether the size in this one-word event matches its site's.
    fn fits(&self, word: u32) -> bool {
        let row = self.get(SiteId(word >> 12));
        row.is_some_and(|row| row.fits(word & MAX_UNITS))
    }

    /// Adds events of a fitting size.
    fn add(&mut self, events: WordCount) {
        let site = SiteId(events.word >> 12);
        if let Some(row) = self.get_mut(site)
            && row.add(events.word & MAX_UNITS, events.count)
        {
            self.touched.push(site);
        }
    }
}

/// What is known of sites, and the sums of the current piece that are by site already.
#[derive(Debug, Default)]
pub(crate) struct PieceSums {
    sites: SiteRows,
}

/// True when nothing more can be added before the sums are handed out: a `u32` might overflow.
pub(crate) fn is_full(sums: &ThreadSums) -> bool {
    sums.events >= MOST_EVENTS
}

impl PieceSums {
    /// Adds words from the first on, writes them to `short`, and stores how they are kept in `kept`, if objects are kept. It stops at an
    /// event that states more, whose site is new here ([`PieceSums::learn`]), or that is its pair's first, and when there is no more room.
    pub(crate) fn add_words(
        &mut self,
        words: &[Word],
        kept: Option<&mut [Word]>,
        sums: &mut ThreadSums,
        (piece, short): (u32, &mut ShortWords<'_>),
    ) -> TakenWords {
        match kept {
            Some(kept) => self.add_words_of::<true>(words, kept, sums, (piece, short)),
            None => self.add_words_of::<false>(words, &mut [], sums, (piece, short)),
        }
    }

    fn add_words_of<const KEEPS: bool>(
        &mut self,
        words: &[Word],
        kept: &mut [Word],
        sums: &mut ThreadSums,
        (piece, short): (u32, &mut ShortWords<'_>),
    ) -> TakenWords {
        let room = MOST_EVENTS.saturating_sub(sums.events);
        let most = match KEEPS {
            true => kept.len().min(room),
            false => room,
        };
        let mut run = Run {
            rest: words,
            written: short.rest(),
            kept,
            most,
            events: 0,
            written_count: 0,
            kept_count: 0,
            units: 0,
        };
        while self.add_singly::<KEEPS>(&mut run, sums, piece)
            && self.add_blocks::<KEEPS>(&mut run, &mut sums.words)
        {}
        let taken = TakenWords {
            words: words.len() - run.rest.len(),
            events: run.events,
            kept: run.kept_count,
            units: run.units,
        };
        let written = run.written_count;
        short.filled(written);
        sums.events += taken.events;
        taken
    }

    /// Adds blocks of plain words while there are any. False: the next event cannot be added.
    #[inline(always)]
    fn add_blocks<const KEEPS: bool>(&mut self, run: &mut Run<'_>, words: &mut WordCounts) -> bool {
        while let Some((block, after)) = run.rest.split_first_chunk::<BLOCK>() {
            let survey = word_block::survey(block);
            let Some((written, kept)) = run.room::<KEEPS>().filter(|_| survey.is_plain) else {
                break;
            };
            let counted = count(words, &mut self.sites, block);
            *written = *block;
            if counted == BLOCK {
                let kept = match kept {
                    None => 0,
                    Some(kept) if survey.has_eliminated => word_block::keep(block, kept),
                    Some(kept) => word_block::copy(block, kept),
                };
                run.took_block(after, kept, survey.units);
                continue;
            }
            let (counted, _) = block.split_at(counted);
            for word in counted {
                run.take::<1, KEEPS>([*word], *word, u32::from_le_bytes(*word) & MAX_UNITS);
            }
            run.rest = run.rest.get(counted.len()..).unwrap_or_default();
            return false;
        }
        true
    }

    /// Adds some events, plain or with their callers. False: the next event cannot be added.
    #[inline(always)]
    fn add_singly<const KEEPS: bool>(
        &mut self,
        run: &mut Run<'_>,
        sums: &mut ThreadSums,
        piece: u32,
    ) -> bool {
        for _ in 0..BLOCK {
            let [first, after @ ..] = run.rest else {
                return false;
            };
            let word = u32::from_le_bytes(*first);
            if run.events == run.most {
                return false;
            }
            let is_taken = match word >> 12 {
                FIRST_SITE.. => self.add_plain::<KEEPS>(word, run, after, &mut sums.words),
                CALLER => add_pair::<KEEPS>(run, &mut sums.pairs),
                _ if word == CLASS_STATED && !KEEPS => add_typed(run, &mut sums.typed, piece),
                _ => false,
            };
            if !is_taken {
                return false;
            }
        }
        true
    }

    /// Adds a one-word event; false if it cannot be added.
    #[inline(always)]
    fn add_plain<'a, const KEEPS: bool>(
        &mut self,
        word: u32,
        run: &mut Run<'a>,
        after: &'a [Word],
        words: &mut WordCounts,
    ) -> bool {
        if !words.add(word) && !enter(words, &mut self.sites, word) {
            return false;
        }
        let written = word.to_le_bytes();
        run.take::<1, KEEPS>([written], written, word & MAX_UNITS);
        run.rest = after;
        true
    }

    /// Asks for the site's size if it is unknown; returns whether the event's size matches.
    #[cold]
    pub(crate) fn learn(&mut self, site: SiteId, units: u32, facts: &SiteCache) -> bool {
        let Some(row) = self.sites.make(site) else {
            return false;
        };
        if row.size == UNKNOWN {
            row.size = SiteRow::size_of(site, facts);
        }
        row.fits(units)
    }

    /// Whether the size matches that of the site's other events.
    #[inline]
    pub(crate) fn fits(&mut self, site: SiteId, units: u32, facts: &SiteCache) -> bool {
        let row = self.sites.get(site);
        row.is_some_and(|row| row.fits(units)) || self.learn(site, units, facts)
    }

    /// Turns the sums of words into those of sites.
    pub(crate) fn sum_words(&mut self, words: &mut WordCounts) {
        words.drain(|count| self.sites.add(count));
    }

    /// Hands out the sums of sites and starts again.
    pub(crate) fn drain(&mut self, mut give: impl FnMut(SiteId, &EventSum)) {
        let sites = &mut self.sites;
        let mut touched = std::mem::take(&mut sites.touched);
        for site in touched.drain(..) {
            if let Some(row) = sites.get_mut(site) {
                give(site, &row.take());
            }
        }
        sites.touched = touched;
    }

    /// The sum of `executed` events of one word.
    pub(crate) fn sum_of(&self, word: u32, executed: u32) -> EventSum {
        let (site, executed) = (SiteId(word >> 12), u64::from(executed));
        let row = self.sites.get(site);
        let mut one = SiteRow {
            size: row.map_or(UNKNOWN, |row| row.size),
            ..SiteRow::NEW
        };
        one.add(word & MAX_UNITS, 1);
        let each = one.take();
        EventSum {
            executed,
            executed_bytes: each.executed_bytes * executed,
            on_heap: each.on_heap * executed,
            on_heap_bytes: each.on_heap_bytes * executed,
        }
    }
}

/// Adds an event that begins with a CALLER word; false if it cannot be added.
#[inline(always)]
fn add_pair<const KEEPS: bool>(run: &mut Run<'_>, pairs: &mut PairSums) -> bool {
    let Some((event, after)) = run.rest.split_first_chunk::<3>() else {
        return false;
    };
    let [_, caller, word] = event.map(u32::from_le_bytes);
    let Some(pair) = pairs.known(caller, word) else {
        return false;
    };
    pair.executed += 1;
    run.take::<3, KEEPS>(*event, pair.kept, word & MAX_UNITS);
    run.rest = after;
    true
}

/// Adds an event that begins with a class in full; false if it cannot be added.
#[inline(always)]
fn add_typed(run: &mut Run<'_>, typed: &mut TypedSums, piece: u32) -> bool {
    let Some((event, after)) = run.rest.split_first_chunk::<4>() else {
        return false;
    };
    let [_, low, high, word] = event.map(u32::from_le_bytes);
    let klass = u64::from(high) << 32 | u64::from(low);
    let Some(short) = typed.add(klass, word, piece) else {
        return false;
    };
    run.take::<2, false>(short, [0; 4], word & MAX_UNITS);
    run.rest = after;
    true
}

/// Counts the words of a block until one cannot be counted; returns how many were.
#[inline(always)]
fn count(words: &mut WordCounts, sites: &mut SiteRows, block: &WordBlock) -> usize {
    let mut counted = 0;
    loop {
        let (_, rest) = block.split_at(counted);
        counted += words.add_all(rest);
        match block.get(counted) {
            Some(word) if enter(words, sites, u32::from_le_bytes(*word)) => counted += 1,
            _ => return counted,
        }
    }
}

/// Starts counting a word, if the size in it matches the site's.
#[cold]
fn enter(words: &mut WordCounts, sites: &mut SiteRows, word: u32) -> bool {
    let fits = sites.fits(word);
    if fits && let Some(other) = words.enter(word) {
        sites.add(other);
    }
    fits
}

#[cfg(test)]
mod tests;
