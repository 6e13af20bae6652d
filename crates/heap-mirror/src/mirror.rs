//! The mirror: all live objects of the program, known from events and collections: address -> class, size, site, thread,
//! caller, birth.
//!
//! Events of an epoch are kept as they came (4 bytes each) until the collection at its end shows which objects survived. Only then are
//! addresses computed, and only survivors are entered. Work is linear in events and survivors:
//!
//! 1. *Join*: objects of the mirror in the collected ranges are taken out. Both lists ascend by address, so one pass finds the survivors
//!    among them.
//! 2. *Scan*: survivors that the mirror did not know were born in this epoch, or have no event (the VM made them). For
//!    each object of the epoch, [`EndIndex`] is asked whether such a survivor ended at its end address; neighbours
//!    that are all dead are skipped with one question. The end identifies an object even if its size is unknown.
//! 3. *Settle*: events without an address explain found objects of their
//!    class and size, where only one origin is possible ([`PendingObjects`]).
//! 4. *Enter*: all survivors go in at their new addresses, and the same pass writes the moves.
//!
//! Objects outside of the collected ranges stay as they are. So after a collection without fault the mirror holds every object
//! that the collector left and that was ever in a collected range or had an event.

use ducktrack_live_heap::check_survivors;
use ducktrack_trace_format::{
    AddressRange, Allocation, CallSiteId, Collection, CollectionKind, EventBlockHeader, Explained,
    FormatError, HeapClass, MoveRun, OLD_GENERATION, Place, SiteId, Survivor, SyncDecoder,
    SyncEncoder, SyncObject, ThreadId,
};

use crate::kept_pieces::{KeptPieces, PieceObjects};
use crate::kept_site::{KeptSite, KeptSites};
use crate::origin::{Birth, CLASS_OF_SITE, Kept, LiveObject, LiveObjects, Origin};
use crate::piece_facts::PieceFacts;
use crate::site_cache::SiteCache;
pub(crate) use end_index::{AtEnd, EndIndex};
use late_table::LateTable;
use matching::{Fate, Klasses, Matching, OriginEvidence, UndecidedObject, decide};
pub use moves::Moves;
use moves::{MoveBlocks, TakesMoves};
use pending::{Candidate, PendingObjects};
use rustc_hash::FxHashMap;
use site_classes::SiteClasses;
use suspects::Suspects;

mod end_index;
mod late_table;
mod matching;
mod moves;
mod pending;
mod site_classes;
mod suspects;

/// Fault of a collection that went on while the program ran, if what survived is not what events say was there.
const CONTRADICTED: &str = "survivors of the cycle contradict the events";

/// Contents of moves and synchronization points are cut at this length.
const PART_BYTES: usize = 1 << 20;

impl<K: Kept> Default for Mirror<K> {
    fn default() -> Self {
        Self {
            live: LiveObjects::default(),
            pieces: KeptPieces::new(),
            carried: Vec::new(),
            pending: PendingObjects::default(),
            late: LateTable::default(),
            suspects: Suspects::default(),
            klasses: Klasses::default(),
            kept_sites: KeptSites::default(),
            site_classes: SiteClasses::default(),
            explains: true,
            died: 0,
            contradictions: 0,
        }
    }
}

/// The live objects, the kept events of the current epoch, and what is known of classes and sites. See the module for
/// the steps of a collection.
pub struct Mirror<K: Kept = Origin> {
    live: LiveObjects<K>,
    pieces: KeptPieces,
    carried: Vec<UndecidedObject>,
    pending: PendingObjects,
    late: LateTable,
    suspects: Suspects,
    klasses: Klasses,
    kept_sites: KeptSites,
    site_classes: SiteClasses,
    /// Events without an address explain found objects.
    explains: bool,
    /// Objects of the epoch that were dead before they were kept.
    died: u64,
    /// How often an event and a survivor contradicted each other.
    pub contradictions: u64,
}

impl Mirror {
    /// A mirror of a heap without objects.
    pub fn new() -> Self {
        Self::default()
    }

