//! One piece, event by event: counted, and prepared for the mirror.

use ducktrack_trace_format::{
    Allocation, CallSiteId, Event, EventSink, Explained, Place, SiteId, ThreadCut, ThreadId,
};

use crate::event_log::Tally;
use crate::event_log::mirror::{KeptSite, Mirror, Origin, PieceObjects};
use crate::event_log::piece_sums::PieceSums;
use crate::event_log::site_cache::SiteCache;

/// Whose piece it is, and what its events go to.
pub(crate) struct PieceReading<'a> {
    pub(crate) thread: ThreadId,
    pub(crate) epoch: u32,
    pub(crate) cut: Option<ThreadCut>,
    /// Stragglers are of the epoch that the last collection ended.
    pub(crate) recent: bool,
    pub(crate) facts: &'a SiteCache,
    pub(crate) sums: &'a mut PieceSums,
    pub(crate) objects: &'a mut PieceObjects,
    pub(crate) tally: &'a mut dyn Tally,
    pub(crate) mirror: Option<&'a mut Mirror>,
    pub(crate) explained: &'a mut Vec<Explained>,
    /// Events that came one by one.
    pub(crate) events: u64,
}

impl EventSink for PieceReading<'_> {
    fn begin(&mut self, top: u64, words: usize) {
        self.objects.begin(top, words);
    }

    #[inline]
    fn plain(&mut self, site: SiteId, units: u32) -> bool {
        let Some(kept) = KeptSite::alone(site) else {
            return false;
        };
        let taken = self.sums.add(site, units, self.facts);
        if taken {
            self.objects.push_plain(kept, units);
        }
        taken
    }

    #[inline]
    fn again(&mut self, number: u32, caller: CallSiteId, site: SiteId, units: u32) -> bool {
        let kept = match self.sums.add_pair(number) {
            Some(kept) => kept,
            None => match self.first_of_pair(number, caller, site, units) {
                Some(kept) => kept,
                None => return false,
            },
        };
        self.objects.push_plain(kept, units);
        true
    }

    fn end(&mut self, top: u64) {
        self.objects.end(top);
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

    #[cold]
    fn first_of_pair(
        &mut self,
        number: u32,
        caller: CallSiteId,
        site: SiteId,
        units: u32,
    ) -> Option<KeptSite> {
        let kept = self.kept_site(site, Some(caller))?;
        let event = (site, units);
        let taken = self
            .sums
            .add_first_of_pair(number, caller, event, kept, self.facts);
        taken.then_some(kept)
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

    /// Gives the sums to the tally; the number of all events.
    pub(crate) fn finish(self) -> u64 {
        let mut events = self.events;
        self.sums.drain(|site, caller, sum| {
            events += sum.executed;
            self.tally.add_sum(self.thread, site, caller, sum);
        });
        events
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
