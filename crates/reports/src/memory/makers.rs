//! The lines that made a part of the charge.

use ducktrack_count_model::{OffHeapKind, OffHeapRow};
use ducktrack_memory_bill::Part;
use serde::{Deserialize, Serialize};

use crate::json::AmountDoc;
use crate::off_heap::by_line;

/// Lines that are named for a part.
const MOST: usize = 3;

/// A line that made memory outside of the heap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct MemoryMakerDoc {
    /// The kind of memory, as in `report --off-heap`.
    pub kind: String,
    /// Class, method and line.
    pub place: String,
    /// Made and not released.
    pub live: AmountDoc,
}

/// The lines that made most of a part.
pub(super) fn makers(rows: &[OffHeapRow], part: Part) -> Vec<MemoryMakerDoc> {
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
