//! The callers that are to blame for a site's objects: documents from the model, lines for a terminal.

use ducktrack_heap_model::LiveCaller;

use crate::event_trace::amounts::sum;
use crate::json::{AmountDoc, ContextDoc, TypeDoc};
use crate::text::table::more;
use crate::view::Caller;

/// Callers shown of each site.
const CALLERS: usize = 3;

/// One caller's part of a site, as far as it is kept; `None`: nothing is. `callers` are all of the model.
pub(super) fn context(
    row: &LiveCaller,
    kept_types: Vec<TypeDoc>,
    callers: &[Caller],
) -> Option<ContextDoc> {
    let kept = sum(kept_types.iter().map(AmountDoc::of_type));
    (kept.count > 0).then(|| ContextDoc::of(caller(row, callers), kept, kept_types))
}

pub(super) fn caller<'a>(row: &LiveCaller, callers: &'a [Caller]) -> Option<&'a Caller> {
    callers.get(row.call?.get())
}

/// The largest callers of a site that are known, with their names; a line for the others of them, one for objects without.
pub(super) fn lines(context: &[ContextDoc]) -> Vec<(AmountDoc, String)> {
    let amount_of = |part: &ContextDoc| AmountDoc {
        count: part.count,
        bytes: part.bytes,
    };
    let known = context
        .iter()
        .filter_map(|part| Some((amount_of(part), part.call()?)));
    let mut lines: Vec<_> = known
        .map(|(amount, call)| (amount, format!("  <- {call}")))
        .collect();
    let rest = lines.split_off(lines.len().min(CALLERS));
    if !rest.is_empty() {
        let sum = sum(rest.iter().map(|(amount, _)| *amount));
        lines.push((sum, format!("  <- {}", more(rest.len(), "caller"))));
    }
    let unknown = context.iter().filter(|part| part.call().is_none());
    let unknown_name = "  <- (no tracked call was under way)";
    lines.extend(unknown.map(|part| (amount_of(part), unknown_name.to_owned())));
    lines
}
