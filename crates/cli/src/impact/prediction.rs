//! What the first run says that each change saves.

use anyhow::{Result, bail};
use ducktrack_heap_model::{
    Cost, CostQuestion, Estimate, GcCost, ObjectGroup, Questions, TraceModel,
};
use ducktrack_holders::Holdings;
use ducktrack_reports::{CostCandidate, candidate_groups, group_of_sites};

use super::first_run::FirstRun;
use super::trial::Change;
use crate::trace_report::load_events;

/// For each change the share of the time of collections that it saves. `None`: nothing was collected.
///
/// The trace is read twice: which objects are meant is known at the end of the first time.
pub(super) fn shares(
    first: &FirstRun,
    changes: &[Change],
    after: u32,
) -> Result<Vec<Option<Estimate>>> {
    let groups = groups(first, changes)?;
    let questions = Questions {
        cost: Some(CostQuestion {
            unused_for: after,
            groups,
        }),
        ..Questions::default()
    };
    let model = load_events(&first.trace, &questions)?;
    let Some(costs) = &model.cost else {
        return Ok(vec![None; changes.len()]);
    };
    let share = |(change, cost): (&Change, &Cost)| share(costs, change, cost);
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

fn groups(first: &FirstRun, changes: &[Change]) -> Result<Vec<ObjectGroup>> {
    let mut candidates: Vec<CostCandidate> = changes.iter().filter_map(candidate).collect();
    let (model, held) = match candidates.is_empty() {
        true => (
            load_events(&first.trace, &Questions::default())?,
            Vec::new(),
        ),
        false => {
            let mut trace = first.load()?;
            let holdings = Holdings::new(trace.join()?);
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
