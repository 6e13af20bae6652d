//! Adds up executed increments by purpose and by method.

use ducktrack_trace_format::{Counter, CounterRole, Unit};

use crate::Increments;
use crate::definitions::Definitions;
use crate::row_plan::RowPlan;
use crate::snapshot_state::SnapshotState;

/// The increments of the trace, except what is known only from sites ([`Increments::one_per_site`]).
pub(crate) fn increments(
    state: &SnapshotState,
    definitions: &Definitions,
    plan: &mut RowPlan,
) -> Increments {
    let mut increments = Increments::default();
    let roles = definitions
        .counters
        .items()
        .iter()
        .map(|counter| counter.role);
    increments.amount_counters = roles.filter(|role| *role == CounterRole::Amount).count() as u64;
    let threads = state.threads.values().map(|thread| &thread.counters);
    for (id, word) in threads.chain([&state.shared]).flatten() {
        if let Some(counter) = definitions.counters.get(*id) {
            add_word(counter, *word, &mut increments, definitions, plan);
        }
    }
    let keyed = state
        .threads
        .values()
        .flat_map(|thread| thread.keyed.values());
    increments.keyed = keyed.fold(0, |sum, (count, _)| sum.saturating_add(*count));
    increments
}

fn add_word(
    counter: &Counter,
    word: u64,
    increments: &mut Increments,
    definitions: &Definitions,
    plan: &mut RowPlan,
) {
    let sum = match counter.role {
        CounterRole::Amount => return,
        CounterRole::Profile => &mut increments.profile,
        CounterRole::Increment if counts_objects(counter) => {
            add_to_method(counter, word, definitions, plan);
            &mut increments.executed
        }
        CounterRole::Increment => &mut increments.extra,
    };
    *sum = sum.saturating_add(word);
}

fn counts_objects(counter: &Counter) -> bool {
    counter.terms.is_empty() || counter.terms.iter().any(|term| term.unit == Unit::Count)
}

/// A counter belongs to one method: that of any of its sites.
fn add_to_method(counter: &Counter, word: u64, definitions: &Definitions, plan: &mut RowPlan) {
    let site = counter
        .terms
        .iter()
        .find_map(|term| definitions.sites.get(term.site));
    if let Some(method) = site.and_then(|site| plan.method(site.method))
        && let Some(row) = plan.methods.get_mut(method.get())
    {
        row.increments = row.increments.saturating_add(word);
    }
}
