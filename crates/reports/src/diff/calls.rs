//! Calls of the application that cause more or less than before.

use std::cmp::Reverse;

use super::matching::match_places;
use super::{DiffOptions, amount_change};
use crate::filter::{Sort, in_scope};
use crate::json::{AmountDoc, CauseDoc, Document};

/// A call of the application that differs.
#[derive(Clone, Debug)]
pub struct CallChange {
    /// In the first run; `None` when it caused nothing there.
    pub before: Option<CauseDoc>,
    /// In the second run.
    pub after: Option<CauseDoc>,
}

impl CallChange {
    /// Change of the objects and bytes charged to the call.
    pub fn change(&self) -> AmountDoc {
        amount_change(charged(self.before.as_ref()), charged(self.after.as_ref()))
    }

    /// The call as it is now, or as it was.
    pub fn call(&self) -> Option<&CauseDoc> {
        self.after.as_ref().or(self.before.as_ref())
    }
}

fn charged(call: Option<&CauseDoc>) -> AmountDoc {
    call.map_or_else(AmountDoc::default, |call| AmountDoc {
        count: call.charged_objects,
        bytes: call.charged_bytes,
    })
}

/// `None` where one of the runs has no totals of calls.
pub(super) fn changed_calls(
    before: &Document,
    after: &Document,
    options: &DiffOptions,
) -> Option<Vec<CallChange>> {
    before.caused.as_ref().and(after.caused.as_ref())?;
    let wanted = |call: &CauseDoc| {
        options.only.is_empty()
            || options
                .only
                .iter()
                .any(|scope| in_scope(scope, &call.class))
    };
    let mut changes: Vec<CallChange> = match_places(&before.causes, &after.causes)
        .into_iter()
        .map(|(before, after)| CallChange {
            before: before.cloned(),
            after: after.cloned(),
        })
        .filter(|change| change.change() != AmountDoc::default())
        .filter(|change| change.call().is_some_and(wanted))
        .collect();
    changes.sort_by_key(|change| {
        let AmountDoc { count, bytes } = change.change();
        let size = match options.sort {
            Sort::Bytes => (bytes.unsigned_abs(), count.unsigned_abs()),
            Sort::Count => (count.unsigned_abs(), bytes.unsigned_abs()),
        };
        Reverse(size)
    });
    Some(changes)
}
