//! Fields and methods (JVM specification 4.5 and 4.6).
//!
//! ```text
//! u2 access_flags, u2 name_index, u2 descriptor_index, attributes
//! ```

use std::ops::Range;

use crate::attribute::{AttributeList, Attributes, skip};
use crate::class_file::ClassFile;
use crate::code::{Code, CodeParts};
use crate::constant_pool::{ConstantPool, PoolIndex};
use crate::cursor::Cursor;
use crate::error::{Error, Rule};
use crate::{access, error};

/// Where a field or method is, and what is in it.
#[derive(Debug, Clone)]
pub(crate) struct Member<'a> {
    access_flags: u16,
    name: &'a [u8],
    descriptor: &'a [u8],
    range: Range<usize>,
    attributes: AttributeList<'a>,
    code: Option<CodeParts<'a>>,
}

impl<'a> Member<'a> {
    /// Reads one field or method and checks the shape of its Code attribute.
    pub(crate) fn parse(
        cursor: &mut Cursor<'a>,
        pool: &ConstantPool<'a>,
        part: error::Part,
    ) -> Result<Self, Error> {
        cursor.enter(part);
        let start = cursor.offset();
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
            range: start..cursor.offset(),
            attributes,
            code,
        })
    }
}

macro_rules! member_view {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name<'c> {
            class: &'c ClassFile<'c>,
            member: &'c Member<'c>,
        }

        impl<'c> $name<'c> {
            pub(crate) fn new(class: &'c ClassFile<'c>, member: &'c Member<'c>) -> Self {
                Self { class, member }
            }

            /// The class it belongs to.
            #[must_use]
            pub fn class(&self) -> &'c ClassFile<'c> {
                self.class
            }

            /// Its name, in modified UTF-8.
            #[must_use]
            pub fn name(&self) -> &'c [u8] {
                self.member.name
            }

            /// Its descriptor, in modified UTF-8.
            #[must_use]
            pub fn descriptor(&self) -> &'c [u8] {
                self.member.descriptor
            }

            /// Its flags (see [`access`](crate::access)).
            #[must_use]
            pub fn access_flags(&self) -> u16 {
                self.member.access_flags
            }

            /// Declared `static`.
            #[must_use]
            pub fn is_static(&self) -> bool {
                self.member.access_flags & access::STATIC != 0
            }

            /// Its attributes.
            #[must_use]
            pub fn attributes(&self) -> Attributes<'c> {
                Attributes::new(self.class.pool(), &self.member.attributes)
            }

            /// Its place in the class file, attributes included.
            #[must_use]
            pub fn byte_range(&self) -> Range<usize> {
                self.member.range.clone()
            }
        }
    };
}

member_view! {
    /// A field of a class.
    Field
}

member_view! {
    /// A method of a class.
    Method
}

impl<'c> Method<'c> {
    /// Its code; `None` for abstract and native methods.
    #[must_use]
    pub fn code(&self) -> Option<Code<'c>> {
        self.member
            .code
            .as_ref()
            .map(|parts| Code::new(self.class.pool(), parts))
    }

    /// A constructor.
    #[must_use]
    pub fn is_constructor(&self) -> bool {
        self.member.name == b"<init>"
    }
}
