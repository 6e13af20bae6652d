//! LineNumberTable (JVM specification 4.7.12).
//!
//! ```text
//! u2 count, then per row: u2 start_pc, u2 line_number
//! ```
//!
//! A method may have several tables, and rows in any order. The line of an
//! offset is that of the row with the greatest `start_pc` not after it.

use crate::attribute::Attributes;
use crate::code_offset::CodeOffset;
use crate::cursor::u16_at;

/// One row: a line starts at an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineNumber {
    /// First offset of the line.
    pub start: CodeOffset,
    /// Line in the source file.
    pub line: u16,
}

/// The line number tables of one method.
#[derive(Debug, Clone, Copy)]
pub struct LineNumbers<'c> {
    attributes: Attributes<'c>,
}

impl<'c> LineNumbers<'c> {
    pub(crate) fn new(attributes: Attributes<'c>) -> Self {
        Self { attributes }
    }

    /// All rows of all tables, in the order of the class file.
    pub fn iter(&self) -> impl Iterator<Item = LineNumber> + 'c {
        self.attributes
            .filter(|attribute| attribute.name == b"LineNumberTable")
            .flat_map(|attribute| rows(attribute.data))
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

/// The rows of one table; what is cut off is left out.
fn rows(data: &[u8]) -> impl Iterator<Item = LineNumber> {
    let rows = data
        .get(2..)
        .unwrap_or_default()
        .chunks_exact(4)
        .take(usize::from(u16_at(data, 0)));
    rows.map(|row| LineNumber {
        start: u16_at(row, 0).into(),
        line: u16_at(row, 2),
    })
}
