//! One row per event file.

use super::document::{EventFileDoc, InfoReport};
use crate::table::{PageTable, Table, Unit};

#[rustfmt::skip]
pub(super) fn table() -> Table<'static, EventFileDoc> {
    Table::<EventFileDoc>::new()
        .column("name", "file", Unit::Text, |row| row.name.clone())
        .column("index", "number", Unit::Count, |row| row.index)
        .column("bytes", "size", Unit::Bytes, |row| row.bytes)
        .column("blocks", "blocks", Unit::Count, |row| row.blocks)
        .column("collections", "collections", Unit::Count, |row| row.collections)
}

pub(super) fn csv(report: &InfoReport) -> String {
    table().csv(&report.files)
}

pub(super) fn page(report: &InfoReport) -> PageTable {
    table().page(&report.files)
}
