//! Fates of the objects of some event buffers of an epoch: the part of the work that runs on all cores.
//!
//! The events of an epoch are decoded when the moves of the collection that ends it are known. So most objects, which are dead
//! by then, are only counted, and those that live on are kept with their new addresses.

mod plain_events;

use ducktrack_trace_format::{
    Allocation, CallSiteId, Event, EventBlock, EventDecoder, EventFlags, FormatError, Place,
    ThreadCut, ThreadId,
};
use rustc_hash::FxHashMap;

use crate::live_object::LiveObject;
use crate::slices::{PieceSlices, PieceSpan, Slicing};
use ducktrack_count_model::{CallerColumn, Origin, SiteColumn, TraceNames, TypeColumn};
use ducktrack_live_heap::{Amount, Fate, FateCursor, FateMap};

/// Facts that the decoding of an epoch's events needs; the same for all of its buffers.
#[derive(Clone, Copy, Debug)]
pub struct EpochView<'a> {
    pub(crate) names: &'a TraceNames,
    /// `None`: the collection that ends the epoch has not come, or its moves are not known.
    pub(crate) fates: Option<&'a FateMap>,
    /// Where the collection that began the epoch cut the threads' buffers.
    pub(crate) cuts: &'a FxHashMap<ThreadId, ThreadCut>,
    /// The collection did not look at new objects: they wait for the next one.
    pub(crate) defers: bool,
    /// The trace has ended, and what is new is a part of the heap at its end.
    pub(crate) is_end: bool,
    /// Objects with a caller have tallies of their own.
    pub(crate) by_caller: bool,
    pub(crate) pass: Pass<'a>,
}

/// The work to do with the events.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pass<'a> {
    /// They are taken.
    Take,
    /// They are taken, by slices.
    TakeSliced(&'a Slicing),
    /// Only the bytes of each piece are wanted: they come once more.
    Measure,
}

impl EpochView<'_> {
    /// The first of two passes: what does not decode is noted in the second.
    pub fn is_first_pass(&self) -> bool {
        matches!(self.pass, Pass::Measure)
    }
}

/// The result of some buffers of an epoch. One for each worker; taken together by [`HeapReplay`](crate::HeapReplay).
#[derive(Clone, Debug, Default)]
pub struct EpochPart {
    /// By site column.
    sites: Vec<SiteTally>,
    /// For columns that are not there; never used.
    nowhere: SiteTally,
    /// Columns whose tally is not zero.
    touched: Vec<SiteColumn>,
    /// By site, caller and slice: events that are in no tally of a site, if callers are asked for or the epoch has slices.
    blamed: FxHashMap<(SiteColumn, CallSiteId, u8), SiteTally>,
    /// Bytes of each slice.
    pub(crate) slices: Vec<u64>,
    /// Findings of the first pass over the pieces.
    pub(crate) pieces: Vec<PieceSpan>,
    /// Objects that live on, at their new addresses.
    pub(crate) survivors: Vec<NewSurvivor>,
    /// Allocated on the heap.
    pub(crate) threads: FxHashMap<ThreadId, Amount>,
    /// At the end of the trace: objects with a caller, or whose type is not that of their site.
    pub(crate) apart: FxHashMap<NewType, Amount>,
    pub(crate) sums: EventSums,
}

/// Objects that no collection has seen: their site, the caller to blame, and their type.
pub type NewType = (SiteColumn, CallerColumn, TypeColumn);

/// Events of one origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SiteTally {
    /// Objects that the collection found dead; of unknown fate if there is none.
    pub gone: Amount,
    /// Objects whose address is not known.
    pub unplaced: Amount,
    /// Objects of the epoch before, whose events came after the collection.
    pub stragglers: Amount,
    /// Objects that the JIT eliminated.
    pub eliminated: u64,
}

impl SiteTally {
    #[inline]
    fn is_zero(&self) -> bool {
        self.gone.count | self.unplaced.count | self.stragglers.count | self.eliminated == 0
    }
}

/// An object that lives on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewSurvivor {
    pub(crate) object: LiveObject,
    /// Where it was before the collection.
    pub(crate) from: u64,
}

