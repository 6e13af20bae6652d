//! LineNumberTable (JVM specification 4.7.12).
//!
//! ```text
//! u2 count, then per row: u2 start_pc, u2 line_number
//! ```
//!
//! A method may have several tables, and rows in any order. The line of an
//! offset is that of the row with the greatest `start_pc` not after it.

use crate::attribute::{Attribute, Attributes};
use crate::code_offset::CodeOffset;
use crate::cursor::{Cursor, u16_at};
use crate::error::{Error, Part};

/// One row: a line starts at an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineNumber {
    /// First offset of the line.
    pub start: CodeOffset,
    /// Line in the source file.
    pub line: u16,
}

/// One table, whose shape was checked.
#[derive(Debug, Clone, Copy, Default)]
pub struct LineNumberTable<'c> {
    rows: &'c [u8],
}

impl<'c> LineNumberTable<'c> {
    /// Reads a LineNumberTable attribute.
    ///
    /// # Errors
    /// If its length does not fit its count.
    pub fn parse(attribute: &Attribute<'c>) -> Result<Self, Error> {
        let mut cursor = Cursor::new(attribute.data, attribute.offset, Part::LineNumberTable);
        let count = usize::from(cursor.u16()?);
        let rows = cursor.take(4 * count)?;
        cursor.finish()?;
        Ok(Self { rows })
    }

    /// Its rows, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = LineNumber> + use<'c> {
        self.rows.chunks_exact(4).map(|row| LineNumber {
            start: u16_at(row, 0).into(),
            line: u16_at(row, 2),
        })
    }
}

/// All line number tables of one method.
#[derive(Debug, Clone, Copy)]
pub struct LineNumbers<'c> {
    attributes: Attributes<'c>,
}

impl<'c> LineNumbers<'c> {
    pub(crate) fn new(attributes: Attributes<'c>) -> Self {
        Self { attributes }
    }

    /// All rows of all tables, in the order of the class file. Malformed tables have none.
    pub fn iter(&self) -> impl Iterator<Item = LineNumber> + use<'c> {
        self.attributes
            .filter(|attribute| attribute.name == b"LineNumberTable")
            .flat_map(|attribute| {
                LineNumberTable::parse(&attribute)
                    .unwrap_or_default()
                    .iter()
            })
    }

    /// The line of the instruction at `offset`, if it is known.
    ///
    /// As HotSpot chooses where rows repeat a `start_pc`: the first row at the
    /// offset itself, else the last of the nearest before it.
    #[must_use]
    pub fn line_at(&self, offset: CodeOffset) -> Option<u16> {
        let mut best: Option<LineNumber> = None;
        for row in self.iter().filter(|row| row.start <= offset) {
            if row.start == offset {
                return Some(row.line);
            }
            if best.is_none_or(|best| row.start >= best.start) {
                best = Some(row);
            }
        }
        best.map(|row| row.line)
    }
}
