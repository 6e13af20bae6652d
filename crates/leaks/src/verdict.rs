//! The rule. See `THEORY.md`.

use core::ops::Range;

use crate::amount::Amount;
use crate::change::{Change, SHORTEST};
use crate::clock::Clock;
use crate::cohorts::{COHORTS, Cohorts};
use crate::covariate::Covariate;
use crate::forecast::HORIZON;
use crate::history::History;
use crate::interval::{CONFIDENCE, Interval};
use crate::judgement::{Judgement, Measure, NotKnown, Verdict};
use crate::levels::Levels;
use crate::oldest::Oldest;
use crate::rate::Rate;
use crate::release::before_release;
use crate::slowing::Slowing;
use crate::trend::{BEND, Trend};
use crate::turnover::may_balance;

const MB: f64 = 1_048_576.0;
/// Fewer cohorts have no middle: the first is the start, and of the last nothing has lived on.
pub const FEWEST_COHORTS: usize = 4;

/// Judges one subject.
pub fn judge(clock: &Clock, history: &History) -> Judgement {
    let judged = judge_unseen(clock, history);
    if judged.grows() {
        return judged;
    }
    dropped(clock, history).map_or(judged, |(before, _)| before)
}

/// The history of a subject before it was dropped, if its verdict rests on that.
pub fn before_it_was_dropped(clock: &Clock, history: &History) -> Option<History> {
    dropped(clock, history).map(|(_, earlier)| earlier)
}

/// The verdict on what was alive before it was dropped, if it leaked then or may have.
fn dropped(clock: &Clock, history: &History) -> Option<(Judgement, History)> {
    let earlier = before_release(clock, history).into_iter();
    let mut judged = earlier.map(|(clock, earlier)| {
        let before = judge_unseen(&clock, &earlier);
        let released = Judgement {
            released: true,
            ..before
        };
        (released, earlier)
    });
    let may_leak = |judged: &(Judgement, History)| {
        matches!(
            judged.0.verdict,
            Verdict::Leaks
                | Verdict::NotKnown(NotKnown::Unseen | NotKnown::Late | NotKnown::OldestGone)
        )
    };
    judged.find(may_leak)
}

/// A verdict must hold with all alive that no collection has looked at, and with as many of them dead as the looks at others allow.
fn judge_unseen(clock: &Clock, history: &History) -> Judgement {
    let best = judge_seen(clock, history);
    if !best.grows() || history.unseen.iter().all(|unseen| unseen.is_zero()) {
        return best;
    }
    let (alive, dead) = history.looks;
    let dead_share = 1.0 - Interval::of_share(alive, alive.saturating_add(dead)).low;
    let mut kept = history.kept.clone();
    for (kept, unseen) in kept.iter_mut().zip(&history.unseen) {
        *kept = *kept - unseen.share(dead_share);
    }
    let worst = judge_seen(
        clock,
        &History {
            kept,
            ..history.clone()
        },
    );
    match worst.grows() {
        true => Judgement {
            verdict: best.verdict.max(worst.verdict),
            bytes_per_mb: Interval {
                low: worst.bytes_per_mb.low,
                ..best.bytes_per_mb
            },
            objects_per_mb: Interval {
                low: worst.objects_per_mb.low,
                ..best.objects_per_mb
            },
            sure: worst.sure,
            ..best
        },
        false => Judgement {
            verdict: Verdict::NotKnown(NotKnown::Unseen),
            ..best
        },
    }
}

/// Objects first; then bytes, for few objects that become large.
fn judge_seen(clock: &Clock, history: &History) -> Judgement {
    let span = Span::of(clock, history);
    let is_late = |one: &Judgement| one.verdict == Verdict::NotKnown(NotKnown::Late);
    let objects = span.judgement(Measure::Objects);
    let is_judged = objects.grows() || matches!(objects.verdict, Verdict::NotKnown(_));
    if is_judged && !is_late(&objects) {
        return objects;
    }
    let bytes = span.judgement(Measure::Bytes);
    match bytes.grows() || bytes.may_leak() && !is_late(&bytes) {
        true => bytes,
        false => objects,
    }
}