    /// Applies a collection. An error means that survivors contradict each other, and that the heap is unknown from
    /// here on.
    pub fn collect(
        &mut self,
        collection: &mut Collection,
        survivors: &mut [Survivor],
        facts: &SiteCache,
    ) -> Result<Moves, &'static str> {
        let (blocks, explained) = self.apply::<MoveBlocks>(collection, survivors, facts)?;
        Ok(Moves {
            blocks: blocks.finish(),
            explained,
        })
    }

    /// The contents of a synchronization point after a collection.
    pub fn sync_point(&mut self, collection: u32) -> Vec<Vec<u8>> {
        let mut parts = Vec::new();
        let mut encoder = SyncEncoder::new(collection);
        self.live.put_in_order();
        for (address, object) in self.live.iter() {
            encoder.push(&SyncObject {
                address,
                bytes: u64::from(object.units) * 8,
                class: object.class,
                site: object.origin.site,
                thread: object.origin.thread,
                caller: object.origin.caller,
                birth: object.origin.birth,
            });
            if encoder.len() >= PART_BYTES {
                let full = std::mem::replace(&mut encoder, SyncEncoder::new(collection));
                parts.push(full.finish(false));
            }
        }
        parts.push(encoder.finish(true));
        parts
    }
}

impl Mirror<Birth> {
    /// As [`Mirror::collect`], for a reader: gives the moves themselves, and the origins that no event with an address states.
    pub fn runs(
        &mut self,
        collection: &mut Collection,
        survivors: &mut [Survivor],
        facts: &SiteCache,
    ) -> Result<(Vec<MoveRun>, Vec<Explained>), &'static str> {
        self.apply(collection, survivors, facts)
    }
}

impl<K: Kept> Mirror<K> {
    /// The mirror without objects and events; what is known of classes stays.
    pub fn emptied(self) -> Self {
        Self {
            klasses: self.klasses,
            kept_sites: self.kept_sites,
            site_classes: self.site_classes,
            contradictions: self.contradictions,
            ..Self::default()
        }
    }

    /// From now on found objects are not explained by events without an address, because others of their size and class may be missing.
    pub fn explain_no_more(&mut self) {
        self.explains = false;
    }

    /// Number of objects.
    pub fn objects(&self) -> u64 {
        self.live.len()
    }

    /// Memory of the objects, in bytes.
    pub fn memory(&self) -> u64 {
        self.live.memory()
    }

    /// Memory of events that wait for a collection, in bytes.
    pub fn retained(&self) -> u64 {
        self.pieces.memory() + (self.carried.capacity() * size_of::<UndecidedObject>()) as u64
    }

