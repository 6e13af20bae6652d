//! Frames given by hand.

use super::label::{Label, PlacedLabels};
use crate::error::Error;
use crate::pool_appender::PoolAppender;
use crate::stack_map_table::{FrameKind, write_delta};

/// A verification type, with its class by name and its `new` by label.
#[derive(Debug, Clone, Copy)]
pub enum FrameType<'n> {
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
    /// An object of this class (internal name, or descriptor of an array).
    Object(&'n [u8]),
    /// The object that the `new` at this label made, before its constructor ran.
    Uninitialized(Label),
}

/// One entry of a StackMapTable, in the encoding that it names.
#[derive(Debug, Clone, Copy)]
pub enum BuiltFrame<'n> {
    /// Locals as before, empty stack.
    Same,
    /// Locals as before, one value on the stack.
    SameLocals1(FrameType<'n>),
    /// The last 1 to 3 locals are gone, empty stack.
    Chop(u8),
    /// 1 to 3 more locals, empty stack.
    Append(&'n [FrameType<'n>]),
    /// All locals and the whole stack.
    Full(&'n [FrameType<'n>], &'n [FrameType<'n>]),
}

/// A frame kept until the code is complete.
#[derive(Debug, Clone)]
pub(super) struct PendingFrame {
    pub(super) offset: u32,
    shape: Shape,
    types: Vec<PendingType>,
}

#[derive(Debug, Clone, Copy)]
enum Shape {
    Same,
    SameLocals1,
    Chop(u8),
    Append(u8),
    Full(u16, u16),
}

#[derive(Debug, Clone)]
enum PendingType {
    Plain(u8),
    Object(Vec<u8>),
    Uninitialized(Label),
}

impl PendingType {
    fn new(frame_type: &FrameType<'_>) -> Self {
        match frame_type {
            FrameType::Top => Self::Plain(0),
            FrameType::Integer => Self::Plain(1),
            FrameType::Float => Self::Plain(2),
            FrameType::Double => Self::Plain(3),
            FrameType::Long => Self::Plain(4),
            FrameType::Null => Self::Plain(5),
            FrameType::UninitializedThis => Self::Plain(6),
            FrameType::Object(name) => Self::Object((*name).into()),
            FrameType::Uninitialized(label) => Self::Uninitialized(*label),
        }
    }

    fn write(
        &self,
        out: &mut Vec<u8>,
        pool: &mut PoolAppender,
        labels: &PlacedLabels,
    ) -> Result<(), Error> {
        match self {
            Self::Plain(tag) => out.push(*tag),
            Self::Object(name) => {
                out.push(7);
                out.extend(pool.class(name)?.0.to_be_bytes());
            }
            Self::Uninitialized(label) => {
                out.push(8);
                out.extend(labels.offset16(*label)?.to_be_bytes());
            }
        }
        Ok(())
    }
}

impl PendingFrame {
    pub(super) fn new(offset: u32, frame: &BuiltFrame<'_>) -> Self {
        let short = |length: usize| u16::try_from(length).unwrap_or(u16::MAX);
        let (shape, types): (Shape, Vec<&FrameType<'_>>) = match frame {
            BuiltFrame::Same => (Shape::Same, Vec::new()),
            BuiltFrame::SameLocals1(stack) => (Shape::SameLocals1, vec![stack]),
            BuiltFrame::Chop(locals) => (Shape::Chop(*locals), Vec::new()),
            BuiltFrame::Append(locals) => (
                Shape::Append(u8::try_from(locals.len()).unwrap_or(u8::MAX)),
                locals.iter().collect(),
            ),
            BuiltFrame::Full(locals, stack) => (
                Shape::Full(short(locals.len()), short(stack.len())),
                locals.iter().chain(*stack).collect(),
            ),
        };
        Self {
            offset,
            shape,
            types: types.into_iter().map(PendingType::new).collect(),
        }
    }

    fn kind(&self) -> FrameKind {
        match self.shape {
            Shape::Same => FrameKind::Same,
            Shape::SameLocals1 => FrameKind::SameLocals1,
            Shape::Chop(locals) => FrameKind::Chop(locals),
            Shape::Append(locals) => FrameKind::Append(locals),
            Shape::Full(..) => FrameKind::Full,
        }
    }

    /// Writes the frame; `delta` is its `offset_delta`.
    pub(super) fn write(
        &self,
        delta: u16,
        out: &mut Vec<u8>,
        pool: &mut PoolAppender,
        labels: &PlacedLabels,
    ) -> Result<(), Error> {
        write_delta(self.kind(), delta, out);
        let (locals, stack) = match self.shape {
            Shape::Full(locals, _) => self
                .types
                .split_at_checked(locals.into())
                .unwrap_or((&self.types, &[])),
            _ => (&self.types[..], &[][..]),
        };
        if let Shape::Full(count, _) = self.shape {
            out.extend(count.to_be_bytes());
        }
        locals
            .iter()
            .try_for_each(|local| local.write(out, pool, labels))?;
        if let Shape::Full(_, count) = self.shape {
            out.extend(count.to_be_bytes());
        }
        stack
            .iter()
            .try_for_each(|value| value.write(out, pool, labels))
    }
}
