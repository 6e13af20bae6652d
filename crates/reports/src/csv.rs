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

use crate::table::Table;
use crate::view::{Caller, Cell, SiteRow, ThreadPart, View};

/// Objects of a site, a type, a caller and a thread.
struct Row<'a> {
    site: &'a SiteRow,
    cell: &'a Cell,
    caller: Option<&'a Caller>,
    thread: &'a ThreadPart,
    materialized: Option<Tally>,
}

/// The table.
pub(crate) fn csv(view: &View) -> String {
    let mut rows = Vec::new();
    for site in view.top_sites(usize::MAX) {
        let mut materialized = site.materialized;
        for cell in &site.cells {
            let caller = cell.caller.and_then(|id| view.caller(id));
            rows.extend(cell.threads.iter().map(|thread| Row {
                site,
                cell,
                caller,
                thread,
                materialized: materialized.take(),
            }));
        }
    }
    table().csv(rows)
}

#[rustfmt::skip]
fn table<'a>() -> Table<'a, Row<'a>> {
    Table::<Row<'_>>::new()
        .in_csv("class", |row| row.site.location.class.clone())
        .in_csv("method", |row| row.site.location.method.clone())
        .in_csv("descriptor", |row| row.site.location.descriptor.clone())
        .in_csv("bci", |row| row.site.location.bci)
        .in_csv("line", |row| row.site.location.line)
        .in_csv("source_file", |row| row.site.location.source_file.clone())
        .in_csv("kind", |row| row.site.kind)
        .in_csv("type", |row| row.cell.ty.clone())
        .in_csv("caller_class", |row| Some(row.caller?.location.class.clone()))
        .in_csv("caller_method", |row| Some(row.caller?.location.method.clone()))
        .in_csv("caller_bci", |row| Some(row.caller?.location.bci))
        .in_csv("caller_line", |row| row.caller?.location.line)
        .in_csv("caller_target", |row| Some(row.caller?.target.clone()))
        .in_csv("thread", |row| row.thread.name.clone())
        .in_csv("count", |row| row.thread.executed.count)
        .in_csv("bytes", |row| row.thread.executed.bytes)
        .in_csv("site_materialized_count", |row| Some(row.materialized?.count))
        .in_csv("site_materialized_bytes", |row| Some(row.materialized?.bytes))
}
