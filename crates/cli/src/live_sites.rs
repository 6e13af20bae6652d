//! The live objects of each site at the end of a trace with events.

use std::path::Path;

use anyhow::Result;
use ducktrack_analyses::HeapMoments;
use ducktrack_count_model::{SiteIndex, Tally};
use ducktrack_heap_replay::Moment;
use ducktrack_trace_reader::EventFiles;
use rustc_hash::FxHashMap;

use crate::trace_loading::load_trace;

/// Live objects and bytes by site.
pub(crate) type LiveSites = FxHashMap<SiteIndex, Tally>;

/// The live objects at the end; `None` where the trace has no events, or the heap is not known.
pub(crate) fn at_end(path: &Path) -> Result<Option<LiveSites>> {
    if EventFiles::open(path)?.files().is_empty() {
        return Ok(None);
    }
    let (_, heaps) = load_trace(path, HeapMoments::new(vec![Moment::End]))?;
    let Some(Some(heap)) = heaps.first() else {
        return Ok(None);
    };
    let mut live = LiveSites::default();
    for site in &heap.sites {
        if let Some(index) = site.site {
            let sum = live.entry(index).or_default();
            *sum += Tally {
                count: i64::try_from(site.live.count).unwrap_or(i64::MAX),
                bytes: i64::try_from(site.live.bytes).unwrap_or(i64::MAX),
            };
        }
    }
    Ok(Some(live))
}
