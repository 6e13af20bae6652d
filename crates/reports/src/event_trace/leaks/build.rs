//! Survivors to document.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, available_parallelism};

use ducktrack_analyses::{
    JudgedSpan, Staleness, StalenessAt, Survivors, SurvivorsBuilder, TraceModel,
};
use ducktrack_heap_replay::Moment;
use ducktrack_holders::{DumpError, Holdings};
use ducktrack_leaks::{Forecast, NotKnown, Verdict};

use super::adding_line::AddingLines;
use super::candidates::{Candidate, Candidates, judged};
use super::document::{CandidateDoc, ClockCellDoc, LeakWindowDoc, LeaksReport, SpanDoc};
use super::held::with_holder;
use super::kept::kept;
use super::one_structure::Structures;
use super::sites::sites;
use super::softly::SoftlyHeld;
use super::to_do::to_do;
use super::verdict::verdict;
use crate::event_trace::VERSION;
use crate::event_trace::amounts::{ratio, signed};
use crate::event_trace::head::TraceHead;
use crate::event_trace::heap::since_start;
use crate::event_trace::holder_docs::HolderDocs;
use crate::filter::Filter;
use crate::project::project_of_command;
use crate::quantity::{counted, grouped};

/// Candidates that are kept; the rest keep less.
const MOST_CANDIDATES: usize = 50;

/// Candidates whose holders are looked for: each takes several walks over the whole dump.
const MOST_HELD: usize = 10;

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct LeakRequest {
    /// Where the trace was read from.
    pub trace: String,
    /// Where the dump was read from.
    pub dump: Option<String>,
    /// A dump that was there and could not be read: why.
    pub unread_dump: Option<String>,
    /// The largest heap, in bytes, if it is known.
    pub max_heap: Option<u64>,
    /// Candidates shown in full.
    pub top: Option<usize>,
    /// Every line of source gets its verdict, of those that the filter wants.
    pub sites: Option<Filter>,
    /// The judged span.
    pub span: JudgedSpan,
}

/// What stays of each piece of the run, and, where uses were recorded, how long what is there has not been used.
pub type LeakAnswers = (Survivors, Option<Staleness>);

/// The question that a report on leaks answers.
pub fn leak_question(span: &JudgedSpan) -> (SurvivorsBuilder, StalenessAt) {
    (
        SurvivorsBuilder::new(span.clone()),
        StalenessAt::new(Moment::End),
    )
}

/// Makes the report; without `holdings` from the trace alone.
///
/// # Errors
/// When the dump cannot be read again, for the names of fields.
pub fn leaks_report(
    model: &TraceModel,
    (survivors, staleness): &LeakAnswers,
    holdings: Option<&Holdings>,
    request: &LeakRequest,
) -> Result<LeaksReport, DumpError> {
    let filter = Filter {
        top: request.top,
        ..request.sites.clone().unwrap_or_default()
    };
    let view = crate::build::view(&model.count, &request.trace, &Filter::default());
    let limits = model.count.heap_limits.map(|limits| limits.max_bytes);
    let max_heap = request.max_heap.or(limits);
    let forecast = Forecast::of(
        &survivors.clock,
        survivors.live.bytes,
        max_heap.unwrap_or(0),
    );
    let soft = holdings.map(|holdings| SoftlyHeld::of(holdings, survivors));
    let rows = judged(survivors, soft.as_ref());
    let maker = Candidates {
        model,
        view: &view,
        survivors,
        staleness: staleness.as_ref(),
        forecast,
    };
    let found = maker.all(&rows);
    let docs = HolderSource {
        model,
        staleness: staleness.as_ref(),
        holdings,
        soft: soft.as_ref(),
        view: &view,
    };
    let candidates = docs.candidates(&found, &forecast)?;
    let (loaders, direct_memory) = match docs.holder_docs() {
        Some(docs) => kept(&docs)?,
        None => Default::default(),
    };
    let windows = windows(model, survivors);
    let adding = AddingLines::new(&view.stacks);
    let project = project_of_command(&model.count.run.command).unwrap_or_default();
    let candidates: Vec<CandidateDoc> = candidates
        .into_iter()
        .map(|row| row.in_windows(model, survivors, &windows))
        .map(|row| adding.named(row))
        .map(|row| CandidateDoc {
            to_do: to_do(&row, &project),
            ..row
        })
        .collect();
    let alarms: Vec<&CandidateDoc> = candidates.iter().filter(|row| row.alarm).collect();
    let rate: f64 = alarms.iter().map(|row| row.bytes_per_mb.value).sum();
    let told = verdict(
        survivors,
        &forecast,
        &candidates,
        soft.as_ref().map_or(0, |soft| soft.bytes),
    );
    // What a dump at an OutOfMemoryError holds may be dropped before the run is judged.
    let in_dump = holdings.map_or(0, Holdings::held_bytes);
    let is_judged = survivors.clock.bytes() > 0;
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
        verdict: told.word.to_owned(),
        sentence: told.sentence,
        span: span(model, survivors, request, &forecast),
        live_bytes: signed(survivors.live.bytes.max(in_dump)),
        max_heap,
        bytes_per_mb: ratio(rate),
        bytes_per_second: ratio(forecast.per_second(rate)),
        seconds_until_full: forecast
            .seconds_until_full(rate)
            .filter(|_| alarms.iter().all(|row| !row.slows))
            .map(ratio),
        smallest_bytes_per_mb: is_judged.then(|| ratio(forecast.smallest_rate())),
        alarms: alarms.len() as u64,
        clock: clock(model, survivors),
        windows,
        sites: match &request.sites {
            Some(filter) => sites(&maker, &rows, filter),
            None => Vec::new(),
        },
        candidates,
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
        format!("the JVM made no collection for this dump: {} of its {of} were made after collection {}, and have no site", grouped(made), dump.collection)
    });
    without_sites.or(cut).or(since)
}

