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
mod deaths;
pub(crate) mod duration;
mod gc;
mod head;
mod heap;
mod holder_docs;
mod holder_lines;
mod holders;
mod info;
mod leaks;
mod lifetimes;
pub(crate) mod page;
mod path_fold;
mod place;
mod site_line;
mod stale;
pub(crate) mod text_parts;
mod timeline;

pub use deaths::{
    CallerDeathsDoc, ContradictionDoc, DeathClocksDoc, DeathSpansDoc, DeathsReport, DeathsRequest,
    DemographicsDoc, DistancesDoc, EventCountsDoc, GroupsDoc, LivesDoc, ObjectPlace, OnClocksDoc,
    PlaceNameDoc, QuantilesDoc, ShapeDoc, SiteDeathsDoc, SurvivalDoc, TypeDeathsDoc, deaths_report,
    place_of,
};
pub use gc::{
    Change, CostCandidate, CostRequest, GcCandidateDoc, GcContextDoc, GcCostDoc, GcReport,
    GcSiteDoc, GcTypeDoc, PauseKindDoc, UnknownPausesDoc, WhatIfDoc, WithoutDoc, candidate_groups,
    candidates_of, cost_report, group_of_sites, longest_used,
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
pub use leaks::{
    AlarmDoc, CandidateDoc, ClockCellDoc, CohortDoc, DirectMemoryDoc, FollowerDoc, IntervalDoc,
    KeptLoadersDoc, LeakRequest, LeakWindowDoc, LeaksReport, MeasureDoc, MemoryOwnerDoc,
    MemoryUnknownDoc, OffHeapLeakDoc, OffHeapUnknownDoc, RunVerdictDoc, SiteVerdictDoc, SpanDoc,
    SpanEndDoc, UnknownDoc, VerdictDoc, leaks_report,
};
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
