//! Findings to document.

use ducktrack_analyses::{JudgedSpan, Survivors, TraceModel};
use ducktrack_findings::{Evidence, Findings};
use ducktrack_holders::{DumpError, Holdings};
use ducktrack_leaks::Forecast;

use super::candidates::CandidateDocs;
use super::document::{ClockCellDoc, LeakWindowDoc, LeaksReport, SpanDoc};
use super::kept::kept;
use super::names::Names;
use super::off_heap::off_heap;
use super::sentence::Sentence;
use super::sites::sites;
use super::words::SpanEndDoc;
use crate::event_trace::VERSION;
use crate::event_trace::amounts::{ratio, signed};
use crate::event_trace::head::TraceHead;
use crate::event_trace::heap::since_start;
use crate::event_trace::holder_docs::HolderDocs;
use crate::filter::Filter;
use crate::quantity::{counted, grouped};

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct LeakRequest {
    /// Where the trace was read from.
    pub trace: String,
    /// Where the dump was read from.
    pub dump: Option<String>,
    /// A dump that was there and could not be read: why.
    pub unread_dump: Option<String>,
    /// Candidates shown in full.
    pub top: Option<usize>,
    /// Every line of source gets its verdict, of those that the filter wants.
    pub sites: Option<Filter>,
    /// The judged span.
    pub span: JudgedSpan,
}

/// Makes the report.
///
/// # Errors
/// When the dump cannot be read again, for the names of fields.
pub fn leaks_report(
    findings: &Findings<'_>,
    request: &LeakRequest,
) -> Result<LeaksReport, DumpError> {
    let Evidence {
        model,
        survivors,
        holdings,
        ..
    } = findings.evidence;
    let forecast = &findings.forecast;
    let filter = Filter {
        top: request.top,
        ..request.sites.clone().unwrap_or_default()
    };
    let view = crate::build::view(&model.count, &request.trace, &Filter::default());
    let names = Names {
        model,
        view: &view,
        holdings,
    };
    let docs = holdings.map(|holdings| HolderDocs {
        model,
        holdings,
        callers: &view.callers,
    });
    let (loaders, direct_memory) = docs.as_ref().map(kept).transpose()?.unwrap_or_default();
    let windows = windows(model, survivors);
    let candidates = CandidateDocs {
        names,
        docs: docs.as_ref(),
        findings,
        windows: &windows,
    };
    // What a dump at an OutOfMemoryError holds may be dropped before the run is judged.
    let in_dump = holdings.map_or(0, Holdings::held_bytes);
    let rate = findings.rate();
    Ok(LeaksReport {
        format: "ducktrack-leaks".to_owned(),
        version: VERSION,
        head: TraceHead::of(model, &view, &filter),
        dump: request.dump.clone(),
        dump_note: match (holdings, &request.unread_dump) {
            (Some(holdings), _) => dump_note(holdings),
            (None, Some(why)) => Some(format!("the heap dump is not read: {why}")),
            (None, None) => None,
        },
        dump_cut_at: holdings.and_then(|holdings| holdings.dump.graph.cut()),
        verdict: findings.verdict.into(),
        sentence: Sentence { names, findings }.of_run(),
        span: span(model, survivors, request, forecast),
        live_bytes: signed(survivors.live.bytes.max(in_dump)),
        max_heap: findings.evidence.most_bytes(),
        bytes_per_mb: ratio(rate),
        bytes_per_second: ratio(forecast.per_second(rate)),
        seconds_until_full: findings.seconds_until_full().map(ratio),
        smallest_bytes_per_mb: (forecast.span_bytes > 0).then(|| ratio(forecast.smallest_rate())),
        alarms: findings.alarms().count() as u64,
        clock: clock(model, survivors),
        sites: match &request.sites {
            Some(filter) => sites(names, &findings.rows, filter),
            None => Vec::new(),
        },
        candidates: candidates.all(),
        off_heap: off_heap(findings),
        windows,
        loaders,
        direct_memory,
    })
}

/// What a dump does not tell.
fn dump_note(holdings: &Holdings) -> Option<String> {
    let dump = &holdings.dump;
    let without_sites = dump.without_sites.as_ref().map(|why| {
        format!("the objects of the dump have no site, and are found by their type: {why}")
    });
    let cut = dump.graph.cut().map(|at| {
        format!("the JVM did not finish the dump: it ends at byte {at}, and what is retained is at least this")
    });
    let since = Some(dump.outcome.made_since).filter(|made| *made > 0);
    let since = since.map(|made| {
        let of = counted(dump.outcome.objects, "object");
        format!(
            "{} of its {of} were made after collection {}: only their types are known",
            grouped(made),
            dump.collection
        )
    });
    without_sites.or(cut).or(since)
}

fn span(
    model: &TraceModel,
    survivors: &Survivors,
    request: &LeakRequest,
    forecast: &Forecast,
) -> SpanDoc {
    let last = survivors.cell_ends.last().copied().unwrap_or(0);
    let ends = match (&request.span.until, model.count.shutdown_micros) {
        _ if survivors.lost > 0 => SpanEndDoc::Lost,
        (Some(_), _) => SpanEndDoc::Until,
        (None, Some(_)) => SpanEndDoc::Shutdown,
        (None, None) => SpanEndDoc::End,
    };
    SpanDoc {
        from_micros: since_start(model, survivors.start_micros).unwrap_or(0),
        until_micros: since_start(model, last).unwrap_or(0),
        bytes: forecast.span_bytes,
        bytes_after: survivors.allocated_after,
        bytes_per_second: ratio(forecast.bytes_per_second),
        collections: survivors.collections,
        look: survivors.look.map(|look| look.collection.0),
        by_look: survivors.is_at_look,
        ends,
    }
}

fn clock(model: &TraceModel, survivors: &Survivors) -> Vec<ClockCellDoc> {
    let cells = survivors.clock.cells().iter().zip(&survivors.cell_ends);
    cells
        .map(|(cell, end)| ClockCellDoc {
            bytes: cell.bytes,
            end_micros: since_start(model, *end).unwrap_or(0),
        })
        .collect()
}

/// The windows that marks make in the judged span.
fn windows(model: &TraceModel, survivors: &Survivors) -> Vec<LeakWindowDoc> {
    let start = since_start(model, survivors.start_micros).unwrap_or(0);
    let end = survivors.cell_ends.last().copied().unwrap_or(0);
    let end = since_start(model, end).unwrap_or(0);
    let marks = model.count.marks();
    let marks = marks.iter().filter_map(|(name, micros)| {
        let at = since_start(model, *micros)?;
        (start < at && at < end).then(|| ((*name).to_owned(), at))
    });
    let marks: Vec<(String, u64)> = marks.collect();
    if marks.is_empty() {
        return Vec::new();
    }
    let starts = [(String::new(), start)].into_iter().chain(marks.clone());
    let ends = marks.iter().map(|(_, at)| *at).chain([end]);
    starts
        .zip(ends)
        .map(|((name, from_micros), until_micros)| LeakWindowDoc {
            name,
            from_micros,
            until_micros,
        })
        .collect()
}
