//! Tables that the helper class for events reads, at addresses that are constants in its code.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use ducktrack_hotspot::{Error, Reservation};

use crate::trace::buffers::called_sites::CalledSites;

/// Bytes of the table of classes with known names; a power of two.
const SEEN_BYTES: usize = 64 << 10;

/// The tables. A process has one of each.
pub(crate) struct EventTables {
    pub(crate) seen: SeenClasses,
    pub(crate) called: CalledSites,
    /// The number of collections so far.
    pub(crate) epoch: AtomicU32,
}

/// Stays for good: its addresses are constants in the helper class.
static TABLES: OnceLock<EventTables> = OnceLock::new();

impl EventTables {
    /// The tables, once there are any.
    pub(crate) fn get() -> Option<&'static Self> {
        TABLES.get()
    }

    /// The tables, reset for a new run.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub(crate) fn of_new_run() -> Result<&'static Self, String> {
        if TABLES.get().is_none() {
            let tables = Self::new().map_err(|error| error.to_string())?;
            // Runs start one after another.
            let _ = TABLES.set(tables);
        }
        let tables = TABLES.get().ok_or("no event tables")?;
        tables.clear();
        Ok(tables)
    }

    fn new() -> Result<Self, Error> {
        Ok(Self {
            seen: SeenClasses::new()?,
            called: CalledSites::new()?,
            epoch: AtomicU32::new(0),
        })
    }

    fn clear(&self) {
        self.seen.clear();
        self.called.clear();
        self.epoch.store(0, Ordering::Release);
    }
}

/// The classes whose names the agent knows, by address. The helper class looks here before it calls the agent. Cleared by every collection,
/// which may have unloaded classes and freed their addresses.
pub(crate) struct SeenClasses {
    address: usize,
}

impl SeenClasses {
    fn new() -> Result<Self, Error> {
        let reservation = Reservation::anywhere(SEEN_BYTES)?;
        let address = reservation.address().0;
        let _ = reservation.keep();
        Ok(Self { address })
    }

    pub(crate) fn address(&self) -> usize {
        self.address
    }

    /// The part of a class's hash that gives its place, in bytes.
    pub(crate) const MASK: usize = SEEN_BYTES - 8;

    fn word(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the table is never unmapped, and every offset used here is below its size and a multiple of 8.
        unsafe { &*std::ptr::with_exposed_provenance(self.address + (offset & Self::MASK)) }
    }

    pub(crate) fn insert(&self, klass: usize) {
        self.word(klass ^ klass >> 7)
            .store(klass as u64, Ordering::Release);
    }

    pub(crate) fn clear(&self) {
        for offset in (0..SEEN_BYTES).step_by(8) {
            self.word(offset).store(0, Ordering::Relaxed);
        }
    }
}
