//! Reports on event traces (`mode=trace`) and on streams of exact deaths: what is in one, the heap at a moment, lifetimes, the timeline, growth,
//! costs for the collector, staleness.
//!
//! ```text
//! TraceModel ─┬─ info_report()       ─> InfoReport       ─┐
//!             ├─ heap_report()       ─> HeapReport        │
//!             ├─ lifetimes_report()  ─> LifetimesReport   ├─ EventReport: text(), json(), csv(), html()
//!             ├─ timeline_report()   ─> TimelineReport    │
//!             ├─ growth_report()     ─> GrowthReport      │
//!             ├─ gc_report()         ─> GcReport          │
//!             └─ stale_report()      ─> StaleReport      ─┘
//! ```
//!
//! A report *is* its JSON document (`JSON.md` names every key): names resolved, filter applied, rows sorted and cut. Text
//! and page show nothing that is not in it.

mod amounts;
mod block_bars;
mod callers;
mod columns;
mod csv_rows;
mod deaths;
mod document_lines;
mod gc;
mod growth;
mod head;
mod heap;
mod holder_docs;
mod holder_lines;
mod holders;
mod info;
mod leaks;
mod lifetimes;
mod page;
mod place;
mod stale;
mod text_lines;
mod text_parts;
mod timeline;

pub use csv_rows::csv_line;
pub use deaths::{
    CallerDeathsDoc, ContradictionDoc, DeathClocksDoc, DeathSpansDoc, DeathsReport, DeathsRequest,
    DemographicsDoc, DistancesDoc, EventCountsDoc, GroupsDoc, LivesDoc, ObjectPlace, OnClocksDoc,
    PlaceNameDoc, QuantilesDoc, ShapeDoc, SiteDeathsDoc, SurvivalDoc, TypeDeathsDoc, deaths_report,
    place_of,
};
pub(crate) use document_lines::lines;
pub use gc::{
    Change, GcContextDoc, GcCostDoc, GcReport, GcSiteDoc, GcTypeDoc, PauseKindDoc,
    UnknownPausesDoc, WhatIfDoc, WithoutDoc, cost_report, gc_report,
};
pub use growth::{
    GroupDoc, GroupSiteDoc, GrowthReport, GrowthRowDoc, GrowthSiteDoc, GrowthTypeDoc, OldSpaceDoc,
    VerdictsDoc, WindowDoc, WindowGrowthDoc, growth_report,
};
pub use head::{KnowledgeDoc, RowsDoc, TraceHead};
pub(crate) use heap::since_start;
pub use heap::{HeapPartDoc, HeapReport, HeapSiteDoc, QualityDoc, SpaceDoc, heap_report};
pub use holder_docs::{HolderPathDoc, HoldingDoc, MadeDoc, RootDoc, StepDoc};
pub use holders::{
    DominatorDoc, HolderSelection, HoldersReport, HoldingContextDoc, HoldingSiteDoc,
    HoldingTypeDoc, JoinDoc, SelectedDoc, TypeCountDoc, holders_report,
};
pub use info::{
    CollectionsDoc, CompleteDoc, CompressionDoc, EventFileDoc, InfoReport, LostDoc, QualitiesDoc,
    RotationDoc, info_report,
};
pub use leaks::{CandidateDoc, LeakRequest, LeaksReport, ScorePartsDoc, leaks_report};
pub use lifetimes::{
    LifetimeContextDoc, LifetimeDoc, LifetimeSiteDoc, LifetimesReport, lifetimes_report,
};
pub use place::PlaceDoc;
pub use stale::{
    LevelDoc, StaleContextDoc, StalePointDoc, StaleReport, StaleSiteDoc, StaleTypeDoc, stale_report,
};
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
    /// For people, with lines of any length.
    fn text(&self) -> String {
        self.text_within(None)
    }
    /// For a terminal of so many columns.
    fn text_within(&self, width: Option<usize>) -> String;
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

/// A rate with its sign, one digit after the point only where the number is small: `+1,234`, `-0.3`, `0`.
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
