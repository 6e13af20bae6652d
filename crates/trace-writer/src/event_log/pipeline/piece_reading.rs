//! Reads one piece, event by event: counts it, shortens it, and prepares it for the mirror.

use ducktrack_heap_mirror::{KeptSite, Mirror, PieceFacts, PieceObjects, SiteCache};
use ducktrack_trace_format::{
    Allocation, CALLER, CallSiteId, Event, EventShortener, EventSink, Explained, FIRST_CALLED_SITE,
    MAX_UNITS, NotedEvent, PlainRun, RecordRun, ReferenceColumn, ShortWords, SiteId, UNIT, Word,
    is_site,
};

use super::handing_out::HandingOut;
use crate::event_log::options::EventHost;
use crate::event_log::piece_sums::{PieceSums, is_full};
use crate::event_log::tally::{EqualEvents, Tally};
use crate::event_log::thread_sums::ThreadSums;

/// The piece's thread and epoch, and where its events go.
pub(crate) struct PieceReading<'a> {
    pub(crate) piece: PieceFacts,
    pub(crate) facts: &'a SiteCache,
    pub(crate) host: &'a dyn EventHost,
    pub(crate) sites: &'a mut PieceSums,
    /// The sums of the piece's thread.
    pub(crate) sums: &'a mut ThreadSums,
    pub(crate) shortener: &'a mut EventShortener,
    pub(crate) short: ShortWords<'a>,
    /// Where the references of records go, if pieces are in columns.
    pub(crate) references: Option<&'a mut ReferenceColumn>,
    /// The objects of the piece, if they are kept for a mirror.
    pub(crate) objects: Option<&'a mut PieceObjects>,
    pub(crate) tally: &'a mut dyn Tally,
    pub(crate) mirror: Option<&'a mut Mirror>,
    pub(crate) explained: &'a mut Vec<Explained>,
    /// Number of events.
    pub(crate) events: u64,
}

impl EventSink for PieceReading<'_> {
    fn plain(&mut self, top: u64, words: &[Word]) -> PlainRun {
        let mut run = PlainRun::default();
        loop {
            let rest = words.get(run.words..).unwrap_or_default();
            let start = top.wrapping_add(run.units * UNIT);
            let objects = &mut self.objects;
            let room = objects
                .as_mut()
                .map(|objects| objects.room(start, rest.len()));
            let taken = self.sites.add_words(
                rest,
                room,
                self.sums,
                (self.shortener.piece(), &mut self.short),
            );
            let end = start.wrapping_add(taken.units * UNIT);
            if let Some(objects) = &mut self.objects {
                objects.filled(taken.kept, end);
            }
            run.words += taken.words;
            run.units += taken.units;
            self.events += taken.events as u64;
            let rest = rest.get(taken.words..).unwrap_or_default();
            if is_full(self.sums) {
                let (mut handing_out, sums) = self.handing_out();
                handing_out.all(sums);
            } else if let Some(event) = self.take_noted(rest, end) {
                run.words += event.words;
                run.units += u64::from(event.units);
            } else if !self.can_add(rest) {
                return run;
            }
        }
    }

    fn records(&mut self, words: &[Word]) -> usize {
        let run = match &mut self.references {
            Some(references) => references.take(words, &mut self.short),
            None => {
                let run = RecordRun::first_of(words);
                self.short.copy(words.get(..run.words).unwrap_or_default());
                run
            }
        };
        self.events += run.records;
        run.words
    }

    fn event(&mut self, event: Event) {
        self.events += 1;
        match event {
            Event::Allocation(allocation) => self.allocation(allocation),
            _ => self.tally.add(self.piece.thread, &event),
        }
    }

    fn passed(&mut self, words: &[Word]) {
        self.shortener.write(words, &mut self.short);
    }
}

