//! The input of exporters, from a view.

use std::borrow::Cow;

use ducktrack_count_model::{OffHeapRow, Tally};
use ducktrack_exports::Export;
use ducktrack_profile::Profile;
use ducktrack_reports::View;

use crate::live_sites::LiveSites;

/// The stacks of a view, and those that made memory outside of the heap.
pub(super) struct Exported<'a> {
    view: &'a View,
    stacks: Cow<'a, Profile>,
    live: Option<Vec<Tally>>,
    off_heap: Vec<Tally>,
}

impl<'a> Exported<'a> {
    pub(super) fn of(view: &'a View, off_heap: &[OffHeapRow], live: Option<&LiveSites>) -> Self {
        let live = live.map(|live| view.stacks.live_rows(live));
        let (stacks, off_heap) = match off_heap.is_empty() {
            true => (Cow::Borrowed(&view.stacks), Vec::new()),
            false => {
                let (stacks, off_heap) = view.stacks.with_off_heap(off_heap);
                (Cow::Owned(stacks), off_heap)
            }
        };
        Self {
            view,
            stacks,
            live,
            off_heap,
        }
    }

    /// The whole time of the view.
    pub(super) fn export(&self) -> Export<'_> {
        let has_off_heap = self.off_heap.iter().any(|tally| tally.bytes > 0);
        let run = &self.view.run;
        Export {
            profile: &self.stacks,
            live: self.live.as_deref(),
            off_heap: has_off_heap.then_some(self.off_heap.as_slice()),
            name: &run.command,
            pid: run.pid,
            start_unix_millis: run.start_unix_millis,
            duration_millis: self.view.duration_millis().unwrap_or(0),
        }
    }
}
