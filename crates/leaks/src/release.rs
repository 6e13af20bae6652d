//! What was dropped before the span ended.

use crate::amount::Amount;
use crate::clock::Clock;
use crate::cohorts::Cohorts;
use crate::history::{Death, History};

/// The span up to the last look before its last cohort, if most of what was alive then is gone. And up to its last
/// cohort, if of what may have been alive nearly nothing stays, nor of any cohort after the start (of what is replaced
/// some stay, and mostly the youngest); then it is not known whether the objects that no look had found were alive.
pub(crate) fn before_release(clock: &Clock, history: &History) -> Vec<(Clock, History)> {
    let cohorts = Cohorts::of(clock);
    let last = cohorts.cells.last().map_or(0, |last| last.start);
    let before = history.levels.get(..last).unwrap_or(&history.levels);
    let look = before.iter().rposition(|level| level.is_some());
    let end = last.checked_sub(1).filter(|end| look != Some(*end));
    let at_look = look.and_then(|look| Released::after(look, history).seen(history));
    let since = look.map_or(0, |look| look + 1);
    let at_end = end.and_then(|end| Released::after(end, history).unseen(since, &cohorts, history));
    let earlier = look.zip(at_look).into_iter().chain(end.zip(at_end));
    earlier
        .map(|(end, earlier)| (clock.until(end + 1), earlier))
        .collect()
}

/// The objects that collections found dead after a cell.
struct Released {
    end: usize,
    /// Of each cell: alive later, or found dead later.
    kept: Vec<Amount>,
    /// Of these: found dead later.
    released: Vec<Amount>,
}

impl Released {
    fn after(end: usize, history: &History) -> Self {
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
        Self {
            end,
            kept,
            released,
        }
    }

    /// A look had found them alive.
    fn seen(self, history: &History) -> Option<History> {
        let is_released = bytes(&history.kept) < bytes(&self.kept) / 2.0;
        is_released.then(|| self.earlier(history, Vec::new()))
    }

    /// No collection had looked at the objects made since this cell.
    fn unseen(self, since: usize, cohorts: &Cohorts, history: &History) -> Option<History> {
        let (then, now) = (bytes(&self.kept), bytes(&history.kept));
        let later = cohorts.sums(&history.kept).into_iter().skip(1);
        let most = later.map(|kept| kept.bytes).max().unwrap_or(0) as f64;
        let share = 1.0 / cohorts.len().saturating_sub(1).max(1) as f64;
        let is_bare = most < then * share / core::f64::consts::E;
        let mut released = self.released.clone();
        released
            .iter_mut()
            .take(since)
            .for_each(|seen| *seen = Amount::default());
        (now < then / 2.0 && is_bare).then(|| self.earlier(history, released))
    }

    fn earlier(self, history: &History, unseen: Vec<Amount>) -> History {
        let end = self.end;
        let known = |death: &&Death| death.died <= end;
        History {
            kept: self.kept,
            born: history.born.iter().take(end + 1).copied().collect(),
            unseen,
            deaths: history.deaths.iter().filter(known).copied().collect(),
            levels: history.levels.iter().take(end + 1).copied().collect(),
            ..history.clone()
        }
    }
}

fn bytes(amounts: &[Amount]) -> f64 {
    amounts.iter().copied().sum::<Amount>().bytes as f64
}
