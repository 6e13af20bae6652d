//! What became of objects that are older than all that stays.
//!
//! A cache that replaces its oldest keeps all up to an age and none that is older, so that its curve from there on is
//! that of a leak. What tells them is the survival function at the age of the oldest that stays (Kaplan and Meier 1958):
//! in a leak all live on. A death is found at a collection, and may have come at any time since the last one that looked. If that one found
//! it alive at an age of at least 1/e of this, the middle of both is the best guess; else nothing is known of its age.

use crate::cohorts::Cohorts;
use crate::history::History;
use crate::judgement::Measure;
use crate::trend::BEND;

/// Cohorts by which an age may be off: births and deaths are known to a cohort.
const OFF: usize = 2;

/// What became of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Oldest {
    /// There were none, or they died younger: what stays began to be kept then.
    Younger,
    /// They are gone; nobody knows at what age.
    Gone,
    /// They lived as long as the oldest that stays, and are gone.
    Replaced,
}

impl Oldest {
    /// `since`: the first cohort of which enough stays. `enough`: that, of the cohorts before it.
    pub(crate) fn of(
        cohorts: &Cohorts,
        history: &History,
        measure: Measure,
        since: usize,
        enough: f64,
    ) -> Self {
        let age = cohorts.len().saturating_sub(since + OFF);
        let (mut possible, mut sure) = (0.0, 0.0);
        for death in &history.deaths {
            let (born, died) = (cohorts.of_cell(death.born), cohorts.of_cell(death.died));
            if !(1..since).contains(&born) || died < born + age.max(OFF) {
                continue;
            }
            possible += measure.of(death.amount);
            let seen = cohorts.of_cell(death.seen);
            let was_seen =
                (seen - born.min(seen)) as f64 >= age.max(1) as f64 * (-1.0 / BEND).exp();
            if was_seen && seen + died >= 2 * (born + age) {
                sure += measure.of(death.amount);
            }
        }
        let spent = cohorts.sums(&history.spent);
        let spent = spent.get(1..since).unwrap_or_default().iter();
        let spent: f64 = spent.map(|spent| measure.of(*spent)).sum();
        (possible, sure) = (possible + spent, sure + spent);
        match possible > 0.0 && possible >= enough {
            false => Self::Younger,
            true if sure >= possible / 2.0 => Self::Replaced,
            true => Self::Gone,
        }
    }
}
