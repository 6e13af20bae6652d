//! Sites of a trace that leak, grouped by what drives them.

use std::borrow::Cow;

use ducktrack_analyses::{Staleness, SurvivorRow, Survivors, TraceModel};
use ducktrack_leaks::{
    Amount, Forecast, Group, History, Interval, Judgement, NotKnown, Verdict,
    before_it_was_dropped, groups, judge,
};
use rustc_hash::FxHashSet;

use super::document::{CandidateDoc, CohortDoc, FollowerDoc, IntervalDoc};
use super::place_text::class_of_place;
use super::softly::{Part, SoftlyHeld};
use super::unused::is_unused;
use crate::class_name::package_of;
use crate::event_trace::amounts::{ratio, signed};
use crate::event_trace::heap::since_start;
use crate::event_trace::place::{PlaceDoc, type_name};
use crate::text::next_command::is_library;
use crate::view::View;

/// Sites that are grouped; the rest keep less.
const MOST_GROUPED: usize = 500;

/// A row, or a part of it, with its verdict.
pub(super) struct JudgedRow<'a> {
    pub(super) row: &'a SurvivorRow,
    pub(super) part: Part,
    /// Of the part; of what was dropped, before that.
    pub(super) history: Cow<'a, History>,
    pub(super) judged: Judgement,
}

/// Judges all rows. What only soft references hold is judged apart.
pub(super) fn judged<'a>(
    survivors: &'a Survivors,
    soft: Option<&SoftlyHeld<'_>>,
) -> Vec<JudgedRow<'a>> {
    let clock = &survivors.clock;
    let judged = |row: &'a SurvivorRow, part, history: Cow<'a, History>| {
        let judged = match part {
            Part::All | Part::Firm => judge(clock, &history),
            Part::Soft => judge(clock, &history).that_can_be_cleared(),
        };
        // What was dropped at one time has risen as one until then.
        let dropped = judged
            .released
            .then(|| before_it_was_dropped(clock, &history));
        JudgedRow {
            row,
            part,
            judged,
            history: dropped.flatten().map_or(history, Cow::Owned),
        }
    };
    let mut rows: Vec<JudgedRow<'a>> = Vec::with_capacity(survivors.rows.len());
    for row in &survivors.rows {
        match soft.and_then(|soft| soft.parts(row)) {
            None => rows.push(judged(row, Part::All, Cow::Borrowed(&row.history))),
            Some(parts) => rows.extend(
                parts
                    .into_iter()
                    .filter(|(_, history)| !history.live().is_zero())
                    .map(|(part, history)| judged(row, part, Cow::Owned(history))),
            ),
        }
    }
    rows.sort_by_key(|row| core::cmp::Reverse(row.judged.kept.bytes));
    rows
}

/// A group of judged rows, driver first.
pub(super) struct Candidate<'a> {
    pub(super) rows: Vec<&'a JudgedRow<'a>>,
    pub(super) doc: CandidateDoc,
}

/// Makes candidates of one model.
pub(super) struct Candidates<'a> {
    pub(super) model: &'a TraceModel,
    pub(super) view: &'a View,
    pub(super) survivors: &'a Survivors,
    pub(super) staleness: Option<&'a Staleness>,
    pub(super) forecast: Forecast,
}