/// What is kept since a moment, if that is less than before.
enum Flatter {
    /// A line of these cohorts.
    Line(Range<usize>),
    /// Hardly anything.
    Standstill,
}

/// A subject over the cohorts of the judged span.
struct Span<'a> {
    cohorts: Cohorts,
    history: &'a History,
    kept: Vec<Amount>,
    born: Vec<Amount>,
    /// Of each cohort: died after at least a cohort's time.
    lived_on: Vec<Amount>,
    collections: usize,
    /// The middle of each cohort, from 0 to 1.
    middles: Vec<f64>,
    unseen_loaders: Covariate,
    is_starting: bool,
}

impl<'a> Span<'a> {
    fn of(clock: &Clock, history: &'a History) -> Self {
        let cohorts = Cohorts::of(clock);
        let mut lived_on = vec![Amount::default(); cohorts.len()];
        for death in &history.deaths {
            let (born, died) = (cohorts.of_cell(death.born), cohorts.of_cell(death.died));
            if let Some(sum) = lived_on.get_mut(born).filter(|_| died >= born + 2) {
                *sum += death.amount;
            }
        }
        let all: f64 = cohorts.lengths.iter().sum();
        let mut passed = 0.0;
        let middles = cohorts.lengths.iter().map(|length| {
            passed += length;
            (passed - length / 2.0) / all
        });
        Self {
            middles: middles.collect(),
            kept: cohorts.sums(&history.kept),
            born: cohorts.sums(&history.born),
            history,
            lived_on,
            collections: clock.collections(),
            unseen_loaders: Covariate::of(&cohorts, clock.unseen_loaders()),
            is_starting: clock.is_starting(),
            cohorts,
        }
    }

    fn judgement(&self, measure: Measure) -> Judgement {
        let kept: Vec<f64> = self.kept.iter().map(|kept| measure.of(*kept)).collect();
        let unit = self.unit(measure);
        let rate = self.rate(&kept, self.inner(), unit);
        let later = self.later();
        let trend = self.trend(&kept, later.clone(), unit);
        let flatter = self.flatter(&kept, unit);
        let verdict = match self.verdict(measure, &kept, rate, flatter.as_ref()) {
            // Each new class is loaded once: the line ends with the start.
            Verdict::Leaks if self.is_starting => Verdict::NotKnown(NotKnown::Starting),
            verdict => verdict,
        };
        let slowing = self
            .slowing(&kept, unit)
            .filter(|_| verdict == Verdict::Leaks);
        let range = match slowing {
            // It goes on from where it is now.
            Some(_) => later,
            None => match &flatter {
                Some(Flatter::Line(range)) => range.clone(),
                Some(Flatter::Standstill) | None => self.since_it_began(&kept, rate, unit),
            },
        };
        let judged_rate = match &flatter {
            Some(Flatter::Line(range)) => self.rate(&kept, range.clone(), unit),
            Some(Flatter::Standstill) | None => rate,
        };
        let other = |other: Measure| {
            let kept: Vec<f64> = self.kept.iter().map(|kept| other.of(*kept)).collect();
            let rate = self.rate(&kept, range.clone(), self.unit(other));
            rate.map_or(Interval::default(), |rate| rate.rate.times(MB))
        };
        Judgement {
            verdict,
            measure,
            live: self.history.live(),
            kept: self.kept.iter().copied().sum(),
            objects_per_mb: other(Measure::Objects),
            bytes_per_mb: other(Measure::Bytes),
            share: self.share(),
            sure: judged_rate.map_or(0.5, |rate| rate.sure),
            bends: trend
                .as_ref()
                .map_or(0.5, |trend| trend.probability_below(0.0)),
            cohorts: (kept.iter().filter(|kept| **kept > 0.0).count(), kept.len()),
            since: match &flatter {
                Some(Flatter::Line(range)) => self.passed(range.start),
                Some(Flatter::Standstill) | None => self.since(&kept, rate),
            },
            level: match (&flatter, trend) {
                _ if verdict != Verdict::Fills => None,
                (Some(Flatter::Standstill), _) => Some(self.history.live().bytes as f64),
                (_, trend) => trend.and_then(|trend| self.level(&trend)),
            },
            slows: slowing.map(|slowing| slowing.part_of_line(HORIZON)),
            part: match slowing {
                Some(_) => 1.0,
                None => self.part(range),
            },
            released: false,
            may_have_stopped: verdict == Verdict::Leaks && self.may_have_stopped(measure, &kept),
        }
    }

