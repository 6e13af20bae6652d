//! Writes frames one after the other, each relative to the previous one.

use ducktrack_classfile::{
    Frame, FrameKind, FrameState, Method, PoolAppender, VerificationType, VerificationTypes,
    write_delta,
};

use crate::layout::Layout;
use crate::skip_reason::SkipReason;

/// Most locals that an append or chop frame adds or removes.
const MOST_RELATIVE_LOCALS: usize = 3;

/// A StackMapTable under construction.
pub(super) struct FrameWriter<'w, 'c> {
    layout: &'w Layout<'c>,
    out: Vec<u8>,
    /// New offset of the next frame if its `offset_delta` is 0.
    next: u32,
}

impl<'w, 'c> FrameWriter<'w, 'c> {
    /// Starts a table of `count` frames.
    pub(super) fn new(layout: &'w Layout<'c>, count: usize) -> Result<Self, SkipReason> {
        let mut out = Vec::with_capacity(4 * count + 2);
        out.extend_from_slice(&count16(count)?.to_be_bytes());
        Ok(Self {
            layout,
            out,
            next: 0,
        })
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.out
    }

    fn delta(&mut self, at: u32) -> Result<u16, SkipReason> {
        let delta = at
            .checked_sub(self.next)
            .and_then(|delta| u16::try_from(delta).ok());
        self.next = at + 1;
        delta.ok_or(SkipReason::TooLarge(at))
    }

    /// Writes an original frame at its new offset, in its own encoding.
    pub(super) fn moved(&mut self, at: u32, frame: &Frame<'_>) -> Result<(), SkipReason> {
        write_delta(frame.kind, self.delta(at)?, &mut self.out);
        for types in [frame.locals, frame.stack] {
            if frame.kind == FrameKind::Full {
                self.out.extend_from_slice(&types.count().to_be_bytes());
            }
            self.moved_types(types)?;
        }
        Ok(())
    }

    fn moved_types(&mut self, types: VerificationTypes<'_>) -> Result<(), SkipReason> {
        if !types.has_uninitialized() {
            self.out.extend_from_slice(types.bytes());
            return Ok(());
        }
        types
            .iter()
            .try_for_each(|moved| self.verification_type(moved, None))
    }

    /// Writes a frame with this state, in the shortest encoding relative to the previous
    /// state.
    pub(super) fn added(
        &mut self,
        at: u32,
        state: &FrameState<'_>,
        previous: Option<&FrameState<'_>>,
        method: &Method<'_>,
        pool: &mut PoolAppender,
    ) -> Result<(), SkipReason> {
        let kind = previous.map_or(FrameKind::Full, |previous| shortest(previous, state));
        write_delta(kind, self.delta(at)?, &mut self.out);
        let locals = match kind {
            FrameKind::Full => &state.locals[..],
            FrameKind::Append(count) => {
                let kept = state.locals.len().saturating_sub(count.into());
                state.locals.get(kept..).unwrap_or_default()
            }
            _ => &[],
        };
        for types in [locals, &state.stack] {
            if kind == FrameKind::Full {
                self.out
                    .extend_from_slice(&count16(types.len())?.to_be_bytes());
            }
            for added in types {
                self.verification_type(*added, Some((method, &mut *pool)))?;
            }
        }
        Ok(())
    }

    fn verification_type(
        &mut self,
        written: VerificationType<'_>,
        classes: Option<(&Method<'_>, &mut PoolAppender)>,
    ) -> Result<(), SkipReason> {
        self.out.push(written.tag());
        match (written, classes) {
            (VerificationType::Object(class), _) => {
                self.out.extend_from_slice(&class.0.to_be_bytes())
            }
            (VerificationType::Named(name), Some((method, pool))) => {
                let class = match method.class().pool().find_class(name) {
                    Some(class) => class,
                    None => pool.class(name)?,
                };
                self.out.extend_from_slice(&class.0.to_be_bytes());
            }
            (VerificationType::Uninitialized(new), _) => {
                let new = self.layout.insn(new)?;
                let new = u16::try_from(new).map_err(|_| SkipReason::TooLarge(new))?;
                self.out.extend_from_slice(&new.to_be_bytes());
            }
            _ => {}
        }
        Ok(())
    }
}

fn count16(count: usize) -> Result<u16, SkipReason> {
    u16::try_from(count).map_err(|_| SkipReason::TooDeep)
}

/// The shortest encoding of `state` after a frame with the state `previous`.
fn shortest(previous: &FrameState<'_>, state: &FrameState<'_>) -> FrameKind {
    let (old, new) = (&previous.locals[..], &state.locals[..]);
    match state.stack.len() {
        0 if old == new => FrameKind::Same,
        1 if old == new => FrameKind::SameLocals1,
        0 if old.starts_with(new) => {
            few(old.len() - new.len()).map_or(FrameKind::Full, FrameKind::Chop)
        }
        0 if new.starts_with(old) => {
            few(new.len() - old.len()).map_or(FrameKind::Full, FrameKind::Append)
        }
        _ => FrameKind::Full,
    }
}

fn few(count: usize) -> Option<u8> {
    u8::try_from(count)
        .ok()
        .filter(|_| count <= MOST_RELATIVE_LOCALS)
}

#[cfg(test)]
mod tests {
    use ducktrack_classfile::{FrameKind, FrameState, VerificationType};

    use super::shortest;

    fn state(locals: usize, stack: usize) -> FrameState<'static> {
        FrameState {
            locals: vec![VerificationType::Long; locals],
            stack: vec![VerificationType::Null; stack],
        }
    }

    #[test]
    fn the_shortest_encoding_is_chosen() {
        assert_eq!(shortest(&state(2, 1), &state(2, 0)), FrameKind::Same);
        assert_eq!(shortest(&state(2, 0), &state(2, 1)), FrameKind::SameLocals1);
        assert_eq!(shortest(&state(4, 0), &state(1, 0)), FrameKind::Chop(3));
        assert_eq!(shortest(&state(1, 0), &state(4, 0)), FrameKind::Append(3));
        assert_eq!(shortest(&state(5, 0), &state(1, 0)), FrameKind::Full);
        assert_eq!(shortest(&state(4, 0), &state(1, 1)), FrameKind::Full);
        assert_eq!(shortest(&state(2, 0), &state(2, 2)), FrameKind::Full);
    }
}
