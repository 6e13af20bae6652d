//! Memory outside of the heap that Java code owns.

use serde::{Deserialize, Serialize};

use ducktrack_probe_vocabulary::OffHeapKind;

use crate::ids::CounterId;

/// Defines a stack from which memory of a kind is made. Of four counters the first has the
/// number of blocks made, the others their bytes, the number of blocks released and theirs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OffHeapMaker {
    /// The first counter.
    pub first: CounterId,
    /// The kind of memory.
    pub kind: OffHeapKind,
    /// The frames, topmost first; none: not known.
    pub frames: Vec<OffHeapFrame>,
}

/// A frame of a maker's stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OffHeapFrame {
    /// Internal name of the class.
    pub class: String,
    /// Name of the method.
    pub method: String,
    /// Source line, where the class says.
    pub line: Option<u16>,
}
