//! What was dropped before the span ended.

use crate::amount::Amount;
use crate::clock::Clock;
use crate::cohorts::Cohorts;
use crate::history::History;

/// What was alive before it was dropped, of a subject whose verdict rests on that.
pub fn before_it_was_dropped(clock: &Clock, history: &History) -> Option<History> {
    before_release(clock, history).map(|(_, earlier)| earlier)
}

/// The span up to the last look before its last cohort, if most of what was alive then is gone. Without such
/// a look: up to its last cohort, if of that nearly nothing stays, nor of any cohort after the start (of
/// what is replaced some stay, and mostly the youngest); then nobody knows whether the others were alive.
pub(crate) fn before_release(clock: &Clock, history: &History) -> Option<(Clock, History)> {
    let cohorts = Cohorts::of(clock);
    let last = cohorts.cells.last()?.start;
    let before = history.levels.get(..last).unwrap_or(&history.levels);
    let look = before.iter().rposition(|level| level.is_some());
    let end = look.or(last.checked_sub(1))?;
    let mut kept = history.kept.clone();
    kept.resize(end + 1, Amount::default());
    let mut released = vec![Amount::default(); end + 1];
    for death in history.deaths.iter().filter(|death| death.died > end) {
        if let Some(sum) = released.get_mut(death.born) {
            *sum += death.amount;
        }
    }
    for (kept, released) in kept.iter_mut().zip(&released) {
        *kept += *released;
    }
    let sum = |amounts: &[Amount]| amounts.iter().copied().sum::<Amount>().bytes as f64;
    let (then, now) = (sum(&kept), sum(&history.kept));
    let later = cohorts.sums(&history.kept).into_iter().skip(1);
    let most = later.map(|kept| kept.bytes).max().unwrap_or(0) as f64;
    let share = 1.0 / cohorts.len().saturating_sub(1).max(1) as f64;
    let is_bare = most < then * share / core::f64::consts::E;
    if now >= then / 2.0 || look.is_none() && !is_bare {
        return None;
    }
    let known = |death: &&crate::Death| death.died <= end;
    let earlier = History {
        kept,
        born: history.born.iter().take(end + 1).copied().collect(),
        unseen: match look {
            Some(_) => Vec::new(),
            None => released,
        },
        deaths: history.deaths.iter().filter(known).copied().collect(),
        levels: history.levels.iter().take(end + 1).copied().collect(),
        ..history.clone()
    };
    Some((clock.until(end + 1), earlier))
}
