//! Rows of a CSV table (RFC 4180), and the columns that all tables of sites begin with.

use crate::event_trace::place::PlaceDoc;
use crate::json::CallerDoc;
use crate::table::csv_line;

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

/// Columns for lists of numbers, one for each position: `died_0`, `died_1`, ... As many as the longest list needs.
pub(super) struct ListColumns {
    length: usize,
}

impl ListColumns {
    pub(super) fn of<'a>(lists: impl Iterator<Item = &'a Vec<u64>>) -> Self {
        let length = |list: &Vec<u64>| {
            let last = list.iter().rposition(|value| *value != 0);
            last.map_or(0, |last| last + 1)
        };
        Self {
            length: lists.map(length).max().unwrap_or(0),
        }
    }

    pub(super) fn names(&self, prefix: &str) -> impl Iterator<Item = String> {
        let prefix = prefix.to_owned();
        (0..self.length).map(move |at| format!("{prefix}_{at}"))
    }

    /// The list's numbers; `None`: they stand in another row.
    pub(super) fn fields(&self, list: Option<&Vec<u64>>) -> impl Iterator<Item = String> {
        (0..self.length).map(move |at| match list {
            Some(list) => list.get(at).copied().unwrap_or(0).to_string(),
            None => String::new(),
        })
    }
}

/// The caller's name; empty where it is not known.
pub(super) fn caller_field(caller: Option<&CallerDoc>) -> String {
    let known = caller.and_then(CallerDoc::known);
    known.map_or_else(String::new, |caller| caller.to_string())
}

/// Empty fields of a place.
pub(super) fn no_place() -> Vec<String> {
    vec![String::new(); PLACE.len()]
}

/// A table under a header.
pub(super) fn table(header: &[impl AsRef<str>], rows: impl Iterator<Item = Vec<String>>) -> String {
    let names: Vec<&str> = header.iter().map(AsRef::as_ref).collect();
    let mut out = names.join(",");
    out.push_str("\r\n");
    for row in rows {
        out.push_str(&csv_line(&row));
    }
    out
}