impl Candidates<'_> {
    /// What leaks, most bytes first, and of it last what has no place; then what fills; then what may leak; then what is too little to matter.
    pub(super) fn all<'a>(&self, rows: &'a [JudgedRow<'a>]) -> Vec<Candidate<'a>> {
        let kinds = [
            Verdict::Leaks,
            Verdict::Fills,
            Verdict::NotKnown(NotKnown::Unseen),
            Verdict::NotKnown(NotKnown::OldestGone),
            Verdict::NotKnown(NotKnown::FewLooks),
            Verdict::NotKnown(NotKnown::Late),
            Verdict::NotKnown(NotKnown::Starting),
        ];
        let mut all: Vec<Candidate<'a>> = Vec::new();
        for kind in kinds {
            let of_kind = rows.iter().filter(|row| row.judged.verdict == kind);
            let of_kind: Vec<&JudgedRow<'a>> = of_kind.take(MOST_GROUPED).collect();
            all.extend(self.of_kind(&of_kind));
        }
        self.alarm_of_sums(&mut all);
        // A stable sort: what matters comes first, in the order of kinds.
        all.sort_by_key(|one| {
            !(one.doc.alarm || self.forecast.is_material(one.doc.bytes_per_mb.value))
        });
        all
    }

    /// Lines of which none is an alarm by itself, but all together are: the largest, until their sum is one.
    fn alarm_of_sums(&self, all: &mut [Candidate<'_>]) {
        let mut lines: Vec<&mut CandidateDoc> = all
            .iter_mut()
            .map(|one| &mut one.doc)
            .filter(|doc| doc.verdict == Verdict::Leaks.name() && !doc.slows)
            .collect();
        let rates = lines.iter().map(|doc| doc.bytes_per_mb.value);
        if !self.forecast.is_alarming(rates.sum()) {
            return;
        }
        lines.sort_by(|a, b| b.bytes_per_mb.value.total_cmp(&a.bytes_per_mb.value));
        let mut sum = 0.0;
        for line in lines {
            line.alarm |= !self.forecast.is_alarming(sum);
            sum += line.bytes_per_mb.value;
        }
    }

    fn of_kind<'a>(&self, rows: &[&'a JudgedRow<'a>]) -> Vec<Candidate<'a>> {
        let histories: Vec<&History> = rows.iter().map(|row| row.history.as_ref()).collect();
        let makers: FxHashSet<String> = rows
            .iter()
            .filter_map(|row| PlaceDoc::of(&self.model.count, row.row.site?))
            .map(|place| place.location.class)
            .collect();
        let preferences = rows.iter().map(|row| self.preference(row.row, &makers));
        let preferences: Vec<u32> = preferences.collect();
        let preference = |place: usize| preferences.get(place).copied().unwrap_or(0);
        let candidate = |group: Group| {
            let followers = group.followers.iter();
            let followers = followers.filter_map(|one| Some((*rows.get(one.place)?, one.each)));
            let driver = *rows.get(group.driver)?;
            Some(self.candidate(driver, followers.collect()))
        };
        let mut all: Vec<Candidate<'a>> = groups(&histories, preference)
            .into_iter()
            .filter_map(candidate)
            .collect();
        // What the VM and native code make has no place, and is of many places: it names nobody.
        all.sort_by_key(|one| {
            let kept = core::cmp::Reverse(one.doc.kept_bytes);
            (one.doc.made.is_none(), kept)
        });
        all
    }

    /// Classes of the program's own say most; then what its own methods make or have made; then what makes others itself: a listener whose constructor makes two events;
    /// then what the program does not use.
    fn preference(&self, row: &SurvivorRow, makers: &FxHashSet<String>) -> u32 {
        let class = type_name(row.ty.as_deref());
        let is_class = row.ty.as_deref().is_some_and(|ty| ty.starts_with('L'));
        let is_own_class = is_class && is_own(&class);
        let place = row
            .site
            .and_then(|site| PlaceDoc::of(&self.model.count, site));
        let caller = self.caller(row);
        let caller = caller.as_deref().and_then(class_of_place);
        let is_own_place =
            place.is_some_and(|place| is_own(&place.location.class)) || caller.is_some_and(is_own);
        let is_unused = self
            .staleness
            .is_some_and(|staleness| is_unused(staleness, row));
        8 * u32::from(is_own_class)
            + 4 * u32::from(is_own_place)
            + 2 * u32::from(makers.contains(&class))
            + u32::from(is_unused)
    }

    fn candidate<'a>(
        &self,
        driver: &'a JudgedRow<'a>,
        followers: Vec<(&'a JudgedRow<'a>, u64)>,
    ) -> Candidate<'a> {
        let judged = &driver.judged;
        let all = followers.iter().map(|(row, _)| *row).chain([driver]);
        let rate = all.clone().fold(IntervalDoc::default(), |sum, row| {
            sum.plus(row.judged.bytes_per_mb)
        });
        let kept: Amount = all.clone().map(|row| row.judged.kept).sum();
        let mut history = History::clone(&driver.history);
        followers
            .iter()
            .for_each(|(row, _)| history.add(&row.history));
        let place = driver.row.site;
        let place = place.and_then(|site| PlaceDoc::of(&self.model.count, site));
        let at = place.as_ref().map(|place| &place.location);
        let follower = |(row, each): &(&JudgedRow<'_>, u64)| FollowerDoc {
            target: type_name(row.row.ty.as_deref()),
            made: self.made(row.row),
            each: *each,
            kept_bytes: signed(row.judged.kept.bytes),
        };
        let verdict = self.with_harm(judged.verdict, kept);
        let doc = CandidateDoc {
            verdict: verdict.name().to_owned(),
            reason: reason(verdict),
            alarm: verdict == Verdict::Leaks
                && self
                    .forecast
                    .is_alarming(rate.value * judged.slows.unwrap_or(1.0)),
            slows: judged.slows.is_some(),
            target: type_name(driver.row.ty.as_deref()),
            class: at.map(|at| at.class.clone()),
            method: at.map(|at| at.method.clone()),
            line: at.and_then(|at| at.line),
            made: at.map(ToString::to_string),
            caller: self.caller(driver.row),
            loaders: driver.row.loaders,
            objects: signed(judged.live.objects),
            bytes: signed(judged.live.bytes),
            kept_bytes: signed(kept.bytes),
            share: interval(judged.share),
            objects_per_mb: interval(judged.objects_per_mb),
            bytes_per_mb: rate,
            bytes_per_second: ratio(self.forecast.per_second(rate.value)),
            seconds_until_full: self
                .forecast
                .seconds_until_full(rate.value)
                .filter(|_| judged.slows.is_none())
                .map(ratio),
            sure: ratio(judged.sure),
            bends: ratio(judged.bends),
            judged_by: match judged.measure {
                ducktrack_leaks::Measure::Objects => "objects".to_owned(),
                ducktrack_leaks::Measure::Bytes => "bytes".to_owned(),
            },
            cohorts: judged.cohorts.0 as u32,
            of_cohorts: judged.cohorts.1 as u32,
            since_micros: self.moment(judged.since),
            level: judged.level.map(ratio),
            released: judged.released,
            softly: driver.part == Part::Soft,
            stays: self.stays(&driver.history),
            curve: self.curve(&history),
            with: followers.iter().map(follower).collect(),
            ..CandidateDoc::default()
        };
        let rows = [driver]
            .into_iter()
            .chain(followers.iter().map(|(row, _)| *row));
        Candidate {
            rows: rows.collect(),
            doc,
        }
    }

    /// While a program starts no line is drawn on: it leaks only if it has doubled the heap already.
    fn with_harm(&self, verdict: Verdict, kept: Amount) -> Verdict {
        match verdict {
            Verdict::NotKnown(NotKnown::Starting)
                if kept.bytes.saturating_mul(2) >= self.survivors.live.bytes =>
            {
                Verdict::Leaks
            }
            verdict => verdict,
        }
    }

    pub(super) fn made(&self, row: &SurvivorRow) -> Option<String> {
        let place = PlaceDoc::of(&self.model.count, row.site?)?;
        Some(place.location.to_string())
    }

    pub(super) fn caller(&self, row: &SurvivorRow) -> Option<String> {
        let caller = self.view.callers.get(row.call?.get())?;
        Some(caller.to_string())
    }

    fn stays(&self, history: &History) -> Vec<CohortDoc> {
        let stays = history.stays(&self.survivors.clock);
        let cohort = |(kept, born): (Amount, Amount)| CohortDoc {
            born: born.objects.max(kept.objects),
            kept: kept.objects,
        };
        stays.into_iter().map(cohort).collect()
    }

    /// Bytes kept up to the end of each cell.
    fn curve(&self, history: &History) -> Vec<u64> {
        let mut sum = history.earlier.bytes;
        let cells = 0..self.survivors.clock.cells().len();
        cells
            .map(|cell| {
                let kept = history.kept.get(cell).copied().unwrap_or_default();
                sum = sum.saturating_add(kept.bytes);
                sum
            })
            .collect()
    }

    /// When the clock showed these bytes, in microseconds since the start of the run.
    fn moment(&self, bytes: u64) -> u64 {
        let mut passed = 0_u64;
        let mut before = self.survivors.start_micros;
        for (cell, end) in self
            .survivors
            .clock
            .cells()
            .iter()
            .zip(&self.survivors.cell_ends)
        {
            if passed >= bytes {
                break;
            }
            passed = passed.saturating_add(cell.bytes);
            before = *end;
        }
        since_start(self.model, before).unwrap_or(0)
    }
}

/// Why it is not known.
pub(super) fn reason(verdict: Verdict) -> Option<String> {
    match verdict {
        Verdict::NotKnown(why) => Some(why.name().to_owned()),
        _ => None,
    }
}

fn is_own(class: &str) -> bool {
    let package = package_of(class);
    !is_library(package)
}

pub(super) fn interval(interval: Interval) -> IntervalDoc {
    IntervalDoc {
        value: ratio(interval.value),
        low: ratio(interval.low),
        high: ratio(interval.high),
    }
}

impl IntervalDoc {
    fn plus(self, other: Interval) -> Self {
        Self {
            value: ratio(self.value + other.value),
            low: ratio(self.low + other.low),
            high: ratio(self.high + other.high),
        }
    }
}
