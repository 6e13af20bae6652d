//! The keys of `ducktrack report --off-heap`.

use serde::{Deserialize, Serialize};

use super::row::OffHeapDoc;
use crate::amount_doc::AmountDoc;
use crate::json::RunDoc;

/// Memory outside of the heap that Java code owns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct OffHeapReport {
    /// Always `ducktrack-off-heap`.
    pub format: String,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// The run and its VM.
    pub run: RunDoc,
    /// The kinds of memory that were made, those with most live bytes first. Before `top` cuts rows.
    pub kinds: Vec<OffHeapKindDoc>,
    /// Memory by the line that made it, in the filter's order.
    pub rows: Vec<OffHeapDoc>,
}

/// All memory of a kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct OffHeapKindDoc {
    /// `direct-buffer`, `segment`, `unsafe` (other memory of `Unsafe.allocateMemory`), `mapped-file`, `thread-stack`, `inflater`,
    /// `deflater`.
    pub kind: String,
    /// What its bytes are, where they are not measured; else null.
    pub note: Option<String>,
    /// Made and not released: `count` blocks.
    pub live: AmountDoc,
    /// Made since recording began.
    pub made: AmountDoc,
    /// Those of them that were released.
    pub released: AmountDoc,
}
