//! One row for each site, type, caller and thread, for spreadsheets and data frames (RFC 4180).
//!
//! ```text
//! class, method, descriptor, bci, line, source_file, kind     the site
//! type                                                        what is made
//! caller_class ... caller_target                              the call to blame; empty: no tracked call was under way
//! thread                                                      who made it
//! count, bytes                                                objects and bytes: sums over rows are those of the report
//! site_materialized_count, site_materialized_bytes            in the first row of a site: what of it reached the heap, where that was recorded
//! ```
//!
//! Each field has one value. A field that a spreadsheet would take for a formula starts with `'`.

use ducktrack_count_model::Tally;

use crate::view::{Cell, SiteRow, ThreadPart, View};

const HEADER: &str = "class,method,descriptor,bci,line,source_file,kind,type,caller_class,caller_method,\
                      caller_bci,caller_line,caller_target,thread,count,bytes,site_materialized_count,\
                      site_materialized_bytes\r\n";

/// The table.
pub(crate) fn csv(view: &View) -> String {
    let mut out = String::from(HEADER);
    for site in view.top_sites(usize::MAX) {
        let mut materialized = site.materialized;
        for cell in &site.cells {
            for thread in &cell.threads {
                let row = fields(view, site, cell, thread, materialized.take());
                out.push_str(&row.map(|field| quoted(&field)).join(","));
                out.push_str("\r\n");
            }
        }
    }
    out
}

fn fields(
    view: &View,
    site: &SiteRow,
    cell: &Cell,
    thread: &ThreadPart,
    materialized: Option<Tally>,
) -> [String; 18] {
    let at = &site.location;
    let caller = cell.caller.and_then(|id| view.caller(id));
    let of_caller =
        |field: fn(&crate::view::Caller) -> String| caller.map(field).unwrap_or_default();
    let number = |value: Option<u16>| value.map(|value| value.to_string()).unwrap_or_default();
    [
        at.class.clone(),
        at.method.clone(),
        at.descriptor.clone(),
        at.bci.to_string(),
        number(at.line),
        at.source_file.clone().unwrap_or_default(),
        site.kind.to_owned(),
        cell.ty.clone(),
        of_caller(|caller| caller.location.class.clone()),
        of_caller(|caller| caller.location.method.clone()),
        of_caller(|caller| caller.location.bci.to_string()),
        number(caller.and_then(|caller| caller.location.line)),
        of_caller(|caller| caller.target.clone()),
        thread.name.clone(),
        thread.executed.count.to_string(),
        thread.executed.bytes.to_string(),
        materialized
            .map(|tally| tally.count.to_string())
            .unwrap_or_default(),
        materialized
            .map(|tally| tally.bytes.to_string())
            .unwrap_or_default(),
    ]
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
