//! The objects made by the application's own code, and those made by its calls: two columns that share no object.

use ducktrack_count_model::Tally;

use crate::caused::of_what;
use crate::filter::Sort;
use crate::quantity::{bytes, counted, objects, share};
use crate::text::{fact, section};
use crate::view::View;

pub(super) fn write(out: &mut String, view: &View, top: usize) {
    let Some(caused) = &view.caused else { return };
    section(
        out,
        &format!(
            "CAUSED by calls of {} ({} of {}, by {} charged)",
            of_what(view, caused),
            top.min(caused.calls.len()),
            caused.calls.len(),
            view.filter.sort.name()
        ),
    );
    let whole = view.totals.executed;
    for (name, tally) in [
        ("own", caused.own),
        ("caused", caused.charged),
        ("together", caused.together()),
    ] {
        fact(out, name, &amount(tally, whole));
    }
    if !view.filter.is_partial() {
        fact(out, "no call", &amount(caused.no_call, whole));
    }
    for call in caused.calls.iter().take(top) {
        let (charged, inclusive) = match view.filter.sort {
            Sort::Bytes => (bytes(call.charged.bytes), bytes(call.inclusive.bytes)),
            Sort::Count => (objects(call.charged.count), objects(call.inclusive.count)),
        };
        out.push_str(&format!(
            "  {charged:>20} charged  {inclusive:>20} inclusive  {}\n",
            call.caller
        ));
    }
}

fn amount(tally: Tally, whole: Tally) -> String {
    format!(
        "{} in {} ({} of all bytes)",
        bytes(tally.bytes),
        counted(tally.count, "object"),
        share(tally.bytes, whole.bytes)
    )
}
