//! A row of `ducktrack report --off-heap`.

use serde::{Deserialize, Serialize};

use crate::amount_doc::AmountDoc;

/// Memory of a kind that one line made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct OffHeapDoc {
    /// The kind.
    pub kind: String,
    /// The class of the topmost frame that is not the JDK's; if all are, the class of the topmost.
    pub class: String,
    /// Its method.
    pub method: String,
    /// Its line; null: not known.
    pub line: Option<u16>,
    /// Made and not released. With `--window`: by how much that has changed.
    pub live: AmountDoc,
    /// Made since recording began.
    pub made: AmountDoc,
    /// Those of them that were released.
    pub released: AmountDoc,
    /// The stacks that reach the line, those with most live bytes first.
    pub stacks: Vec<OffHeapStackDoc>,
}

/// A stack that made memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct OffHeapStackDoc {
    /// Its frames, topmost first.
    pub frames: Vec<OffHeapFrameDoc>,
    /// Made and not released.
    pub live: AmountDoc,
    /// Made since recording began.
    pub made: AmountDoc,
}

/// A frame.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct OffHeapFrameDoc {
    /// Its class.
    pub class: String,
    /// Its method.
    pub method: String,
    /// Its line; null: not known.
    pub line: Option<u16>,
}

impl OffHeapDoc {
    /// Class, method and line.
    pub(crate) fn place(&self) -> String {
        place(&self.class, &self.method, self.line)
    }
}

impl OffHeapFrameDoc {
    /// The same.
    pub(crate) fn place(&self) -> String {
        place(&self.class, &self.method, self.line)
    }
}

fn place(class: &str, method: &str, line: Option<u16>) -> String {
    let line = line.map(|line| format!(":{line}"));
    format!("{class}.{method}{}", line.unwrap_or_default())
}
