//! Live amounts at the collections that looked at all of the old space.

use crate::amount::Amount;
use crate::cohorts::Cohorts;
use crate::history::History;
use crate::judgement::Measure;

/// Of n levels in any order, one order in n! ascends: 4 are the fewest whose chance is below 5 %.
const FEWEST_STEPS: usize = 4;

/// Levels by cohort: of the last look in each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Levels {
    by_cohort: Vec<Option<f64>>,
}

impl Levels {
    pub(crate) fn of(cohorts: &Cohorts, history: &History, measure: Measure) -> Self {
        let last = |cells: &core::ops::Range<usize>| {
            let end = cells.end.min(history.levels.len());
            let looks = history.levels.get(cells.start.min(end)..end)?;
            let last = looks.iter().rev().find_map(|level| *level)?;
            Some(measure.of(last))
        };
        Self {
            by_cohort: cohorts.cells.iter().map(last).collect(),
        }
    }

    /// By births, for a run with too few looks: of few objects that become large the
    /// newest is alive, and the level is its size. None, unless most of the newest stay.
    pub(crate) fn of_births(cohorts: &Cohorts, history: &History, measure: Measure) -> Self {
        let (born, kept) = (cohorts.sums(&history.born), cohorts.sums(&history.kept));
        let newest = born.iter().zip(&kept).rev();
        let mut newest = newest.filter(|(born, _)| born.objects > 0);
        let stays = newest.next().is_some_and(|(born, kept)| {
            kept.objects as f64 * core::f64::consts::E >= born.objects as f64
        });
        if !stays {
            return Self::default();
        }
        let mut level = None;
        let of_cohort = |born: &Amount| {
            if born.objects > 0 {
                level = Some(measure.of(*born) / born.objects as f64);
            }
            level
        };
        Self {
            by_cohort: born.iter().map(of_cohort).collect(),
        }
    }

    /// Too few looks to say whether the level ascends.
    pub(crate) fn are_few(&self) -> bool {
        self.by_cohort.iter().flatten().count() < FEWEST_STEPS
    }

    /// The level at the last look before this cohort, and the cohort of that look.
    /// Only of its second quarter and later: one that is too early says nothing.
    fn before(&self, cohort: usize) -> Option<(usize, f64)> {
        let earliest = self.by_cohort.len() / 4;
        let looks = self.by_cohort.iter().enumerate().take(cohort).rev();
        let mut looks = looks.filter_map(|(at, level)| Some((at, (*level)?)));
        looks.next().filter(|(at, _)| *at >= earliest)
    }

    /// The last look of the second half of the span, and its cohort.
    fn last(&self) -> Option<(usize, f64)> {
        let looks = self.by_cohort.iter().enumerate().rev();
        let mut looks = looks.filter_map(|(at, level)| Some((at, (*level)?)));
        looks
            .next()
            .filter(|(at, _)| *at >= self.by_cohort.len() / 2)
    }

    /// From a look near the middle of the span to the last one: the part of what
    /// was added by which the level rose. `None`: one of the two looks is missing.
    pub(crate) fn net_share(&self, kept: &[f64]) -> Option<f64> {
        let (at, before) = self.before(self.by_cohort.len() / 2)?;
        let (end, last) = self.last()?;
        let added: f64 = kept.get(at + 1..=end)?.iter().sum();
        (added > 0.0).then(|| (last - before) / added)
    }

    /// Few objects that become large: the bytes rise at every look, more by the objects' size than by their
    /// number; and in the second half of the span no more slowly than a curve with a time constant of half a
    /// span. (An array that doubles rises by as much in the second half as in the first, wherever its steps are.)
    pub(crate) fn rises(&self, objects: &Self) -> bool {
        let known = self.by_cohort.iter().enumerate();
        let known: Vec<(usize, f64)> = known
            .filter_map(|(at, level)| Some((at, (*level)?)))
            .collect();
        let mut steps: Vec<f64> = known.iter().map(|(_, level)| *level).collect();
        if steps.windows(2).any(|pair| matches!(pair, [a, b] if b < a)) {
            return false;
        }
        steps.dedup();
        let (Some(first), Some(last)) = (known.first(), known.last()) else {
            return false;
        };
        // A cohort before the middle, so that a doubling comes after it even where the program became a little slower.
        let Some(middle) = self.before((self.by_cohort.len() / 2).saturating_sub(1)) else {
            return false;
        };
        let slope = |from: &(usize, f64), to: &(usize, f64)| match to.0 - from.0 {
            0 => 0.0,
            cohorts => (to.1 - from.1) / cohorts as f64,
        };
        let (early, late) = (slope(first, &middle), slope(&middle, last));
        steps.len() >= FEWEST_STEPS
            && late > 0.0
            && late >= early / core::f64::consts::E
            && self.is_of_size(objects, middle.0, last.0)
    }

    /// More of the rise between two looks is of the objects' mean size than of their number.
    fn is_of_size(&self, objects: &Self, from: usize, to: usize) -> bool {
        let ratio = |levels: &Self| {
            let at = |cohort: usize| levels.by_cohort.get(cohort).copied().flatten();
            Some(at(to)? / at(from)?.max(1.0))
        };
        match (ratio(self), ratio(objects)) {
            (Some(bytes), Some(objects)) => bytes >= objects * objects,
            _ => false,
        }
    }

    /// How often the level fell by more than half of the highest.
    pub(crate) fn falls(&self) -> usize {
        let levels: Vec<f64> = self.by_cohort.iter().filter_map(|level| *level).collect();
        let most = levels.iter().copied().fold(0.0, f64::max);
        let (mut high, mut falls) = (0.0_f64, 0);
        for level in levels {
            high = high.max(level);
            if high - level > most / 2.0 {
                (high, falls) = (level, falls + 1);
            }
        }
        falls
    }
}
