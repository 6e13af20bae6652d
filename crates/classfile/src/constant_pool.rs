//! The constant pool (JVM specification 4.4).
//!
//! ```text
//! u2 constant_pool_count        one more than the last index
//! per constant: u1 tag, then
//!   1 Utf8            u2 length, bytes        15 MethodHandle  u1 kind, u2 reference
//!   3 Integer 4 Float u4                      16 MethodType    u2 descriptor
//!   5 Long    6 Double u8 (take two indices)  17 Dynamic       u2 bootstrap, u2 name-and-type
//!   7 Class   8 String u2                     18 InvokeDynamic u2 bootstrap, u2 name-and-type
//!   9 Field 10 Method 11 InterfaceMethod      19 Module 20 Package  u2 name
//!               u2 class, u2 name-and-type
//!  12 NameAndType u2 name, u2 descriptor
//! ```
//!
//! Example: `07 00 02 01 00 01 41` is constant 1, a class named by constant 2,
//! and constant 2, the text `A`. Reading only notes where each constant starts.

use crate::cursor::{Cursor, i32_at, u16_at};
use crate::error::{Error, Part, Rule};

/// An index into the constant pool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoolIndex(pub u16);

impl std::fmt::Debug for PoolIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// Tags of constants.
pub(crate) mod tag {
    pub(crate) const UTF8: u8 = 1;
    pub(crate) const INTEGER: u8 = 3;
    pub(crate) const FLOAT: u8 = 4;
    pub(crate) const LONG: u8 = 5;
    pub(crate) const DOUBLE: u8 = 6;
    pub(crate) const CLASS: u8 = 7;
    pub(crate) const STRING: u8 = 8;
    pub(crate) const FIELD_REF: u8 = 9;
    pub(crate) const METHOD_REF: u8 = 10;
    pub(crate) const INTERFACE_METHOD_REF: u8 = 11;
    pub(crate) const NAME_AND_TYPE: u8 = 12;
    pub(crate) const METHOD_HANDLE: u8 = 15;
    pub(crate) const METHOD_TYPE: u8 = 16;
    pub(crate) const DYNAMIC: u8 = 17;
    pub(crate) const INVOKE_DYNAMIC: u8 = 18;
    pub(crate) const MODULE: u8 = 19;
    pub(crate) const PACKAGE: u8 = 20;
}

/// One constant, with the indices it refers to left as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constant<'a> {
    /// Text in modified UTF-8.
    Utf8(&'a [u8]),
    /// An `int`.
    Integer(i32),
    /// The bits of a `float`.
    Float(u32),
    /// A `long`.
    Long(i64),
    /// The bits of a `double`.
    Double(u64),
    /// A class by its name.
    Class(PoolIndex),
    /// A string by its text.
    String(PoolIndex),
    /// A field: class, name-and-type.
    FieldRef(PoolIndex, PoolIndex),
    /// A method of a class: class, name-and-type.
    MethodRef(PoolIndex, PoolIndex),
    /// A method of an interface: class, name-and-type.
    InterfaceMethodRef(PoolIndex, PoolIndex),
    /// Name and descriptor.
    NameAndType(PoolIndex, PoolIndex),
    /// Kind and referred member.
    MethodHandle(u8, PoolIndex),
    /// A method descriptor.
    MethodType(PoolIndex),
    /// A computed constant: row of BootstrapMethods, name-and-type.
    Dynamic(u16, PoolIndex),
    /// A computed call site: row of BootstrapMethods, name-and-type.
    InvokeDynamic(u16, PoolIndex),
    /// A module by its name.
    Module(PoolIndex),
    /// A package by its name.
    Package(PoolIndex),
}

/// A field or method that another class file part refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemberRef<'a> {
    /// Internal name of its class, or the descriptor of an array.
    pub class: &'a [u8],
    /// Its name.
    pub name: &'a [u8],
    /// Its descriptor.
    pub descriptor: &'a [u8],
    /// Referred to as a member of an interface.
    pub interface: bool,
}

