//! Allocations of calls of the application, summed over threads.
//!
//! ```text
//! all objects = own        application code has made them
//!             + charged    other code, in a call of the application: to the innermost one
//!             + no call    other code, outside of any: threads of libraries, the VM
//! ```

use ducktrack_trace_format::{Application, Cause, CounterId, class_pattern_matches};
use rustc_hash::FxHashMap;

use crate::row_plan::RowPlan;
use crate::snapshot_state::SnapshotState;
use crate::{CallIndex, CountModel, SiteRow, Tally};

/// A call from application code into other code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CauseRow {
    /// Where it is.
    pub call: CallIndex,
    /// The allocations executed while it was under way, by this thread, in a recursion once.
    pub inclusive: Tally,
    /// The allocations of other code in it, as the innermost call of the application.
    pub charged: Tally,
}

/// The allocations of the application itself, and of its calls of other code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Causes {
    /// Which code is the application's; `None`: that was not asked.
    pub application: Option<Application>,
    /// Its calls of other code, those that cause no allocation included.
    pub rows: Vec<CauseRow>,
    /// The allocations executed by its own code.
    pub own: Tally,
    /// The allocations charged to its calls, together.
    pub charged: Tally,
    /// The rest.
    pub no_call: Tally,
}

impl CountModel {
    /// Patterns of the application that fit no class that allocates or calls other code.
    pub fn patterns_without_class(&self) -> Vec<String> {
        let patterns = self.causes.application.iter().flat_map(|one| &one.patterns);
        let fits_none = |pattern: &&String| {
            let mut methods = self.methods.iter();
            !methods.any(|method| class_pattern_matches(pattern, &method.class))
        };
        patterns.filter(fits_none).cloned().collect()
    }
}

/// Adds up the counters of causes.
pub(crate) fn cause_rows(
    causes: &[Cause],
    state: &SnapshotState,
    plan: &mut RowPlan,
) -> Vec<CauseRow> {
    let mut rows: Vec<CauseRow> = Vec::new();
    let mut row_of: FxHashMap<CallIndex, usize> = FxHashMap::default();
    for cause in causes {
        let Some(call) = plan.call(cause.call) else {
            continue;
        };
        let at = *row_of.entry(call).or_insert_with(|| {
            rows.push(CauseRow {
                call,
                inclusive: Tally::default(),
                charged: Tally::default(),
            });
            rows.len() - 1
        });
        if let Some(row) = rows.get_mut(at) {
            row.inclusive += tally(state, cause.first, 0);
            row.charged += tally(state, cause.first, 2);
        }
    }
    rows
}

fn tally(state: &SnapshotState, first: CounterId, offset: u32) -> Tally {
    let sum = |id: CounterId| {
        let words = state
            .threads
            .values()
            .filter_map(|thread| thread.counters.get(&id));
        let sum = words.fold(0u64, |sum, word| sum.saturating_add(*word));
        i64::try_from(sum).unwrap_or(i64::MAX)
    };
    let id = |next: u32| CounterId(first.0.saturating_add(offset).saturating_add(next));
    Tally {
        count: sum(id(0)),
        bytes: sum(id(1)),
    }
}

impl Causes {
    /// Completes the sums. `class_of` says in which class a site is.
    pub(crate) fn of<'a>(
        application: Option<Application>,
        rows: Vec<CauseRow>,
        sites: &'a [SiteRow],
        class_of: impl Fn(&'a SiteRow) -> &'a str,
    ) -> Self {
        let Some(application) = application else {
            return Self::default();
        };
        let all: Tally = sites.iter().map(|site| site.total).sum();
        let own = sites
            .iter()
            .filter(|site| application.contains(class_of(site)));
        let own: Tally = own.map(|site| site.total).sum();
        let charged: Tally = rows.iter().map(|row| row.charged).sum();
        let rest =
            |all: i64, own: i64, charged: i64| all.saturating_sub(own).saturating_sub(charged);
        Self {
            no_call: Tally {
                count: rest(all.count, own.count, charged.count),
                bytes: rest(all.bytes, own.bytes, charged.bytes),
            },
            application: Some(application),
            rows,
            own,
            charged,
        }
    }
}
