//! Matches survivors that the agent wrote as it read them with the events that made them, as the agent does elsewhere before it writes.
//!
//! ```text
//! events of an epoch --> kept objects --+
//!                                       +--> mirror --> moves, and which events explain objects
//! its collection ----> survivors -------+
//! ```
//!
//! The mirror takes events in the order of the files. A gap that it cannot follow, such as a missing collection, makes the heap unknown
//! until the next synchronization point. After survivors that contradict their events, it is put together again ([`RegainedHeap`]).

use std::fmt;
use std::sync::Arc;

use ducktrack_heap_mirror::{
    Birth, Kept, Mirror, PieceFacts, PieceObjects, SiteCache, SurvivorEnds, Threads,
};
use ducktrack_trace_format::{
    Allocation, Collection, CollectionKind, Event, EventBlock, EventDecoder, EventFile, EventFlags,
    Explained, FormatError, HeapClass, MoveRun, MovesLevel, SiteFacts, Survivor, encode_explained,
};

use crate::regained_heap::{REGAINED, RegainedHeap};
use crate::survivor_filter::SurvivorFilter;

/// Objects in one content of explanations.
const PART: usize = 1 << 16;

/// Room for so many survivors (24 MB) serves for the next collection, too.
const MOST_KEPT: usize = 1 << 20;

/// Facts that the definitions of a trace state.
pub(crate) struct Facts {
    sites: SiteCache,
    /// Ascending by id.
    classes: Vec<HeapClass>,
}

impl Facts {
    pub(crate) fn new(
        sites: Arc<dyn SiteFacts + Send + Sync>,
        mut classes: Vec<HeapClass>,
    ) -> Self {
        classes.sort_by_key(|class| class.id);
        Self {
            sites: SiteCache::new(sites),
            classes,
        }
    }
}

impl Facts {
    /// Classes with these ids.
    fn new_classes(&self, from: u32, until: u32) -> impl Iterator<Item = &HeapClass> {
        let first = self.classes.partition_point(|class| class.id.0 < from);
        let rest = self.classes.get(first..).unwrap_or_default();
        rest.iter().take_while(move |class| class.id.0 < until)
    }
}

/// Survivors of a collection as they are in its blocks.
#[derive(Debug, Default)]
pub(crate) struct UnmatchedSurvivors {
    pub(crate) objects: Vec<Survivor>,
    /// Classes with smaller ids were known.
    pub(crate) classes: u32,
}

/// See the module.
#[derive(Default)]
pub(crate) struct SurvivorMatching {
    /// Files have survivors to match.
    is_on: bool,
    facts: Option<Facts>,
    /// The heap before the next collection is known.
    is_known: bool,
    mirror: Mirror<Birth>,
    /// After a contradiction, until the heap is known again.
    regained: Option<RegainedHeap>,
    threads: Threads,
    objects: PieceObjects,
    explained: Vec<Explained>,
    /// For the survivors of the next collection.
    room: Vec<Survivor>,
    /// Events of a piece that may be of survivors.
    taken: Vec<Allocation>,
    /// Collections so far.
    epoch: u32,
    /// Classes with smaller ids were announced to the mirror.
    classes: u32,
}

/// A piece of events that a mirror takes.
struct Piece<'a> {
    block: &'a EventBlock<'a>,
    facts: PieceFacts,
    sites: &'a SiteCache,
}

impl Piece<'_> {
    fn take<K: Kept>(
        &self,
        allocation: Allocation,
        mirror: &mut Mirror<K>,
        objects: &mut PieceObjects,
        explained: &mut Vec<Explained>,
    ) {
        let allocation = self.facts.settled(allocation);
        explained.extend(mirror.allocation(&allocation, &self.facts, objects));
    }

    fn take_all<K: Kept>(
        &self,
        mirror: &mut Mirror<K>,
        objects: &mut PieceObjects,
        explained: &mut Vec<Explained>,
    ) -> Result<(), FormatError> {
        let give = |event| {
            if let Event::Allocation(allocation) = event {
                self.take(allocation, mirror, objects, explained);
            }
        };
        let decoded = EventDecoder::new(self.sites).decode(self.block, give);
        mirror.end_piece(&self.block.header, objects);
        decoded.map(drop)
    }
}

