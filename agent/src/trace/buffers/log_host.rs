//! The agent's services for the event log.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ducktrack_hotspot::{block_signals, give_way};
use ducktrack_trace_format::{CallSiteId, SiteId};
use ducktrack_trace_writer::EventHost;

use crate::core::Core;
use crate::trace::buffers::event_tables::EventTables;

/// The log's access to the run that it belongs to.
pub(crate) struct LogHost {
    pub(crate) core: &'static Core,
    pub(crate) tables: &'static EventTables,
    pub(crate) collection_wanted: Arc<AtomicBool>,
    pub(crate) whole_heap_wanted: Arc<AtomicBool>,
}

impl EventHost for LogHost {
    fn want_collection(&self) {
        self.collection_wanted.store(true, Ordering::Release);
        self.core.wake.wake();
    }

    fn want_whole_heap(&self) {
        self.whole_heap_wanted.store(true, Ordering::Release);
        self.core.wake.wake();
    }

    fn called(&self, site: SiteId, caller: CallSiteId, events: u32) {
        self.tables.called.count_events(site, caller, events);
    }

    fn secure_definitions(&self) {
        self.core.secure_definitions();
    }

    fn say(&self, line: &str) {
        self.core.log.error(line);
    }

    fn spawn(&self, name: &str, body: Box<dyn FnOnce() + Send>) -> std::io::Result<()> {
        let thread = std::thread::Builder::new().name(name.to_owned());
        let quiet = move || {
            block_signals();
            give_way();
            body();
        };
        thread.spawn(quiet).map(drop)
    }
}