    /// The cohorts since it is kept, if what is kept of these alone is above zero;
    /// else all. (The newest of few objects that become large is young, and no line.)
    fn since_it_began(&self, kept: &[f64], rate: Option<Rate>, unit: f64) -> Range<usize> {
        let inner = self.inner();
        let first = self.first_kept(kept, rate).max(inner.start);
        let since = first.min(inner.end)..inner.end;
        let of_these = self.rate(kept, since.clone(), unit);
        match of_these.is_some_and(|rate| rate.is_positive()) {
            true => since,
            false => inner,
        }
    }

    /// Of the clock of all cohorts that are judged: the part of these.
    fn part(&self, range: Range<usize>) -> f64 {
        let length = |range: Range<usize>| -> f64 {
            let lengths = self.cohorts.lengths.get(range).unwrap_or_default();
            lengths.iter().sum()
        };
        let all = length(self.inner());
        match all > 0.0 {
            true => length(range) / all,
            false => 1.0,
        }
    }

    /// Neither the start of the program nor what has not lived on yet.
    fn inner(&self) -> Range<usize> {
        let end = self.kept.len().saturating_sub(1);
        1.min(end)..end
    }

    /// The second half of the span.
    fn later(&self) -> Range<usize> {
        let inner = self.inner();
        let start = (self.kept.len() / 2).min(inner.end.saturating_sub(2));
        start.max(inner.start)..inner.end
    }

    /// The dispersion of independent objects.
    fn unit(&self, measure: Measure) -> f64 {
        let all: Amount = self.kept.iter().copied().sum();
        match measure {
            Measure::Objects => 1.0,
            Measure::Bytes => all.bytes as f64 / all.objects.max(1) as f64,
        }
    }

    fn rate(&self, kept: &[f64], range: Range<usize>, unit: f64) -> Option<Rate> {
        let lengths = self.cohorts.lengths.get(range.clone())?;
        Rate::of(kept.get(range)?, lengths, unit)
    }

    fn trend(&self, kept: &[f64], range: Range<usize>, unit: f64) -> Option<Trend> {
        let lengths = self.cohorts.lengths.get(range.clone())?;
        let middles = self.middles.get(range.clone())?;
        Trend::of(kept.get(range)?, lengths, middles, unit)
    }

    fn verdict(
        &self,
        measure: Measure,
        kept: &[f64],
        rate: Option<Rate>,
        flatter: Option<&Flatter>,
    ) -> Verdict {
        let (Some(rate), true) = (rate, kept.len() >= FEWEST_COHORTS) else {
            return Verdict::NotKnown(NotKnown::FewCollections);
        };
        // Of its second half only the scatter of cohorts counts: few objects are not many, but they have not stopped.
        let later = self.rate(kept, self.later(), 0.0);
        let goes_on = later.is_some_and(|later| later.is_positive());
        let is_line = matches!(flatter, Some(Flatter::Line(_))) || rate.is_positive() && goes_on;
        let levels = Levels::of(&self.cohorts, self.history, measure);
        let oldest = self.oldest(measure, kept, rate);
        let is_replaced =
            || oldest == Oldest::Replaced || self.is_replaced(measure, kept, rate, &levels);
        if is_line && !is_replaced() {
            let unit = self.unit(measure);
            let has_bound = match flatter {
                Some(Flatter::Standstill) => true,
                Some(Flatter::Line(_)) => false,
                None => self.bends(kept, unit) && self.slowing(kept, unit).is_none(),
            };
            return match has_bound {
                true => Verdict::Fills,
                false if self.may_stand_still(measure, kept, &levels, flatter) => {
                    Verdict::NotKnown(NotKnown::DeathsUndated)
                }
                false if oldest == Oldest::Gone => Verdict::NotKnown(NotKnown::OldestGone),
                false if self.goes_with(&self.unseen_loaders, measure, kept) => {
                    Verdict::NotKnown(NotKnown::Unseen)
                }
                false => Verdict::Leaks,
            };
        }
        if measure == Measure::Bytes && self.becomes_large(&levels) {
            // Births are no look: the last array may be the one that is large enough.
            return match levels.are_few() {
                true => Verdict::NotKnown(NotKnown::FewLooks),
                false => Verdict::Leaks,
            };
        }
        let all: f64 = kept.iter().sum::<f64>() + measure.of(self.history.earlier);
        let early = kept.first().copied().unwrap_or(0.0) + measure.of(self.history.earlier);
        match (levels.falls(), early > all / 2.0) {
            (2.., _) => Verdict::Periodic,
            (_, true) => Verdict::LoadedOnce,
            _ if !self.is_late(kept, rate) => Verdict::Bounded,
            _ => self.late(oldest, kept, rate, &levels),
        }
    }