/// A dynamically computed constant or call site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dynamic<'a> {
    /// Row of the class's BootstrapMethods.
    pub bootstrap: u16,
    /// Its name.
    pub name: &'a [u8],
    /// Its descriptor.
    pub descriptor: &'a [u8],
}

/// A method handle constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MethodHandle<'a> {
    /// Reference kind, 1..=9 (JVM specification table 5.4.3.5-A).
    pub kind: u8,
    /// The member that it reads, writes or calls.
    pub member: MemberRef<'a>,
}

/// The constants of one class file.
#[derive(Debug, Clone)]
pub struct ConstantPool<'a> {
    bytes: &'a [u8],
    /// Where the tag of each constant is; 0 where there is none.
    offsets: Vec<u32>,
    end: usize,
}

impl<'a> ConstantPool<'a> {
    /// Notes the place of each constant. `cursor` is at the count, in `bytes`.
    pub(crate) fn parse(bytes: &'a [u8], cursor: &mut Cursor<'a>) -> Result<Self, Error> {
        let count = usize::from(cursor.u16()?);
        let mut offsets = Vec::with_capacity(count);
        offsets.push(0);
        while offsets.len() < count {
            let offset = u32::try_from(cursor.offset())
                .map_err(|_| cursor.error(Rule::TooLarge(cursor.offset())))?;
            let before = *cursor;
            let tag = cursor.u8()?;
            let length = match tag {
                tag::UTF8 => usize::from(cursor.u16()?),
                tag::CLASS | tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => 2,
                tag::METHOD_HANDLE => 3,
                tag::INTEGER
                | tag::FLOAT
                | tag::FIELD_REF
                | tag::METHOD_REF
                | tag::INTERFACE_METHOD_REF
                | tag::NAME_AND_TYPE
                | tag::DYNAMIC
                | tag::INVOKE_DYNAMIC => 4,
                tag::LONG | tag::DOUBLE => 8,
                unknown => return Err(before.error(Rule::UnknownConstantTag(unknown))),
            };
            cursor.take(length)?;
            offsets.push(offset);
            if matches!(tag, tag::LONG | tag::DOUBLE) {
                offsets.push(0);
            }
        }
        // A long as last constant may have no second index: the count lies then.
        if offsets.len() > count.max(1) {
            return Err(cursor.error(Rule::UnexpectedEnd));
        }
        Ok(Self {
            bytes,
            offsets,
            end: cursor.offset(),
        })
    }

    /// `constant_pool_count`: one more than the last index.
    #[must_use]
    pub fn count(&self) -> u16 {
        u16::try_from(self.offsets.len()).unwrap_or(u16::MAX)
    }

    /// Position in the class file just after the last constant.
    #[must_use]
    pub fn end(&self) -> usize {
        self.end
    }

