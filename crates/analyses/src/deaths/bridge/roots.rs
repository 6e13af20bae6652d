//! Holders of objects at moments of a trace of `mode=deaths`, from its blocks.

use ducktrack_merlin::ObjectId;
use ducktrack_trace_format::{FormatError, HeldObject, decode_roots};

/// Records that wait for their moment, and the objects that were held last.
#[derive(Debug, Default)]
pub(crate) struct Roots {
    pub(crate) waiting: Vec<Snapshot>,
    pub(crate) last: Vec<HeldRoot>,
}

#[derive(Debug)]
pub(crate) struct Snapshot {
    micros: u64,
    pub(crate) epoch: u32,
    pub(crate) roots: Vec<HeldObject>,
}

/// An object that something held when that was last recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldRoot {
    /// The kind of its holder, in a word.
    pub by: &'static str,
    /// The static field, as `class.field`.
    pub field: Option<String>,
    /// The object.
    pub object: ObjectId,
}

impl Roots {
    pub(crate) fn take(&mut self, content: &[u8]) -> Result<(), FormatError> {
        let (header, roots) = decode_roots(content)?;
        self.waiting.push(Snapshot {
            micros: header.begun,
            epoch: header.epoch,
            roots,
        });
        Ok(())
    }

    /// The moment of the next ones.
    pub(crate) fn next_time(&self) -> Option<u64> {
        self.waiting.first().map(|snapshot| snapshot.micros)
    }

    pub(crate) fn last(&self) -> &[HeldRoot] {
        &self.last
    }
}
