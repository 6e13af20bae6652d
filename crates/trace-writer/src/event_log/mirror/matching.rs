//! The search for the events of survivors that the mirror did not know.

use ducktrack_trace_format::{HeapClassId, SiteFacts, ThreadId};

use super::chunks::Chunks;
use super::end_index::{AtEnd, EndIndex};
use super::kept_pieces::{KeptPiece, Neighbours};
use super::site_classes::SiteClasses;
use super::{CLASS_OF_SITE, Origin};
use crate::event_log::Survivor;
use crate::event_log::site_cache::SiteCache;

/// How the origin of a survivor is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// It is not: no event explains the object.
    Found,
    /// From the mirror or from an event with address and size; a reader of the trace knows the same.
    Known,
    /// From what only the writer can put together.
    Explained,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Fate {
    pub(crate) origin: Origin,
    pub(crate) how: How,
}

/// An object with an event and an address that no collection has decided about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carried {
    pub(crate) start: u64,
    /// `None`: not known, `start` is the end then if the object is in a thread-local buffer.
    pub(crate) bytes: Option<u64>,
    /// It is outside of thread-local buffers: it may lie where collections seldom come.
    pub(crate) outside: bool,
    /// The reader can do the same.
    pub(crate) how: How,
    pub(crate) origin: Origin,
    pub(crate) class: Option<HeapClassId>,
}

/// The search for the events of unknown survivors.
pub(crate) struct Matching<'a> {
    pub(crate) index: EndIndex,
    /// Numbers in the index to numbers of survivors.
    pub(crate) unknown: Vec<usize>,
    pub(crate) survivors: &'a [Survivor],
    pub(crate) fates: &'a mut [Fate],
    pub(crate) site_classes: &'a mut SiteClasses,
    pub(crate) contradictions: u64,
    pub(crate) dead: u64,
}

impl Matching<'_> {
    /// Is this unknown survivor of another class than an event said of its object? Then that was eliminated, and the survivor is the VM's own, of the
    /// same size by chance.
    fn is_another(&self, number: usize, class: Option<HeapClassId>) -> bool {
        let survivor = self.unknown.get(number).copied();
        let survivor = survivor.and_then(|index| self.survivors.get(index));
        survivor
            .zip(class)
            .is_some_and(|(survivor, class)| survivor.class != class)
    }

    /// The object of an event behind a gap seems to be this unknown survivor. If that has another size, the JIT eliminated the event's object, and all
    /// that moved the top was the gap: the survivor is the VM's own.
    #[cold]
    fn claim_behind_gap(&mut self, number: usize, bytes: Option<u64>, origin: Origin) {
        let survivor = self.unknown.get(number).copied();
        let survivor = survivor.and_then(|index| self.survivors.get(index));
        let fits = |bytes| survivor.is_some_and(|survivor| survivor.bytes() == bytes);
        if bytes.is_none_or(fits) {
            self.claim(number, bytes, origin, How::Known);
        }
    }

    /// An event's object was this unknown survivor.
    #[cold]
    fn claim(&mut self, number: usize, bytes: Option<u64>, origin: Origin, how: How) {
        let survivor = self.unknown.get(number).copied();
        let Some((survivor, fate)) = survivor
            .and_then(|index| Some((self.survivors.get(index)?, self.fates.get_mut(index)?)))
        else {
            return;
        };
        let fits = bytes.is_none_or(|bytes| bytes == survivor.bytes());
        if fits && self.site_classes.is_foreign(origin.site, survivor.class) {
            return;
        }
        if !fits || fate.how != How::Found {
            self.contradictions += 1;
            return;
        }
        fate.origin = origin;
        fate.how = if bytes.is_some() { how } else { How::Explained };
        self.site_classes.see(origin.site, survivor.class);
    }

    /// Looks for the survivors of a piece. False: no object of it was in a collected range, the piece must be kept.
    pub(crate) fn scan(
        &mut self,
        piece: &KeptPiece,
        facts: &SiteCache,
        carried: &mut Vec<Carried>,
    ) -> bool {
        let mut scan = Scan {
            thread: piece.thread,
            birth: piece.epoch,
            decided: 0,
            behind_gap: true,
            elsewhere: Vec::new(),
        };
        piece.for_each_stretch(|stretch| {
            scan.behind_gap = true;
            for part in stretch.parts(PART) {
                if self.index.is_dead(part.start, part.end()) {
                    scan.decided += part.len();
                    self.dead += part.len();
                } else {
                    self.scan_part(piece, part, facts, &mut scan);
                }
                scan.behind_gap = false;
            }
        });
        let is_decided = scan.decided > 0 || scan.elsewhere.is_empty();
        if is_decided {
            carried.append(&mut scan.elsewhere);
        }
        is_decided
    }

    fn scan_part(
        &mut self,
        piece: &KeptPiece,
        part: Neighbours<'_>,
        facts: &SiteCache,
        scan: &mut Scan,
    ) {
        for object in part.objects() {
            let behind_gap = std::mem::take(&mut scan.behind_gap);
            let at_end = self.index.look_up(object.end);
            if at_end == AtEnd::NoSurvivor {
                scan.decided += 1;
                self.dead += 1;
                continue;
            }
            let fixed = || facts.fixed_bytes(object.site).map(u64::from);
            let bytes = object.bytes.or_else(fixed);
            let origin = Origin {
                site: object.site,
                thread: scan.thread,
                birth: scan.birth,
            };
            if let AtEnd::Survivor(number) = at_end {
                scan.decided += 1;
                if self.is_another(number, piece.class_of(&object)) {
                    continue;
                }
                if behind_gap {
                    self.claim_behind_gap(number, bytes, origin);
                } else {
                    self.claim(number, bytes, origin, How::Known);
                }
            } else {
                scan.elsewhere.push(Carried {
                    start: object.end.wrapping_sub(bytes.unwrap_or(0)),
                    bytes,
                    outside: false,
                    how: How::Known,
                    origin,
                    class: piece.class_of(&object),
                });
            }
        }
    }
}

