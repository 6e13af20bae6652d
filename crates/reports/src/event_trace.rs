//! Reports on event traces (`mode=trace`): what is in one, the heap at a moment, lifetimes, the timeline, growth.
//!
//! ```text
//! TraceModel ─┬─ info_report()       ─> InfoReport       ─┐
//!             ├─ heap_report()       ─> HeapReport        │
//!             ├─ lifetimes_report()  ─> LifetimesReport   ├─ EventReport: text(), json(), csv(), html()
//!             ├─ timeline_report()   ─> TimelineReport    │
//!             └─ growth_report()     ─> GrowthReport     ─┘
//! ```
//!
//! A report *is* its JSON document (`JSON.md` names every key): names resolved, filter applied, rows sorted and cut. Text
//! and page show nothing that is not in it.

mod amounts;
mod block_bars;
mod callers;
mod columns;
mod csv_rows;
mod document_lines;
mod growth;
mod head;
mod heap;
mod info;
mod lifetimes;
mod page;
mod place;
mod text_parts;
mod timeline;

pub use growth::{
    GrowthReport, GrowthRowDoc, GrowthSiteDoc, GrowthTypeDoc, VerdictsDoc, growth_report,
};
pub use head::{KnowledgeDoc, RowsDoc, TraceHead};
pub use heap::{HeapPartDoc, HeapReport, HeapSiteDoc, QualityDoc, SpaceDoc, heap_report};
pub use info::{
    CollectionsDoc, CompressionDoc, EventFileDoc, InfoReport, LostDoc, QualitiesDoc, RotationDoc,
    info_report,
};
pub use lifetimes::{
    LifetimeContextDoc, LifetimeDoc, LifetimeSiteDoc, LifetimesReport, lifetimes_report,
};
pub use place::PlaceDoc;
pub use timeline::{
    CollectionDoc, LayerDoc, MomentDoc, SiteLayerDoc, SpaceUseDoc, TimelineReport,
    TimelineTotalsDoc, TypeLayerDoc, timeline_report,
};

use crate::error::ReportError;

/// The value of the key `version` of all these documents.
pub(crate) const VERSION: u32 = 1;
/// Rows of a text table when the filter does not say.
const DEFAULT_TOP: usize = 20;

/// A report in every form.
pub trait EventReport {
    /// For a terminal.
    fn text(&self) -> String;
    /// For programs: one key per line, and one element of every list per line.
    ///
    /// # Errors
    /// Fails only where a value has no JSON form; none of these has.
    fn json(&self) -> Result<String, ReportError>;
    /// For spreadsheets: the report's main table (RFC 4180).
    fn csv(&self) -> String;
    /// One self-contained page with charts.
    ///
    /// # Errors
    /// Fails only where a value has no JSON form; none of these has.
    fn html(&self) -> Result<String, ReportError>;
}

/// Ages that fit into a table's column.
const AGES_SHOWN: usize = 16;

/// The name of an entry of a list by collections survived; its last possible entry stands for all beyond, too.
fn survived(entry: usize) -> String {
    if entry >= ducktrack_heap_model::Lifetimes::MOST_SURVIVED {
        format!("{entry} or more")
    } else {
        entry.to_string()
    }
}

/// A rate with its sign, one digit behind the point only where the number is small: `+1,234`, `-0.3`, `0`.
fn signed_rate(rate: f64) -> String {
    let rounded = rate.round();
    if rounded.abs() >= 100.0 {
        // Within i64 for all sizes that a heap can have.
        return crate::quantity::grouped_signed(rounded as i64);
    }
    match rate {
        rate if rate.abs() < 0.05 => "0".to_owned(),
        rate => format!("{rate:+.1}"),
    }
}
