//! The sites of event recordings that have ended: running frames may still use their probes.

use parking_lot::Mutex;

use crate::core::registry::{Registry, SiteInfo};

static SITES: Mutex<Vec<(u32, SiteInfo)>> = Mutex::new(Vec::new());

/// Defines them in the registry of another recording.
pub(super) fn define(registry: &Registry) {
    registry.define_earlier(&SITES.lock());
}

/// Keeps the sites of a recording that has ended.
pub(super) fn keep(registry: &Registry) {
    SITES.lock().extend(registry.take_sites());
}
