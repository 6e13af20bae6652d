//! Attributes: named blocks of bytes (JVM specification 4.7).
//!
//! ```text
//! u2 attributes_count, then per attribute
//!   u2 attribute_name_index, u4 attribute_length, bytes
//! ```

use crate::constant_pool::{ConstantPool, PoolIndex};
use crate::cursor::Cursor;
use crate::error::Error;
use crate::error::Part;

/// One attribute, not interpreted.
#[derive(Debug, Clone, Copy)]
pub struct Attribute<'c> {
    /// Pool index of its name.
    pub name_index: PoolIndex,
    /// Its name; empty if the index holds no text.
    pub name: &'c [u8],
    /// Its bytes, without name and length.
    pub data: &'c [u8],
    /// Position in the class file of `data`.
    pub offset: usize,
}

/// A list of attributes whose shape was checked when the class was parsed.
#[derive(Debug, Clone, Copy)]
pub struct Attributes<'c> {
    pool: &'c ConstantPool<'c>,
    cursor: Cursor<'c>,
}

impl<'c> Attributes<'c> {
    /// `list` is what [`skip`] returned for these attributes.
    pub(crate) fn new(pool: &'c ConstantPool<'c>, list: &AttributeList<'c>) -> Self {
        Self {
            pool,
            cursor: Cursor::new(list.bytes, list.offset, Part::ClassAttributes),
        }
    }

    /// The first attribute with this name.
    #[must_use]
    pub fn find(mut self, name: &[u8]) -> Option<Attribute<'c>> {
        self.by_ref().find(|attribute| attribute.name == name)
    }
}

impl<'c> Iterator for Attributes<'c> {
    type Item = Attribute<'c>;

    fn next(&mut self) -> Option<Attribute<'c>> {
        if self.cursor.rest().is_empty() {
            return None;
        }
        let name_index = PoolIndex(self.cursor.u16().ok()?);
        let data = self.cursor.block().ok()?;
        let name = self.pool.utf8(name_index).unwrap_or_default();
        Some(Attribute {
            name_index,
            name,
            data,
            offset: self.cursor.offset() - data.len(),
        })
    }
}

/// The bytes of a list of attributes, after their count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AttributeList<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) offset: usize,
}

/// Reads over a list of attributes, showing each one to `visit`.
pub(crate) fn skip<'a>(
    cursor: &mut Cursor<'a>,
    mut visit: impl FnMut(PoolIndex, &'a [u8], usize) -> Result<(), Error>,
) -> Result<AttributeList<'a>, Error> {
    let count = cursor.u16()?;
    let (start, offset) = (cursor.rest(), cursor.offset());
    for _ in 0..count {
        let name = PoolIndex(cursor.u16()?);
        let data = cursor.block()?;
        visit(name, data, cursor.offset() - data.len())?;
    }
    let length = cursor.offset() - offset;
    Ok(AttributeList {
        bytes: start.get(..length).unwrap_or_default(),
        offset,
    })
}