    /// Of what is kept only since a late cohort: it goes on, or it is replaced.
    fn late(&self, oldest: Oldest, kept: &[f64], rate: Rate, levels: &Levels) -> Verdict {
        let stands_still = levels
            .net_share(kept)
            .is_some_and(|net| net < (-1.0 / BEND).exp());
        match oldest {
            Oldest::Replaced => Verdict::Bounded,
            Oldest::Younger if !self.is_coarse(kept, rate) => Verdict::NotKnown(NotKnown::Late),
            // It is not known for how long the others lived.
            _ if stands_still => Verdict::Bounded,
            Oldest::Younger | Oldest::Gone => Verdict::NotKnown(NotKnown::OldestGone),
        }
    }

    /// It is kept since a cohort of the second half, and of each from there on. The last cohort has not lived on;
    /// it counts here, where nothing is said to go on.
    fn is_late(&self, kept: &[f64], rate: Rate) -> bool {
        let range = self.first_kept(kept, Some(rate)).max(self.later().start)..kept.len();
        let enough = rate.rate.value / core::f64::consts::E;
        let cohorts = kept.iter().zip(&self.cohorts.lengths);
        let mut cohorts = cohorts.skip(range.start).take(range.len());
        let goes_on = self.rate(kept, range.clone(), 0.0);
        range.len() >= FEWEST_COHORTS - 1
            && cohorts.all(|(kept, length)| *kept >= enough * length)
            && goes_on.is_some_and(|rate| rate.is_positive())
    }

    /// What is kept goes with these events, which go on.
    fn goes_with(&self, events: &Covariate, measure: Measure, kept: &[f64]) -> bool {
        let lengths = &self.cohorts.lengths;
        events.goes_on(self.later())
            && !events.leaves_a_line(kept, lengths, self.inner(), self.unit(measure))
    }

    /// Few objects that become large: at the looks, or, where they are too few, by what was born.
    fn becomes_large(&self, looks: &Levels) -> bool {
        let of = match looks.are_few() {
            true => Levels::of_births,
            false => Levels::of,
        };
        let levels = |measure| of(&self.cohorts, self.history, measure);
        levels(Measure::Bytes).rises(&levels(Measure::Objects))
    }

    /// What was kept goes after a time: the level does not rise by what is added (a look
    /// in the middle tells), else the old cohorts have lost more than the young ones.
    fn is_replaced(&self, measure: Measure, kept: &[f64], rate: Rate, levels: &Levels) -> bool {
        if let Some(net) = levels.net_share(kept) {
            return net < (-1.0 / BEND).exp();
        }
        let is_of_the_young = |exposures: &[f64]| {
            let trend = self.share_trend(measure, kept, exposures);
            trend.is_some_and(|trend| trend.probability_below(BEND) < 1.0 - CONFIDENCE)
        };
        let with = |others: &[Amount]| -> Vec<f64> {
            let others = others.iter().map(|amount| measure.of(*amount));
            kept.iter()
                .zip(others)
                .map(|(kept, other)| kept.max(other))
                .collect()
        };
        if self.is_coarse(kept, rate) {
            // Objects that are replaced are young, and few of the old births are left.
            return is_of_the_young(&self.cohorts.lengths) && is_of_the_young(&with(&self.born));
        }
        is_of_the_young(&self.lived_on(measure))
    }