    /// True when every object allocated before the last collection is entered.
    pub fn is_settled(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Learns the address at which the VM has a class from now on.
    pub fn class(&mut self, class: &HeapClass) {
        self.klasses.insert(class.klass, class.id);
        self.site_classes.name(class);
    }

    /// Notes that events of this site state the class of their object.
    pub fn says_its_classes(&mut self, site: SiteId) {
        self.site_classes.has_several(site);
    }

    /// Counts objects of the epoch that its collection, which is known already, leaves dead: they need not be kept
    /// ([`SurvivorEnds`](crate::SurvivorEnds)).
    pub fn died(&mut self, objects: u64) {
        self.died += objects;
    }

    /// How kept words encode a site with a caller; `None` if they cannot: then the object is noted by itself.
    pub fn kept_site(&mut self, site: SiteId, caller: Option<CallSiteId>) -> Option<KeptSite> {
        self.kept_sites.number(site, caller)
    }

    /// Ends a piece of the current epoch, whose objects are kept until its collection.
    pub fn end_piece(&mut self, header: &EventBlockHeader, objects: &mut PieceObjects) {
        if let Some(piece) = objects.take(header) {
            self.pieces.keep(piece);
        }
    }

    /// Takes an allocation of a piece; gives the object of an earlier collection that it explains.
    pub fn allocation(
        &mut self,
        allocation: &Allocation,
        piece: &PieceFacts,
        objects: &mut PieceObjects,
    ) -> Option<Explained> {
        let (site, bytes) = (allocation.site, allocation.bytes);
        if allocation.klass.is_some() {
            self.says_its_classes(site);
        }
        if let Place::End(end) = allocation.place
            && let Some(kept) = self.kept_site(site, allocation.caller)
            && objects.push(kept, bytes, end)
        {
            if let Some(klass) = allocation.klass {
                objects.say_klass(klass);
            }
            return None;
        }
        let origin = Origin {
            site,
            thread: piece.thread,
            caller: allocation.caller.unwrap_or(CallSiteId(0)),
            birth: piece.epoch,
        };
        match (allocation.place, bytes) {
            (Place::End(end), Some(bytes)) => {
                self.note_large(origin, bytes, end, allocation.klass);
                None
            }
            _ => self.note(origin, allocation, piece.recent),
        }
    }

    /// Notes an object that ends at an address and is too large for a kept word.
    fn note_large(&mut self, origin: Origin, bytes: u64, end: u64, klass: Option<u64>) {
        self.carried.push(UndecidedObject {
            start: end.wrapping_sub(bytes),
            bytes: Some(bytes),
            outside: false,
            how: OriginEvidence::Known,
            origin,
            klass,
        });
    }

    /// Notes an allocation that no kept piece can hold: one whose end address is unknown.
    /// `recent`: a straggler belongs to the epoch that the last collection ended.
    fn note(&mut self, origin: Origin, allocation: &Allocation, recent: bool) -> Option<Explained> {
        let (bytes, klass) = (allocation.bytes, allocation.klass);
        match allocation.place {
            Place::End(_) | Place::Eliminated | Place::Straddler { .. } => {}
            // It is unknown which of the objects that the collection found this is.
            Place::Straggler(..8) => {}
            Place::Outside(Some(start)) => self.carried.push(UndecidedObject {
                start,
                bytes,
                outside: true,
                how: if bytes.is_some() {
                    OriginEvidence::Known
                } else {
                    OriginEvidence::Explained
                },
                origin,
                klass,
            }),
            Place::Straggler(end) if !recent => {
                let address = self.suspects.take(origin.thread, end);
                return address.and_then(|address| self.explain_late(origin, address, bytes));
            }
            Place::Straggler(end) if self.late.was_collected(end) => {
                let address = self.late.address_now(end);
                return address.and_then(|address| self.explain_late(origin, address, bytes));
            }
            Place::Straggler(end) => self.carried.push(UndecidedObject {
                start: end.wrapping_sub(bytes.unwrap_or(0)),
                bytes,
                outside: false,
                how: OriginEvidence::Explained,
                origin,
                klass,
            }),
            _ => {
                if let Some(bytes) = bytes {
                    let class = klass.and_then(|klass| self.klasses.get(&klass).copied());
                    self.pending.push(bytes, class, origin);
                }
            }
        }
        None
    }

    /// Explains a straggler's object, if a collection found it.
    fn explain_late(
        &mut self,
        origin: Origin,
        address: u64,
        bytes: Option<u64>,
    ) -> Option<Explained> {
        let object = self.live.get(address)?;
        let units = u64::from(object.units);
        if object.origin.has_site() || bytes.is_some_and(|bytes| bytes != units * 8) {
            return None;
        }
        // It was allocated before the collection that found it.
        let birth = object.origin.birth();
        object.origin = Origin { birth, ..origin }.into();
        self.site_classes.see(origin.site, object.class);
        Some(Explained {
            address,
            site: origin.site,
            thread: origin.thread,
            caller: origin.caller,
            birth,
        })
    }

    fn apply<M: TakesMoves>(
        &mut self,
        collection: &mut Collection,
        survivors: &mut [Survivor],
        facts: &SiteCache,
    ) -> Result<(M, Vec<Explained>), &'static str> {
        let ranges = ascending(&collection.collected);
        put_in_order(survivors)?;
        let mut fates = self.join(&ranges, survivors, collection);
        let unknown = unknown_of(&fates);
        // No event has an address of the old generation.
        let limit = limit_of_events(&ranges);
        let new = ranges.partition_point(|range| range.start < limit);
        let ends = unknown.iter().filter_map(|index| survivors.get(*index));
        let ends = ends.filter(|survivor| survivor.from < limit);
        let index = EndIndex::new(
            ranges.get(..new).unwrap_or_default(),
            ends.map(Survivor::end_before),
        )
        .ok_or("the collected ranges span more than 16 TB")?;
        let mut explained = FxHashMap::default();
        let mut matching = Matching {
            index,
            unknown,
            survivors,
            fates: &mut fates,
            explained: &mut explained,
            site_classes: &mut self.site_classes,
            klasses: &self.klasses,
            kept_sites: &self.kept_sites,
            facts,
            contradictions: 0,
            dead: 0,
        };
        let pieces = self.pieces.take();
        let mut carried = std::mem::take(&mut self.carried);
        carried.retain(|object| decide(object, &mut matching, &mut self.live));
        self.carried = carried;
        for piece in pieces {
            if !matching.scan(&piece, &mut self.carried) {
                self.pieces.put_back(piece);
            }
        }
        let contradictions = matching.contradictions;
        collection.counts.dead += matching.dead + std::mem::take(&mut self.died);
        self.contradictions += contradictions;
        if contradictions > 0 && collection.went_on_beside() {
            return Err(CONTRADICTED);
        }
        self.settle(survivors, &mut fates, &mut explained, collection);
        if collection.kind == CollectionKind::Full {
            self.pending.forget_before(collection.number);
        }
        Ok(self.enter(ranges, survivors, (&fates, &explained), collection))
    }

