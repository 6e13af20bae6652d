//! Candidates to document.

use ducktrack_analyses::{
    Growth, GrowthRow, GrowthSubject, GrowthVerdict, HeapAt, LiveSite, TraceModel,
};
use ducktrack_count_model::SiteIndex;
use ducktrack_holders::{
    DumpError, FEWEST_COLLECTIONS, Holdings, LastUse, LeakCandidate, LeakScore,
};

use super::document::{CandidateDoc, LeaksReport, ScorePartsDoc};
use crate::event_trace::VERSION;
use crate::event_trace::amounts::{ratio, signed};
use crate::event_trace::head::TraceHead;
use crate::event_trace::heap::since_start;
use crate::event_trace::holder_docs::HolderDocs;
use crate::event_trace::place::{PlaceDoc, type_name};
use crate::filter::Filter;
use crate::view::View;

/// Candidates that are looked at; the rest retain less.
const MOST_CANDIDATES: usize = 50;

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct LeakRequest {
    /// Where the trace was read from.
    pub trace: String,
    /// Where the dump was read from.
    pub dump: Option<String>,
    /// The largest heap, in bytes, if it is known.
    pub max_heap: Option<u64>,
    /// Candidates shown in full.
    pub top: Option<usize>,
}

/// Makes the report; without `holdings` from the trace alone.
///
/// # Errors
/// When the dump cannot be read again, for the names of fields.
pub fn leaks_report(
    model: &TraceModel,
    holdings: Option<&Holdings>,
    request: &LeakRequest,
) -> Result<LeaksReport, DumpError> {
    let filter = Filter {
        top: request.top,
        ..Filter::default()
    };
    let view = crate::build::view(&model.count, &request.trace, &Filter::default());
    let (live, mut candidates) = match holdings {
        Some(holdings) => (holdings.total().bytes, of_dump(model, &view, holdings)?),
        None => of_trace(model),
    };
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.bytes.cmp(&a.bytes)));
    let alarms = candidates
        .iter()
        .filter(|row| row.score >= LeakScore::ALARM);
    let per_collection: f64 = alarms.clone().map(|row| row.bytes_per_collection).sum();
    let rate = per_collection * collections_per_second(model);
    let limits = model.count.heap_limits.map(|limits| limits.max_bytes);
    let max_heap = request.max_heap.or(limits);
    let room = max_heap.map(|most| most.saturating_sub(live) as f64);
    Ok(LeaksReport {
        format: "ducktrack-leaks".to_owned(),
        version: VERSION,
        head: TraceHead::of(model, &view, &filter),
        dump: request.dump.clone(),
        collections: holdings.map_or_else(
            || u32::try_from(model.info.collections).unwrap_or(u32::MAX),
            |holdings| holdings.dump.collection,
        ),
        fewest_collections: FEWEST_COLLECTIONS,
        live_bytes: signed(live),
        alarm_from: LeakScore::ALARM,
        alarms: alarms.count() as u64,
        method: LeakScore::METHOD.to_owned(),
        bytes_per_second: ratio(rate),
        max_heap,
        seconds_until_full: room.filter(|_| rate > 0.0).map(|room| ratio(room / rate)),
        candidates,
    })
}

fn collections_per_second(model: &TraceModel) -> f64 {
    let micros = model
        .info
        .end_micros
        .saturating_sub(model.info.start_micros);
    match micros {
        0 => 0.0,
        micros => model.info.collections as f64 * 1e6 / micros as f64,
    }
}

fn of_dump(
    model: &TraceModel,
    view: &View,
    holdings: &Holdings,
) -> Result<Vec<CandidateDoc>, DumpError> {
    let docs = HolderDocs {
        model,
        holdings,
        callers: &view.callers,
    };
    let heap = holdings.total().bytes;
    let candidates = holdings.leak_candidates(MOST_CANDIDATES)?;
    Ok(candidates
        .iter()
        .map(|candidate| doc_of_dump(&docs, candidate, heap))
        .collect())
}

fn doc_of_dump(docs: &HolderDocs<'_>, candidate: &LeakCandidate, heap: u64) -> CandidateDoc {
    let held = &candidate.held;
    let spread = held.oldest - held.youngest;
    let collections = docs.holdings.dump.collection;
    let score = LeakScore::new(
        candidate.steadiness,
        (spread, collections),
        (held.retained, heap),
    )
    .with_staleness(candidate.last_use.as_ref().and_then(LastUse::stale_share));
    let made = docs.made(candidate.origin);
    let path = docs.path(&candidate.path);
    CandidateDoc {
        source: candidate.source.map(|ty| docs.type_name(ty)),
        target: docs.type_name(candidate.target),
        caller: made.as_ref().and_then(|made| made.caller.clone()),
        objects: signed(held.objects),
        bytes: signed(held.bytes),
        retained: Some(signed(held.retained)),
        youngest: held.youngest,
        oldest: held.oldest,
        growth: verdict(docs.model, candidate.origin.site).to_owned(),
        objects_per_collection: ratio(candidate.per_collection),
        bytes_per_collection: ratio(candidate.bytes_per_collection),
        root: Some(path.root),
        path: path.steps,
        ..scored(score, made.map(|made| made.place)).unused(docs.model, candidate.last_use.as_ref())
    }
}

