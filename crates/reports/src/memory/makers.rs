//! What made a part of the charge: lines, and of class metadata the loaders.

use ducktrack_count_model::{OffHeapKind, OffHeapRow};
use ducktrack_memory_bill::{LoadersOfClass, Part};
use serde::{Deserialize, Serialize};

use crate::json::AmountDoc;
use crate::off_heap::by_line;

/// Lines and loaders that are named for a part.
const MOST: usize = 3;

/// A line that made memory outside of the heap, or the loaders of one class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryMakerDoc {
    /// The kind of memory, as in `report --off-heap`; of loaders `class-loader`.
    pub kind: String,
    /// Class, method and line; of loaders their class.
    pub place: String,
    /// Made and not released; of loaders how many there are, and the class metadata that they have.
    pub live: AmountDoc,
}

/// What made most of a part.
pub(super) fn makers(
    loaders: &[LoadersOfClass],
    off_heap: &[OffHeapRow],
    part: Part,
) -> Vec<MemoryMakerDoc> {
    match part {
        Part::Metaspace => loaders.iter().take(MOST).map(of_loaders).collect(),
        part => lines(off_heap, part),
    }
}

fn of_loaders(loaders: &LoadersOfClass) -> MemoryMakerDoc {
    MemoryMakerDoc {
        kind: "class-loader".to_owned(),
        place: loaders.class.clone(),
        live: AmountDoc {
            count: signed(loaders.loaders),
            bytes: signed(loaders.bytes),
        },
    }
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn lines(rows: &[OffHeapRow], part: Part) -> Vec<MemoryMakerDoc> {
    let of_part = rows.iter().filter(|row| part_of(row.kind) == part);
    let mut lines = by_line(of_part);
    lines.retain(|line| line.live.bytes > 0);
    lines.sort_by_key(|line| core::cmp::Reverse(line.live.bytes));
    let makers = lines.into_iter().take(MOST).map(|line| MemoryMakerDoc {
        place: line.place(),
        kind: line.kind,
        live: line.live,
    });
    makers.collect()
}

/// The part of the charge that has a kind of memory.
fn part_of(kind: OffHeapKind) -> Part {
    match kind {
        OffHeapKind::Direct | OffHeapKind::Segment | OffHeapKind::Unsafe => Part::OffHeap,
        OffHeapKind::Mapped => Part::PageCache,
        OffHeapKind::Thread => Part::ThreadStacks,
        OffHeapKind::Inflater | OffHeapKind::Deflater => Part::NotExplained,
    }
}