/// Counts over all sites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventSums {
    /// Allocation events (gaps and dropped ones are not among them).
    pub events: u64,
    /// Events of objects that reached the heap, and their bytes.
    pub allocated: Amount,
    /// Objects that the JIT eliminated.
    pub eliminated: u64,
    /// Objects of `allocated` whose address is not known: should they survive, they are found without their site.
    pub unplaced: u64,
    /// Events that came in a buffer after the collection they were made before.
    pub stragglers: u64,
    /// Events whose size is not known (its definition is lost); they are in `allocated` with 0 bytes.
    pub size_unknown: u64,
    /// Stretches the VM or JNI allocated between events.
    pub gaps: u64,
    /// Their bytes, at least: the unused ends of buffers cannot be separated from them.
    pub gap_bytes: u64,
    /// Events the agent had to drop (`on-full=drop`, end of a thread's stack).
    pub dropped: u64,
    /// Updates of references (`mode=full`).
    pub updates: u64,
    /// Entries and ends of methods (`mode=full`).
    pub calls: u64,
    /// Events that do not decode.
    pub malformed: u64,
    /// Event words whose units are less than the size of their site: the object was eliminated, and what moved the top is a gap.
    pub contradictions: u64,
    /// Blocks of events.
    pub buffers: u64,
    /// When the first block was begun.
    pub first_begun: Option<u64>,
    /// When the last was handed over.
    pub last_handed_over: u64,
}

impl EventSums {
    pub(crate) fn add(&mut self, other: &Self) {
        self.events += other.events;
        self.allocated += other.allocated;
        self.eliminated += other.eliminated;
        self.unplaced += other.unplaced;
        self.stragglers += other.stragglers;
        self.size_unknown += other.size_unknown;
        self.gaps += other.gaps;
        self.gap_bytes = self.gap_bytes.saturating_add(other.gap_bytes);
        self.dropped = self.dropped.saturating_add(other.dropped);
        self.updates += other.updates;
        self.calls += other.calls;
        self.malformed += other.malformed;
        self.contradictions += other.contradictions;
        self.buffers += other.buffers;
        self.first_begun = match (self.first_begun, other.first_begun) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.last_handed_over = self.last_handed_over.max(other.last_handed_over);
    }
}

impl EpochPart {
    /// Takes the content of a block of events; `again` if it was put back before. Events before the place of an error count.
    pub fn take(
        &mut self,
        view: &EpochView<'_>,
        content: &[u8],
        again: bool,
    ) -> Result<(), FormatError> {
        let slicing = match view.pass {
            Pass::Measure => {
                self.measure(view, content);
                return Ok(());
            }
            Pass::TakeSliced(slicing) => Some(slicing),
            Pass::Take => None,
        };
        let block = EventBlock::decode(content).inspect_err(|_| self.sums.malformed += 1)?;
        if self.sites.len() < view.names.site_columns {
            self.sites
                .resize(view.names.site_columns, SiteTally::default());
        }
        let mut taker = Taker {
            view,
            fates: view.fates.map(FateMap::cursor),
            thread: block.header.thread,
            epoch: block.header.epoch,
            takes_plain: !view.defers,
            takes_rare: !again,
            allocated: Amount::default(),
            straggled: Amount::default(),
            eliminated: 0,
            slices: slicing.map(|slicing| slicing.piece(&block.header)),
            slice: 0,
            passed: 0,
            part: self,
        };
        let decoder = EventDecoder::new(view.names);
        let decoded = match taker.slices {
            Some(_) => decoder.decode(&block, |event| taker.event(event)),
            None => decoder.decode_into(&block, &mut taker),
        };
        let (mut allocated, eliminated) = (taker.allocated, taker.eliminated);
        let straggled = taker.straggled;
        let sums = &mut self.sums;
        sums.buffers += u64::from(!again);
        sums.events += allocated.count + eliminated;
        sums.allocated += allocated;
        sums.eliminated += eliminated;
        sums.first_begun = Some(
            sums.first_begun
                .map_or(block.header.begun, |known| known.min(block.header.begun)),
        );
        sums.last_handed_over = sums.last_handed_over.max(block.header.handed_over);
        // Stragglers are of the epoch before: a collection has decided about them.
        allocated -= straggled;
        *self.threads.entry(block.header.thread).or_default() += allocated;
        match decoded {
            Ok(piece) => {
                self.sums.contradictions += piece.eliminated_behind_gaps;
                Ok(())
            }
            Err(error) => {
                self.sums.malformed += 1;
                Err(error)
            }
        }
    }