    /// All constants with their indices, in order.
    pub fn iter(&self) -> impl Iterator<Item = (PoolIndex, Constant<'a>)> + '_ {
        (1..self.count())
            .map(PoolIndex)
            .filter_map(|index| Some((index, self.get(index).ok()?)))
    }

    /// The methods that calls may name, and the call sites that are computed, with their indices, in order.
    pub fn calls(&self) -> impl Iterator<Item = (PoolIndex, Constant<'a>)> + '_ {
        let is_call = |index: &PoolIndex| {
            matches!(
                self.raw(*index),
                Ok((
                    tag::METHOD_REF | tag::INTERFACE_METHOD_REF | tag::INVOKE_DYNAMIC,
                    _
                ))
            )
        };
        (1..self.count())
            .map(PoolIndex)
            .filter(is_call)
            .filter_map(|index| Some((index, self.get(index).ok()?)))
    }

    /// The tag at `index` and the bytes after it.
    #[inline]
    fn raw(&self, index: PoolIndex) -> Result<(u8, &'a [u8]), Error> {
        let place = self.offsets.get(usize::from(index.0)).copied().unwrap_or(0);
        match self
            .bytes
            .get(place as usize..)
            .and_then(<[u8]>::split_first)
        {
            Some((tag, rest)) if place != 0 => Ok((*tag, rest)),
            _ => Err(Error::new(
                Rule::NoSuchConstant(index.0),
                0,
                Part::ConstantPool,
            )),
        }
    }

    fn wrong_kind(&self, index: PoolIndex, tag: u8) -> Error {
        let offset = self.offsets.get(usize::from(index.0)).copied().unwrap_or(0);
        Error::new(
            Rule::WrongConstantKind {
                index: index.0,
                tag,
            },
            offset as usize,
            Part::ConstantPool,
        )
    }

    /// The constant at `index`.
    ///
    /// # Errors
    /// If there is none.
    pub fn get(&self, index: PoolIndex) -> Result<Constant<'a>, Error> {
        let (tag, rest) = self.raw(index)?;
        let first = PoolIndex(u16_at(rest, 0));
        let second = PoolIndex(u16_at(rest, 2));
        Ok(match tag {
            tag::UTF8 => Constant::Utf8(self.utf8(index)?),
            tag::INTEGER => Constant::Integer(i32_at(rest, 0)),
            tag::FLOAT => Constant::Float(i32_at(rest, 0).cast_unsigned()),
            tag::LONG => Constant::Long(i64_at(rest)),
            tag::DOUBLE => Constant::Double(i64_at(rest).cast_unsigned()),
            tag::CLASS => Constant::Class(first),
            tag::STRING => Constant::String(first),
            tag::FIELD_REF => Constant::FieldRef(first, second),
            tag::METHOD_REF => Constant::MethodRef(first, second),
            tag::INTERFACE_METHOD_REF => Constant::InterfaceMethodRef(first, second),
            tag::NAME_AND_TYPE => Constant::NameAndType(first, second),
            tag::METHOD_HANDLE => Constant::MethodHandle(
                rest.first().copied().unwrap_or(0),
                PoolIndex(u16_at(rest, 1)),
            ),
            tag::METHOD_TYPE => Constant::MethodType(first),
            tag::DYNAMIC => Constant::Dynamic(first.0, second),
            tag::INVOKE_DYNAMIC => Constant::InvokeDynamic(first.0, second),
            tag::MODULE => Constant::Module(first),
            tag::PACKAGE => Constant::Package(first),
            unknown => return Err(self.wrong_kind(index, unknown)),
        })
    }

    /// The text at `index`, in modified UTF-8.
    ///
    /// # Errors
    /// If there is none.
    #[inline]
    pub fn utf8(&self, index: PoolIndex) -> Result<&'a [u8], Error> {
        let (tag, rest) = self.raw(index)?;
        if tag != tag::UTF8 {
            return Err(self.wrong_kind(index, tag));
        }
        let length = usize::from(u16_at(rest, 0));
        rest.get(2..2 + length)
            .ok_or_else(|| self.wrong_kind(index, tag))
    }

