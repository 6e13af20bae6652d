//! A recording and the pages that are made of it. One that is still written is read again when it has become old.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use ducktrack_analyses::{
    CostBuilder, CostQuestion, HeapMoments, JudgedSpan, LifetimeTallies, Question, StalenessAt,
    SurvivorsBuilder, TimelineCourse, TraceModel,
};
use ducktrack_count_model::RunState;
use ducktrack_findings::{Evidence, Findings, leak_question};
use ducktrack_heap_replay::{CollectionNumber, Moment};
use ducktrack_reports::{
    Ending, Filter, HolderSelection, LeakRequest, Report, UiDocument, heap_report, holders_report,
    info_report, leaks_report, off_heap_report, ui_document, view,
};

use super::page_kind::PageKind;
use crate::cost::CostTable;
use crate::dump_loading::{DumpTrace, PartialDump};
use crate::heap::heap_at;
use crate::leak_findings::LeakJudge;
use crate::leaks::{answer, span_bound};
use crate::lifetimes::Lifetimes;
use crate::run_dump::RunDump;
use crate::stale::Stale;
use crate::timeline::Timeline;
use crate::trace_loading::load_trace;
use crate::trace_report::{Answer, TraceReport};
use crate::{advise, deaths, diff, memory, waste};

/// A running recording is not read again before this time, nor before this many times the duration of the last reading has passed.
const LEAST_AGE: Duration = Duration::from_secs(2);
const REST: u32 = 8;
/// Rows of one heap among several.
const HELD_ROWS: usize = 1_000;
/// Pages that are kept.
const MOST_PAGES: usize = 64;

/// See the module.
pub(crate) struct Recording {
    directory: PathBuf,
    name: String,
    dump: RunDump,
    baseline: Option<PathBuf>,
    reading: Mutex<Reading>,
}

/// Everything that pages of the whole run are made of, in one pass.
type WholeQuestion = (
    HeapMoments,
    LifetimeTallies,
    TimelineCourse,
    CostBuilder,
    (SurvivorsBuilder, StalenessAt),
);

type Answers = <WholeQuestion as Question>::Answer;

/// The recording as it was read last.
struct Reading {
    model: TraceModel,
    answers: Answers,
    document: UiDocument,
    at: Instant,
    took: Duration,
    pages: HashMap<String, Arc<str>>,
}

/// The parameters of a page: a moment, a stretch of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PageQuery {
    pub(crate) at: Option<u32>,
    pub(crate) from: Option<String>,
    pub(crate) until: Option<String>,
}