    /// Sums up the bytes of a piece.
    fn measure(&mut self, view: &EpochView<'_>, content: &[u8]) {
        let Ok(block) = EventBlock::decode(content) else {
            return;
        };
        let mut bytes = 0_u64;
        // Events before the place that does not decode count.
        let _ = EventDecoder::new(view.names).decode(&block, |event| {
            bytes = bytes.saturating_add(clock_bytes(&event));
        });
        if !block.header.flags.has(EventFlags::LATE) {
            self.pieces.push(PieceSpan::new(&block.header, bytes));
        }
    }

    /// Gives the tallies of all origins that have one, and is as new.
    pub(crate) fn drain_tallies(
        &mut self,
        names: &TraceNames,
        mut give: impl FnMut(Origin, SiteTally, usize),
    ) {
        for site in self.touched.drain(..) {
            if let Some(tally) = self.sites.get_mut(site.position()) {
                let caller = CallerColumn::NONE;
                give(Origin { site, caller }, core::mem::take(tally), 0);
            }
        }
        for ((site, caller, slice), tally) in self.blamed.drain() {
            let caller = names.caller(caller);
            give(Origin { site, caller }, tally, slice.into());
        }
    }
}

/// By how much an event moves the clock on.
#[inline]
fn clock_bytes(event: &Event) -> u64 {
    match event {
        Event::Allocation(allocation) if allocation.place != Place::Eliminated => {
            allocation.bytes.unwrap_or(0)
        }
        Event::Gap { bytes } => *bytes,
        _ => 0,
    }
}

/// Takes the events of one buffer.
struct Taker<'v, 'a> {
    view: &'v EpochView<'a>,
    fates: Option<FateCursor<'a>>,
    thread: ThreadId,
    epoch: u32,
    /// Takes eliminated objects and those in threads' buffers, gaps and dropped events.
    takes_plain: bool,
    /// Takes all others.
    takes_rare: bool,
    allocated: Amount,
    /// Of `allocated`: stragglers.
    straggled: Amount,
    eliminated: u64,
    /// `None`: the epoch has one slice.
    slices: Option<PieceSlices<'a>>,
    /// Of the event.
    slice: u8,
    /// Bytes of the piece before it.
    passed: u64,
    part: &'v mut EpochPart,
}

impl Taker<'_, '_> {
    #[inline]
    fn event(&mut self, event: Event) {
        if let Some(slices) = &mut self.slices {
            let bytes = clock_bytes(&event);
            self.slice = slices.at(self.passed);
            self.passed = self.passed.saturating_add(bytes);
            if let Some(sum) = self.part.slices.get_mut(usize::from(self.slice)) {
                *sum = sum.saturating_add(bytes);
            }
        }
        match event {
            Event::Allocation(allocation) => self.allocation(&allocation),
            _ if !self.takes_plain => {}
            Event::Gap { bytes } => {
                self.part.sums.gaps += 1;
                self.part.sums.gap_bytes = self.part.sums.gap_bytes.saturating_add(bytes);
            }
            Event::Dropped { count } => {
                self.part.sums.dropped = self.part.sums.dropped.saturating_add(count);
            }
            Event::Update(_) | Event::StaticUpdate(_) => self.part.sums.updates += 1,
            Event::Enter(_) | Event::Exit { .. } | Event::Thrown(_) => self.part.sums.calls += 1,
            Event::Clock { .. } => {}
            _ => self.part.sums.malformed += 1,
        }
    }

    #[inline]
    fn allocation(&mut self, allocation: &Allocation) {
        match allocation.place {
            Place::End(end) if self.takes_plain => self.placed(allocation, end),
            Place::Eliminated if self.takes_plain => self.eliminated(allocation),
            Place::End(_) | Place::Eliminated => {}
            _ if self.takes_rare => self.rare(allocation),
            _ => {}
        }
    }

    #[inline]
    fn placed(&mut self, allocation: &Allocation, end: u64) {
        let Some(bytes) = allocation.bytes else {
            return self.unplaced(allocation);
        };
        self.allocated.add_one(bytes);
        let fate = match &mut self.fates {
            Some(fates) => fates.fate(end.wrapping_sub(bytes)),
            None => return self.of_unknown_fate(allocation, bytes),
        };
        match fate {
            Fate::Dead => self.tally(allocation).gone.add_one(bytes),
            Fate::Untouched => self.survivor(allocation, bytes, end, 0),
            Fate::Survived(by) => self.survivor(allocation, bytes, end, by),
            Fate::Found => self.tally(allocation).unplaced += Amount::one(bytes),
        }
    }

