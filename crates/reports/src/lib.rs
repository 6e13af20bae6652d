//! Turns the model of a run into what people and programs read.
//!
//! ```text
//! CountModel ─ view() ─> View ─┬─ text()       aprof's two tables, and how complete they are
//!  (heap-model)   ^            ├─ json()       one object per site; documented in JSON.md
//!                 │            ├─ csv()        one row per site
//!              Filter          ├─ collapsed()  stacks for flame graph tools
//!                              └─ html()       one self-contained page: table and flame graph
//! TraceModel ─ heap_report(), lifetimes_report(), timeline_report(), growth_report(), info_report()
//!                └─> an EventReport: text(), json(), csv(), html() with charts
//! two Documents ─ compare() ─> Comparison ─┬─ diff_text(), diff_json()
//!                                          └─ Gate::check()   for CI
//! ```
//!
//! Values in, values out: nothing here opens a file, reads a clock or prints.
#![forbid(unsafe_code)]

mod build;
mod class_name;
mod collapsed;
mod completeness;
mod csv;
mod diff;
mod error;
mod event_trace;
mod filter;
mod grouping;
mod html;
mod json;
mod quantity;
mod text;
mod view;

pub use build::view;
pub use collapsed::collapsed;
pub use completeness::{Basis, Completeness, ThreadCompleteness};
pub use csv::csv;
pub use diff::{
    Comparison, DiffOptions, Gate, GateError, Side, SiteChange, Verdict, compare, diff_json,
    diff_text,
};
pub use error::ReportError;
pub use event_trace::{
    CollectionDoc, CollectionsDoc, CompressionDoc, EventFileDoc, EventReport, GrowthReport,
    GrowthRowDoc, GrowthSiteDoc, GrowthTypeDoc, HeapPartDoc, HeapReport, HeapSiteDoc, InfoReport,
    KnowledgeDoc, LayerDoc, LifetimeContextDoc, LifetimeDoc, LifetimeSiteDoc, LifetimesReport,
    LostDoc, MomentDoc, PlaceDoc, QualitiesDoc, QualityDoc, RotationDoc, RowsDoc, SiteLayerDoc,
    SpaceDoc, SpaceUseDoc, TimelineReport, TimelineTotalsDoc, TraceHead, TypeLayerDoc, VerdictsDoc,
    growth_report, heap_report, info_report, lifetimes_report, timeline_report,
};
pub use filter::{Filter, Sort};
pub use html::html;
pub use json::{
    AmountDoc, CallerDoc, CompletenessDoc, ContextDoc, CostDoc, Document, FilterDoc, FindingDoc,
    IncrementsDoc, KindDoc, LengthDoc, ReasonDoc, RefusalDoc, RefusalsDoc, RunDoc, SiteDoc,
    ThreadCompletenessDoc, ThreadDoc, TotalsDoc, TypeDoc, document, json, read_json,
};
pub use text::text;
pub use view::{Caller, CallerId, Cell, Finding, Location, SiteRow, ThreadPart, Totals, View};
