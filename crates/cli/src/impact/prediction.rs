//! The savings of each change as the first run predicts them.

use anyhow::{Result, bail};
use ducktrack_analyses::{
    Cost, CostBuilder, CostQuestion, Estimate, GcCost, ObjectGroup, TraceModel,
};
use ducktrack_reports::{CostCandidate, candidate_groups, group_of_sites};

use super::first_run::FirstRun;
use super::trial::Change;
use crate::trace_report::load_events;

/// By how much the time of collections differs from one run to the next of the same program, as a part of it: a standard
/// deviation, from the trials of half of the leaky programs (`benches/RESULTS.md`, "Does the predicted saving come true?").
const BETWEEN_RUNS: f64 = 0.03;
/// 95 % to both sides.
const Z: f64 = 1.96;

/// For each change the share of the time of collections that it saves, as measured
/// with this number of trials of each kind. `None`: nothing was collected.
///
/// The trace is read twice: which objects are meant is known at the end of the first time.
pub(super) fn shares(
    first: &FirstRun,
    changes: &[Change],
    after: u32,
    trials: u32,
) -> Result<Vec<Option<Estimate>>> {
    let groups = groups(first, changes)?;
    let question = CostQuestion {
        unused_for: after,
        groups,
    };
    let (_, costs) = load_events(&first.trace, CostBuilder::new(&question))?;
    let share = |(change, cost): (&Change, &Cost)| {
        share(&costs, change, cost).map(|share| between_means(share, trials))
    };
    let groups = costs.groups.iter().map(|group| &group.cost);
    Ok(changes.iter().zip(groups).map(share).collect())
}

fn share(costs: &GcCost, change: &Change, cost: &Cost) -> Option<Estimate> {
    let saved = match change {
        Change::Removal(_) => costs.unused(cost),
        Change::Switch(_) => costs.without(cost),
    };
    // Trials write no dump.
    let all = costs.pause_nanos().saturating_sub(costs.dump_nanos) as f64;
    let part = |nanos: f64| (nanos / all).min(1.0);
    (all > 0.0).then(|| Estimate {
        value: part(saved.value),
        low: part(saved.low),
        high: part(saved.high),
    })
}

/// An interval that has the difference of runs too. It does not depend on the prediction, so their squares add up.
fn between_means(share: Estimate, trials: u32) -> Estimate {
    let left = 1.0 - share.value;
    // Of the mean of base trials (all of it) and of that of the others (what is left).
    let error = Z * BETWEEN_RUNS * left * (2.0 / f64::from(trials.max(1))).sqrt();
    let (below, above) = (share.value - share.low, share.high - share.value);
    Estimate {
        value: share.value,
        // Less than nothing: the trials without the objects may happen to be the longer ones.
        low: share.value - below.hypot(error),
        high: (share.value + above.hypot(error)).min(1.0),
    }
}

fn groups(first: &FirstRun, changes: &[Change]) -> Result<Vec<ObjectGroup>> {
    let mut candidates: Vec<CostCandidate> = changes.iter().filter_map(candidate).collect();
    let (model, held) = match candidates.is_empty() {
        true => (load_events(&first.trace, ())?.0, Vec::new()),
        false => {
            let mut trace = first.load()?;
            let holdings = trace.holdings()?;
            let held = candidate_groups(&holdings, &mut candidates);
            (trace.model, held)
        }
    };
    let mut held = held.into_iter();
    let group = |change: &Change| match change {
        Change::Removal(_) => Ok(held.next().unwrap_or_default()),
        Change::Switch(switch) => of_sites(&model, &switch.sites),
    };
    changes.iter().map(group).collect()
}

fn candidate(change: &Change) -> Option<CostCandidate> {
    match change {
        Change::Removal(pair) => Some(pair.candidate()),
        Change::Switch(_) => None,
    }
}

fn of_sites(model: &TraceModel, name: &str) -> Result<ObjectGroup> {
    match group_of_sites(&model.count, name) {
        Some(group) => Ok(group),
        None => bail!("the first run has no allocation site in a package, class or method {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_trials_leave_less_between_runs() {
        let share = Estimate {
            value: 0.2,
            low: 0.17,
            high: 0.24,
        };
        let of = |trials: u32| between_means(share, trials);
        let error = Z * BETWEEN_RUNS * 0.8;
        let two = of(2);
        assert!((two.high - 0.2 - error.hypot(0.04)).abs() < 1e-9, "{two:?}");
        assert!((0.2 - two.low - error.hypot(0.03)).abs() < 1e-9, "{two:?}");
        assert!(of(8).high < two.high && of(1_000_000).low < 0.170_1);
        assert_eq!(between_means(Estimate::exact(1.0), 4), Estimate::exact(1.0));
        assert!(between_means(Estimate::exact(0.0), 4).low < 0.0);
    }
}