/// What readers get of a collection whose survivors were matched.
#[derive(Debug)]
pub(crate) enum MatchedCollection {
    /// The moves, ascending, and explanations as contents of blocks.
    Known(Vec<MoveRun>, Vec<Vec<u8>>),
    /// The heap was not known. It is from here on if there are contents of a synchronization point.
    Unknown(Vec<Vec<u8>>),
}

impl fmt::Debug for SurvivorMatching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SurvivorMatching")
            .field("is_known", &self.is_known)
            .field("epoch", &self.epoch)
            .finish_non_exhaustive()
    }
}

impl SurvivorMatching {
    pub(crate) fn know(&mut self, facts: Facts) {
        self.facts = Some(facts);
    }

    /// Whether the current file has survivors to match.
    pub(crate) fn is_on(&self) -> bool {
        self.is_on
    }

    /// An empty list for the survivors of a collection, if they are to be matched.
    pub(crate) fn no_survivors(&mut self) -> Option<UnmatchedSurvivors> {
        self.is_on.then(|| UnmatchedSurvivors {
            objects: std::mem::take(&mut self.room),
            classes: 0,
        })
    }

    /// Takes the room of a list that is done with.
    pub(crate) fn use_again(&mut self, survivors: UnmatchedSurvivors) {
        let mut room = survivors.objects;
        if room.capacity() <= MOST_KEPT {
            room.clear();
            self.room = room;
        }
    }

    /// The next file begins; `None` if its first block is lost.
    pub(crate) fn start_file(&mut self, header: Option<&EventFile>, is_first: bool) {
        let Some(header) = header else {
            return self.lose();
        };
        self.is_on = header.unmatched;
        if is_first {
            self.epoch = header.epoch;
            self.is_known = header.epoch == 0 && header.index == 0;
        }
        if header.without_moves || header.has_sync_point || header.lost_blocks > 0 {
            self.lose();
        }
        if header.has_sync_point {
            self.epoch = header.epoch;
        }
    }

    /// The heap is not known any more.
    pub(crate) fn lose(&mut self) {
        self.is_known = false;
        self.mirror = std::mem::take(&mut self.mirror).emptied();
        self.regained = None;
        self.explained.clear();
    }

    /// Blocks are missing: events that made survivors may be among them.
    pub(crate) fn damaged(&mut self) {
        self.mirror.explain_no_more();
    }

    /// Takes a part of a synchronization point.
    pub(crate) fn sync_part(&mut self, content: &[u8]) {
        if !self.is_on {
            return;
        }
        match self.mirror.begin_with(content) {
            Ok(()) => self.is_known = true,
            Err(_) => self.lose(),
        }
    }

    /// Takes a piece of the epoch. `ends`: of the survivors of the collection at its end, if that is the next step.
    pub(crate) fn piece(
        &mut self,
        content: &[u8],
        ends: Option<&SurvivorEnds>,
    ) -> Result<(), FormatError> {
        let block = EventBlock::decode(content)?;
        let header = block.header;
        let (thread, epoch) = (header.thread, header.epoch);
        self.threads.begins_epoch(thread, epoch);
        let facts = PieceFacts::of(&header, self.epoch, &self.threads);
        if header.flags.has(EventFlags::THREAD_ENDED) {
            self.threads.end(thread);
        }
        let Some(known) = &self.facts else {
            return Ok(());
        };
        let piece = Piece {
            block: &block,
            facts,
            sites: &known.sites,
        };
        let objects = &mut self.objects;
        match (self.is_known, &mut self.regained) {
            (true, _) => {
                let filter =
                    ends.map(|ends| SurvivorFilter::new(ends, &known.sites, &mut self.taken));
                let decoder = EventDecoder::new(&known.sites);
                let filtered = filter.and_then(|filter| filter.decode(&decoder, &block));
                let (mirror, explained) = (&mut self.mirror, &mut self.explained);
                let Some(filtered) = filtered else {
                    return piece.take_all(mirror, objects, explained);
                };
                mirror.died(filtered.died);
                for site in filtered.typed {
                    mirror.says_its_classes(site);
                }
                for allocation in self.taken.drain(..) {
                    piece.take(allocation, mirror, objects, explained);
                }
                mirror.end_piece(&header, objects);
                filtered.decoded
            }
            (false, Some(regained)) => {
                // They are in the synchronization point.
                piece.take_all(&mut regained.mirror, objects, &mut Vec::new())
            }
            (false, None) => Ok(()),
        }
    }

