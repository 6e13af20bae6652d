//! The objects that an application's own calls cause: the first table of the page of an `app=` run.

use crate::caused::of_what;
use crate::filter::Sort;
use crate::quantity::{counted, share, short_bytes};
use crate::view::{CauseView, View};

/// Calls that are listed.
const CALLS: usize = 10;

/// The table.
pub(super) struct CausedFacts {
    pub(super) title: String,
    pub(super) sentence: String,
    pub(super) calls: Vec<CallFacts>,
}

/// A call of the application.
pub(super) struct CallFacts {
    pub(super) share: String,
    pub(super) caused: String,
    pub(super) inclusive: String,
    pub(super) place: String,
    pub(super) target: String,
}

/// `None` where calls were not measured.
pub(super) fn caused(view: &View) -> Option<CausedFacts> {
    let caused = view.caused.as_ref()?;
    let of_what = of_what(view, caused);
    let whole = view.totals.executed.bytes;
    Some(CausedFacts {
        title: format!(
            "Calls of {of_what} that cause most ({} of {})",
            CALLS.min(caused.calls.len()),
            caused.calls.len()
        ),
        sentence: format!(
            "{of_what} allocates {} of all bytes itself and causes {}. Each object is counted once, at the innermost call.",
            share(caused.own.bytes, whole),
            share(caused.charged.bytes, whole)
        ),
        calls: caused
            .calls
            .iter()
            .take(CALLS)
            .map(|call| call_facts(view, call))
            .collect(),
    })
}

fn call_facts(view: &View, call: &CauseView) -> CallFacts {
    let whole = view.totals.executed;
    let (part, caused, inclusive) = match view.filter.sort {
        Sort::Bytes => (
            share(call.charged.bytes, whole.bytes),
            short_bytes(call.charged.bytes.unsigned_abs()),
            short_bytes(call.inclusive.bytes.unsigned_abs()),
        ),
        Sort::Count => (
            share(call.charged.count, whole.count),
            counted(call.charged.count, "object"),
            counted(call.inclusive.count, "object"),
        ),
    };
    CallFacts {
        share: part,
        caused,
        inclusive,
        place: call.caller.location.to_string(),
        target: call.caller.target.clone(),
    }
}
