//! One row per site.

use super::document::{HeapPartDoc, HeapReport};
use crate::event_trace::csv_rows::{PLACE, list, place_fields, table};

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
    let context: Vec<String> = live
        .context
        .iter()
        .map(|part| {
            let caller = part
                .caller()
                .map_or_else(String::new, |caller| caller.to_string());
            format!("{caller}={}/{}", part.count, part.bytes)
        })
        .collect();
    row.extend([
        live.count.to_string(),
        live.bytes.to_string(),
        list(&live.ages),
        types.join("; "),
        context.join("; "),
    ]);
    row
}
