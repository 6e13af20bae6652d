//! The exception table of a Code attribute (JVM specification 4.7.3).
//!
//! ```text
//! u2 start_pc, u2 end_pc (exclusive), u2 handler_pc, u2 catch_type (0: any)
//! ```
//!
//! The first entry that fits is taken, so order matters.

use crate::code_offset::CodeOffset;
use crate::constant_pool::PoolIndex;
use crate::cursor::u16_at;

/// One row of an exception table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExceptionEntry {
    /// First protected offset.
    pub start: CodeOffset,
    /// First offset no longer protected.
    pub end: CodeOffset,
    /// Where the handler starts.
    pub handler: CodeOffset,
    /// Class of what is caught; `None` catches everything.
    pub catch_type: Option<PoolIndex>,
}

impl ExceptionEntry {
    /// Protects the instruction at `offset`.
    #[must_use]
    pub fn protects(&self, offset: CodeOffset) -> bool {
        self.start <= offset && offset < self.end
    }
}

/// The rows of an exception table, in order.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExceptionTable<'c> {
    pub(crate) rows: &'c [u8],
}

impl<'c> ExceptionTable<'c> {
    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len() / 8
    }

    /// Without rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// One row.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<ExceptionEntry> {
        self.rows
            .get(row.checked_mul(8)?..)?
            .first_chunk::<8>()
            .map(|row| entry(row))
    }

    /// All rows, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ExceptionEntry> + 'c {
        self.rows.chunks_exact(8).map(entry)
    }
}

fn entry(row: &[u8]) -> ExceptionEntry {
    ExceptionEntry {
        start: u16_at(row, 0).into(),
        end: u16_at(row, 2).into(),
        handler: u16_at(row, 4).into(),
        catch_type: Some(PoolIndex(u16_at(row, 6))).filter(|index| index.0 != 0),
    }
}
