//! The callers that are to blame for a site's objects: documents from the model, lines for a terminal.

use ducktrack_heap_model::LiveCaller;

use crate::event_trace::amounts::sum;
use crate::json::{AmountDoc, ContextDoc, TypeDoc};
use crate::text::table::more;
use crate::text::{CALLERS, WITHOUT_CALLER};
use crate::view::Caller;

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
    let (mut lines, mut without) = (Vec::new(), Vec::new());
    for part in context {
        let amount = AmountDoc {
            count: part.count,
            bytes: part.bytes,
        };
        match part.caller() {
            Some(caller) => lines.push((amount, format!("  <- {caller}"))),
            None => without.push((amount, format!("  {WITHOUT_CALLER}"))),
        }
    }
    let rest = lines.split_off(lines.len().min(CALLERS));
    if !rest.is_empty() {
        let sum = sum(rest.iter().map(|(amount, _)| *amount));
        lines.push((sum, format!("  <- {}", more(rest.len(), "caller"))));
    }
    lines.append(&mut without);
    lines
}