    /// Counts an object that reached the heap; gives its bytes.
    fn on_heap(&mut self, allocation: &Allocation) -> u64 {
        let bytes = allocation.bytes.unwrap_or_else(|| {
            self.part.sums.size_unknown += 1;
            0
        });
        self.allocated += Amount::one(bytes);
        bytes
    }

    #[inline]
    fn tally(&mut self, allocation: &Allocation) -> &mut SiteTally {
        let column = self.view.names.site(allocation.site).column;
        let part = &mut *self.part;
        let caller = allocation.caller.filter(|_| self.view.by_caller);
        if caller.is_some() || self.slices.is_some() {
            let key = (column, caller.unwrap_or(CallSiteId(0)), self.slice);
            return part.blamed.entry(key).or_default();
        }
        let tally = part.sites.get_mut(column.position());
        let tally = tally.unwrap_or(&mut part.nowhere);
        if tally.is_zero() {
            part.touched.push(column);
        }
        tally
    }

    fn eliminated(&mut self, allocation: &Allocation) {
        self.eliminated += 1;
        self.tally(allocation).eliminated += 1;
    }

    fn ty(&self, allocation: &Allocation, bytes: u64) -> TypeColumn {
        match allocation.klass {
            Some(klass) => self.view.names.klass_type(klass, bytes),
            None => self.view.names.site(allocation.site).ty,
        }
    }

    fn of_unknown_fate(&mut self, allocation: &Allocation, bytes: u64) {
        self.tally(allocation).gone += Amount::one(bytes);
        self.set_apart(allocation, bytes);
    }

    fn set_apart(&mut self, allocation: &Allocation, bytes: u64) {
        let is_special = allocation.klass.is_some() || allocation.caller.is_some();
        if self.view.is_end && is_special {
            let column = self.view.names.site(allocation.site).column;
            let key = (column, self.caller(allocation), self.ty(allocation, bytes));
            *self.part.apart.entry(key).or_default() += Amount::one(bytes);
        }
    }

    fn caller(&self, allocation: &Allocation) -> CallerColumn {
        let caller = allocation.caller.unwrap_or(CallSiteId(0));
        self.view.names.caller(caller)
    }

    fn survivor(&mut self, allocation: &Allocation, bytes: u64, end: u64, by: u64) {
        let site = self.view.names.site(allocation.site).column;
        let ty = self.ty(allocation, bytes);
        let caller = self.caller(allocation);
        let object = LiveObject::new(end.wrapping_add(by), bytes, site, ty, self.epoch);
        let is_undated = self.slices.as_ref().is_some_and(|slices| slices.is_undated);
        let object = object.by(self.thread, caller);
        self.part.survivors.push(NewSurvivor {
            object: object.in_slice(self.slice, is_undated),
            from: end.wrapping_sub(bytes),
        });
    }

    #[cold]
    fn rare(&mut self, allocation: &Allocation) {
        match allocation.place {
            Place::Outside(Some(address)) => {
                let end = address.saturating_add(allocation.bytes.unwrap_or(0));
                self.placed(allocation, end);
            }
            Place::Straggler(_) => self.straggler(allocation),
            Place::Straddler { allocated } => {
                let cut = self.view.cuts.get(&self.thread).copied();
                match ThreadCut::settle(cut, allocated, allocation.bytes).is_on_heap() {
                    true => self.straggler(allocation),
                    false => self.eliminated(allocation),
                }
            }
            _ => self.unplaced(allocation),
        }
    }

    #[cold]
    fn unplaced(&mut self, allocation: &Allocation) {
        self.part.sums.unplaced += 1;
        let bytes = self.on_heap(allocation);
        self.tally(allocation).unplaced += Amount::one(bytes);
        self.set_apart(allocation, bytes);
    }

    fn straggler(&mut self, allocation: &Allocation) {
        self.part.sums.stragglers += 1;
        let bytes = self.on_heap(allocation);
        self.straggled += Amount::one(bytes);
        self.tally(allocation).stragglers += Amount::one(bytes);
    }
}
