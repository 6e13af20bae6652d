//! Runtime(In)VisibleTypeAnnotations (JVM specification 4.7.20).
//!
//! ```text
//! u2 count, then per annotation: u1 target_type, target, type_path, type and values
//! target inside Code:
//!   40 41      u2 count, (u2 start_pc, u2 length, u2 index) per row
//!   42         u2 index into the exception table
//!   43..=46    u2 offset of an instruction
//!   47..=4B    u2 offset of an instruction, u1 type argument
//! ```
//!
//! Example: `44 00 07  00  00 05 00 00` annotates the type of the `new` at 7
//! with annotation class 5, without values.

use crate::attribute::Attribute;
use crate::code_offset::CodeOffset;
use crate::cursor::{Cursor, u16_at};
use crate::error::{Error, Part, Rule};

/// Values inside annotations inside annotations are followed so far.
const MAX_DEPTH: u32 = 64;

/// The owner of an annotated type.
#[derive(Debug, Clone, Copy)]
pub enum TypeAnnotationTarget<'c> {
    /// A local variable, in these ranges.
    LocalVariable(AnnotatedRanges<'c>),
    /// The class that a row of the exception table catches.
    Catch(u16),
    /// The instruction at this offset.
    Offset(CodeOffset),
    /// A type argument of the instruction at this offset.
    TypeArgument(CodeOffset, u8),
    /// Something outside code, as bytes.
    Outside(&'c [u8]),
}

/// Where an annotated local variable has a value.
#[derive(Debug, Clone, Copy)]
pub struct AnnotatedRanges<'c> {
    rows: &'c [u8],
}

impl<'c> AnnotatedRanges<'c> {
    /// Start, length in bytes and slot of each range.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (CodeOffset, u16, u16)> + use<'c> {
        self.rows
            .chunks_exact(6)
            .map(|row| (u16_at(row, 0).into(), u16_at(row, 2), u16_at(row, 4)))
    }
}

/// One type annotation.
#[derive(Debug, Clone, Copy)]
pub struct TypeAnnotation<'c> {
    /// Kind of target.
    pub target_type: u8,
    /// The annotated type.
    pub target: TypeAnnotationTarget<'c>,
    /// Type path, annotation class and values, as bytes.
    pub annotation: &'c [u8],
}

/// The annotations of one attribute, in order.
#[derive(Debug, Clone)]
pub struct TypeAnnotations<'c> {
    annotations: Vec<TypeAnnotation<'c>>,
}

impl<'c> TypeAnnotations<'c> {
    /// Reads a RuntimeVisibleTypeAnnotations or RuntimeInvisibleTypeAnnotations attribute.
    ///
    /// # Errors
    /// If it is malformed.
    pub fn parse(attribute: &Attribute<'c>) -> Result<Self, Error> {
        let mut cursor = Cursor::new(attribute.data, attribute.offset, Part::TypeAnnotations);
        let count = usize::from(cursor.u16()?);
        let mut annotations = Vec::with_capacity(count.min(attribute.data.len() / 6));
        for _ in 0..count {
            annotations.push(annotation(&mut cursor)?);
        }
        cursor.finish()?;
        Ok(Self { annotations })
    }

    /// The annotations.
    #[must_use]
    pub fn annotations(&self) -> &[TypeAnnotation<'c>] {
        &self.annotations
    }
}

fn annotation<'c>(cursor: &mut Cursor<'c>) -> Result<TypeAnnotation<'c>, Error> {
    let before = *cursor;
    let target_type = cursor.u8()?;
    let target = match target_type {
        0x00 | 0x01 | 0x16 => TypeAnnotationTarget::Outside(cursor.take(1)?),
        0x10..=0x12 | 0x17 => TypeAnnotationTarget::Outside(cursor.take(2)?),
        0x13..=0x15 => TypeAnnotationTarget::Outside(&[]),
        0x40 | 0x41 => {
            let rows = usize::from(cursor.u16()?);
            TypeAnnotationTarget::LocalVariable(AnnotatedRanges {
                rows: cursor.take(6 * rows)?,
            })
        }
        0x42 => TypeAnnotationTarget::Catch(cursor.u16()?),
        0x43..=0x46 => TypeAnnotationTarget::Offset(cursor.u16()?.into()),
        0x47..=0x4B => TypeAnnotationTarget::TypeArgument(cursor.u16()?.into(), cursor.u8()?),
        unknown => return Err(before.error(Rule::UnknownAnnotationTarget(unknown))),
    };
    let (start, from) = (cursor.rest(), cursor.offset());
    let path = usize::from(cursor.u8()?);
    cursor.take(2 * path)?;
    skip_annotation(cursor, MAX_DEPTH)?;
    let annotation = start.get(..cursor.offset() - from).unwrap_or_default();
    Ok(TypeAnnotation {
        target_type,
        target,
        annotation,
    })
}

/// Reads over annotation class and values.
fn skip_annotation(cursor: &mut Cursor<'_>, depth: u32) -> Result<(), Error> {
    cursor.u16()?;
    let pairs = cursor.u16()?;
    for _ in 0..pairs {
        cursor.u16()?;
        skip_value(cursor, depth)?;
    }
    Ok(())
}

fn skip_value(cursor: &mut Cursor<'_>, depth: u32) -> Result<(), Error> {
    let before = *cursor;
    let depth = depth
        .checked_sub(1)
        .ok_or(before.error(Rule::AnnotationsTooDeep))?;
    match cursor.u8()? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => {
            cursor.take(2).map(|_| ())
        }
        b'e' => cursor.take(4).map(|_| ()),
        b'@' => skip_annotation(cursor, depth),
        b'[' => {
            let values = cursor.u16()?;
            (0..values).try_for_each(|_| skip_value(cursor, depth))
        }
        unknown => Err(before.error(Rule::UnknownAnnotationValue(unknown))),
    }
}
