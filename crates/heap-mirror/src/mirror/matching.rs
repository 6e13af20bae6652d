//! Finds the events of survivors that the mirror did not know.

use ducktrack_trace_format::{HeapClassId, SiteFacts};
use rustc_hash::FxHashMap;

use super::end_index::{AtEnd, EndIndex};
use super::site_classes::SiteClasses;
use crate::kept_pieces::{KeptObject, KeptPiece, Neighbours};
use crate::kept_site::KeptSites;
use crate::origin::{CLASS_OF_SITE, Kept, LiveObject, LiveObjects, Origin};
use crate::site_cache::SiteCache;
use ducktrack_trace_format::Survivor;

/// How the origin of a survivor is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OriginEvidence {
    /// Not at all: no event explains the object.
    Found,
    /// From the mirror, or from an event with address and size; a reader of the trace knows it too.
    Known,
    /// From information that only the writer can combine.
    Explained,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Fate<K> {
    pub(crate) origin: K,
    pub(crate) how: OriginEvidence,
}

/// An object with an event and an address whose fate no collection has decided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UndecidedObject {
    pub(crate) start: u64,
    /// `None` if unknown; then `start` is the end address, provided the object is in a thread-local buffer.
    pub(crate) bytes: Option<u64>,
    /// It is outside of thread-local buffers, perhaps in memory that is rarely collected.
    pub(crate) outside: bool,
    /// Whether a reader can work the origin out as well.
    pub(crate) how: OriginEvidence,
    pub(crate) origin: Origin,
    /// The class that the event stated, by its address in the VM.
    pub(crate) klass: Option<u64>,
}

/// What an event states of an object that ended where a survivor did.
struct EventClaim {
    bytes: Option<u64>,
    class: Option<HeapClassId>,
    /// No object with an event lies directly before it.
    after_gap: bool,
    origin: Origin,
    how: OriginEvidence,
}

impl EventClaim {
    /// Whether this object was eliminated, and the survivor is an object that the VM itself allocated there (which moved the top). So it is
    /// if the survivor differs from the claim:
    ///
    /// | differs in | |
    /// |---|---|
    /// | the class that the event states | always |
    /// | the size | only after a gap, which then has the room; elsewhere it is a contradiction |
    /// | the size, which is smaller, and the class that the site's bytecode names | always: the VM made several objects, together as large as the event's |
    /// | the class that the site's bytecode names, or that all the site's objects had so far | when the sizes are equal by chance |
    fn was_eliminated(&self, survivor: &Survivor, sites: (&mut SiteClasses, &SiteCache)) -> bool {
        let (site_classes, facts) = sites;
        if self.class.is_some_and(|class| class != survivor.class) {
            return true;
        }
        let (site, class) = (self.origin.site, survivor.class);
        match self.bytes {
            Some(bytes) if bytes != survivor.bytes() => {
                let is_smaller = survivor.bytes() < bytes;
                self.after_gap || is_smaller && site_classes.has_another_name(site, class, facts)
            }
            _ => site_classes.is_foreign(site, class, facts),
        }
    }
}

/// Classes by their addresses in the VM.
pub(crate) type Klasses = FxHashMap<u64, HeapClassId>;

/// The class at an address, if it is known.
pub(crate) fn class_at(klasses: &Klasses, klass: Option<u64>) -> Option<HeapClassId> {
    klasses.get(&klass?).copied()
}

/// The state of the search for the events of unknown survivors.
pub(crate) struct Matching<'a, K> {
    pub(crate) index: EndIndex,
    /// From numbers in the index to numbers of survivors.
    pub(crate) unknown: Vec<usize>,
    pub(crate) survivors: &'a [Survivor],
    pub(crate) fates: &'a mut [Fate<K>],
    /// Survivors by index that an event explains, with their origins.
    pub(crate) explained: &'a mut FxHashMap<usize, Origin>,
    pub(crate) site_classes: &'a mut SiteClasses,
    pub(crate) klasses: &'a Klasses,
    pub(crate) kept_sites: &'a KeptSites,
    pub(crate) facts: &'a SiteCache,
    pub(crate) contradictions: u64,
    pub(crate) dead: u64,
}

