//! Decodes the words of a piece into events. [`EventWords`](crate::EventWords) describes the words.
//!
//! A piece can be decoded alone: its header has the top of the thread's buffer before the first word. Only numbered
//! callers are kept (at most 4,096), nothing panics, and time is bounded by the words and, for arrays of arrays, by
//! [`MAX_ARRAYS`].

use crate::event_word::{
    ARRAY, AT, AT_TOP, CALLER, DROPPED, ELIMINATED, FIRST_CLOCK, FIRST_EXTENDED, GAP, LEVELS,
    MAX_CLOCK, MAX_UNITS, MOVED, NOTHING, OUTSIDE, PAD, STRADDLE, TOP, TYPED, UNIT, cut_word,
    epoch_of_cut, is_site,
};
use crate::levels::{self, Levels};
use crate::short_forms::KnownClasses;
use crate::witness_event;
use crate::word_reader::Words;
use crate::{
    Allocation, CallSiteId, Event, EventBlock, EventFlags, EventSink, FormatError, Place,
    SiteFacts, SiteId,
};

/// The most arrays that the `multianewarray` events of one piece may describe (this many empty arrays fill 4 GB of heap).
pub const MAX_ARRAYS: u64 = 1 << 28;

/// Smaller tops are not addresses: the top is unknown.
const FIRST_ADDRESS: u64 = 8;

/// Decodes pieces, with the sizes of sites from `facts`.
#[derive(Clone, Copy, Debug)]
pub struct EventDecoder<'f, F: ?Sized> {
    facts: &'f F,
}

/// The state after the last word of a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecodedPiece {
    /// Top of the thread's buffer after the last event; less than 8: unknown.
    pub last_top: u64,
    /// Events whose units are less than the size of their site: the object was eliminated, and a gap moved the top.
    pub eliminated_behind_gaps: u64,
    /// The epoch of the last `cut` word; `None` if there was none, so that addresses continue those of the thread's earlier
    /// pieces.
    pub seen: Option<u32>,
}

impl<'f, F: SiteFacts + ?Sized> EventDecoder<'f, F> {
    /// A decoder that asks `facts` for sizes.
    pub fn new(facts: &'f F) -> Self {
        Self { facts }
    }

    /// Yields all events of a piece in order. Events before an error are yielded too.
    pub fn decode(
        &self,
        block: &EventBlock<'_>,
        mut give: impl FnMut(Event),
    ) -> Result<DecodedPiece, FormatError> {
        let mut run = Run::new(self.facts, block);
        while let Some(word) = run.words.next_word() {
            // Frequent events are yielded at one place, so that `give` is compiled into the loop.
            match run.plain_event(word) {
                Some(event) => give(event),
                None => run.other_word(word, &mut give)?,
            }
        }
        run.end(block, &mut give)
    }

    /// Like [`decode`](Self::decode), for a piece as the agent wrote it; plain and noted events are passed as words
    /// instead of [`Event`]s.
    pub fn decode_into<S: EventSink>(
        &self,
        block: &EventBlock<'_>,
        sink: &mut S,
    ) -> Result<DecodedPiece, FormatError> {
        let mut run = Run::new(self.facts, block);
        loop {
            run.frequent_events(sink);
            run.records(sink);
            let words = run.words.words.as_slice();
            let Some(word) = run.words.next_word() else {
                break;
            };
            let result = run.other_word(word, &mut |event| sink.event(event));
            let read = match &result {
                Ok(()) => words.len() - run.words.words.len(),
                Err(_) => words.len(),
            };
            sink.passed(words.get(..read).unwrap_or_default());
            result?;
        }
        run.end(block, &mut |event| sink.event(event))
    }
}