    /// Takes the mirror's objects in the ranges out and finds them among the survivors.
    fn join(
        &mut self,
        ranges: &[AddressRange],
        survivors: &[Survivor],
        collection: &mut Collection,
    ) -> Vec<Fate<K>> {
        let origin = Origin {
            site: SiteId(0),
            thread: ThreadId(0),
            caller: CallSiteId(0),
            birth: collection.number.saturating_sub(1),
        };
        let found = Fate {
            origin: K::from(origin),
            how: OriginEvidence::Found,
        };
        let mut fates = vec![found; survivors.len()];
        let mut next = survivors.iter().zip(&mut fates).peekable();
        let contradictions = &mut self.contradictions;
        self.live.drain(ranges, |address, object| {
            while next
                .next_if(|(survivor, _)| survivor.from < address)
                .is_some()
            {}
            let Some((survivor, fate)) = next.next_if(|(survivor, _)| survivor.from == address)
            else {
                collection.counts.dead += 1;
                return;
            };
            let same_class = object.class == survivor.class || object.class == CLASS_OF_SITE;
            if object.units == survivor.units && same_class {
                fate.origin = object.origin;
                fate.how = OriginEvidence::Known;
            } else {
                *contradictions += 1;
            }
        });
        fates
    }

    /// Explains found objects with events that have no address.
    fn settle(
        &mut self,
        survivors: &[Survivor],
        fates: &mut [Fate<K>],
        explained: &mut FxHashMap<usize, Origin>,
        collection: &mut Collection,
    ) {
        if self.pending.is_empty() || !self.explains {
            return;
        }
        let site_classes = &self.site_classes;
        self.pending
            .learn(|origin| site_classes.class_of(origin.site));
        let found = survivors.iter().zip(fates.iter()).enumerate();
        let candidates: Vec<Candidate> = found
            .filter(|(_, (survivor, fate))| {
                fate.how == OriginEvidence::Found
                    && self.pending.may_be(survivor.bytes(), survivor.class)
            })
            .map(|(index, (survivor, _))| Candidate {
                survivor: index,
                bytes: survivor.bytes(),
                class: survivor.class,
            })
            .collect();
        let settled = self.pending.settle(&candidates);
        collection.counts.ambiguous += settled.ambiguous;
        for (index, origin) in settled.explained {
            if let Some(fate) = fates.get_mut(index) {
                fate.origin = origin.into();
                fate.how = OriginEvidence::Explained;
                explained.insert(index, origin);
            }
        }
    }

