//! One entry of a StackMapTable.

use super::verification_type::VerificationTypes;
use crate::code_offset::CodeOffset;
use crate::cursor::Cursor;
use crate::error::{Error, Rule};

/// How a frame differs from the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// Same locals, empty stack.
    Same,
    /// Same locals, one value on the stack.
    SameLocals1,
    /// The last 1 to 3 locals are gone, empty stack.
    Chop(u8),
    /// 1 to 3 more locals, empty stack.
    Append(u8),
    /// All locals and the whole stack.
    Full,
}

/// One entry of a StackMapTable.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'c> {
    /// Where it holds.
    pub offset: CodeOffset,
    /// Its encoding.
    pub kind: FrameKind,
    /// Added locals, or all of them in a full frame.
    pub locals: VerificationTypes<'c>,
    /// Stack, bottom first.
    pub stack: VerificationTypes<'c>,
}

impl<'c> Frame<'c> {
    /// Decodes a frame; `next` is where it is if its `offset_delta` is 0.
    pub(super) fn decode(cursor: &mut Cursor<'c>, next: CodeOffset) -> Result<Self, Error> {
        let before = *cursor;
        let frame_type = cursor.u8()?;
        let (delta, kind) = match frame_type {
            0..=63 => (u16::from(frame_type), FrameKind::Same),
            64..=127 => (u16::from(frame_type - 64), FrameKind::SameLocals1),
            128..=246 => return Err(before.error(Rule::ReservedFrameType(frame_type))),
            247 => (cursor.u16()?, FrameKind::SameLocals1),
            248..=250 => (cursor.u16()?, FrameKind::Chop(251 - frame_type)),
            251 => (cursor.u16()?, FrameKind::Same),
            252..=254 => (cursor.u16()?, FrameKind::Append(frame_type - 251)),
            255 => (cursor.u16()?, FrameKind::Full),
        };
        let (mut locals, mut stack) = (VerificationTypes::default(), VerificationTypes::default());
        match kind {
            FrameKind::Same | FrameKind::Chop(_) => {}
            FrameKind::SameLocals1 => stack = VerificationTypes::read(cursor, 1)?,
            FrameKind::Append(count) => locals = VerificationTypes::read(cursor, count.into())?,
            FrameKind::Full => {
                let count = cursor.u16()?;
                locals = VerificationTypes::read(cursor, count)?;
                let count = cursor.u16()?;
                stack = VerificationTypes::read(cursor, count)?;
            }
        }
        let offset = CodeOffset(next.0.saturating_add(delta.into()));
        Ok(Self {
            offset,
            kind,
            locals,
            stack,
        })
    }
}

/// Writes `frame_type` and `offset_delta` in the shortest encoding of `kind`.
/// The types follow: in a full frame each list with its count before it.
pub fn write_delta(kind: FrameKind, delta: u16, out: &mut Vec<u8>) {
    let small = u8::try_from(delta).ok().filter(|delta| *delta < 64);
    let long_type = match (kind, small) {
        (FrameKind::Same, Some(delta)) => return out.push(delta),
        (FrameKind::SameLocals1, Some(delta)) => return out.push(64 + delta),
        (FrameKind::SameLocals1, None) => 247,
        (FrameKind::Same, None) => 251,
        (FrameKind::Chop(count), _) => 251_u8.wrapping_sub(count),
        (FrameKind::Append(count), _) => 251_u8.wrapping_add(count),
        (FrameKind::Full, _) => 255,
    };
    out.push(long_type);
    out.extend_from_slice(&delta.to_be_bytes());
}
