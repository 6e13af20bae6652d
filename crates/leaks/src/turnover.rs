//! Deaths that may have balanced what was kept.
//!
//! Where no collection looked at all of the old space near the middle of the span, the level there is not known: what was
//! born before and was found dead later may have been alive then. If as much has gone since as was kept since, the level may
//! stand still: a reservoir that is full replaces what is old and what is young alike, and of every cohort a part stays.

use crate::amount::Amount;
use crate::cohorts::Cohorts;
use crate::history::History;
use crate::judgement::Measure;
use crate::trend::BEND;

/// From this cohort on: the level may have risen by less than 1/e of what was kept, for all that is known of the dead.
pub(crate) fn may_balance(
    cohorts: &Cohorts,
    history: &History,
    measure: Measure,
    kept: &[f64],
    since: usize,
) -> bool {
    let is_across =
        |born: usize, died: usize| cohorts.of_cell(born) < since && cohorts.of_cell(died) >= since;
    let deaths = history.deaths.iter();
    let across = deaths.filter(|death| is_across(death.born, death.died));
    let spent = cohorts.sums(&history.spent).into_iter().take(since);
    let gone: Amount = across.map(|death| death.amount).chain(spent).sum();
    let added: f64 = kept.get(since..).unwrap_or_default().iter().sum();
    added - measure.of(gone) < added * (-1.0 / BEND).exp()
}
