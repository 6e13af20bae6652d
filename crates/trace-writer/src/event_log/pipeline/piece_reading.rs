//! One piece, event by event: counted, and prepared for the mirror.

use ducktrack_trace_format::{
    AGAIN, Allocation, CallSiteId, Event, EventSink, Explained, FIRST_SITE, KnownCallers,
    MAX_UNITS, NotedEvent, Place, PlainRun, SiteId, ThreadCut, ThreadId, UNIT, Word,
};

use crate::event_log::mirror::{KeptSite, Mirror, Origin, PieceObjects};
use crate::event_log::noted_sums::NotedSums;
use crate::event_log::piece_sums::PieceSums;
use crate::event_log::site_cache::SiteCache;
use crate::event_log::{Alike, EventSum, Tally};

/// Whose piece it is, and what its events go to.
pub(crate) struct PieceReading<'a> {
    pub(crate) thread: ThreadId,
    pub(crate) epoch: u32,
    pub(crate) cut: Option<ThreadCut>,
    /// Stragglers are of the epoch that the last collection ended.
    pub(crate) recent: bool,
    pub(crate) facts: &'a SiteCache,
    pub(crate) sums: &'a mut PieceSums,
    pub(crate) noted: &'a mut NotedSums,
    pub(crate) objects: &'a mut PieceObjects,
    pub(crate) tally: &'a mut dyn Tally,
    pub(crate) mirror: Option<&'a mut Mirror>,
    pub(crate) explained: &'a mut Vec<Explained>,
    /// Events, but for those in the sums.
    pub(crate) events: u64,
}

impl EventSink for PieceReading<'_> {
    fn plain(&mut self, top: u64, words: &[Word], known: &KnownCallers) -> PlainRun {
        let mut run = PlainRun::default();
        loop {
            let rest = words.get(run.words..).unwrap_or_default();
            let top = top.wrapping_add(run.units * UNIT);
            let room = self.objects.room(top, rest.len());
            let taken = self.sums.add_plain(rest, room);
            let top = top.wrapping_add(taken.units * UNIT);
            self.objects.filled(taken.kept, top);
            run.words += taken.words;
            run.units += taken.units;
            let next = rest.get(taken.words);
            if !next.is_some_and(|word| self.can_add(u32::from_le_bytes(*word), known)) {
                return run;
            }
        }
    }

    #[inline]
    fn noted(&mut self, event: &NotedEvent) -> bool {
        if !self.sums.fits(event.site, event.units, self.facts) {
            return false;
        }
        let alike = Alike {
            site: event.site,
            caller: event.caller,
            klass: event.klass,
        };
        let kept = self.noted.add(&alike, event.units);
        let Some(kept) = kept.or_else(|| self.first_noted(alike, event.units)) else {
            return false;
        };
        let bytes = u64::from(event.units) * UNIT;
        self.objects.push(kept, Some(bytes), event.end);
        if let Some(klass) = event.klass {
            self.objects.say_klass(klass);
        }
        true
    }

    fn event(&mut self, event: Event) {
        self.events += 1;
        match event {
            Event::Allocation(allocation) => self.allocation(allocation),
            _ => self.tally.add(self.thread, &event),
        }
    }
}

impl PieceReading<'_> {
    /// What objects of a site with a caller are kept as; `None`: not at all.
    fn kept_site(&mut self, site: SiteId, caller: Option<CallSiteId>) -> Option<KeptSite> {
        match &mut self.mirror {
            Some(mirror) => mirror.kept_site(site, caller),
            None => KeptSite::alone(site),
        }
    }

    /// After what stopped a run of plain words: whether the next of them can be added now.
    #[cold]
    fn can_add(&mut self, word: u32, known: &KnownCallers) -> bool {
        if self.sums.is_full() {
            self.give_sums();
        }
        let (site, low) = (SiteId(word >> 12), word & MAX_UNITS);
        if site.0 >= FIRST_SITE {
            return self.sums.learn(site, low, self.facts);
        }
        let pair = known.pair(low).filter(|_| site.0 == AGAIN);
        let Some((caller, word)) = pair else {
            return false;
        };
        let (caller, site) = (CallSiteId(caller), SiteId(word >> 12));
        let units = word & MAX_UNITS;
        let fits = self.sums.fits(site, units, self.facts);
        let Some(kept) = self.kept_site(site, Some(caller)).filter(|_| fits) else {
            return false;
        };
        self.sums.learn_pair(low, (caller, site), kept, units);
        true
    }

    /// The first object of which something is said; what it is kept as. `None`: it cannot be kept.
    #[cold]
    fn first_noted(&mut self, alike: Alike, units: u32) -> Option<KeptSite> {
        let kept = self.kept_site(alike.site, alike.caller)?;
        if let Some(mirror) = self.mirror.as_mut().filter(|_| alike.klass.is_some()) {
            mirror.says_its_classes(alike.site);
        }
        if let Some((other, sum)) = self.noted.add_first(alike, units, kept) {
            self.events += sum.executed;
            self.tally.add_sum(self.thread, &other, &sum);
        }
        Some(kept)
    }

    fn allocation(&mut self, allocation: Allocation) {
        let allocation = settled(allocation, self.cut);
        self.tally.add(self.thread, &Event::Allocation(allocation));
        let (site, bytes) = (allocation.site, allocation.bytes);
        if let Some(mirror) = self.mirror.as_mut().filter(|_| allocation.klass.is_some()) {
            mirror.says_its_classes(site);
        }
        if let Place::End(end) = allocation.place
            && let Some(kept) = self.kept_site(site, allocation.caller)
            && self.objects.push(kept, bytes, end)
        {
            if let Some(klass) = allocation.klass {
                self.objects.say_klass(klass);
            }
            return;
        }
        let origin = Origin {
            site,
            thread: self.thread,
            caller: allocation.caller.unwrap_or(CallSiteId(0)),
            birth: self.epoch,
        };
        let Some(mirror) = &mut self.mirror else {
            return;
        };
        match (allocation.place, bytes) {
            (Place::End(end), Some(bytes)) => {
                mirror.note_large(origin, bytes, end, allocation.klass);
            }
            _ => self
                .explained
                .extend(mirror.note(origin, &allocation, self.recent)),
        }
    }

    /// Gives the sums to the tally.
    fn give_sums(&mut self) {
        let mut give = |alike: &Alike, sum: &EventSum| {
            self.events += sum.executed;
            self.tally.add_sum(self.thread, alike, sum);
        };
        self.sums.drain(&mut give);
        self.noted.drain(give);
    }

    /// The piece has ended; the number of its events.
    pub(crate) fn finish(mut self) -> u64 {
        self.give_sums();
        self.events
    }
}

/// A straddler is either eliminated or a straggler.
fn settled(allocation: Allocation, cut: Option<ThreadCut>) -> Allocation {
    if allocation.place != Place::Straddler {
        return allocation;
    }
    let place = cut.map_or(Place::Eliminated, |cut| cut.settle(allocation.bytes));
    Allocation {
        place,
        ..allocation
    }
}