/// The state while one piece is decoded.
struct Run<'f, 'a, F: ?Sized> {
    facts: &'f F,
    words: Words<'a>,
    last: u64,
    /// `last` belongs to the epoch of the current word.
    last_is_current: bool,
    /// The thread has not noticed the cut yet: addresses are from before the collection.
    before_cut: bool,
    /// The word with which the thread reports the cut.
    cut_word: u32,
    /// The epoch of the piece, and of its last `cut` word.
    epoch: u32,
    seen: Option<u32>,
    late: bool,
    klass: Option<u64>,
    caller: Option<CallSiteId>,
    known: KnownClasses,
    /// Bytes that the thread allocated since its last event, if a `moved` word states them.
    moved: u64,
    /// `klass`, `caller` or `moved` is set for the next event.
    is_prepared: bool,
    eliminated_behind_gaps: u64,
    arrays_left: u64,
}

impl<'f, 'a, F: SiteFacts + ?Sized> Run<'f, 'a, F> {
    fn new(facts: &'f F, block: &EventBlock<'a>) -> Self {
        Self {
            facts,
            words: Words::new(block.words),
            last: block.header.last_top,
            last_is_current: !block.header.flags.has(EventFlags::AFTER_CUT),
            before_cut: block.header.flags.has(EventFlags::AFTER_CUT),
            cut_word: cut_word(block.header.epoch),
            epoch: block.header.epoch,
            seen: None,
            late: block.header.flags.has(EventFlags::LATE),
            klass: None,
            caller: None,
            known: KnownClasses::default(),
            moved: 0,
            is_prepared: false,
            eliminated_behind_gaps: 0,
            arrays_left: MAX_ARRAYS,
        }
    }

    /// Yields what is left after the last word.
    fn end(
        &mut self,
        block: &EventBlock<'_>,
        give: &mut dyn FnMut(Event),
    ) -> Result<DecodedPiece, FormatError> {
        self.remaining_gap(0, give);
        if !block.words.len().is_multiple_of(4) {
            return Err(self.words.error("the words end inside a word"));
        }
        Ok(DecodedPiece {
            last_top: self.last,
            eliminated_behind_gaps: self.eliminated_behind_gaps,
            seen: self.seen,
        })
    }

    /// Passes frequent events to `sink` as long as it takes them.
    fn frequent_events<S: EventSink>(&mut self, sink: &mut S) {
        if self.is_prepared || self.before_cut || self.late || self.last < FIRST_ADDRESS {
            return;
        }
        let words = self.words.words.as_slice();
        let run = sink.plain(self.last, words);
        self.last = self.last.wrapping_add(run.units.wrapping_mul(UNIT));
        self.words.skip(run.words);
    }

    /// Passes updates, calls and clocks to `sink` as long as it takes them.
    fn records<S: EventSink>(&mut self, sink: &mut S) {
        let taken = sink.records(self.words.words.as_slice());
        self.words.skip(taken);
    }

    /// The event of a word that is a whole event.
    #[inline]
    fn plain_event(&mut self, word: u32) -> Option<Event> {
        let site = SiteId(word >> 12);
        let moved = u64::from(word & MAX_UNITS) * UNIT;
        if !is_site(site.0) || self.is_prepared {
            return None;
        }
        let fixed = self.facts.fixed_bytes(site).map(u64::from);
        let (bytes, place) = match (fixed, moved) {
            (_, 0) => (fixed, Place::Eliminated),
            (Some(bytes), _) if bytes == moved => (fixed, self.advance(moved)),
            (None, _) if self.facts.is_measured(site) => (Some(moved), self.advance(moved)),
            _ => return None,
        };
        let (site, caller) = self.called(site);
        Some(Event::Allocation(Allocation {
            site,
            caller,
            klass: None,
            bytes,
            place,
        }))
    }

    /// Site and caller of a site's number in a word.
    #[inline]
    fn called(&self, site: SiteId) -> (SiteId, Option<CallSiteId>) {
        match self.facts.called(site) {
            Some((site, caller)) => (site, Some(caller)),
            None => (site, None),
        }
    }

