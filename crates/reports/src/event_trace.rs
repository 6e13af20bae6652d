//! Reports on event traces (`mode=trace`) and on streams of exact deaths: what is in one, the heap at a moment, lifetimes, the timeline,
//! costs for the collector, staleness.
//!
//! ```text
//! TraceModel ─┬─ info_report()       ─> InfoReport       ─┐
//!             ├─ heap_report()       ─> HeapReport        │
//!             ├─ lifetimes_report()  ─> LifetimesReport   ├─ Report: text(), json(), csv(), html()
//!             ├─ timeline_report()   ─> TimelineReport    │
//!             ├─ cost_report()       ─> GcReport          │
//!             └─ stale_report()      ─> StaleReport      ─┘
//! ```

mod amounts;
mod block_bars;
mod callers;
pub(crate) mod deaths;
pub(crate) mod duration;
pub(crate) mod gc;
mod head;
pub(crate) mod heap;
mod holder_docs;
mod holder_lines;
pub(crate) mod holders;
pub(crate) mod info;
pub(crate) mod leaks;
pub(crate) mod lifetimes;
pub(crate) mod page;
mod path_fold;
pub(crate) mod place;
mod site_line;
pub(crate) mod stale;
pub(crate) mod text_parts;
pub(crate) mod timeline;

pub(crate) use heap::since_start;

/// The value of the key `version` of all these documents.
pub(crate) const VERSION: u32 = 1;
/// Rows of a text table when the filter does not say.
const DEFAULT_TOP: usize = 20;

/// Ages that fit into a table's column.
const AGES_SHOWN: usize = 16;

/// The name of an entry of a list by collections survived; its last possible entry stands for all beyond, too.
fn survived(entry: usize) -> String {
    if entry >= ducktrack_analyses::Lifetimes::MOST_SURVIVED {
        format!("{entry} or more")
    } else {
        entry.to_string()
    }
}