    /// Enters the survivors at their new addresses, and encodes the moves.
    fn enter<M: TakesMoves>(
        &mut self,
        ranges: Vec<AddressRange>,
        survivors: &[Survivor],
        (fates, explained): (&[Fate<K>], &FxHashMap<usize, Origin>),
        collection: &mut Collection,
    ) -> (M, Vec<Explained>) {
        let counts = &mut collection.counts;
        let mut moves = M::default();
        let mut late = Vec::new();
        for (survivor, fate) in survivors.iter().zip(fates) {
            let (from, to, class) = (survivor.from, survivor.to, survivor.class);
            let object = LiveObject::new(to, survivor.units, class, fate.origin);
            self.live.push(to, object);
            let found = (fate.how != OriginEvidence::Known).then_some(class);
            moves.push(MoveRun::one(from, to, survivor.bytes(), found));
            if from == to {
                counts.stayed += 1;
            } else {
                counts.moved += 1;
            }
            counts.survived_bytes += survivor.bytes();
            if found.is_some() {
                counts.found += 1;
                counts.found_bytes += survivor.bytes();
            }
            if fate.how == OriginEvidence::Found {
                late.push((survivor.end_before(), to));
            }
        }
        let to = |index: &usize| survivors.get(*index).map(|survivor| survivor.to);
        let explained = explained.iter().filter_map(|(index, origin)| {
            Some(Explained {
                address: to(index)?,
                site: origin.site,
                thread: origin.thread,
                caller: origin.caller,
                birth: origin.birth,
            })
        });
        let mut explained: Vec<Explained> = explained.collect();
        explained.sort_by_key(|object| object.address);
        counts.explained += explained.len() as u64;
        counts.live = self.live.len();
        counts.live_bytes = self.live.bytes();
        self.suspects
            .follow(&ranges, survivors, &late, &collection.cuts);
        self.late = LateTable::new(ranges, late);
        (moves, explained)
    }

    /// Takes the objects of a part of a synchronization point.
    ///
    /// # Errors
    /// The content does not decode to its end.
    pub fn begin_with(&mut self, content: &[u8]) -> Result<(), FormatError> {
        for object in SyncDecoder::new(content)? {
            let object = object?;
            let origin = Origin {
                site: object.site,
                thread: object.thread,
                caller: object.caller,
                birth: object.birth,
            };
            let units = u32::try_from(object.bytes / 8).unwrap_or(u32::MAX);
            let live = LiveObject::new(object.address, units, object.class, origin.into());
            self.live.push(object.address, live);
        }
        Ok(())
    }
}

pub(crate) fn ascending(ranges: &[AddressRange]) -> Vec<AddressRange> {
    let mut ranges = ranges.to_vec();
    ranges.sort();
    ranges
}

/// Sorts survivors by their old addresses; they must not overlap.
///
/// # Errors
/// They overlap, as a sentence.
pub fn put_in_order(survivors: &mut [Survivor]) -> Result<(), &'static str> {
    if !survivors.is_sorted_by_key(|survivor| survivor.from) {
        survivors.sort_unstable_by_key(|survivor| survivor.from);
    }
    check_survivors(survivors.iter())
}

/// Where addresses end that events may have: with ZGC's generations, a collection that lists both has those of the old one above them.
fn limit_of_events(ranges: &[AddressRange]) -> u64 {
    let is_old = |range: &AddressRange| range.start >= OLD_GENERATION;
    let has_both =
        ranges.first().is_some_and(|range| !is_old(range)) && ranges.last().is_some_and(is_old);
    match has_both {
        true => OLD_GENERATION,
        false => u64::MAX,
    }
}

fn unknown_of<K>(fates: &[Fate<K>]) -> Vec<usize> {
    let found = fates.iter().enumerate();
    let found = found.filter(|(_, fate)| fate.how == OriginEvidence::Found);
    found.map(|(index, _)| index).collect()
}

#[cfg(test)]
mod tests;
