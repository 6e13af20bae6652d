//! What a caller wants to know of a trace.

use ducktrack_count_model::{CountModel, FileDamage};
use ducktrack_heap_replay::{Analysis, Heap, Moment};

use crate::cost::{CostBuilder, CostQuestion};
use crate::dumped_objects::DumpedObjects;
use crate::heap_at::moments::HeapMoments;
use crate::lifetimes::tallies::LifetimeTallies;
use crate::staleness::analysis::StalenessAt;
use crate::survivors::builder::SurvivorsBuilder;
use crate::survivors::span::JudgedSpan;
use crate::timeline::analysis::TimelineCourse;
use crate::trace_model::TraceModel;

/// What is to be worked out while a trace is read once.
///
/// The default is nothing but [`TraceInfo`](ducktrack_heap_replay::TraceInfo), which is always there. Reading takes the same time for one question and for all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Questions {
    /// The heap at these moments.
    pub heap_at: Vec<Moment>,
    /// Each object of the heap that a dump shows. The dump is named by the time in its head, milliseconds since 1970.
    pub heap_dump: Option<u64>,
    /// How long objects live, per site.
    pub lifetimes: bool,
    /// Collections and the composition of the heap over time.
    pub timeline: bool,
    /// What of each piece of the run stays, and so what leaks; over this span.
    pub survivors: Option<JudgedSpan>,
    /// What each site costs the collector.
    pub cost: Option<CostQuestion>,
    /// How long live objects have not been used, at this moment: after a collection, or after the last one.
    pub staleness: Option<Moment>,
}

/// The analyses that answer questions.
#[derive(Debug)]
pub struct Asked {
    heap_at: HeapMoments,
    objects: Option<DumpedObjects>,
    lifetimes: Option<LifetimeTallies>,
    timeline: Option<TimelineCourse>,
    survivors: Option<SurvivorsBuilder>,
    cost: Option<CostBuilder>,
    staleness: Option<StalenessAt>,
}

impl Asked {
    /// What answers these questions about the run that the definitions describe.
    pub fn new(questions: &Questions, count: &CountModel) -> Self {
        let started = count.run.start_unix_millis.saturating_mul(1_000);
        let survivors = questions.survivors.as_ref();
        let survivors = survivors.map(|span| SurvivorsBuilder::new(span.micros(count), started));
        Self {
            heap_at: HeapMoments::new(questions.heap_at.clone()),
            objects: questions.heap_dump.map(DumpedObjects::new),
            lifetimes: questions.lifetimes.then(LifetimeTallies::default),
            timeline: questions.timeline.then(TimelineCourse::default),
            survivors,
            cost: questions.cost.as_ref().map(CostBuilder::new),
            staleness: questions.staleness.map(StalenessAt::new),
        }
    }

    /// For a replay.
    pub fn analyses(&mut self) -> Vec<&mut dyn Analysis> {
        let mut all: Vec<&mut dyn Analysis> = vec![&mut self.heap_at];
        all.extend(self.objects.as_mut().map(|one| one as &mut dyn Analysis));
        all.extend(self.lifetimes.as_mut().map(|one| one as &mut dyn Analysis));
        all.extend(self.timeline.as_mut().map(|one| one as &mut dyn Analysis));
        all.extend(self.survivors.as_mut().map(|one| one as &mut dyn Analysis));
        all.extend(self.cost.as_mut().map(|one| one as &mut dyn Analysis));
        all.extend(self.staleness.as_mut().map(|one| one as &mut dyn Analysis));
        all
    }

    /// The answers, when the replay has ended. `count` is what the definitions say, `damage` what was found wrong with event files.
    pub fn finish(self, mut heap: Heap, count: CountModel, damage: Vec<FileDamage>) -> TraceModel {
        heap.info.damage = damage;
        TraceModel {
            heap_at: self.heap_at.finish(),
            objects: self.objects.and_then(DumpedObjects::finish),
            lifetimes: self.lifetimes.map(|asked| asked.finish(&heap)),
            timeline: self.timeline.map(|asked| asked.finish(&heap)),
            survivors: self.survivors.map(|asked| asked.finish(&heap, &count)),
            cost: self.cost.map(|asked| asked.finish(&heap.names.types)),
            staleness: self.staleness.and_then(StalenessAt::finish),
            info: heap.info,
            count,
        }
    }
}
