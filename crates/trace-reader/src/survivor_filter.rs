//! Takes from a piece the events that may be of survivors, and counts the others: of most objects all that matters is that they died.
//!
//! | event | |
//! |---|---|
//! | of an object that ended where a survivor did | taken, with the event before it, because it matters whether an object lies directly before |
//! | whose address is not that of a plain object | taken |
//! | of any other collected object | counted |
//!
//! A piece with an object that was not collected is not filtered: all of its events must be kept.

use ducktrack_heap_mirror::{EndFate, SiteCache, SurvivorEnds};
use ducktrack_trace_format::{
    Allocation, Event, EventBlock, EventDecoder, EventSink, FormatError, MAX_UNITS, Place,
    PlainRun, RecordRun, SiteFacts, SiteId, UNIT, Word, is_site,
};

/// Words that one question decides about.
const GROUP: usize = 32;

/// The rest of a filtered piece besides the taken events.
#[derive(Debug)]
pub(crate) struct FilteredPiece {
    /// Whether all of it decoded.
    pub(crate) decoded: Result<(), FormatError>,
    /// Objects that died.
    pub(crate) died: u64,
    /// Sites whose events state the classes of their objects.
    pub(crate) typed: Vec<SiteId>,
}

/// See the module.
pub(crate) struct SurvivorFilter<'a> {
    ends: &'a SurvivorEnds,
    sites: &'a SiteCache,
    taken: &'a mut Vec<Allocation>,
    found: FilteredPiece,
    /// The object that was counted last, if none was taken since.
    before: Option<Counted>,
    has_uncollected: bool,
}

/// Units of words, as if all were of plain objects.
fn units_of(words: &[Word]) -> u64 {
    let units = words
        .iter()
        .map(|word| u32::from_le_bytes(*word) & MAX_UNITS);
    // At most 32 times 4095.
    u64::from(units.sum::<u32>())
}

/// An object that was counted.
#[derive(Clone, Copy)]
enum Counted {
    /// The word of its event, and where it ended.
    Plain(u32, u64),
    Other(Allocation),
}

impl<'a> SurvivorFilter<'a> {
    pub(crate) fn new(
        ends: &'a SurvivorEnds,
        sites: &'a SiteCache,
        taken: &'a mut Vec<Allocation>,
    ) -> Self {
        taken.clear();
        Self {
            ends,
            sites,
            taken,
            found: FilteredPiece {
                decoded: Ok(()),
                died: 0,
                typed: Vec::new(),
            },
            before: None,
            has_uncollected: false,
        }
    }

    /// Filters a piece; `None` if it has objects that were not collected.
    pub(crate) fn decode(
        mut self,
        decoder: &EventDecoder<'_, SiteCache>,
        block: &EventBlock<'_>,
    ) -> Option<FilteredPiece> {
        self.found.decoded = decoder.decode_into(block, &mut self).map(drop);
        (!self.has_uncollected).then_some(self.found)
    }

    /// Whether an object of a site can have this size.
    #[inline]
    fn fits(&self, site: SiteId, units: u32) -> bool {
        units == 0 || self.sites.can_have(site, units * UNIT as u32)
    }

    /// Takes words whose objects all died; `None` if they are not such words.
    #[inline]
    fn dead_words(&mut self, top: u64, words: &[Word]) -> Option<u64> {
        // Where many survive this is the usual answer.
        let end = top.wrapping_add(units_of(words) * UNIT);
        if end != top && !self.ends.is_dead(top, end) {
            return None;
        }
        let (mut units, mut objects, mut last) = (0_u64, 0, 0);
        for word in words.iter().map(|word| u32::from_le_bytes(*word)) {
            let (site, own) = (word >> 12, word & MAX_UNITS);
            if !is_site(site) || !self.fits(SiteId(site), own) {
                return None;
            }
            units += u64::from(own);
            objects += u64::from(own > 0);
            last = if own > 0 { word } else { last };
        }
        if units > 0 {
            self.found.died += objects;
            self.before = Some(Counted::Plain(last, end));
        }
        Some(units)
    }

    /// Takes words one by one, until one is of another kind.
    fn words(&mut self, top: u64, words: &[Word]) -> PlainRun {
        let mut run = PlainRun::default();
        for word in words.iter().map(|word| u32::from_le_bytes(*word)) {
            let (site, own) = (word >> 12, word & MAX_UNITS);
            if !is_site(site) || !self.fits(SiteId(site), own) {
                break;
            }
            run.words += 1;
            run.units += u64::from(own);
            if own > 0 {
                let end = top.wrapping_add(run.units * UNIT);
                self.object(Counted::Plain(word, end), end);
            }
        }
        run
    }

