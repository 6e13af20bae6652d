//! Rows of a CSV table (RFC 4180), and the columns that all tables of sites begin with.

use crate::csv::quoted;
use crate::event_trace::place::PlaceDoc;
use crate::json::CallerDoc;

/// Columns of a site's place.
pub(super) const PLACE: [&str; 7] = [
    "class",
    "method",
    "descriptor",
    "bci",
    "line",
    "type",
    "kind",
];

/// The place's fields, in the order of [`PLACE`].
pub(super) fn place_fields(place: &PlaceDoc) -> Vec<String> {
    let at = &place.location;
    vec![
        at.class.clone(),
        at.method.clone(),
        at.descriptor.clone(),
        at.bci.to_string(),
        at.line.map_or_else(String::new, |line| line.to_string()),
        place.ty.clone().unwrap_or_default(),
        place.kind.clone(),
    ]
}

/// A list of numbers in one field.
pub(super) fn list(values: &[u64]) -> String {
    let texts: Vec<String> = values.iter().map(u64::to_string).collect();
    texts.join(" ")
}

/// Callers with their objects and bytes in one field.
pub(super) fn callers<'a>(parts: impl Iterator<Item = (&'a CallerDoc, i64, i64)>) -> String {
    let text = |(caller, count, bytes): (&CallerDoc, i64, i64)| {
        let caller = caller.known();
        let name = caller.map_or_else(String::new, |caller| caller.to_string());
        format!("{name}={count}/{bytes}")
    };
    let texts: Vec<String> = parts.map(text).collect();
    texts.join("; ")
}

/// A table under a header.
pub(super) fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut out = header.join(",");
    out.push_str("\r\n");
    for row in rows {
        out.push_str(&csv_line(&row));
    }
    out
}

/// A row with its end.
#[must_use]
pub fn csv_line(row: &[String]) -> String {
    let fields: Vec<String> = row.iter().map(|field| quoted(field)).collect();
    fields.join(",") + "\r\n"
}