    /// Whether the share of these that stays rises from old cohorts to young ones. Of the cohorts in question all that stays has lived on.
    fn share_trend(&self, measure: Measure, kept: &[f64], exposures: &[f64]) -> Option<Trend> {
        let end = self.kept.len().saturating_sub(2);
        let range = 1.min(end)..end;
        let kept = kept.get(range.clone())?;
        let exposures = exposures.get(range.clone())?;
        Trend::of(
            kept,
            exposures,
            self.middles.get(range)?,
            self.unit(measure),
        )
    }

    /// Of each cohort: what stays, and what died after at least a cohort's time.
    fn lived_on(&self, measure: Measure) -> Vec<f64> {
        let cohorts = self.kept.iter().zip(&self.lived_on);
        cohorts.map(|(a, b)| measure.of(*a + *b)).collect()
    }

    /// No look in the middle tells the level, what died since may balance what was kept
    /// since, and the old have lost more than the young (or less is kept since a moment).
    fn may_stand_still(
        &self,
        measure: Measure,
        kept: &[f64],
        levels: &Levels,
        flatter: Option<&Flatter>,
    ) -> bool {
        let since = match flatter {
            Some(Flatter::Line(range)) => range.start,
            Some(Flatter::Standstill) | None => self.later().start,
        };
        // What a line keeps since the middle is as much as it has of before. If all
        // but 1/e of it made up for what died, so much must be gone of the old.
        let share = (2.0 - (-1.0 / BEND).exp()).ln();
        let goes_more = || {
            let trend = self.share_trend(measure, kept, &self.lived_on(measure));
            trend.is_some_and(|trend| {
                trend.probability_below(0.0) < 1.0 - CONFIDENCE && trend.slope >= share
            })
        };
        levels.net_share(kept).is_none()
            && may_balance(&self.cohorts, self.history, measure, kept, since)
            && (flatter.is_some() || goes_more())
    }

    /// Whether the line may have stopped in the last cohorts: they are fewer than a line needs, no look shows their level, and the dead may
    /// balance what they keep. A bounded structure that is full so late, and replaces its objects, has risen as one that leaks.
    fn may_have_stopped(&self, measure: Measure, kept: &[f64]) -> bool {
        let count = kept.len();
        let latest = count.saturating_sub(FEWEST_COHORTS)..count.saturating_sub(SHORTEST);
        let start = |cohort: usize| self.cohorts.cells.get(cohort).map(|cells| cells.start);
        let cells = start(latest.start).zip(start(count.saturating_sub(1)));
        let levels = cells.and_then(|(from, to)| self.history.levels.get(from..to));
        let is_seen = levels.unwrap_or_default().iter().any(Option::is_some);
        let balances = |since| may_balance(&self.cohorts, self.history, measure, kept, since);
        !is_seen && latest.into_iter().any(balances)
    }

    /// A second line, if it explains what is kept better than one does and no curve without
    /// a bound does. The last cohort counts only where it keeps less: it has not lived on.
    fn flatter(&self, kept: &[f64], unit: f64) -> Option<Flatter> {
        if self.slowing(kept, unit).is_some() {
            return None;
        }
        let inner = self.inner();
        let mean = self.rate(kept, inner.clone(), unit)?.rate.value;
        let last = kept.last().zip(self.cohorts.lengths.last());
        let is_less = last.is_some_and(|(kept, length)| *kept < mean * length);
        let range = inner.start..inner.end + usize::from(is_less);
        let lengths = self.cohorts.lengths.get(range.clone())?;
        let change = Change::of(kept.get(range.clone())?, lengths, unit)?;
        let line = inner.start + change.since..inner.end;
        let rate = self.rate(kept, line.clone(), unit);
        let Some(rate) = rate.filter(|rate| rate.is_positive()) else {
            return Some(Flatter::Standstill);
        };
        let curve = self.trend(kept, range, unit);
        let is_curve =
            self.bends(kept, unit) && curve.is_some_and(|curve| !change.is_likelier_than(&curve));
        (!is_curve && change.is_sure(rate.sure)).then_some(Flatter::Line(line))
    }