/// Adds uses and holders to candidates.
struct HolderSource<'a> {
    model: &'a TraceModel,
    staleness: Option<&'a Staleness>,
    holdings: Option<&'a Holdings>,
    soft: Option<&'a SoftlyHeld<'a>>,
    view: &'a crate::view::View,
}

impl HolderSource<'_> {
    fn holder_docs(&self) -> Option<HolderDocs<'_>> {
        self.holdings.map(|holdings| HolderDocs {
            model: self.model,
            holdings,
            callers: &self.view.callers,
        })
    }

    fn candidates(
        &self,
        found: &[Candidate<'_>],
        forecast: &Forecast,
    ) -> Result<Vec<CandidateDoc>, DumpError> {
        let docs = self.holder_docs();
        let mut structures = Structures::new(self.holdings, forecast);
        let mut held = match docs.as_ref().zip(self.soft) {
            Some((docs, soft)) => {
                with_holders(docs, soft, found.get(..MOST_HELD).unwrap_or(found))?
            }
            None => Vec::new(),
        }
        .into_iter();
        for candidate in found.iter().take(MOST_CANDIDATES) {
            let doc = held.next().unwrap_or_else(|| candidate.doc.clone());
            let doc = match candidate.rows.first().zip(self.staleness) {
                Some((driver, staleness)) => doc.with_uses(self.model, staleness, driver.row),
                None => doc,
            };
            structures.add(doc.seen_in_dump(forecast), candidate);
        }
        let mut docs = structures.into_candidates();
        // What the program uses comes after what it does not.
        docs.sort_by_key(CandidateDoc::is_in_use);
        Ok(docs)
    }
}

/// Candidates with the paths that hold them. Each takes walks over the whole dump, so all processors take part.
fn with_holders(
    docs: &HolderDocs<'_>,
    soft: &SoftlyHeld<'_>,
    found: &[Candidate<'_>],
) -> Result<Vec<CandidateDoc>, DumpError> {
    let workers = available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let place = next.fetch_add(1, Ordering::Relaxed)
            && let Some(candidate) = found.get(place)
        {
            done.push((place, with_holder(docs, soft, candidate)));
        }
        done
    };
    let mut all = thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for other in others {
            match other.join() {
                Ok(done) => all.extend(done),
                Err(panic) => resume_unwind(panic),
            }
        }
        all
    });
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, doc)| doc).collect()
}

fn span(
    model: &TraceModel,
    survivors: &Survivors,
    request: &LeakRequest,
    forecast: &Forecast,
) -> SpanDoc {
    let last = survivors.cell_ends.last().copied().unwrap_or(0);
    let ends = match (&request.span.until, model.count.shutdown_micros) {
        _ if survivors.lost > 0 => "lost",
        (Some(_), _) => "until",
        (None, Some(_)) => "shutdown",
        (None, None) => "end",
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
        ends: ends.to_owned(),
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

impl CandidateDoc {
    /// What would leak if it were alive leaks, where the dump shows that most of it is held.
    fn seen_in_dump(self, forecast: &Forecast) -> Self {
        let held = self.path.last().map_or(0, |step| step.count);
        let is_held = self.root.is_some() && self.held_outside.is_none();
        if !self.is_not_known(NotKnown::Unseen) || !is_held || held.saturating_mul(2) < self.objects
        {
            return self;
        }
        Self {
            verdict: Verdict::Leaks.name().to_owned(),
            reason: None,
            alarm: forecast.is_material(self.bytes_per_mb.value),
            ..self
        }
    }

    /// Bytes kept of what was made in each window, to a cell of the clock.
    fn in_windows(
        self,
        model: &TraceModel,
        survivors: &Survivors,
        windows: &[LeakWindowDoc],
    ) -> Self {
        let at = |micros: u64| {
            let ended = survivors.cell_ends.iter();
            let ended = ended.filter(|end| since_start(model, **end).unwrap_or(0) <= micros);
            let before = ended.count().checked_sub(1);
            before
                .and_then(|cell| self.curve.get(cell))
                .copied()
                .unwrap_or(0)
        };
        let kept = windows
            .iter()
            .map(|window| at(window.until_micros).saturating_sub(at(window.from_micros)));
        Self {
            in_windows: kept.collect(),
            ..self
        }
    }
}
