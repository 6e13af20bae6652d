//! One row per site.

use super::document::HoldersReport;
use crate::event_trace::holder_docs::HoldingDoc;
use crate::event_trace::site_line::{SiteLine, place_columns};
use crate::table::{PageTable, Table, Unit, Value};

#[rustfmt::skip]
pub(super) fn table(report: &HoldersReport) -> Table<'_, SiteLine<'_, HoldingDoc>> {
    let whole = report.total.bytes;
    place_columns::<HoldingDoc>()
        .column("count", "objects", Unit::Objects, |row| row.part.count)
        .column("bytes", "bytes", Unit::Bytes, |row| row.part.bytes)
        .column("retained", "retained", Unit::Bytes, |row| row.part.retained)
        .first()
        .shown("share", Unit::Share, move |row| Value::share(row.part.retained, whole))
        .first()
        .in_csv("oldest", |row| row.part.oldest)
        .in_csv("youngest", |row| row.part.youngest)
        .shown("ages", Unit::Text, |row| format!("{}-{}", row.part.youngest, row.part.oldest))
        .explained("collections survived")
        .in_text("type", Unit::Text, |row| row.ty.clone())
        .in_text("site", Unit::Text, |row| row.name.clone())
}

pub(super) fn page(report: &HoldersReport) -> PageTable {
    let sites = report.sites.iter();
    let sites = sites.map(|site| SiteLine::site(&site.place, &site.held));
    let types = report.types.iter();
    let types = types.map(|row| SiteLine::of_type(&row.ty, &row.held));
    table(report).page(sites.chain(types))
}

pub(super) fn csv(report: &HoldersReport) -> String {
    let sites = report.sites.iter();
    table(report).csv(sites.map(|site| SiteLine::site(&site.place, &site.held)))
}