/// So many objects at once are found to be dead, or looked at.
const PART: usize = 32;

/// The search through one piece.
struct Scan {
    thread: ThreadId,
    birth: u32,
    decided: u64,
    /// The next object is the first of a stretch: what lies before it is no object of an event.
    behind_gap: bool,
    /// Objects that were not collected.
    elsewhere: Vec<Carried>,
}

/// Decides about a carried object; false: it was collected, or is entered now.
pub(crate) fn decide(object: &Carried, matching: &mut Matching<'_>, live: &mut Chunks) -> bool {
    if object.outside && object.bytes.is_none() {
        return !decide_by_start(object, matching);
    }
    let end = object.start.wrapping_add(object.bytes.unwrap_or(0));
    match matching.index.look_up(end) {
        AtEnd::Survivor(number) if matching.is_another(number, object.class) => {}
        AtEnd::Survivor(number) => matching.claim(number, object.bytes, object.origin, object.how),
        AtEnd::NoSurvivor => matching.dead += 1,
        // A huge object ends behind the range that it starts in.
        AtEnd::NotCollected if object.outside && matching.index.is_collected(object.start) => {
            matching.dead += 1;
        }
        AtEnd::NotCollected => {
            let units = object.bytes.and_then(|bytes| u32::try_from(bytes / 8).ok());
            let Some(units) = units.filter(|_| object.outside) else {
                return true;
            };
            let class = object.class.unwrap_or(CLASS_OF_SITE);
            live.insert(object.start, units, class, object.origin);
            return false;
        }
    }
    false
}

/// The same where only the start is known; true: it is decided.
fn decide_by_start(object: &Carried, matching: &mut Matching<'_>) -> bool {
    if !matching.index.is_collected(object.start) {
        return false;
    }
    let survivors = matching.survivors;
    let from = |index: &usize| survivors.get(*index).map_or(0, |survivor| survivor.from);
    match matching.unknown.binary_search_by_key(&object.start, from) {
        Ok(number) => matching.claim(number, None, object.origin, How::Explained),
        Err(_) => matching.dead += 1,
    }
    true
}
