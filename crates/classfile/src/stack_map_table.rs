//! StackMapTable (JVM specification 4.7.4).
//!
//! ```text
//! u2 count, then per frame u1 frame_type:
//!   0..=63    same              offset_delta = frame_type
//!   64..=127  same_locals_1     offset_delta = frame_type - 64, one stack type
//!   128..=246 reserved
//!   247       same_locals_1_extended  u2 offset_delta, one stack type
//!   248..=250 chop              u2 offset_delta; the last 251 - frame_type locals go
//!   251       same_extended     u2 offset_delta
//!   252..=254 append            u2 offset_delta, frame_type - 251 more local types
//!   255       full              u2 offset_delta, u2 + local types, u2 + stack types
//! type: u1 tag 0..=6, or 07 u2 class, or 08 u2 offset of `new`
//! ```
//!
//! The first frame is at its `offset_delta`, each later one at previous +
//! `offset_delta` + 1. Locals are relative to the previous frame, at first to
//! the parameters. A `long` or `double` is one type for two slots.
//!
//! Example: `00 02  0A  FC 00 05 01` is a frame at 10 with the parameters only,
//! and one at 16 with an `int` more.

mod frame;
mod frame_state;
mod verification_type;

pub use frame::{Frame, FrameKind, write_delta};
pub use frame_state::FrameState;
pub use verification_type::{VerificationType, VerificationTypes};

use crate::attribute::Attribute;
use crate::code_offset::CodeOffset;
use crate::cursor::Cursor;
use crate::error::{Error, Part, Rule};

/// The frames of one method, with their offsets added up.
#[derive(Debug, Clone, Default)]
pub struct StackMapTable<'c> {
    frames: Vec<Frame<'c>>,
}

impl<'c> StackMapTable<'c> {
    /// Decodes a StackMapTable attribute.
    ///
    /// # Errors
    /// If it is malformed, or holds a frame of a reserved type.
    pub fn parse(attribute: &Attribute<'c>) -> Result<Self, Error> {
        let mut cursor = Cursor::new(attribute.data, attribute.offset, Part::StackMapTable);
        let count = usize::from(cursor.u16()?);
        let mut frames: Vec<Frame<'c>> = Vec::with_capacity(count.min(attribute.data.len()));
        let mut next = CodeOffset(0);
        for _ in 0..count {
            let frame = Frame::decode(&mut cursor, next)?;
            next = CodeOffset(frame.offset.0 + 1);
            frames.push(frame);
        }
        let end = cursor.error(Rule::BadFrameOffset);
        cursor.finish()?;
        if next.0 > u32::from(u16::MAX) + 1 {
            return Err(end);
        }
        Ok(Self { frames })
    }

    /// The frames, by ascending offset.
    #[must_use]
    pub fn frames(&self) -> &[Frame<'c>] {
        &self.frames
    }

    /// Position in [`frames`](Self::frames) of the frame at `offset`.
    #[must_use]
    pub fn find(&self, offset: CodeOffset) -> Option<usize> {
        self.frames
            .binary_search_by_key(&offset, |frame| frame.offset)
            .ok()
    }
}

#[cfg(test)]
mod tests;
