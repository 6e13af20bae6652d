//! One row per kind of waste and holder.

use super::document::{WasteReport, WasteRowDoc};
use crate::table::{Table, Unit, Value};

#[rustfmt::skip]
pub(super) fn table(report: &WasteReport) -> Table<'_, WasteRowDoc> {
    let whole = report.live_bytes;
    Table::<WasteRowDoc>::new()
        .in_csv("kind", |row| row.kind.clone())
        .column("objects", "objects", Unit::Count, |row| row.objects)
        .column("bytes", "bytes", Unit::Bytes, |row| row.bytes)
        .first()
        .shown("share", Unit::Share, move |row| Value::share(row.bytes, whole))
        .first()
        .explained("of the live heap")
        .column("overlap", "also elsewhere", Unit::Bytes, |row| row.overlap)
        .explained("the part of it that is in another row, too")
        .in_csv("holder", |row| row.holder.clone())
        .in_csv("class", |row| row.class.clone())
        .in_csv("method", |row| row.method.clone())
        .in_csv("line", |row| row.line)
        .in_csv("what", |row| row.what.clone())
        .shown("kind", Unit::Text, |row| row.kind.clone())
        .shown("held by", Unit::Text, |row| holder_name(&row.holder).to_owned())
}

pub(super) fn holder_name(holder: &str) -> &str {
    match holder {
        "" => "(holder not known)",
        holder => holder,
    }
}
