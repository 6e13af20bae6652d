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
mod texts;
mod tree;
mod ui;
mod view;
mod view_stacks;
mod waste;

pub use advice::{AdviceReport, advice_report};
pub use build::view;
pub use collapsed::collapsed;
pub use collapsed::whole_stacks;
pub use completeness::{Basis, Completeness};
pub use context_part::context_part;
pub use contexts::{ContextsReport, contexts_report};
pub use diff::{
    ComparedRun, Comparison, DiffDoc, DiffOptions, Each, Gate, GateError, Outcome, Per, ReviewForm,
    Side, SourceFinder, Verdict, compare, diff_html,
};
pub use ending::{Ending, ValuesOf};
pub use error::ReportError;
pub use event_trace::{
    deaths::{DeathsReport, DeathsRequest, ObjectPlace, deaths_report, place_of},
    gc::{
        Change, CostCandidate, CostRequest, GcReport, candidate_groups, candidates_of, cost_report,
        group_of_sites, longest_used,
    },
    heap::{HeapReport, heap_report},
    holders::{HolderSelection, HoldersReport, holders_report},
    info::{InfoReport, info_report},
    leaks::{LeakRequest, LeaksReport, leaks_report},
    lifetimes::{LifetimesReport, lifetimes_report},
    stale::{StaleReport, stale_report},
    timeline::{TimelineReport, timeline_report},
};
pub use filter::{Filter, Sort};
pub use fitted_names::fitted;
pub use fitting_sites::fits_any_site;
pub use fleet_answer::FleetAnswer;
pub use impact::{
    ImpactCandidate, ImpactReport, ImpactRequest, RemovalMoment, TrialChange, TrialRun,
    impact_report,
};
pub use json::{ContextDoc, Document, SiteDoc, StackMethodDoc, document, read_json};
pub use live::{LiveCollectionDoc, LiveDoc, LiveHeapDoc, LiveRowDoc, live_name, live_row};
pub use memory::{MemoryReport, MemoryRequest, memory_report};
pub use off_heap::{OffHeapReport, off_heap_report};
pub use report::Report;
pub use schema::{document_names, document_schema};
pub use screen::{ScreenOptions, screen};
pub use stack_names::{frame_name, type_name};
pub use table::csv_line;
pub use text::next_command::NextCommand;
pub use text::verbose_text;
pub use text_lines::TextLines;
pub use tree::{TreeOptions, tree};
pub use ui::{LIVE, UiDocument, UiTabDoc, ui_document, ui_page};
pub use view::{Caller, Cell, Finding, Location, SiteRow, ThreadPart, Totals, View};
pub use waste::{WasteReport, WasteRequest, waste_report};
