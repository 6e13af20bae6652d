//! The verifier's type of one local variable or stack entry.

use crate::code_offset::CodeOffset;
use crate::constant_pool::PoolIndex;
use crate::cursor::{Cursor, u16_at};
use crate::error::{Error, Rule};

/// A verification type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerificationType<'c> {
    /// Nothing usable.
    Top,
    /// `int` and the smaller types.
    Integer,
    /// `float`.
    Float,
    /// `double`, for both of its slots.
    Double,
    /// `long`, for both of its slots.
    Long,
    /// `null`.
    Null,
    /// `this` before the superclass constructor ran.
    UninitializedThis,
    /// An object of a class, or an array.
    Object(PoolIndex),
    /// An object of a class that a method descriptor names: only in the frame
    /// that a method starts with, which is not written anywhere.
    Named(&'c [u8]),
    /// The object that the `new` at this offset made, before its constructor ran.
    Uninitialized(CodeOffset),
}

impl VerificationType<'_> {
    /// Its tag in the class file.
    #[must_use]
    pub fn tag(&self) -> u8 {
        match self {
            Self::Top => 0,
            Self::Integer => 1,
            Self::Float => 2,
            Self::Double => 3,
            Self::Long => 4,
            Self::Null => 5,
            Self::UninitializedThis => 6,
            Self::Object(_) | Self::Named(_) => 7,
            Self::Uninitialized(_) => 8,
        }
    }

    /// Slots that it takes.
    #[must_use]
    pub fn slots(&self) -> u16 {
        match self {
            Self::Long | Self::Double => 2,
            _ => 1,
        }
    }
}

/// Verification types in the bytes of the class.
#[derive(Debug, Clone, Copy, Default)]
pub struct VerificationTypes<'c> {
    bytes: &'c [u8],
    count: u16,
    uninitialized: bool,
}

impl<'c> VerificationTypes<'c> {
    /// Reads over `count` types.
    pub(super) fn read(cursor: &mut Cursor<'c>, count: u16) -> Result<Self, Error> {
        let (start, from) = (cursor.rest(), cursor.offset());
        let mut uninitialized = false;
        for _ in 0..count {
            let before = *cursor;
            let tag = cursor.u8()?;
            match tag {
                0..=6 => {}
                7 | 8 => {
                    cursor.u16()?;
                    uninitialized |= tag == 8;
                }
                unknown => return Err(before.error(Rule::UnknownVerificationType(unknown))),
            }
        }
        let bytes = start.get(..cursor.offset() - from).unwrap_or_default();
        Ok(Self {
            bytes,
            count,
            uninitialized,
        })
    }

    /// Number of types.
    #[must_use]
    pub fn count(&self) -> u16 {
        self.count
    }

    /// The types as bytes, without their count.
    #[must_use]
    pub fn bytes(&self) -> &'c [u8] {
        self.bytes
    }

    /// Holds an [`VerificationType::Uninitialized`], the one type that names an offset.
    #[must_use]
    pub fn has_uninitialized(&self) -> bool {
        self.uninitialized
    }

    /// The types.
    pub fn iter(&self) -> impl Iterator<Item = VerificationType<'c>> + use<'c> {
        let mut bytes = self.bytes;
        std::iter::from_fn(move || decode(&mut bytes))
    }
}

fn decode<'c>(bytes: &mut &[u8]) -> Option<VerificationType<'c>> {
    let (tag, rest) = bytes.split_first()?;
    let value = u16_at(rest, 0);
    let (decoded, length) = match tag {
        0 => (VerificationType::Top, 0),
        1 => (VerificationType::Integer, 0),
        2 => (VerificationType::Float, 0),
        3 => (VerificationType::Double, 0),
        4 => (VerificationType::Long, 0),
        5 => (VerificationType::Null, 0),
        6 => (VerificationType::UninitializedThis, 0),
        7 => (VerificationType::Object(PoolIndex(value)), 2),
        _ => (VerificationType::Uninitialized(value.into()), 2),
    };
    *bytes = rest.get(length..).unwrap_or_default();
    Some(decoded)
}