    /// Handles any word; `give` is called through a pointer to keep this out of the loop.
    #[cold]
    fn other_word(&mut self, word: u32, give: &mut dyn FnMut(Event)) -> Result<(), FormatError> {
        let (site, low) = (word >> 12, word & MAX_UNITS);
        if !is_site(site) {
            return self.escape(site, low, give);
        }
        self.allocation_word(word, give);
        Ok(())
    }

    /// Handles a caller, and the site's word if that follows directly.
    fn called_by(&mut self, caller: u32, give: &mut dyn FnMut(Event)) {
        self.caller = Some(CallSiteId(caller));
        self.is_prepared = true;
        if let Some(word) = self.words.next_site_word() {
            self.allocation_word(word, give);
        }
    }

    fn allocation_word(&mut self, word: u32, give: &mut dyn FnMut(Event)) {
        let moved = u64::from(word & MAX_UNITS) * UNIT;
        self.site_word(SiteId(word >> 12), moved, give);
    }

    /// Handles the word of a site after which the top moved by `moved`.
    fn site_word(&mut self, site: SiteId, moved: u64, give: &mut dyn FnMut(Event)) {
        let fixed = self.facts.fixed_bytes(site).map(u64::from);
        let bytes = match fixed {
            Some(bytes) => Some(bytes),
            None if moved > 0 && self.facts.is_measured(site) => Some(moved),
            None => None,
        };
        if moved == 0 {
            return self.allocation(site, bytes, Place::Eliminated, give);
        }
        let own = bytes.unwrap_or(moved);
        if own > moved {
            return self.less_than_the_object(site, bytes, moved, give);
        }
        if own < moved {
            give(Event::Gap { bytes: moved - own });
        }
        let place = self.advance(moved);
        self.allocation(site, bytes, place, give);
    }

    /// The top moved by less than the object's size: something else moved it, and the object was eliminated.
    #[cold]
    fn less_than_the_object(
        &mut self,
        site: SiteId,
        bytes: Option<u64>,
        moved: u64,
        give: &mut dyn FnMut(Event),
    ) {
        self.eliminated_behind_gaps += 1;
        self.advance(moved);
        give(Event::Gap { bytes: moved });
        self.allocation(site, bytes, Place::Eliminated, give);
    }

    /// Yields a gap for the bytes since the last event that are not the next event's own.
    #[cold]
    fn remaining_gap(&mut self, own: u64, give: &mut dyn FnMut(Event)) {
        let bytes = std::mem::take(&mut self.moved).saturating_sub(own);
        if bytes > 0 {
            give(Event::Gap { bytes });
        }
    }

    /// Moves the top, and returns the place of an object that ends there.
    #[inline]
    fn advance(&mut self, moved: u64) -> Place {
        if self.last < FIRST_ADDRESS {
            return Place::Unplaced;
        }
        self.last = self.last.wrapping_add(moved);
        self.ends_at(self.last)
    }

    #[inline]
    fn ends_at(&self, top: u64) -> Place {
        if self.before_cut || self.late {
            Place::Straggler(top)
        } else {
            Place::End(top)
        }
    }

    fn allocation(
        &mut self,
        site: SiteId,
        bytes: Option<u64>,
        place: Place,
        give: &mut dyn FnMut(Event),
    ) {
        self.is_prepared = false;
        if self.moved != 0 {
            let is_on_heap = match place {
                Place::Straddler { allocated } => bytes.is_none_or(|bytes| bytes <= allocated),
                place => place.is_on_heap(),
            };
            let own = match is_on_heap {
                true => bytes.unwrap_or(self.moved),
                false => 0,
            };
            self.remaining_gap(own, give);
        }
        let (site, called_by) = self.called(site);
        give(Event::Allocation(Allocation {
            site,
            caller: self.caller.take().or(called_by),
            klass: self.klass.take(),
            bytes,
            place,
        }));
    }

    /// The stated bytes; 0 stands for the site's size.
    fn stated_or_fixed(&self, site: SiteId, stated: u64) -> Option<u64> {
        match stated {
            0 => self.facts.fixed_bytes(site).map(u64::from),
            bytes => Some(bytes),
        }
    }

