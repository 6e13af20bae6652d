//! Hands the sums of threads to the tally.

use ducktrack_heap_mirror::SiteCache;
use ducktrack_trace_format::{CallSiteId, MAX_UNITS, SiteFacts, SiteId, ThreadId, UNIT};

use super::Pipeline;
use crate::event_log::options::EventHost;
use crate::event_log::piece_sums::PieceSums;
use crate::event_log::tally::{EqualEvents, EventSum, Tally};
use crate::event_log::thread_sums::{SumsByThread, ThreadSums};

/// Where sums go, and the facts of sites for that.
pub(crate) struct HandingOut<'a> {
    pub(crate) sites: &'a mut PieceSums,
    pub(crate) facts: &'a SiteCache,
    pub(crate) host: &'a dyn EventHost,
    pub(crate) tally: &'a mut dyn Tally,
}

impl HandingOut<'_> {
    /// Everything of a thread.
    pub(crate) fn all(&mut self, sums: &mut ThreadSums) {
        self.sites.sum_words(&mut sums.words);
        let thread = sums.thread;
        let tally = &mut *self.tally;
        sums.noted
            .drain(|common, sum| tally.add_sum(thread, common, sum));
        sums.events = 0;
        sums.pairs
            .drain(|caller, word, executed| self.pair(thread, caller, word, executed));
        sums.typed
            .drain(|klass, word, executed| self.typed(thread, klass, word, executed));
        self.sites(thread);
    }

    /// Sums that lost their places in the thread's tables.
    pub(crate) fn displaced(&mut self, sums: &mut ThreadSums) {
        let thread = sums.thread;
        sums.pairs
            .drain_displaced(|caller, word, executed| self.pair(thread, caller, word, executed));
        sums.typed
            .drain_displaced(|klass, word, executed| self.typed(thread, klass, word, executed));
        self.sites(thread);
    }

    fn typed(&mut self, thread: ThreadId, klass: u64, word: u32, executed: u32) {
        let bytes = u64::from(executed) * u64::from(word & MAX_UNITS) * UNIT;
        let sum = EventSum {
            executed: executed.into(),
            executed_bytes: bytes,
            on_heap: executed.into(),
            on_heap_bytes: bytes,
        };
        let common = EqualEvents {
            site: SiteId(word >> 12),
            caller: None,
            klass: Some(klass),
        };
        self.tally.add_sum(thread, &common, &sum);
    }

    fn pair(&mut self, thread: ThreadId, caller: u32, word: u32, executed: u32) {
        let (site, caller) = (SiteId(word >> 12), CallSiteId(caller));
        self.host.called(site, caller, executed);
        let sum = self.sites.sum_of(word, executed);
        self.tally
            .add_sum(thread, &common(site, Some(caller)), &sum);
    }

    fn sites(&mut self, thread: ThreadId) {
        let (tally, facts) = (&mut *self.tally, self.facts);
        self.sites.drain(|number, sum| {
            let common = match facts.called(number) {
                Some((site, caller)) => common(site, Some(caller)),
                None => common(number, None),
            };
            tally.add_sum(thread, &common, sum);
        });
    }
}

impl Pipeline {
    /// The sums of the thread that has the next piece.
    pub(super) fn sums_of(&mut self, thread: ThreadId) -> ThreadSums {
        if self.heap.keeper().is_some() && self.sums.has_some() {
            self.hand_out_sums();
        }
        let (mut handing_out, sums) = self.handing_out();
        sums.take(thread, |other| handing_out.all(other))
    }

    /// Hands out all sums.
    pub(super) fn hand_out_sums(&mut self) {
        let (mut handing_out, sums) = self.handing_out();
        sums.take_all()
            .iter_mut()
            .for_each(|sums| handing_out.all(sums));
    }

    /// Hands out the sums of the thread that had the last piece.
    pub(super) fn hand_out_last_sums(&mut self) {
        let (mut handing_out, sums) = self.handing_out();
        sums.last()
            .into_iter()
            .for_each(|sums| handing_out.all(sums));
    }

    fn handing_out(&mut self) -> (HandingOut<'_>, &mut SumsByThread) {
        let handing_out = HandingOut {
            sites: &mut self.sites,
            facts: &self.parts.facts,
            host: &*self.parts.host,
            tally: &mut *self.parts.tally,
        };
        (handing_out, &mut self.sums)
    }
}

fn common(site: SiteId, caller: Option<CallSiteId>) -> EqualEvents {
    EqualEvents {
        site,
        caller,
        klass: None,
    }
}

#[cfg(test)]
mod tests;
