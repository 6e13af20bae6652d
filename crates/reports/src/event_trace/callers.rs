//! The callers that a site's objects are filed under: documents from the model, lines for a terminal.

use ducktrack_analyses::LiveCaller;

use crate::event_trace::amounts::sum;
use crate::json::{AmountDoc, CallerDoc, ContextDoc, TypeDoc};
use crate::text::table::more;
use crate::text::{CALLERS, WITHOUT_CALLER};
use crate::view::Caller;

/// One caller's part of a site after the filter; `None` if nothing is left. `callers` are all callers of the model.
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

/// The lines of callers by amounts.
pub(super) fn amount_lines(context: &[ContextDoc]) -> Vec<(AmountDoc, String)> {
    let amount = |part: &ContextDoc| AmountDoc {
        count: part.count,
        bytes: part.bytes,
    };
    let parts = context.iter().map(|part| (&part.caller, amount(part)));
    lines(parts, |rest| sum(rest.iter().copied()))
}

/// The largest callers of a site that are known, with their names; a line for the others of them (`together`), one for objects without.
pub(super) fn lines<'a, P>(
    parts: impl Iterator<Item = (&'a CallerDoc, P)>,
    together: impl Fn(&[P]) -> P,
) -> Vec<(P, String)> {
    let (mut lines, mut without) = (Vec::new(), Vec::new());
    for (caller, part) in parts {
        match caller.known() {
            Some(caller) => lines.push((part, format!("  <- {caller}"))),
            None => without.push((part, format!("  {WITHOUT_CALLER}"))),
        }
    }
    let rest = lines.split_off(lines.len().min(CALLERS));
    if !rest.is_empty() {
        let name = format!("  <- {}", more(rest.len(), "caller"));
        let rest: Vec<P> = rest.into_iter().map(|(part, _)| part).collect();
        lines.push((together(&rest), name));
    }
    lines.append(&mut without);
    lines
}