impl CandidateDoc {
    fn unused(self, model: &TraceModel, last_use: Option<&LastUse>) -> Self {
        let unused_for = last_use.and_then(LastUse::median);
        Self {
            staleness: last_use.map_or_else(Vec::new, |last_use| last_use.levels.clone()),
            unused_for,
            unused_since_micros: unused_for.and_then(|unused| moment_before(model, unused)),
            ..self
        }
    }
}

/// About when the collection this many collections before the end was, in microseconds since the start.
fn moment_before(model: &TraceModel, collections: u32) -> Option<u64> {
    let staleness = model.staleness.as_ref()?;
    let wanted = staleness.collection.0.saturating_sub(collections);
    let mut points = staleness.points.iter().rev();
    let point = points.find(|point| point.collection.0 <= wanted)?;
    since_start(model, point.unix_micros)
}

/// A candidate of which only score and place are known.
fn scored(score: LeakScore, place: Option<PlaceDoc>) -> CandidateDoc {
    let at = place.as_ref().map(|place| &place.location);
    CandidateDoc {
        source: None,
        target: String::new(),
        class: at.map(|at| at.class.clone()),
        method: at.map(|at| at.method.clone()),
        line: at.and_then(|at| at.line),
        made: at.map(ToString::to_string),
        caller: None,
        objects: 0,
        bytes: 0,
        retained: None,
        youngest: 0,
        oldest: 0,
        staleness: Vec::new(),
        unused_for: None,
        unused_since_micros: None,
        growth: String::new(),
        objects_per_collection: 0.0,
        bytes_per_collection: 0.0,
        score: ratio(score.total()),
        parts: ScorePartsDoc {
            growth: ratio(score.growth),
            staleness: score.staleness.map(ratio),
            age: ratio(score.age),
            retained: ratio(score.retained),
        },
        root: None,
        path: Vec::new(),
    }
}

/// The verdict on the live objects of a site.
fn verdict(model: &TraceModel, site: Option<SiteIndex>) -> &'static str {
    let rows = model.growth.iter().flat_map(|growth| &growth.rows);
    let mut of_site = rows.filter(|row| row.subject == GrowthSubject::Site(site));
    of_site
        .next()
        .map_or("unknown", |row| row.judged.verdict.name())
}

/// From the trace alone: sites whose live objects become more and more, and the bytes that live.
fn of_trace(model: &TraceModel) -> (u64, Vec<CandidateDoc>) {
    let Some(Some(heap)) = model.heap_at.first() else {
        return (0, Vec::new());
    };
    let rows = model.growth.iter().flat_map(|growth: &Growth| &growth.rows);
    let growing =
        rows.filter(|row| row.judged.verdict == GrowthVerdict::Growing || row.judged.may_grow);
    let docs = growing.filter_map(|row| match row.subject {
        GrowthSubject::Site(Some(site)) => doc_of_trace(model, heap, row, site),
        _ => None,
    });
    (heap.total.bytes, docs.collect())
}

fn doc_of_trace(
    model: &TraceModel,
    heap: &HeapAt,
    row: &GrowthRow,
    site: SiteIndex,
) -> Option<CandidateDoc> {
    let live = heap.sites.iter().find(|live| live.site == Some(site))?;
    let (youngest, oldest) = ages(live);
    let collections = u32::try_from(model.info.collections).unwrap_or(u32::MAX);
    let longest = ducktrack_analyses::Lifetimes::MOST_SURVIVED as u32;
    let last_use = last_use_at(model, site);
    let score = LeakScore::new(
        row.judged.confidence,
        (oldest - youngest, collections.min(longest)),
        (live.live.bytes, heap.total.bytes),
    )
    .with_staleness(last_use.as_ref().and_then(LastUse::stale_share));
    let ty = live.types.first().and_then(|ty| ty.ty.as_deref());
    Some(CandidateDoc {
        target: type_name(ty),
        objects: signed(live.live.count),
        bytes: signed(live.live.bytes),
        youngest,
        oldest,
        growth: row.judged.verdict.name().to_owned(),
        objects_per_collection: ratio(row.judged.slope_count),
        bytes_per_collection: ratio(row.judged.slope_bytes),
        ..scored(score, PlaceDoc::of(&model.count, site)).unused(model, last_use.as_ref())
    })
}

/// The last uses of the live objects of a site; `None`: not recorded.
fn last_use_at(model: &TraceModel, site: SiteIndex) -> Option<LastUse> {
    let mut sites = model
        .staleness
        .iter()
        .flat_map(|staleness| &staleness.sites);
    let row = sites.find(|row| row.site == Some(site))?;
    Some(LastUse::of_levels(&row.levels))
}

/// The fewest and the most collections survived.
fn ages(live: &LiveSite) -> (u32, u32) {
    let survived = |at: Option<usize>| at.map_or(0, |at| at as u32);
    let youngest = live.ages.iter().position(|count| *count > 0);
    let oldest = live.ages.iter().rposition(|count| *count > 0);
    (survived(youngest), survived(oldest))
}