    /// Nobody knows for how long the dead had lived. What is replaced lives for as
    /// long as what stays; if that is two epochs, a collection has found it alive.
    fn is_coarse(&self, kept: &[f64], rate: Rate) -> bool {
        let all: f64 = self.cohorts.lengths.iter().sum();
        let age = 1.0 - self.since(kept, Some(rate)) as f64 / all;
        self.collections < COHORTS && age * (self.collections as f64) < 2.0
    }

    /// The curve saturates within the span: what is kept thins out in its second
    /// half by itself, or over the whole of it and the second half goes on so.
    fn bends(&self, kept: &[f64], unit: f64) -> bool {
        let later = self.later();
        let (Some(whole), Some(second)) = (
            self.trend(kept, self.inner(), unit),
            self.trend(kept, later, unit),
        ) else {
            return false;
        };
        let is_sure = |probability: f64| probability > CONFIDENCE;
        // The second half is half a span long.
        is_sure(second.probability_below(-2.0 / BEND))
            || is_sure(whole.probability_below(-1.0 / BEND))
                && is_sure(second.probability_below(0.0))
    }

    /// It bends, and a curve without a bound explains that, but not one with a bound.
    fn slowing(&self, kept: &[f64], unit: f64) -> Option<Slowing> {
        if !self.bends(kept, unit) {
            return None;
        }
        let range = self.inner();
        let all: f64 = self.cohorts.lengths.iter().sum();
        let lengths = self.cohorts.lengths.get(range.clone())?.iter();
        let lengths: Vec<f64> = lengths.map(|length| length / all).collect();
        let middles = self.middles.get(range.clone())?;
        Slowing::of(kept.get(range)?, &lengths, middles, unit)
    }

    /// Objects of all cohorts but the last: alive, of born.
    fn share(&self) -> Interval {
        let range = ..self.inner().end;
        let sum = |amounts: &[Amount]| -> u64 {
            let amounts = amounts.get(range).unwrap_or_default();
            amounts.iter().copied().sum::<Amount>().objects
        };
        Interval::of_share(sum(&self.kept), sum(&self.born))
    }

    /// The first cohort that keeps as much as a curve with a time constant of one span would at its end.
    fn first_kept(&self, kept: &[f64], rate: Option<Rate>) -> usize {
        let rate = rate.map_or(0.0, |rate| rate.rate.value) / core::f64::consts::E;
        let mut cohorts = kept.iter().zip(&self.cohorts.lengths);
        let first = cohorts.position(|(kept, length)| *kept > 0.0 && *kept >= rate * length);
        first.unwrap_or(0)
    }

    /// Where on the clock that cohort begins.
    fn since(&self, kept: &[f64], rate: Option<Rate>) -> u64 {
        self.passed(self.first_kept(kept, rate))
    }

    /// The clock at the start of a cohort.
    fn passed(&self, cohort: usize) -> u64 {
        self.cohorts.lengths.iter().take(cohort).sum::<f64>() as u64
    }

    fn oldest(&self, measure: Measure, kept: &[f64], rate: Rate) -> Oldest {
        let since = self.first_kept(kept, Some(rate));
        let before = self.cohorts.lengths.get(1..since).unwrap_or_default();
        let enough = before.iter().sum::<f64>() * rate.rate.value / core::f64::consts::E;
        Oldest::of(&self.cohorts, self.history, measure, since, enough)
    }

    /// Bytes at which the curve ends: what is there, and what its tail still adds.
    fn level(&self, trend: &Trend) -> Option<f64> {
        let later = self.later();
        let kept = self.kept.get(later.clone())?;
        let bytes = kept.iter().copied().sum::<Amount>().bytes;
        let from = *self.middles.get(later.start)?;
        let slope = trend.slope;
        if slope >= 0.0 {
            return None;
        }
        // The part after 1 of an exponential curve whose part from `from` to 1 is known.
        let tail = slope.exp() / ((slope * from).exp() - slope.exp());
        let live = self.history.live().bytes;
        Some(live as f64 + bytes as f64 * tail)
    }
}
