//! One row per site, caller and type of object. How old the objects of a site are stands in its first row.

use super::document::{HeapPartDoc, HeapReport};
use crate::event_trace::csv_rows::{
    ListColumns, PLACE, caller_field, no_place, place_fields, table,
};
use crate::json::TypeDoc;

pub(super) fn csv(report: &HeapReport) -> String {
    let sites = report.sites.iter().map(|site| &site.live);
    let ages = ListColumns::of(sites.chain(&report.unattributed).map(|live| &live.ages));
    let header: Vec<String> = PLACE
        .into_iter()
        .chain(["caller", "object_type", "count", "bytes"])
        .map(str::to_owned)
        .chain(ages.names("site_age"))
        .collect();
    let sites = report
        .sites
        .iter()
        .flat_map(|site| rows(&place_fields(&site.place), &site.live, &ages));
    let without = report
        .unattributed
        .iter()
        .flat_map(|part| rows(&no_place(), part, &ages));
    table(&header, sites.chain(without))
}

/// Objects of one caller and type.
struct Part {
    caller: String,
    ty: String,
    count: i64,
    bytes: i64,
}

fn rows(place: &[String], live: &HeapPartDoc, ages: &ListColumns) -> Vec<Vec<String>> {
    let row = |(at, part): (usize, Part)| {
        let figures = [part.count.to_string(), part.bytes.to_string()];
        let of_site = (at == 0).then_some(&live.ages);
        let fields = place.iter().cloned().chain([part.caller, part.ty]);
        fields.chain(figures).chain(ages.fields(of_site)).collect()
    };
    parts(live).into_iter().enumerate().map(row).collect()
}

fn parts(live: &HeapPartDoc) -> Vec<Part> {
    if live.context.is_empty() {
        return by_type(String::new(), &live.types, (live.count, live.bytes));
    }
    let callers = live.context.iter();
    callers
        .flat_map(|part| {
            let caller = caller_field(Some(&part.caller));
            by_type(caller, &part.types, (part.count, part.bytes))
        })
        .collect()
}

/// One part for each type; one for all where types are not known of all objects.
fn by_type(caller: String, types: &[TypeDoc], (count, bytes): (i64, i64)) -> Vec<Part> {
    let known: i64 = types.iter().map(|ty| ty.count).sum();
    if types.is_empty() || known != count {
        let ty = String::new();
        return vec![Part {
            caller,
            ty,
            count,
            bytes,
        }];
    }
    let part = |ty: &TypeDoc| Part {
        caller: caller.clone(),
        ty: ty.ty.clone(),
        count: ty.count,
        bytes: ty.bytes,
    };
    types.iter().map(part).collect()
}
