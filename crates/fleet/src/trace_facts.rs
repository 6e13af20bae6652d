//! The facts of traced runs only: ages, the live heap, collections, leaks.

use std::collections::BTreeMap;

use ducktrack_analyses::{
    HeapAt, HeapMoments, JudgedSpan, Levels, LifetimeTallies, Lifetimes, Question, SpaceUse,
    Staleness, StalenessAt, SurvivorsBuilder, Timeline, TimelineCourse,
};
use ducktrack_count_model::{CountModel, SiteIndex};
use ducktrack_findings::{Findings, Standing};
use ducktrack_heap_replay::Moment;
use ducktrack_leaks::Amount;

use crate::place::PlaceBook;
use crate::{Place, SiteId};

/// Objects of one site that died after as many collections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AgeFact {
    /// `None`: objects without a site.
    pub site: Option<SiteId>,
    /// 31 stands for all above.
    pub collections_survived: u32,
    /// Objects.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Live objects of one site at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LiveFact {
    /// `None`: objects without a site.
    pub site: Option<SiteId>,
    /// Objects.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Collections that half of them have survived.
    pub median_age: u32,
    /// Collections that the oldest has survived; 31 stands for all above.
    pub oldest_age: u32,
    /// Objects that have not been used for four collections. `None`: uses were not recorded.
    pub stale_objects: Option<u64>,
    /// Their bytes.
    pub stale_bytes: Option<u64>,
}

/// One collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GcFact {
    /// Its number.
    pub gc: u32,
    /// When it began, microseconds since 1970.
    pub at: u64,
    /// `young`, `full`, ...
    pub kind: String,
    /// The VM's words for why.
    pub cause: String,
    /// How long it stopped the program.
    pub pause_ns: u64,
    /// Bytes of all spaces before.
    pub before: u64,
    /// Bytes of all spaces after.
    pub after: u64,
}

/// How the live objects of one site develop.
#[derive(Clone, Debug, PartialEq)]
pub struct LeakFact {
    /// `None`: objects without a site.
    pub site: Option<SiteId>,
    /// The word of [`Standing`]: `leaks` only where `ducktrack leaks` has an alarm.
    pub verdict: &'static str,
    /// How sure that is, in thousandths.
    pub confidence_permille: i64,
    /// Objects more with each hour, rounded.
    pub objects_per_hour: i64,
    /// Bytes more with each hour, rounded.
    pub bytes_per_hour: i64,
    /// Live objects.
    pub live_objects: u64,
    /// Their bytes.
    pub live_bytes: u64,
}

/// The question that the facts answer.
pub type TraceQuestion = (
    HeapMoments,
    LifetimeTallies,
    TimelineCourse,
    SurvivorsBuilder,
    StalenessAt,
);

/// All of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceFacts {
    /// The collection that the live heap is of.
    pub gc: Option<u32>,
    /// Sorted by site.
    pub ages: Vec<AgeFact>,
    /// Sorted by site.
    pub live: Vec<LiveFact>,
    /// In order.
    pub gcs: Vec<GcFact>,
    /// In the order of the report.
    pub leaks: Vec<LeakFact>,
    /// The sites of these rows.
    pub places: BTreeMap<SiteId, Place>,
}

impl TraceFacts {
    /// What is asked of a trace for them.
    pub fn question() -> TraceQuestion {
        (
            HeapMoments::new(vec![Moment::End, Moment::Last]),
            LifetimeTallies::default(),
            TimelineCourse::default(),
            SurvivorsBuilder::new(JudgedSpan::default()),
            StalenessAt::new(Moment::End),
        )
    }

    /// From the answers, and the leaks of the same run.
    pub fn of(
        count: &CountModel,
        (heaps, lifetimes, timeline, _, staleness): &<TraceQuestion as Question>::Answer,
        (leaks, places): LeakFacts,
    ) -> Self {
        let mut naming = Naming::of(count);
        let heap = heaps.iter().flatten().next();
        let mut facts = Self {
            gc: heap.and_then(|heap| heap.collection).map(|gc| gc.0),
            ages: ages(lifetimes, &mut naming),
            live: heap.map_or_else(Vec::new, |heap| live(heap, staleness.as_ref(), &mut naming)),
            gcs: gcs(timeline),
            leaks,
            places,
        };
        facts.places.append(&mut naming.places);
        facts
    }
}

/// What leaks, and the places of its sites.
pub type LeakFacts = (Vec<LeakFact>, BTreeMap<SiteId, Place>);

/// The facts about leaks, as `ducktrack leaks` has them.
pub fn leak_facts(findings: &Findings<'_>) -> LeakFacts {
    let mut naming = Naming::of(&findings.evidence.model.count);
    let leaks = leaks(findings, &mut naming);
    (leaks, naming.places)
}

/// Sites to ids; remembers which.
struct Naming<'m> {
    model: &'m CountModel,
    book: PlaceBook<'m>,
    places: BTreeMap<SiteId, Place>,
}

