//! Events as the words that the agent wrote, where the epoch has one slice: nearly all are one word.

use ducktrack_trace_format::{
    Allocation, Event, EventSink, MAX_UNITS, Place, PlainRun, SiteId, UNIT, Word, is_site,
};

use super::Taker;

impl EventSink for Taker<'_, '_> {
    fn plain(&mut self, top: u64, words: &[Word]) -> PlainRun {
        let mut run = PlainRun::default();
        for word in words.iter().map(|word| u32::from_le_bytes(*word)) {
            let (number, units) = (word >> 12, word & MAX_UNITS);
            if !is_site(number) || !self.plain_event(SiteId(number), units, top, run.units) {
                break;
            }
            run.words += 1;
            run.units += u64::from(units);
        }
        run
    }

    fn event(&mut self, event: Event) {
        Taker::event(self, event);
    }

    fn passed(&mut self, _words: &[Word]) {}
}

impl Taker<'_, '_> {
    /// Takes an event whose object lies so many units behind `top`; false if it is not a plain one.
    #[inline]
    fn plain_event(&mut self, number: SiteId, units: u32, top: u64, behind: u64) -> bool {
        let Some((site, caller, entry)) = self.view.names.in_word(number) else {
            return false;
        };
        let bytes = u64::from(units) * UNIT;
        let fits = u64::from(entry.fixed) == bytes || entry.fixed == 0 && entry.is_measured;
        if units > 0 && !fits {
            return false;
        }
        let end = top.wrapping_add(behind * UNIT).wrapping_add(bytes);
        self.allocation(&Allocation {
            site,
            caller,
            klass: None,
            bytes: (units > 0).then_some(bytes),
            place: match units {
                0 => Place::Eliminated,
                _ => Place::End(end),
            },
        });
        true
    }
}