impl PieceReading<'_> {
    /// How objects of a site with a caller are kept; `None` if they cannot be kept.
    fn kept_site(&mut self, site: SiteId, caller: Option<CallSiteId>) -> Option<KeptSite> {
        match &mut self.mirror {
            Some(mirror) => mirror.kept_site(site, caller),
            None => KeptSite::alone(site),
        }
    }

    /// At the word that stopped a run: whether its site can be summed from now on.
    #[cold]
    fn can_add(&mut self, words: &[Word]) -> bool {
        let Some(word) = words.first().map(|word| u32::from_le_bytes(*word)) else {
            return false;
        };
        let site = SiteId(word >> 12);
        is_site(site.0) && self.sites.learn(site, word & MAX_UNITS, self.facts)
    }

    /// Takes the event at the start of the words if it states its class, or if it states its caller and is the first of its pair. `top` is
    /// the top of the thread's buffer.
    fn take_noted(&mut self, words: &[Word], top: u64) -> Option<NotedEvent> {
        let event = NotedEvent::first_of(words, top)?;
        // A caller or a class before a called site: the agent never writes that.
        if event.site.0 >= FIRST_CALLED_SITE
            || !self.sites.fits(event.site, event.units, self.facts)
        {
            return None;
        }
        let kept = match event.klass {
            None => self.add_first_of_pair(&event)?,
            Some(_) if event.units == 0 => return None,
            Some(_) => self.add_typed(&event, words)?,
        };
        self.events += 1;
        if let Some(objects) = &mut self.objects {
            if event.units > 0 {
                let bytes = u64::from(event.units) * UNIT;
                objects.push(kept, Some(bytes), event.end);
            }
            if let Some(klass) = event.klass {
                objects.say_klass(klass);
            }
        }
        Some(event)
    }

    fn add_first_of_pair(&mut self, event: &NotedEvent) -> Option<KeptSite> {
        let (caller, word) = (event.caller?, event.site.0 << 12 | event.units);
        let kept = self.kept_site(event.site, event.caller)?;
        let in_words = (kept.in_word() | event.units).to_le_bytes();
        self.sums.pairs.add_first(caller.0, word, in_words);
        for word in [CALLER << 12, caller.0, word] {
            self.short.push(word);
        }
        Some(kept)
    }

    fn add_typed(&mut self, event: &NotedEvent, words: &[Word]) -> Option<KeptSite> {
        let common = EqualEvents {
            site: event.site,
            caller: event.caller,
            klass: event.klass,
        };
        let words = words.get(..event.words).unwrap_or_default();
        if let (None, Some(klass), None) = (event.caller, event.klass, &self.mirror) {
            let kept = KeptSite::alone(event.site)?;
            let number = self.shortener.write_typed(None, words, &mut self.short);
            let (word, piece) = (event.site.0 << 12 | event.units, self.shortener.piece());
            self.sums.typed.enter(klass, word, piece, number);
            return Some(kept);
        }
        let kept = self.sums.noted.add(&common, event.units);
        let kept = kept.or_else(|| self.first_noted(common, event.units))?;
        let caller = event.caller.map(|caller| caller.0);
        self.shortener.write_typed(caller, words, &mut self.short);
        Some(kept)
    }

    /// Adds the first object of a combination; returns how it is kept. `None` if it cannot be kept.
    #[cold]
    fn first_noted(&mut self, common: EqualEvents, units: u32) -> Option<KeptSite> {
        let kept = self.kept_site(common.site, common.caller)?;
        if let Some(mirror) = self.mirror.as_mut().filter(|_| common.klass.is_some()) {
            mirror.says_its_classes(common.site);
        }
        if let Some((other, sum)) = self.sums.noted.add_first(common, units, kept) {
            self.tally.add_sum(self.piece.thread, &other, &sum);
        }
        Some(kept)
    }

    fn allocation(&mut self, allocation: Allocation) {
        let allocation = self.piece.settled(allocation);
        self.tally
            .add(self.piece.thread, &Event::Allocation(allocation));
        if let (Some(mirror), Some(objects)) = (&mut self.mirror, &mut self.objects) {
            let explained = mirror.allocation(&allocation, &self.piece, objects);
            self.explained.extend(explained);
        }
    }

    /// Where sums go, and the sums of the thread.
    fn handing_out(&mut self) -> (HandingOut<'_>, &mut ThreadSums) {
        let handing_out = HandingOut {
            sites: self.sites,
            facts: self.facts,
            host: self.host,
            tally: self.tally,
        };
        (handing_out, self.sums)
    }

    /// Ends the piece; returns the number of its events and of the written words.
    pub(crate) fn finish(mut self) -> (u64, usize) {
        let (mut handing_out, sums) = self.handing_out();
        handing_out.displaced(sums);
        (self.events, self.short.len())
    }
}
