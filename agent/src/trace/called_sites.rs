//! One number for a site and its caller, where many events say both: such an event is one word then, where it was three.
//!
//! ```text
//! pipeline     events of a site and a caller in a piece ── added up here, and wanted from [`ENOUGH`] on
//! background   wanted ── number ── fact for the decoder ── record in the trace ── key into the table
//! probe        the key of the note under way and the site at its place in the table? ── the word of that number
//!
//! place        8 bytes: note + 32 * site, as counting files it ([`crate::threads::counter_block`]); 0: free
//! number       [`FIRST_CALLED_SITE`] + which place it is
//! ```
//!
//! The number follows from the place, so a probe reads one word. What falls on a place that another has keeps its three words. Nothing is taken out again.
//! The record is written before the first event that has the number, so the trace of a program that was killed says what it means.

use std::sync::atomic::{AtomicU64, Ordering};

use ducktrack_hotspot::Reservation;
use ducktrack_trace_format::{
    CallSiteId, CalledSite, END_OF_CALLED_SITES, FIRST_CALLED_SITE, SiteId, note,
};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::threads::counter_block::ROW;

/// Bytes of the table (`DuckTrackEvents` knows them too).
const BYTES: usize = (END_OF_CALLED_SITES - FIRST_CALLED_SITE) as usize * size_of::<u64>();

/// Pairs of site and caller seen this often get a number of their own.
const ENOUGH: u32 = 64;

/// As many events as those have of which it is decided.
const DECIDED: u32 = u32::MAX;

/// See the module.
pub(crate) struct CalledSites {
    address: usize,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    events: FxHashMap<(SiteId, CallSiteId), u32>,
    wanted: Vec<(SiteId, CallSiteId)>,
}

impl CalledSites {
    pub(crate) fn new() -> Result<Self, ducktrack_hotspot::Error> {
        let reservation = Reservation::anywhere(BYTES)?;
        let address = reservation.address().0;
        let _ = reservation.keep();
        Ok(Self {
            address,
            seen: Mutex::default(),
        })
    }

    /// Where the table is.
    pub(crate) fn address(&self) -> usize {
        self.address
    }

    /// Events of this site and this caller so far.
    pub(crate) fn said(&self, site: SiteId, caller: CallSiteId, events: u32) {
        let mut seen = self.seen.lock();
        let Seen {
            events: all,
            wanted,
        } = &mut *seen;
        let known = all.entry((site, caller)).or_insert(0);
        if *known == DECIDED {
            return;
        }
        *known = known.saturating_add(events).min(DECIDED - 1);
        if *known >= ENOUGH {
            *known = DECIDED;
            wanted.push((site, caller));
        }
    }

    /// Numbers for what is wanted, as far as there are free places. To be used once the trace says what they mean ([`CalledSites::publish`]); called by
    /// one thread.
    pub(crate) fn number_wanted(&self) -> Vec<CalledSite> {
        let wanted = std::mem::take(&mut self.seen.lock().wanted);
        let mut numbered: Vec<CalledSite> = Vec::new();
        for (site, caller) in wanted {
            let place = place_of(key_of(site, caller));
            let id = SiteId(FIRST_CALLED_SITE + (place / size_of::<u64>()) as u32);
            let is_free = self.word(place).load(Ordering::Relaxed) == 0;
            if is_free && numbered.iter().all(|other| other.id != id) {
                numbered.push(CalledSite { id, site, caller });
            }
        }
        numbered
    }

    /// From now on events have these numbers.
    pub(crate) fn publish(&self, numbered: &[CalledSite]) {
        for called in numbered {
            let key = key_of(called.site, called.caller);
            self.word(place_of(key)).store(key, Ordering::Release);
        }
    }

    /// A new run begins: no number is given.
    pub(crate) fn clear(&self) {
        *self.seen.lock() = Seen::default();
        for place in (0..BYTES).step_by(size_of::<u64>()) {
            // What is not written stays without memory of its own.
            if self.word(place).load(Ordering::Relaxed) != 0 {
                self.word(place).store(0, Ordering::Relaxed);
            }
        }
    }

    fn word(&self, place: usize) -> &AtomicU64 {
        // SAFETY: the table is mapped for good, and the place is below its size and a multiple of 8.
        unsafe {
            &*std::ptr::with_exposed_provenance(self.address + (place & (BYTES - size_of::<u64>())))
        }
    }
}

fn key_of(site: SiteId, caller: CallSiteId) -> u64 {
    note(caller.0) + u64::from(site.0) * ROW as u64
}

/// Where in the table a key is, in bytes.
fn place_of(key: u64) -> usize {
    (key >> 2) as usize & (BYTES - size_of::<u64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_many_events_say_gets_one_number() {
        let called = CalledSites::new().expect("memory");
        let (site, caller) = (SiteId(40), CallSiteId(7));
        called.said(site, caller, ENOUGH - 1);
        assert!(called.number_wanted().is_empty());
        called.said(site, caller, 1);
        let numbered = called.number_wanted();
        assert!(matches!(numbered[..], [number] if (number.site, number.caller) == (site, caller)));
        let place = place_of(key_of(site, caller));
        assert_eq!(called.word(place).load(Ordering::Relaxed), 0);
        called.publish(&numbered);
        let key = called.word(place).load(Ordering::Relaxed);
        assert_eq!((key >> 32, key), (7, key_of(site, caller)));
        called.said(site, caller, ENOUGH);
        assert!(called.number_wanted().is_empty(), "it has one");
    }

    #[test]
    fn no_number_stands_for_two() {
        let called = CalledSites::new().expect("memory");
        let mut seen = FxHashMap::default();
        let mut kept = 0;
        for round in 0..4 {
            for caller in 1..200 {
                for site in 0..20 {
                    called.said(SiteId(16 + round * 20 + site), CallSiteId(caller), ENOUGH);
                }
            }
            let numbered = called.number_wanted();
            called.publish(&numbered);
            for number in &numbered {
                assert!((FIRST_CALLED_SITE..END_OF_CALLED_SITES).contains(&number.id.0));
                assert!(seen.insert(number.id, *number).is_none(), "{number:?}");
            }
            kept += numbered.len();
        }
        // Most of these find a place.
        assert!(kept > 10_000, "{kept}");
    }
}