impl Recording {
    pub(crate) fn open(
        directory: PathBuf,
        dump: RunDump,
        baseline: Option<PathBuf>,
    ) -> Result<Self> {
        let name = directory.display().to_string();
        let (dump_name, baseline_name) = (text_of(dump.path()), text_of(baseline.as_deref()));
        let others = (dump_name.as_deref(), baseline_name.as_deref());
        let reading = Reading::read(&directory, others, 1)?;
        Ok(Self {
            directory,
            name,
            dump,
            baseline,
            reading: Mutex::new(reading),
        })
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The content of the frame around the pages; read again while the run continues.
    pub(crate) fn document(&self) -> Result<UiDocument> {
        let mut reading = self.reading();
        if reading.is_old() {
            let (dump, baseline) = (text_of(self.dump.path()), text_of(self.baseline.as_deref()));
            let others = (dump.as_deref(), baseline.as_deref());
            let made = reading.document.made + 1;
            *reading = Reading::read(&self.directory, others, made)?;
        }
        Ok(reading.document.clone())
    }

    /// The numbers of the collections that the pages know.
    pub(crate) fn collections(&self) -> Vec<u32> {
        let reading = self.reading();
        let all = reading.document.collections.iter();
        all.map(|one| one.number).collect()
    }

    /// A page, made once for each reading.
    pub(crate) fn page(&self, kind: PageKind, query: &PageQuery) -> Result<Arc<str>> {
        let key = format!("{kind:?} {query:?}");
        let mut reading = self.reading();
        if let Some(page) = reading.pages.get(&key) {
            return Ok(Arc::clone(page));
        }
        let page: Arc<str> = self.make(&reading, kind, query)?.into();
        if reading.pages.len() >= MOST_PAGES {
            reading.pages.clear();
        }
        reading.pages.insert(key, Arc::clone(&page));
        Ok(page)
    }

    /// The heap after several collections, in one pass over the trace.
    pub(crate) fn heaps(&self, numbers: &[u32]) -> Result<Vec<(u32, String)>> {
        let moments = numbers
            .iter()
            .map(|number| Moment::After(CollectionNumber(*number)));
        let question = HeapMoments::new(moments.collect());
        let (model, heaps) = load_trace(&self.directory, question)?;
        let known = numbers.iter().zip(&heaps);
        let known = known.filter_map(|(number, heap)| Some((*number, heap.as_ref()?)));
        let page = |(number, heap)| {
            let first = Filter {
                top: Some(HELD_ROWS),
                ..Filter::default()
            };
            let report = heap_report(&model, heap, &self.name, &first);
            Ok((number, report.html()?))
        };
        known.map(page).collect()
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        // A page that panicked has changed nothing.
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn make(&self, reading: &Reading, kind: PageKind, query: &PageQuery) -> Result<String> {
        let (name, all) = (self.name.as_str(), Filter::default());
        let Reading { model, answers, .. } = reading;
        let (_, lifetimes, timeline, costs, (_, staleness)) = answers;
        match kind {
            PageKind::Live => bail!("the table of what is allocated now is no page"),
            PageKind::Report => Ok(view(&model.count, name, &all).html()?),
            PageKind::Advise => advise::page(&model.count, name),
            PageKind::Info => Ok(info_report(model, name).html()?),
            PageKind::Timeline => self.answered(Timeline::default(), model, timeline),
            PageKind::Cost => self.answered(CostTable::default(), model, costs),
            PageKind::Lifetimes => self.answered(Lifetimes::default(), model, lifetimes),
            PageKind::Heap => self.heap(reading, query),
            PageKind::Stale if query.at.is_none() => {
                self.answered(Stale::default(), model, staleness)
            }
            PageKind::Stale => self.asked_anew(Stale {
                at: query.at,
                ..Stale::default()
            }),
            PageKind::Leaks => self.leaks(reading, query),
            PageKind::Holders => self.holders(),
            PageKind::Waste => page_of(&waste::whole_report(
                &self.directory,
                self.dump.required(&self.directory)?,
            )?),
            PageKind::OffHeap => page_of(&off_heap_report(&model.count, name, &all)),
            PageKind::Memory => memory::page(&self.directory),
            PageKind::Deaths => Ok(deaths::whole_report(&self.directory)?.html()?),
            PageKind::Diff => match &self.baseline {
                Some(baseline) => diff::page(baseline, &self.directory),
                None => bail!("there is no other run to compare with; give one: --baseline DIR"),
            },
        }
    }

    /// A page from the answer to its question.
    fn answered<R: TraceReport>(
        &self,
        report: R,
        model: &TraceModel,
        answer: &Answer<R>,
    ) -> Result<String> {
        Ok(report.report(model, answer, &self.name)?.html()?)
    }

    /// A page for whose question the recording is read again.
    fn asked_anew(&self, report: impl TraceReport) -> Result<String> {
        let (model, answer) = load_trace(&self.directory, report.question())?;
        self.answered(report, &model, &answer)
    }

    fn heap(&self, reading: &Reading, query: &PageQuery) -> Result<String> {
        let page = |model: &TraceModel, heap, moment| {
            let heap = heap_at(model, heap, moment, &self.name)?;
            page_of(&heap_report(model, heap, &self.name, &Filter::default()))
        };
        let Some(number) = query.at else {
            let (model, heaps) = (&reading.model, &reading.answers.0);
            // A heap that is lost on the way is known up to somewhere.
            return page(model, heaps.first(), Moment::End)
                .or_else(|error| page(model, heaps.get(1), Moment::Last).map_err(|_| error));
        };
        let moment = Moment::After(CollectionNumber(number));
        let (model, heaps) = load_trace(&self.directory, HeapMoments::new(vec![moment]))?;
        page(&model, heaps.first(), moment)
    }

    fn leaks(&self, reading: &Reading, query: &PageQuery) -> Result<String> {
        let bound = |bound: &Option<String>| bound.as_deref().map(span_bound);
        let span = JudgedSpan {
            from: bound(&query.from),
            until: bound(&query.until),
        };
        let is_whole = span == JudgedSpan::default();
        let request = LeakRequest {
            trace: self.name.clone(),
            dump: text_of(self.dump.path()),
            span,
            ..LeakRequest::default()
        };
        if is_whole && self.dump == RunDump::None {
            let evidence = Evidence::of_trace(&reading.model, &reading.answers.4);
            return page_of(&leaks_report(&Findings::of(evidence)?, &request)?);
        }
        let judge = LeakJudge {
            span: request.span.clone(),
            dump: self.dump.clone(),
            partial: PartialDump::default(),
            max_heap: None,
        };
        page_of(&answer(&judge, request, &self.directory)?)
    }

    fn holders(&self) -> Result<String> {
        let dump = self.dump.required(&self.directory)?;
        let mut trace = DumpTrace::load(&self.directory, dump, PartialDump::default(), ())?;
        let holdings = trace.holdings()?;
        let names = (self.name.clone(), dump.display().to_string());
        let selection = HolderSelection::default();
        let report = holders_report(&trace.model, &holdings, (&names.0, &names.1), &selection);
        page_of(&report.map_err(|error| trace.fault(error))?)
    }
}

impl Reading {
    fn read(directory: &Path, others: (Option<&str>, Option<&str>), made: u64) -> Result<Self> {
        let name = directory.display().to_string();
        let began = Instant::now();
        let (model, answers) = load_trace(directory, whole_question())?;
        let mut document = ui_document(&model, &answers.2, &name);
        document.made = made;
        let kinds = PageKind::ALL.into_iter();
        document.tabs = kinds
            .filter(|kind| is_there(*kind, &model, answers.4.1.is_some(), others))
            .map(|kind| kind.tab(&name, others.0, others.1))
            .collect();
        Ok(Self {
            model,
            answers,
            document,
            at: Instant::now(),
            took: began.elapsed(),
            pages: HashMap::new(),
        })
    }

    fn is_old(&self) -> bool {
        let rest = LEAST_AGE.max(self.took.saturating_mul(REST));
        Ending::of(&self.model.count).state == RunState::Running && self.at.elapsed() > rest
    }
}

fn whole_question() -> WholeQuestion {
    (
        HeapMoments::new(vec![Moment::End, Moment::Last]),
        LifetimeTallies::default(),
        TimelineCourse::default(),
        CostBuilder::new(&CostQuestion::default()),
        leak_question(&JudgedSpan::default()),
    )
}

/// Does the recording have what the page shows?
fn is_there(
    kind: PageKind,
    model: &TraceModel,
    has_uses: bool,
    others: (Option<&str>, Option<&str>),
) -> bool {
    let is_trace = !model.info.files.is_empty();
    match kind {
        PageKind::Live => false,
        PageKind::Report | PageKind::Advise => true,
        PageKind::Timeline
        | PageKind::Heap
        | PageKind::Cost
        | PageKind::Lifetimes
        | PageKind::Leaks
        | PageKind::Info => is_trace,
        PageKind::Holders | PageKind::Waste => is_trace && others.0.is_some(),
        PageKind::OffHeap => !model.count.off_heap.is_empty(),
        // The kernel has no figures of a process that has ended.
        PageKind::Memory => Ending::of(&model.count).state == RunState::Running,
        PageKind::Stale => has_uses,
        PageKind::Deaths => is_trace && model.count.run.mode.has_deaths(),
        PageKind::Diff => others.1.is_some(),
    }
}

fn page_of(report: &impl Report) -> Result<String> {
    Ok(report.html()?)
}

fn text_of(path: Option<&Path>) -> Option<String> {
    path.map(|path| path.display().to_string())
}
