//! One row per site.

use super::document::{HeapPartDoc, HeapReport};
use crate::event_trace::csv_rows::{PLACE, callers, list, place_fields, table};

pub(super) fn csv(report: &HeapReport) -> String {
    let header: Vec<&str> = PLACE
        .into_iter()
        .chain(["count", "bytes", "ages", "types", "context"])
        .collect();
    let sites = report
        .sites
        .iter()
        .map(|site| fields(place_fields(&site.place), &site.live));
    let without = report
        .unattributed
        .iter()
        .map(|part| fields(vec![String::new(); PLACE.len()], part));
    table(&header, sites.chain(without))
}

fn fields(mut row: Vec<String>, live: &HeapPartDoc) -> Vec<String> {
    let types: Vec<String> = live
        .types
        .iter()
        .map(|ty| format!("{}={}/{}", ty.ty, ty.count, ty.bytes))
        .collect();
    let context = live.context.iter();
    row.extend([
        live.count.to_string(),
        live.bytes.to_string(),
        list(&live.ages),
        types.join("; "),
        callers(context.map(|part| (&part.caller, part.count, part.bytes))),
    ]);
    row
}
