//! The search for the events of survivors that the mirror did not know.

use ducktrack_trace_format::{Allocation, Event, EventBlock, EventDecoder, HeapClassId, Place};

use super::chunks::Chunks;
use super::end_index::{AtEnd, EndIndex};
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
        piece: &[u8],
        facts: &SiteCache,
        carried: &mut Vec<Carried>,
    ) -> bool {
        let Ok(block) = EventBlock::decode(piece) else {
            return true;
        };
        let (thread, birth) = (block.header.thread, block.header.epoch);
        let carried_before = carried.len();
        let mut decided = 0_u64;
        // What did not decode was reported when the piece came.
        let _ = EventDecoder::new(facts).decode(&block, |event| {
            let Event::Allocation(Allocation {
                site,
                klass: _,
                bytes,
                place: Place::End(end),
                ..
            }) = event
            else {
                return;
            };
            match self.index.look_up(end) {
                AtEnd::NoSurvivor => {
                    decided += 1;
                    self.dead += 1;
                }
                AtEnd::Survivor(number) => {
                    decided += 1;
                    let origin = Origin {
                        site,
                        thread,
                        birth,
                    };
                    self.claim(number, bytes, origin, How::Known);
                }
                AtEnd::NotCollected => carried.push(Carried {
                    start: end.wrapping_sub(bytes.unwrap_or(0)),
                    bytes,
                    outside: false,
                    how: How::Known,
                    origin: Origin {
                        site,
                        thread,
                        birth,
                    },
                    class: None,
                }),
            }
        });
        let is_decided = decided > 0 || carried.len() == carried_before;
        if !is_decided {
            carried.truncate(carried_before);
        }
        is_decided
    }
}

/// Decides about a carried object; false: it was collected, or is entered now.
pub(crate) fn decide(object: &Carried, matching: &mut Matching<'_>, live: &mut Chunks) -> bool {
    if object.outside && object.bytes.is_none() {
        return !decide_by_start(object, matching);
    }
    let end = object.start.wrapping_add(object.bytes.unwrap_or(0));
    match matching.index.look_up(end) {
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
