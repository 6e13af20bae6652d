//! Executed calls of JDK methods that make objects for their caller.

use std::sync::Arc;

use ducktrack_trace_format::{CallTerms, CountedCall, CounterId, MethodName, SiteId};
use rustc_hash::FxHashMap;

use crate::MethodIndex;
use crate::definitions::Definitions;
use crate::row_plan::RowPlan;
use crate::snapshot_state::SnapshotState;

/// A call in code that is not the JDK's, and how often it was executed. Calls that read alike are one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedCallRow {
    /// The method that calls.
    pub method: MethodIndex,
    /// Bytecode index of the call.
    pub bci: u16,
    /// Source line of the call.
    pub line: Option<u16>,
    /// The called method.
    pub target: Arc<MethodName>,
    /// Loops of the method around the call.
    pub loops: u8,
    /// The last argument is a constant of the code.
    pub has_constant_argument: bool,
    /// Executions.
    pub count: i64,
}

/// Adds up the counters of calls.
pub(crate) fn counted_call_rows(
    calls: &[CountedCall],
    terms: &[CallTerms],
    state: &SnapshotState,
    definitions: &Definitions,
    plan: &mut RowPlan,
) -> Vec<CountedCallRow> {
    let counts = executions(terms, state);
    let mut rows: Vec<CountedCallRow> = Vec::new();
    let mut row_of: FxHashMap<(MethodIndex, u16), usize> = FxHashMap::default();
    for call in calls {
        let count = counts.get(&call.id).copied().unwrap_or(0);
        if count == 0 {
            continue;
        }
        let method = plan.add_method(call.method, definitions);
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let at = *row_of.entry((method, call.bci)).or_insert(rows.len());
        match rows.get_mut(at) {
            Some(row) => row.count = row.count.saturating_add(count),
            None => rows.push(CountedCallRow {
                method,
                bci: call.bci,
                line: call.line,
                target: Arc::new(call.target.clone()),
                loops: call.loops,
                has_constant_argument: call.has_constant_argument,
                count,
            }),
        }
    }
    rows
}

fn executions(terms: &[CallTerms], state: &SnapshotState) -> FxHashMap<SiteId, i128> {
    let words = state.threads.values().flat_map(|thread| &thread.counters);
    let mut values: FxHashMap<CounterId, i128> = FxHashMap::default();
    for (id, word) in words.chain(&state.shared) {
        let value = values.entry(*id).or_default();
        *value = value.saturating_add(i128::from(*word));
    }
    let mut counts: FxHashMap<SiteId, i128> = FxHashMap::default();
    for counter in terms {
        let Some(value) = values.get(&counter.counter) else {
            continue;
        };
        for (call, factor) in &counter.terms {
            let count = counts.entry(*call).or_default();
            *count = count.saturating_add(value.saturating_mul((*factor).into()));
        }
    }
    counts
}