    fn escape(
        &mut self,
        op: u32,
        low: u32,
        give: &mut dyn FnMut(Event),
    ) -> Result<(), FormatError> {
        match op {
            PAD if low == self.cut_word => {
                self.seen = Some(self.epoch);
                self.before_cut = false;
                self.last_is_current = false;
            }
            PAD => self.seen = epoch_of_cut(low, self.epoch).or(self.seen),
            AT => {
                let site = self.words.payload_site()?;
                let bytes = self.facts.fixed_bytes(site).map(u64::from);
                self.absolute(site, bytes, give)?;
            }
            ARRAY => {
                let site = self.words.payload_site()?;
                let bytes = self.words.payload_u64()?;
                self.absolute(site, Some(bytes), give)?;
            }
            OUTSIDE => self.outside(low, give)?,
            GAP => {
                let bytes = u64::from(low) * UNIT;
                self.advance(bytes);
                give(Event::Gap { bytes });
            }
            NOTHING => {
                let site = self.words.payload_site()?;
                let bytes = self.stated_or_fixed(site, u64::from(low) * UNIT);
                self.allocation(site, bytes, Place::Eliminated, give);
            }
            ELIMINATED => {
                let site = self.words.payload_site()?;
                let stated = self.words.payload_u64()?;
                let bytes = self.stated_or_fixed(site, stated);
                self.allocation(site, bytes, Place::Eliminated, give);
            }
            TYPED => {
                self.klass = Some(self.class(low)?);
                self.is_prepared = true;
            }
            CALLER => {
                let caller = self.words.payload()?;
                self.called_by(caller, give);
            }
            LEVELS => self.levels(low, give)?,
            DROPPED => {
                let count = self.words.payload_u64()?;
                give(Event::Dropped { count });
            }
            STRADDLE => self.straddle(give)?,
            MOVED => {
                self.moved = self.words.payload_u64()?;
                self.is_prepared = true;
            }
            TOP => {
                let top = self.words.payload_u64()?;
                self.stands_at(top);
            }
            FIRST_EXTENDED.. => {
                let addresses = (self.facts.references(), self.seen);
                let event = witness_event::decode(op << 12 | low, &mut self.words, addresses)?;
                event.into_iter().for_each(give);
            }
            FIRST_CLOCK.. => give(Event::Clock {
                micros: (op << 12 | low) & MAX_CLOCK,
            }),
            _ => return Err(self.words.error("an event of unknown kind")),
        }
        Ok(())
    }

    /// Handles an object that ends at the top in the next words.
    fn absolute(
        &mut self,
        site: SiteId,
        bytes: Option<u64>,
        give: &mut dyn FnMut(Event),
    ) -> Result<(), FormatError> {
        let top = self.words.payload_u64()?;
        let place = match self.has_room_below(top, bytes) {
            _ if self.is_more_than_moved(bytes) => Place::Eliminated,
            true => self.ends_at(top),
            false => Place::Outside(None),
        };
        self.stands_at(top);
        self.allocation(site, bytes, place, give);
        Ok(())
    }

    /// Whether the thread has allocated less since its last event than this object has: something else moved the top, and
    /// the object was eliminated. (At a site of fixed size the agent does not know the size, so it cannot detect this.)
    fn is_more_than_moved(&self, bytes: Option<u64>) -> bool {
        self.moved != 0 && bytes.is_some_and(|bytes| bytes > self.moved)
    }

    /// Whether an object that ends at `top` would not overlap the thread's last object. If it would, the VM moved the top for a smaller
    /// object of its own, and this object is outside of the buffer, which had no room for it. (The agent does not know the size at a site
    /// of fixed size, so it cannot detect this.)
    ///
    /// ```text
    /// ... last event's object ]last  64 bytes of the VM's ]top      an object of 368 bytes cannot be here
    /// ```
    fn has_room_below(&self, top: u64, bytes: Option<u64>) -> bool {
        let is_known = self.last_is_current && self.last >= FIRST_ADDRESS;
        let overlaps = |bytes: u64| self.last < top && top - self.last < bytes;
        !(is_known && bytes.is_some_and(overlaps))
    }

