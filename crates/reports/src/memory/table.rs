//! One row per part of what is charged.

use super::document::MemoryReport;
use crate::table::{PageTable, Table, Unit, Value};

/// A part, or what is in none.
pub(super) struct Line<'a> {
    part: &'a str,
    name: &'a str,
    bytes: i128,
    what: Option<&'a str>,
}

impl<'a> Line<'a> {
    pub(super) fn named(name: &'a str, bytes: impl Into<i128>) -> Self {
        Self {
            part: "",
            name,
            bytes: bytes.into(),
            what: None,
        }
    }
}

#[rustfmt::skip]
pub(super) fn table<'a>(report: &MemoryReport) -> Table<'a, Line<'a>> {
    let whole = report.charged;
    Table::<Line<'a>>::new()
        .in_csv("part", |row| row.part)
        .column("bytes", "bytes", Unit::Bytes, |row| row.bytes)
        .shown("share", Unit::Share, move |row| Value::share(row.bytes.max(0), whole))
        .explained("of what is charged")
        .in_csv("what", |row| row.what)
        .shown("part", Unit::Text, |row| row.name)
}

pub(super) fn parts(report: &MemoryReport) -> impl Iterator<Item = Line<'_>> {
    report.parts.iter().map(|row| Line {
        part: &row.part,
        what: row.what.as_deref(),
        ..Line::named(&row.name, row.bytes)
    })
}

pub(super) fn rest(report: &MemoryReport) -> Line<'_> {
    Line::named(
        "in no part (shared memory, or read a moment later)",
        report.not_in_parts,
    )
}

pub(super) fn page(report: &MemoryReport) -> PageTable {
    table(report).page(parts(report).chain([rest(report)]))
}