    /// The text that the constant of kind `wanted` at `index` names.
    fn named(&self, index: PoolIndex, wanted: u8) -> Result<&'a [u8], Error> {
        match self.raw(index)? {
            (tag, rest) if tag == wanted => self.utf8(PoolIndex(u16_at(rest, 0))),
            (tag, _) => Err(self.wrong_kind(index, tag)),
        }
    }

    /// The internal name (`java/lang/Object`, `[I`) of the class at `index`.
    ///
    /// # Errors
    /// If there is none.
    pub fn class_name(&self, index: PoolIndex) -> Result<&'a [u8], Error> {
        self.named(index, tag::CLASS)
    }

    /// The index of a class by its internal name. Looks at every constant.
    #[must_use]
    pub fn find_class(&self, name: &[u8]) -> Option<PoolIndex> {
        let mut indices = (1..self.count()).map(PoolIndex);
        indices.find(|index| {
            matches!(self.raw(*index), Ok((tag::CLASS, _))) && self.class_name(*index) == Ok(name)
        })
    }

    /// The index of a text. Looks at every constant.
    #[must_use]
    pub fn find_utf8(&self, text: &[u8]) -> Option<PoolIndex> {
        (1..self.count())
            .map(PoolIndex)
            .find(|index| self.utf8(*index) == Ok(text))
    }

    /// The text of the string constant at `index`.
    ///
    /// # Errors
    /// If there is none.
    pub fn string(&self, index: PoolIndex) -> Result<&'a [u8], Error> {
        self.named(index, tag::STRING)
    }

    /// Name and descriptor at `index`.
    ///
    /// # Errors
    /// If there are none.
    pub fn name_and_type(&self, index: PoolIndex) -> Result<(&'a [u8], &'a [u8]), Error> {
        match self.raw(index)? {
            (tag::NAME_AND_TYPE, rest) => Ok((
                self.utf8(PoolIndex(u16_at(rest, 0)))?,
                self.utf8(PoolIndex(u16_at(rest, 2)))?,
            )),
            (tag, _) => Err(self.wrong_kind(index, tag)),
        }
    }

    /// The field or method at `index`.
    ///
    /// # Errors
    /// If there is none.
    pub fn member_ref(&self, index: PoolIndex) -> Result<MemberRef<'a>, Error> {
        match self.raw(index)? {
            (tag @ (tag::FIELD_REF | tag::METHOD_REF | tag::INTERFACE_METHOD_REF), rest) => {
                let (name, descriptor) = self.name_and_type(PoolIndex(u16_at(rest, 2)))?;
                let class = self.class_name(PoolIndex(u16_at(rest, 0)))?;
                Ok(MemberRef {
                    class,
                    name,
                    descriptor,
                    interface: tag == tag::INTERFACE_METHOD_REF,
                })
            }
            (tag, _) => Err(self.wrong_kind(index, tag)),
        }
    }

    /// The `Dynamic` or `InvokeDynamic` constant at `index`.
    ///
    /// # Errors
    /// If there is none.
    pub fn dynamic(&self, index: PoolIndex) -> Result<Dynamic<'a>, Error> {
        match self.raw(index)? {
            (tag::DYNAMIC | tag::INVOKE_DYNAMIC, rest) => {
                let (name, descriptor) = self.name_and_type(PoolIndex(u16_at(rest, 2)))?;
                Ok(Dynamic {
                    bootstrap: u16_at(rest, 0),
                    name,
                    descriptor,
                })
            }
            (tag, _) => Err(self.wrong_kind(index, tag)),
        }
    }

    /// The method handle at `index`.
    ///
    /// # Errors
    /// If there is none.
    pub fn method_handle(&self, index: PoolIndex) -> Result<MethodHandle<'a>, Error> {
        match self.get(index)? {
            Constant::MethodHandle(kind, member) => Ok(MethodHandle {
                kind,
                member: self.member_ref(member)?,
            }),
            _ => Err(self.wrong_kind(index, self.raw(index)?.0)),
        }
    }

    /// The `int` at `index`.
    ///
    /// # Errors
    /// If there is none.
    pub fn integer(&self, index: PoolIndex) -> Result<i32, Error> {
        match self.raw(index)? {
            (tag::INTEGER, rest) => Ok(i32_at(rest, 0)),
            (tag, _) => Err(self.wrong_kind(index, tag)),
        }
    }

    /// The `long` at `index`.
    ///
    /// # Errors
    /// If there is none.
    pub fn long(&self, index: PoolIndex) -> Result<i64, Error> {
        match self.raw(index)? {
            (tag::LONG, rest) => Ok(i64_at(rest)),
            (tag, _) => Err(self.wrong_kind(index, tag)),
        }
    }
}

fn i64_at(bytes: &[u8]) -> i64 {
    bytes
        .first_chunk::<8>()
        .map_or(0, |b| i64::from_be_bytes(*b))
}
