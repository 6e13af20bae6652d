//! Calls of the application that cause more or less than before.

use super::DiffOptions;
use super::change::{Change, sort};
use crate::filter::in_scope;
use crate::json::{AmountDoc, CauseDoc, Document};

/// A call of the application that differs.
pub(super) type CallChange = Change<CauseDoc>;

/// `None` where one of the runs has no totals of calls.
pub(super) fn changed_calls(
    before: &Document,
    after: &Document,
    options: &DiffOptions,
) -> Option<Vec<CallChange>> {
    before.caused.as_ref().and(after.caused.as_ref())?;
    let is_in = |call: &CauseDoc| {
        options
            .only
            .iter()
            .any(|scope| in_scope(scope, &call.class))
    };
    let wanted = |call: &CauseDoc| options.only.is_empty() || is_in(call);
    let mut changes: Vec<CallChange> = Change::of_all(&before.causes, &after.causes)
        .filter(|change| change.change() != AmountDoc::default())
        .filter(|change| change.place().is_some_and(wanted))
        .collect();
    sort(&mut changes, options.sort);
    Some(changes)
}