    /// By how much the arrays move the top, and the new top; if the top is unknown, the arrays have no place.
    fn moved_by(&self, event: &Levels) -> (u64, u64) {
        match event.bytes() {
            Some(bytes) if self.last >= FIRST_ADDRESS => (bytes, self.last.wrapping_add(bytes)),
            _ => (u64::MAX, 0),
        }
    }

    fn stands_at(&mut self, top: u64) {
        self.last = top;
        self.last_is_current = true;
    }

    /// The class of the next object, given in full or by its number in the piece.
    fn class(&mut self, number: u32) -> Result<u64, FormatError> {
        if number == 0 {
            let klass = self.words.payload_u64()?;
            self.known.add(klass);
            return Ok(klass);
        }
        let known = self.known.class(number);
        known.ok_or_else(|| self.words.error("an unknown class"))
    }

    /// An object outside of buffers; `units` is the size in the short form, or 0 for the long form.
    fn outside(&mut self, units: u32, give: &mut dyn FnMut(Event)) -> Result<(), FormatError> {
        let site = self.words.payload_site()?;
        let (stated, address) = match units {
            0 => (self.words.payload_u64()?, self.words.payload_u64()?),
            units => {
                let address = u64::from(self.words.payload()?) * UNIT;
                (u64::from(units) * UNIT, address)
            }
        };
        let bytes = self.stated_or_fixed(site, stated);
        let is_past = self.before_cut || self.late;
        let address = Some(address).filter(|address| *address != 0 && !is_past);
        self.allocation(site, bytes, Place::Outside(address), give);
        Ok(())
    }

    fn straddle(&mut self, give: &mut dyn FnMut(Event)) -> Result<(), FormatError> {
        let site = self.words.payload_site()?;
        let stated = self.words.payload_u64()?;
        let bytes = self.stated_or_fixed(site, stated);
        let allocated = self.moved;
        self.allocation(site, bytes, Place::Straddler { allocated }, give);
        Ok(())
    }

    fn levels(&mut self, low: u32, give: &mut dyn FnMut(Event)) -> Result<(), FormatError> {
        let outer = self.words.payload_site()?;
        let stated = match low & AT_TOP {
            0 => Some((self.words.payload_u64()?, self.words.payload_u64()?)),
            _ => None,
        };
        let mut event = Levels::new();
        for dimension in 0..low & !AT_TOP {
            let length = self.words.payload()?;
            let site = SiteId(outer.0.wrapping_add(dimension));
            event
                .push(site, length, self.facts.array_layout(site))
                .ok_or_else(|| self.words.error("an array of too many dimensions"))?;
        }
        let (moved, top) = stated.unwrap_or_else(|| self.moved_by(&event));
        if moved > 0 {
            self.stands_at(top);
        }
        let count = event.count().filter(|count| *count <= self.arrays_left);
        let count =
            count.ok_or_else(|| self.words.error("more arrays of arrays than a heap holds"))?;
        self.arrays_left -= count;
        self.is_prepared = false;
        if self.moved != 0 {
            let own = match moved {
                0 => 0,
                _ => event.bytes().unwrap_or(self.moved),
            };
            self.remaining_gap(own, give);
        }
        let (caller, is_past) = (self.caller.take(), self.before_cut || self.late);
        self.klass = None;
        levels::give_arrays(&event, moved, top, |site, bytes, place| {
            let place = match place {
                Place::End(end) if is_past => Place::Straggler(end),
                other => other,
            };
            give(Event::Allocation(Allocation {
                site,
                caller,
                klass: None,
                bytes,
                place,
            }));
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests;
