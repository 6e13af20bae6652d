//! One row per kind, and per line that made memory of it.

use super::document::OffHeapKindDoc;
use super::row::OffHeapDoc;
use crate::json::AmountDoc;
use crate::table::{Table, Unit};

/// Made and not released, and made in all.
#[rustfmt::skip]
fn amounts<'a, R: 'a>(
    table: Table<'a, R>,
    live: fn(&R) -> AmountDoc,
    made: fn(&R) -> AmountDoc,
) -> Table<'a, R> {
    table
        .column("live", "blocks", Unit::Count, move |row| live(row).count)
        .column("live_bytes", "live", Unit::Bytes, move |row| live(row).bytes)
        .column("made", "blocks made", Unit::Count, move |row| made(row).count)
        .column("made_bytes", "made", Unit::Bytes, move |row| made(row).bytes)
}

#[rustfmt::skip]
pub(super) fn of_kinds() -> Table<'static, OffHeapKindDoc> {
    amounts(
        Table::<OffHeapKindDoc>::new(),
        |row| row.live,
        |row| row.made,
    )
    .in_text("kind", Unit::Text, |row| row.kind.clone())
}

#[rustfmt::skip]
pub(super) fn of_lines() -> Table<'static, OffHeapDoc> {
    let named = Table::<OffHeapDoc>::new()
        .in_csv("kind", |row| row.kind.clone())
        .in_csv("class", |row| row.class.clone())
        .in_csv("method", |row| row.method.clone())
        .in_csv("line", |row| row.line);
    amounts(named, |row| row.live, |row| row.made)
        .in_csv("released", |row| row.released.count)
        .in_csv("released_bytes", |row| row.released.bytes)
        .shown("kind", Unit::Text, |row| row.kind.clone())
        .shown("line", Unit::Text, OffHeapDoc::place)
}
