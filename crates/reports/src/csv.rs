//! One row per site, for spreadsheets and data frames (RFC 4180).
//!
//! The columns are the keys of a site in the JSON report. `types`, `context` and `threads` are lists in one field:
//! `name=objects/bytes` separated by `; `. A field that a spreadsheet would take for a formula starts with `'`.

use ducktrack_heap_model::Tally;

use crate::grouping::{by_caller, by_type};
use crate::view::{SiteRow, View};

const HEADER: &str = "class,method,descriptor,bci,line,type,kind,count,bytes,materialized_count,\
                      materialized_bytes,types,context,threads\r\n";

/// The table.
pub fn csv(view: &View) -> String {
    let mut out = String::from(HEADER);
    for site in view.top_sites(usize::MAX) {
        let row = fields(view, site).map(|field| quoted(&field));
        out.push_str(&row.join(","));
        out.push_str("\r\n");
    }
    out
}

fn fields(view: &View, site: &SiteRow) -> [String; 14] {
    let at = &site.location;
    let materialized = |number: fn(Tally) -> i64| {
        site.materialized
            .map_or_else(String::new, |tally| number(tally).to_string())
    };
    [
        at.class.clone(),
        at.method.clone(),
        at.descriptor.clone(),
        at.bci.to_string(),
        at.line.map_or_else(String::new, |line| line.to_string()),
        site.ty.clone().unwrap_or_default(),
        site.kind.to_owned(),
        site.executed.count.to_string(),
        site.executed.bytes.to_string(),
        materialized(|tally| tally.count),
        materialized(|tally| tally.bytes),
        list(by_type(&site.cells)),
        context(view, site),
        list(
            site.threads
                .iter()
                .map(|thread| (thread.name.as_str(), thread.executed))
                .collect(),
        ),
    ]
}

fn context(view: &View, site: &SiteRow) -> String {
    if site.cells.iter().all(|cell| cell.caller.is_none()) {
        return String::new();
    }
    list(
        by_caller(&site.cells)
            .into_iter()
            .map(|(id, amount)| match id.and_then(|id| view.caller(id)) {
                Some(caller) => (caller.location.to_string(), amount),
                None => ("(none)".to_owned(), amount),
            })
            .collect(),
    )
}

fn list(parts: Vec<(impl AsRef<str>, Tally)>) -> String {
    parts
        .into_iter()
        .map(|(name, amount)| format!("{}={}/{}", name.as_ref(), amount.count, amount.bytes))
        .collect::<Vec<_>>()
        .join("; ")
}

pub(crate) fn quoted(field: &str) -> String {
    let number = field.parse::<i64>().is_ok();
    let guard = if !number && field.starts_with(['=', '+', '-', '@']) {
        "'"
    } else {
        ""
    };
    if field.contains(['"', ',', '\r', '\n', ';']) {
        format!("\"{guard}{}\"", field.replace('"', "\"\""))
    } else {
        format!("{guard}{field}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_only_where_needed() {
        assert_eq!(quoted("a.B"), "a.B");
        assert_eq!(quoted("a,b"), "\"a,b\"");
        assert_eq!(quoted("say \"x\""), "\"say \"\"x\"\"\"");
        assert_eq!(quoted("=1+1"), "'=1+1");
        assert_eq!(quoted("-5"), "-5");
    }
}