    fn object(&mut self, object: Counted, end: u64) {
        match self.ends.fate(end) {
            EndFate::Died => {
                self.found.died += 1;
                self.before = Some(object);
            }
            EndFate::MayLive => {
                if let Some(before) = self.before.take() {
                    self.found.died -= 1;
                    self.take(before);
                }
                self.take(object);
            }
            EndFate::Elsewhere => self.has_uncollected = true,
        }
    }

    #[cold]
    fn take(&mut self, object: Counted) {
        let allocation = match object {
            Counted::Other(allocation) => allocation,
            Counted::Plain(word, end) => {
                let number = SiteId(word >> 12);
                let called = self.sites.called(number);
                Allocation {
                    site: called.map_or(number, |(site, _)| site),
                    caller: called.map(|(_, caller)| caller),
                    klass: None,
                    bytes: Some(u64::from(word & MAX_UNITS) * UNIT),
                    place: Place::End(end),
                }
            }
        };
        self.taken.push(allocation);
    }
}

impl EventSink for SurvivorFilter<'_> {
    fn plain(&mut self, top: u64, words: &[Word]) -> PlainRun {
        let mut run = PlainRun::default();
        for group in words.chunks(GROUP) {
            let start = top.wrapping_add(run.units * UNIT);
            let taken = match self.dead_words(start, group) {
                Some(units) => PlainRun {
                    words: group.len(),
                    units,
                },
                None => self.words(start, group),
            };
            run.words += taken.words;
            run.units += taken.units;
            if taken.words < group.len() {
                break;
            }
        }
        run
    }

    fn records(&mut self, words: &[Word]) -> usize {
        RecordRun::first_of(words).words
    }

    fn event(&mut self, event: Event) {
        let Event::Allocation(allocation) = event else {
            return;
        };
        if allocation.klass.is_some() && self.found.typed.last() != Some(&allocation.site) {
            self.found.typed.push(allocation.site);
        }
        match allocation.place {
            Place::End(end) => self.object(Counted::Other(allocation), end),
            Place::Eliminated => {}
            _ => self.taken.push(allocation),
        }
    }

    fn passed(&mut self, _words: &[Word]) {}
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ducktrack_trace_format::{
        AddressRange, EventBlockHeader, EventFlags, HeapClassId, Survivor, ThreadId,
    };

    use super::*;

    const TOP: u64 = 64 << 20;
    /// Two objects of a group, and the first of the last group.
    const LIVING: [u64; 3] = [3, 4, 96];

    struct Sites;

    impl SiteFacts for Sites {
        fn fixed_bytes(&self, site: SiteId) -> Option<u32> {
            (site.0 == 20).then_some(16)
        }

        fn is_measured(&self, site: SiteId) -> bool {
            site.0 == 21
        }
    }

    /// A hundred objects of 16 bytes, of which some survive a collection of these megabytes.
    fn filtered(collected: &[u64]) -> (Option<FilteredPiece>, Vec<Allocation>) {
        let words = (0..100).flat_map(|number: u32| ((20 + number % 2) << 12 | 2).to_le_bytes());
        let words: Vec<u8> = words.collect();
        let block = EventBlock {
            header: EventBlockHeader {
                thread: ThreadId(1),
                epoch: 0,
                begun: 0,
                handed_over: 0,
                flags: EventFlags::NONE,
                last_top: TOP,
            },
            words: &words,
        };
        let survivor = |number| Survivor::new(TOP + number * 16, 8 << 20, 16, HeapClassId(1));
        let ranges: Vec<_> = collected
            .iter()
            .map(|number| AddressRange {
                start: number << 20,
                end: (number + 1) << 20,
            })
            .collect();
        let is_collected =
            |object: &Survivor| ranges.iter().any(|range| range.contains(object.from));
        let survivors = LIVING.map(survivor).into_iter().filter(is_collected);
        let mut survivors: Vec<_> = survivors.collect();
        let ends = SurvivorEnds::new(&ranges, &mut survivors).unwrap();
        let sites = SiteCache::new(Arc::new(Sites));
        let mut taken = Vec::new();
        let filter = SurvivorFilter::new(&ends, &sites, &mut taken);
        let piece = filter.decode(&EventDecoder::new(&sites), &block);
        (piece, taken)
    }

    #[test]
    fn survivors_are_taken_with_what_lies_before_them() {
        let (piece, taken) = filtered(&[64]);
        let piece = piece.unwrap();
        assert_eq!(piece.decoded, Ok(()));
        let ends: Vec<_> = taken.iter().map(|event| event.place).collect();
        let expected = [2, 3, 4, 95, 96].map(|number| Place::End(TOP + (number + 1) * 16));
        assert_eq!(ends, expected);
        assert_eq!(taken[1].site, SiteId(21));
        assert_eq!(piece.died, 95);
    }

    #[test]
    fn a_piece_that_was_not_collected_is_not_filtered() {
        assert!(filtered(&[65]).0.is_none());
    }
}
