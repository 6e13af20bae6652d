//! Turns the model of a run into what people and programs read.
//!
//! ```text
//! CountModel ─ view() ──────────────> View ──────────┐                 ┌─ text()   tables, and how complete they are
//! TraceModel ─ heap_report(), ... ──> HeapReport, ...├─ trait Report ──┼─ json()   documented in JSON.md
//! Documents  ─ compare() ───────────> Comparison ────┤                 ├─ csv()    the main table
//! trials     ─ impact_report() ─────> ImpactReport ──┘                 └─ html()   one self-contained page
//!
//! View       ─ screen(), tree(), collapsed(), whole_stacks()
//! Comparison ─ Gate::check()   for CI
//! ```
//!
//! Values in, values out: nothing here opens a file, reads a clock or prints.
#![forbid(unsafe_code)]

mod advice;
mod amount_doc;
mod build;
mod card;
mod caused;
mod chosen_windows;
mod class_name;
mod collapsed;
mod completeness;
mod context_part;
mod contexts;
mod count_report;
mod csv;
mod diff;
mod document_lines;
mod ending;
mod error;
mod event_trace;
mod filter;
mod fitted_names;
mod fitting_sites;
mod fleet_answer;
mod grouping;
mod html;
mod impact;
mod json;
mod live;
mod memory;
mod off_heap;
mod packed_page;
mod project;
mod quantity;
mod report;
mod report_version;
mod schema;
mod screen;
mod stack_names;
mod table;
mod text;
mod text_lines;
mod tree;
mod ui;
mod view;
mod view_stacks;
mod waste;

pub use advice::{
    AdviceDoc, AdviceDumpDoc, AdviceEachDoc, AdviceIntervalDoc, AdvicePerDoc, AdviceReport,
    AdviceTogetherDoc, advice_report,
};
pub use build::view;
pub use collapsed::collapsed;
pub use collapsed::whole_stacks;
pub use completeness::{Basis, Completeness, ThreadCompleteness};
pub use context_part::{ContextPart, context_part};
pub use contexts::{
    ContextAmountDoc, ContextExecutionsDoc, ContextKindDoc, ContextsReport, ExecutionContextDoc,
    ExecutionObjectsDoc, contexts_report,
};
pub use diff::{
    CallChange, ComparedRun, Comparison, ContextAmounts, ContextChange, DiffAmountDoc, DiffCallDoc,
    DiffContextDoc, DiffContextSideDoc, DiffDoc, DiffEachDoc, DiffGateDoc, DiffGrowthDoc,
    DiffOptions, DiffPerDoc, DiffSideDoc, DiffSiteDoc, Each, Gate, GateError, Outcome, Per,
    ReviewForm, Side, SiteChange, SourceFinder, Verdict, compare, diff_html,
};
pub use ending::{Ending, ValuesOf};
pub use error::ReportError;
pub use event_trace::{
    AlarmDoc, CallerDeathsDoc, CandidateDoc, Change, ClockCellDoc, CohortDoc, CollectionDoc,
    CollectionsDoc, CompleteDoc, CompressionDoc, ContradictionDoc, CostCandidate, CostRequest,
    DeathClocksDoc, DeathSpansDoc, DeathsReport, DeathsRequest, DemographicsDoc, DirectMemoryDoc,
    DistancesDoc, DominatorDoc, EventCountsDoc, EventFileDoc, FollowerDoc, GcCandidateDoc,
    GcContextDoc, GcCostDoc, GcReport, GcSiteDoc, GcTypeDoc, GroupsDoc, HeapPartDoc, HeapReport,
    HeapSiteDoc, HolderPathDoc, HolderSelection, HoldersReport, HoldingContextDoc, HoldingDoc,
    HoldingSiteDoc, HoldingTypeDoc, InfoReport, IntervalDoc, JoinDoc, KeptLoadersDoc, KnowledgeDoc,
    LayerDoc, LeakRequest, LeakWindowDoc, LeaksReport, LevelDoc, LifetimeContextDoc, LifetimeDoc,
    LifetimeSiteDoc, LifetimesReport, LivesDoc, LostDoc, MadeDoc, MeasureDoc, MemoryOwnerDoc,
    MemoryUnknownDoc, MomentDoc, ObjectPlace, OffHeapLeakDoc, OffHeapUnknownDoc, OnClocksDoc,
    PauseKindDoc, PlaceDoc, PlaceNameDoc, QualitiesDoc, QualityDoc, QuantilesDoc, RootDoc,
    RotationDoc, RowsDoc, RunVerdictDoc, SelectedDoc, ShapeDoc, SiteDeathsDoc, SiteLayerDoc,
    SiteVerdictDoc, SpaceDoc, SpaceUseDoc, SpanDoc, SpanEndDoc, StaleContextDoc, StalePointDoc,
    StaleReport, StaleSiteDoc, StaleTypeDoc, StepDoc, SurvivalDoc, TimelineReport,
    TimelineTotalsDoc, TraceHead, TypeCountDoc, TypeDeathsDoc, TypeLayerDoc, UnknownDoc,
    UnknownPausesDoc, VerdictDoc, WhatIfDoc, WithoutDoc, candidate_groups, candidates_of,
    cost_report, deaths_report, group_of_sites, heap_report, holders_report, info_report,
    leaks_report, lifetimes_report, longest_used, place_of, stale_report, timeline_report,
};
pub use filter::{Filter, Sort};
pub use fitted_names::fitted;
pub use fitting_sites::fits_any_site;
pub use fleet_answer::FleetAnswer;
pub use impact::{
    EstimateDoc, ImpactCandidate, ImpactCandidateDoc, ImpactReport, ImpactRequest, PlaceCountDoc,
    RemovalMoment, TrialChange, TrialRun, TrialSetDoc, TrialVerdict, impact_report,
};
pub use json::{
    AmountDoc, CallerDoc, CauseDoc, CausedDoc, CompletenessDoc, ContextDoc, CostDoc, Document,
    FilterDoc, FindingDoc, IncrementsDoc, KindDoc, LengthDoc, ReasonDoc, RefusalDoc, RefusalsDoc,
    RunDoc, RunWindowDoc, SiteDoc, StackMethodDoc, StacksDoc, ThreadCompletenessDoc, ThreadDoc,
    TotalsDoc, TypeDoc, document, read_json,
};
pub use live::{LiveCollectionDoc, LiveDoc, LiveHeapDoc, LiveRowDoc, live_name, live_row};
pub use memory::{
    MemoryEndDoc, MemoryEndWord, MemoryMakerDoc, MemoryPartDoc, MemoryReport, MemoryRequest,
    MemoryTrendDoc, memory_report,
};
pub use off_heap::{
    OffHeapDoc, OffHeapFrameDoc, OffHeapKindDoc, OffHeapReport, OffHeapStackDoc, off_heap_report,
};
pub use report::Report;
pub use schema::{document_names, document_schema};
pub use screen::{ScreenOptions, screen};
pub use stack_names::{frame_name, type_name};
pub use table::csv_line;
pub use text::next_command::NextCommand;
pub use text::verbose_text;
pub use text_lines::TextLines;
pub use tree::{TreeOptions, tree};
pub use ui::{LIVE, UiCollectionDoc, UiDocument, UiMarkDoc, UiTabDoc, ui_document, ui_page};
pub use view::{Caller, CallerId, Cell, Finding, Location, SiteRow, ThreadPart, Totals, View};
pub use waste::{
    HumongousDoc, LargeObjectsDoc, RegionDoc, WasteLineDoc, WasteMakerDoc, WasteReport,
    WasteRequest, WasteRowDoc, waste_report,
};