impl<K: Kept> Matching<'_, K> {
    /// Applies the claim of an event whose object seems to be this unknown survivor.
    #[cold]
    fn claim(&mut self, number: usize, object: &EventClaim) {
        let Some(index) = self.unknown.get(number).copied() else {
            return;
        };
        let Some((survivor, fate)) = self.survivors.get(index).zip(self.fates.get_mut(index))
        else {
            return;
        };
        if object.was_eliminated(survivor, (&mut *self.site_classes, self.facts)) {
            return;
        }
        let fits = object.bytes.is_none_or(|bytes| bytes == survivor.bytes());
        if !fits || fate.how != OriginEvidence::Found {
            self.contradictions += 1;
            return;
        }
        fate.origin = object.origin.into();
        fate.how = match object.bytes {
            Some(_) => object.how,
            None => OriginEvidence::Explained,
        };
        if fate.how == OriginEvidence::Explained {
            self.explained.insert(index, object.origin);
        }
        self.site_classes.see(object.origin.site, survivor.class);
    }

    /// Looks for the survivors of a piece. False if none of its objects was in a collected range: the piece must be
    /// kept.
    pub(crate) fn scan(&mut self, piece: &KeptPiece, carried: &mut Vec<UndecidedObject>) -> bool {
        let mut scan = Scan {
            piece,
            klasses: self.klasses,
            kept_sites: self.kept_sites,
            facts: self.facts,
            begin: 0,
            decided: 0,
            elsewhere: Vec::new(),
        };
        piece.for_each_stretch(|stretch| {
            scan.begin = stretch.first;
            for part in stretch.parts() {
                if self.index.is_dead(part.start, part.end) {
                    scan.decided += part.len();
                    self.dead += part.len();
                } else {
                    self.scan_part(part, &mut scan);
                }
            }
        });
        let is_decided = scan.decided > 0 || scan.elsewhere.is_empty();
        if is_decided {
            carried.append(&mut scan.elsewhere);
        }
        is_decided
    }

    fn scan_part(&mut self, part: Neighbours<'_>, scan: &mut Scan<'_>) {
        for object in part.objects() {
            match self.index.look_up(object.end) {
                AtEnd::NoSurvivor => {
                    scan.decided += 1;
                    self.dead += 1;
                }
                AtEnd::Survivor(number) => {
                    scan.decided += 1;
                    self.claim(number, &scan.claimed(&object));
                }
                AtEnd::NotCollected => {
                    let claimed = scan.claimed(&object);
                    scan.elsewhere.push(UndecidedObject {
                        start: object.end.wrapping_sub(claimed.bytes.unwrap_or(0)),
                        bytes: claimed.bytes,
                        outside: false,
                        how: claimed.how,
                        origin: claimed.origin,
                        klass: scan.piece.klass_of(&object),
                    });
                }
            }
        }
    }
}

/// The search through one piece.
struct Scan<'a> {
    piece: &'a KeptPiece,
    klasses: &'a Klasses,
    kept_sites: &'a KeptSites,
    facts: &'a SiteCache,
    /// Index of the first object of the stretch.
    begin: u32,
    decided: u64,
    /// Objects outside of the collected ranges.
    elsewhere: Vec<UndecidedObject>,
}

impl Scan<'_> {
    fn claimed(&self, object: &KeptObject) -> EventClaim {
        let (site, caller) = self.kept_sites.resolve(object.site, self.facts);
        let fixed = || self.facts.fixed_bytes(site).map(u64::from);
        EventClaim {
            bytes: object.bytes.or_else(fixed),
            class: class_at(self.klasses, self.piece.klass_of(object)),
            after_gap: object.index == self.begin,
            origin: Origin {
                site,
                thread: self.piece.thread,
                caller,
                birth: self.piece.epoch,
            },
            how: OriginEvidence::Known,
        }
    }
}

impl UndecidedObject {
    fn claimed(&self, how: OriginEvidence, klasses: &Klasses) -> EventClaim {
        EventClaim {
            bytes: self.bytes,
            class: class_at(klasses, self.klass),
            after_gap: false,
            origin: self.origin,
            how,
        }
    }
}

/// Decides a carried object. False: it is settled, because it was collected or is entered now.
pub(crate) fn decide<K: Kept>(
    object: &UndecidedObject,
    matching: &mut Matching<'_, K>,
    live: &mut LiveObjects<K>,
) -> bool {
    if object.outside && object.bytes.is_none() {
        return !decide_by_start(object, matching);
    }
    let end = object.start.wrapping_add(object.bytes.unwrap_or(0));
    match matching.index.look_up(end) {
        AtEnd::Survivor(number) => {
            matching.claim(number, &object.claimed(object.how, matching.klasses));
        }
        AtEnd::NoSurvivor => matching.dead += 1,
        // A huge object ends after the range in which it begins.
        AtEnd::NotCollected if object.outside && matching.index.is_collected(object.start) => {
            matching.dead += 1;
        }
        AtEnd::NotCollected => {
            let units = object.bytes.and_then(|bytes| u32::try_from(bytes / 8).ok());
            let Some(units) = units.filter(|_| object.outside) else {
                return true;
            };
            let class = class_at(matching.klasses, object.klass).unwrap_or(CLASS_OF_SITE);
            let entered = LiveObject::new(object.start, units, class, object.origin.into());
            live.push(object.start, entered);
            return false;
        }
    }
    false
}

/// Decides an object of which only the start is known; true if it is settled.
fn decide_by_start<K: Kept>(object: &UndecidedObject, matching: &mut Matching<'_, K>) -> bool {
    if !matching.index.is_collected(object.start) {
        return false;
    }
    let survivors = matching.survivors;
    let from = |index: &usize| survivors.get(*index).map_or(0, |survivor| survivor.from);
    match matching.unknown.binary_search_by_key(&object.start, from) {
        Ok(number) => {
            matching.claim(
                number,
                &object.claimed(OriginEvidence::Explained, matching.klasses),
            );
        }
        Err(_) => matching.dead += 1,
    }
    true
}