    /// The ends of a collection's survivors, which decide about the events before it. `None`: it decides about no events.
    pub(crate) fn ends(
        &self,
        collection: &Collection,
        survivors: &mut UnmatchedSurvivors,
    ) -> Option<SurvivorEnds> {
        self.facts.as_ref().filter(|_| self.is_known)?;
        SurvivorEnds::new(&collection.collected, &mut survivors.objects)
    }

    /// Objects of earlier collections that were explained since, as contents of blocks.
    pub(crate) fn take_explained(&mut self) -> Vec<Vec<u8>> {
        contents(&std::mem::take(&mut self.explained))
    }

    /// Matches the survivors of a collection; `is_whole`: all of them.
    pub(crate) fn collection(
        &mut self,
        collection: &mut Collection,
        survivors: &mut UnmatchedSurvivors,
        is_whole: bool,
    ) -> MatchedCollection {
        let is_next = self.epoch.checked_add(1) == Some(collection.number);
        self.epoch = collection.number;
        self.threads
            .cut_all(collection.number, &mut collection.cuts);
        self.announce(survivors.classes);
        let has_moves = collection.fault.is_none()
            && collection.level != MovesLevel::Off
            && collection.kind != CollectionKind::Other;
        let Some(facts) = self.facts.as_ref().filter(|_| is_next && has_moves) else {
            self.lose();
            return MatchedCollection::Unknown(Vec::new());
        };
        if !self.is_known {
            let regained = is_whole.then(|| self.regain(collection, survivors));
            return MatchedCollection::Unknown(regained.unwrap_or_default());
        }
        // The mirror counts all of it.
        let counts = &mut collection.counts;
        (counts.stayed, counts.moved, counts.survived_bytes) = (0, 0, 0);
        let matched = self
            .mirror
            .runs(collection, &mut survivors.objects, &facts.sites);
        match matched {
            Ok((runs, explained)) => MatchedCollection::Known(runs, contents(&explained)),
            Err(fault) => {
                collection.fault = Some(fault.to_owned());
                self.lose();
                self.regained = Some(RegainedHeap::default());
                MatchedCollection::Unknown(Vec::new())
            }
        }
    }

    /// After a contradiction: the contents of a synchronization point, if the heap is known again after this collection.
    fn regain(
        &mut self,
        collection: &mut Collection,
        survivors: &mut UnmatchedSurvivors,
    ) -> Vec<Vec<u8>> {
        let (Some(facts), Some(mut regained)) = (&self.facts, self.regained.take()) else {
            return Vec::new();
        };
        let new = facts.new_classes(regained.classes, survivors.classes);
        regained.announce(new, survivors.classes);
        let mut copy = collection.clone();
        match regained.collection(&mut copy, &mut survivors.objects, &facts.sites) {
            Ok(Some(point)) => {
                collection.fault = Some(REGAINED.to_owned());
                point.iter().for_each(|part| self.sync_part(part));
                point
            }
            Ok(None) => {
                self.regained = Some(regained);
                Vec::new()
            }
            Err(_) => {
                self.regained = Some(RegainedHeap::default());
                Vec::new()
            }
        }
    }

    fn announce(&mut self, classes: u32) {
        let Some(facts) = &self.facts else { return };
        let new = facts.new_classes(self.classes, classes);
        new.for_each(|class| self.mirror.class(class));
        self.classes = self.classes.max(classes);
    }
}

fn contents(explained: &[Explained]) -> Vec<Vec<u8>> {
    let parts = explained.chunks(PART).map(|part| {
        let mut content = Vec::new();
        encode_explained(part, &mut content);
        content
    });
    parts.collect()
}
