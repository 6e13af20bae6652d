//! Numbers for frequent pairs of site and caller, so that their events take one word instead of three.
//!
//! ```text
//! pipeline     counts events per site and caller; the pair is wanted from [`ENOUGH`] on
//! background   wanted pair ── number ── fact for the decoder ── record in the trace ── key into the table
//! probe        if the table has the key of the current note and site at its place ── one word with that number
//!
//! place        8 bytes: note + 32 * site, as in a block's keyed table ([`crate::threads::counter_block`]); 0: free
//! number       [`FIRST_CALLED_SITE`] + index of the place
//! ```
//!
//! The number follows from the place, so a probe reads one word. A pair whose place is taken keeps its three words. Entries are never
//! removed. The record is written before the first event with the number, so the trace of a killed program explains it.

use std::sync::atomic::{AtomicU64, Ordering};

use ducktrack_hotspot::Reservation;
use ducktrack_trace_format::{
    CallSiteId, CalledSite, END_OF_CALLED_SITES, FIRST_CALLED_SITE, SiteId, note,
};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::threads::counter_block::ROW;

/// Bytes of the table. `DuckTrackEvents` has the same constant.
const BYTES: usize = (END_OF_CALLED_SITES - FIRST_CALLED_SITE) as usize * size_of::<u64>();

/// Pairs of site and caller seen this often get a number of their own.
const ENOUGH: u32 = 64;

/// Sentinel: this pair is already queued.
const DECIDED: u32 = u32::MAX;

/// The numbered pairs of site and caller.
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

    /// Address of the table.
    pub(crate) fn address(&self) -> usize {
        self.address
    }

    /// Counts events of this site and caller.
    pub(crate) fn count_events(&self, site: SiteId, caller: CallSiteId, events: u32) {
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

    /// Assigns numbers to the wanted pairs that have free places. They must be used only after the trace defines them
    /// ([`CalledSites::publish`]). Called on one thread.
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

    /// Lets events use these numbers.
    pub(crate) fn publish(&self, numbered: &[CalledSite]) {
        for called in numbered {
            let key = key_of(called.site, called.caller);
            self.word(place_of(key)).store(key, Ordering::Release);
        }
    }

    /// Removes all numbers, for a new run.
    pub(crate) fn clear(&self) {
        *self.seen.lock() = Seen::default();
        for place in (0..BYTES).step_by(size_of::<u64>()) {
            // Pages that are not written take no memory.
            if self.word(place).load(Ordering::Relaxed) != 0 {
                self.word(place).store(0, Ordering::Relaxed);
            }
        }
    }

    fn word(&self, place: usize) -> &AtomicU64 {
        // SAFETY: the table is never unmapped, and the place is below its size and a multiple of 8.
        unsafe {
            &*std::ptr::with_exposed_provenance(self.address + (place & (BYTES - size_of::<u64>())))
        }
    }
}

fn key_of(site: SiteId, caller: CallSiteId) -> u64 {
    note(caller.0) + u64::from(site.0) * ROW as u64
}

/// Byte offset of a key's place in the table.
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
        called.count_events(site, caller, ENOUGH - 1);
        assert!(called.number_wanted().is_empty());
        called.count_events(site, caller, 1);
        let numbered = called.number_wanted();
        assert!(matches!(numbered[..], [number] if (number.site, number.caller) == (site, caller)));
        let place = place_of(key_of(site, caller));
        assert_eq!(called.word(place).load(Ordering::Relaxed), 0);
        called.publish(&numbered);
        let key = called.word(place).load(Ordering::Relaxed);
        assert_eq!((key >> 32, key), (7, key_of(site, caller)));
        called.count_events(site, caller, ENOUGH);
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
                    called.count_events(SiteId(16 + round * 20 + site), CallSiteId(caller), ENOUGH);
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
