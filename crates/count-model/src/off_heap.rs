//! Memory outside of the heap that Java code owns, by the stack that made it.

use ducktrack_trace_format::{CounterId, OffHeapFrame, OffHeapKind, OffHeapMaker, is_of_jdk};

use crate::Tally;
use crate::snapshot_state::SnapshotState;

/// The blocks of a maker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OffHeapRow {
    /// The kind of memory.
    pub kind: OffHeapKind,
    /// The stack that made it, topmost frame first; empty: not known.
    pub frames: Vec<OffHeapFrame>,
    /// Blocks made.
    pub made: Tally,
    /// Blocks released; in a window also some that were made before it.
    pub released: Tally,
}

impl OffHeapRow {
    /// The frame to blame: the topmost that is not the JDK's; if all are, the topmost.
    pub fn maker(&self) -> Option<&OffHeapFrame> {
        blamed_frame(&self.frames)
    }

    /// Made and not released; in a window by how much that has changed.
    pub fn live(&self) -> Tally {
        Tally {
            count: self.made.count.saturating_sub(self.released.count),
            bytes: self.made.bytes.saturating_sub(self.released.bytes),
        }
    }
}

/// The topmost frame that is not the JDK's; if all are, the topmost.
pub(crate) fn blamed_frame(frames: &[OffHeapFrame]) -> Option<&OffHeapFrame> {
    let own = frames.iter().find(|frame| !is_of_jdk(&frame.class));
    own.or(frames.first())
}

/// The makers whose counters are not zero.
pub(crate) fn off_heap_rows(makers: Vec<OffHeapMaker>, state: &SnapshotState) -> Vec<OffHeapRow> {
    let rows = makers.into_iter().map(|maker| OffHeapRow {
        kind: maker.kind,
        made: tally(state, maker.first, 0),
        released: tally(state, maker.first, 2),
        frames: maker.frames,
    });
    rows.filter(|row| !row.made.is_zero() || !row.released.is_zero())
        .collect()
}

fn tally(state: &SnapshotState, first: CounterId, offset: u32) -> Tally {
    let value = |next: u32| {
        let id = CounterId(first.0.saturating_add(offset).saturating_add(next));
        let value = state.shared.get(&id).copied().unwrap_or(0);
        i64::try_from(value).unwrap_or(i64::MAX)
    };
    Tally {
        count: value(0),
        bytes: value(1),
    }
}
