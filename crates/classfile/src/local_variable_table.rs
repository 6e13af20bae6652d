//! LocalVariableTable and LocalVariableTypeTable (JVM specification 4.7.13, 4.7.14).
//!
//! ```text
//! u2 count, then per row:
//!   u2 start_pc, u2 length, u2 name_index, u2 descriptor_index (or signature), u2 index
//! ```

use crate::attribute::Attribute;
use crate::code_offset::CodeOffset;
use crate::constant_pool::PoolIndex;
use crate::cursor::{Cursor, u16_at};
use crate::error::{Error, Part};

/// One row: where a variable has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalVariable {
    /// First offset with a value.
    pub start: CodeOffset,
    /// Number of bytes from there on; may end at the end of the code.
    pub length: u16,
    /// Its name.
    pub name: PoolIndex,
    /// Its descriptor, or in a type table its signature.
    pub descriptor: PoolIndex,
    /// Its slot.
    pub local: u16,
}

impl LocalVariable {
    /// First offset without a value.
    #[must_use]
    pub fn end(&self) -> CodeOffset {
        CodeOffset(self.start.0 + u32::from(self.length))
    }
}

/// One table, whose shape was checked.
#[derive(Debug, Clone, Copy)]
pub struct LocalVariableTable<'c> {
    rows: &'c [u8],
}

impl<'c> LocalVariableTable<'c> {
    /// Reads a LocalVariableTable or LocalVariableTypeTable attribute.
    ///
    /// # Errors
    /// If its length does not fit its count.
    pub fn parse(attribute: &Attribute<'c>) -> Result<Self, Error> {
        let mut cursor = Cursor::new(attribute.data, attribute.offset, Part::LocalVariableTable);
        let count = usize::from(cursor.u16()?);
        let rows = cursor.take(10 * count)?;
        cursor.finish()?;
        Ok(Self { rows })
    }

    /// Its rows, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = LocalVariable> + use<'c> {
        self.rows.chunks_exact(10).map(|row| LocalVariable {
            start: u16_at(row, 0).into(),
            length: u16_at(row, 2),
            name: PoolIndex(u16_at(row, 4)),
            descriptor: PoolIndex(u16_at(row, 6)),
            local: u16_at(row, 8),
        })
    }
}