impl<'m> Naming<'m> {
    fn of(model: &'m CountModel) -> Self {
        Self {
            model,
            book: PlaceBook::of(model),
            places: BTreeMap::new(),
        }
    }

    fn id(&mut self, site: Option<SiteIndex>) -> Option<SiteId> {
        let site = site?;
        let ty = self.model.site(site).ty.as_deref();
        let place = self.book.site(site, ty);
        let id = place.id;
        self.places.entry(id).or_insert(place);
        Some(id)
    }
}

fn ages(lifetimes: &Lifetimes, naming: &mut Naming<'_>) -> Vec<AgeFact> {
    let mut sums: BTreeMap<(Option<SiteId>, u32), (u64, u64)> = BTreeMap::new();
    for row in &lifetimes.sites {
        let site = naming.id(row.site);
        let died = row.lives.died.iter().zip(&row.lives.died_bytes).zip(0..);
        for ((objects, bytes), survived) in died.filter(|((objects, _), _)| **objects > 0) {
            let sum = sums.entry((site, survived)).or_default();
            *sum = (sum.0 + objects, sum.1 + bytes);
        }
    }
    let rows = sums.into_iter();
    rows.map(|((site, collections_survived), (objects, bytes))| AgeFact {
        site,
        collections_survived,
        objects,
        bytes,
    })
    .collect()
}

fn live(heap: &HeapAt, staleness: Option<&Staleness>, naming: &mut Naming<'_>) -> Vec<LiveFact> {
    let mut rows: Vec<LiveFact> = Vec::new();
    for site in &heap.sites {
        let stale = staleness.map(|staleness| {
            let mut sites = staleness.sites.iter();
            let row = sites.find(|row| row.site == site.site);
            row.map_or_else(Default::default, |row| row.levels.from_level(Levels::STALE))
        });
        rows.push(LiveFact {
            site: naming.id(site.site),
            objects: site.live.count,
            bytes: site.live.bytes,
            median_age: median_age(&site.ages),
            oldest_age: u32::try_from(site.ages.len().saturating_sub(1)).unwrap_or(u32::MAX),
            stale_objects: stale.map(|stale| stale.count),
            stale_bytes: stale.map(|stale| stale.bytes),
        });
    }
    rows.sort_unstable();
    rows
}

/// The age that half of the objects have reached.
fn median_age(ages: &[u64]) -> u32 {
    let half = ages.iter().sum::<u64>().div_ceil(2);
    let mut seen = 0;
    let reached = ages.iter().position(|count| {
        seen += count;
        seen >= half
    });
    u32::try_from(reached.unwrap_or(0)).unwrap_or(u32::MAX)
}

fn gcs(timeline: &Timeline) -> Vec<GcFact> {
    let points = timeline.points.iter();
    let used = |spaces: &[SpaceUse]| spaces.iter().map(|space| space.used).sum();
    points
        .map(|point| GcFact {
            gc: point.collection,
            at: point.start_micros,
            kind: point.kind.name().to_owned(),
            cause: point.cause.to_string(),
            pause_ns: point.pause_micros().saturating_mul(1000),
            before: used(&point.before),
            after: used(&point.after),
        })
        .collect()
}

/// The sites of the findings of a run, each with the word of its rows that needs a person most.
fn leaks(findings: &Findings<'_>, naming: &mut Naming<'_>) -> Vec<LeakFact> {
    let per_hour = |per_mb: f64| findings.forecast.per_second(per_mb) * 3600.0;
    // A site has a row for each of its callers.
    let mut sites: BTreeMap<_, (Standing, SiteSums)> = BTreeMap::new();
    for (row, standing) in findings.rows.iter().zip(findings.standings()) {
        let (worst, sums) = sites
            .entry(row.row.site)
            .or_insert((standing, SiteSums::default()));
        *worst = standing.min(*worst);
        sums.sure = sums.sure.max(row.judged.sure);
        sums.live += row.judged.live;
        sums.objects_per_hour += per_hour(row.judged.objects_per_mb.value);
        sums.bytes_per_hour += per_hour(row.judged.bytes_per_mb.value);
    }
    let sites = sites.into_iter();
    sites
        .map(|(site, (standing, sums))| LeakFact {
            site: naming.id(site),
            verdict: standing.name(),
            confidence_permille: whole(sums.sure * 1000.0),
            objects_per_hour: whole(sums.objects_per_hour),
            bytes_per_hour: whole(sums.bytes_per_hour),
            live_objects: sums.live.objects,
            live_bytes: sums.live.bytes,
        })
        .collect()
}

/// The rows of one site together.
#[derive(Default)]
struct SiteSums {
    sure: f64,
    live: Amount,
    objects_per_hour: f64,
    bytes_per_hour: f64,
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "rounded, and casts saturate"
)]
fn whole(number: f64) -> i64 {
    number.round() as i64
}
