//! Fields and methods (JVM specification 4.5 and 4.6).
//!
//! ```text
//! u2 access_flags, u2 name_index, u2 descriptor_index, attributes
//! ```

use crate::attribute::{AttributeList, skip};
use crate::code::CodeParts;
use crate::constant_pool::{ConstantPool, PoolIndex};
use crate::cursor::Cursor;
use crate::error;
use crate::error::{Error, Rule};

/// The content of a field or method.
#[derive(Debug, Clone)]
pub(crate) struct Member<'a> {
    pub(crate) access_flags: u16,
    pub(crate) name: &'a [u8],
    pub(crate) descriptor: &'a [u8],
    pub(crate) attributes: AttributeList<'a>,
    pub(crate) code: Option<CodeParts<'a>>,
}

impl<'a> Member<'a> {
    /// Reads one field or method and checks the shape of its Code attribute.
    pub(crate) fn parse(
        cursor: &mut Cursor<'a>,
        pool: &ConstantPool<'a>,
        part: error::Part,
    ) -> Result<Self, Error> {
        cursor.enter(part);
        let access_flags = cursor.u16()?;
        let name = pool.utf8(PoolIndex(cursor.u16()?))?;
        let descriptor = pool.utf8(PoolIndex(cursor.u16()?))?;
        let mut code = None;
        let is_method = part == error::Part::Method;
        let attributes = skip(cursor, |name, data, offset| {
            if is_method && pool.utf8(name)? == b"Code" {
                if code.is_some() {
                    return Err(Error::new(Rule::SecondCode, offset, part));
                }
                code = Some(CodeParts::parse(data, offset)?);
            }
            Ok(())
        })?;
        Ok(Self {
            access_flags,
            name,
            descriptor,
            attributes,
            code,
        })
    }
}
