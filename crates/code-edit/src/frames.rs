//! The new StackMapTable: the original frames, moved, and frames for added code.
//!
//! An original frame keeps its encoding and its types; only its `offset_delta` and the
//! offsets of `new` instructions in it change. Each trampoline and stub gets a frame: a
//! copy of the frame that the original code has at its target, or, for a stub that
//! rethrows, one with only the exception.
//!
//! A target without a frame is in code that the VM does not verify: the verifier would have refused it without this edit. HotSpot before
//! JDK 21 drops the frames of the boot loader's classes, and hands these out without any when they are retransformed; of version 50 it
//! verifies such a class without frames. What is added there needs none either.

mod frame_writer;

use ducktrack_classfile::{
    Code, CodeOffset, FrameState, Method, PoolAppender, StackMapTable, VerificationType,
};

use self::frame_writer::FrameWriter;
use crate::layout::Layout;
use crate::skip_reason::SkipReason;
use crate::stub::Exit;

/// First version whose classes have frames.
const FIRST_WITH_FRAMES: u16 = 50;

/// The content of a frame in the new table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The original frame at this position of the table.
    Original(usize),
    /// A copy of the original frame at this position.
    Copy(usize),
    /// No local variables, a `Throwable` on the stack.
    Thrown,
}

/// The new StackMapTable, without name and length; `None` if there is none.
pub(crate) fn rewrite(
    layout: &Layout<'_>,
    method: &Method<'_>,
    code: &Code<'_>,
    pool: &mut PoolAppender,
) -> Result<Option<Vec<u8>>, SkipReason> {
    if method.class().major_version() < FIRST_WITH_FRAMES {
        return Ok(None);
    }
    let attribute = code.attributes().find(b"StackMapTable");
    let table = attribute
        .as_ref()
        .map(StackMapTable::parse)
        .transpose()?
        .unwrap_or_default();
    let frames = plan(layout, &table)?;
    if frames.is_empty() {
        return Ok(None);
    }
    let mut writer = FrameWriter::new(layout, frames.len())?;
    if frames
        .iter()
        .all(|(_, source)| matches!(source, Source::Original(_)))
    {
        for ((at, _), frame) in frames.iter().zip(table.frames()) {
            writer.moved(*at, frame)?;
        }
    } else {
        mixed(&mut writer, &frames, method, &table, pool)?;
    }
    Ok(Some(writer.finish()))
}

/// Writes original frames and new ones.
fn mixed(
    writer: &mut FrameWriter<'_, '_>,
    frames: &[(u32, Source)],
    method: &Method<'_>,
    table: &StackMapTable<'_>,
    pool: &mut PoolAppender,
) -> Result<(), SkipReason> {
    let initial = FrameState::initial(method)?;
    let states = states(frames, initial.clone(), table)?;
    let thrown = match frames.iter().any(|(_, source)| *source == Source::Thrown) {
        true => thrown(method, pool)?,
        false => FrameState::default(),
    };
    let state_of = |source: Source| match source {
        Source::Original(position) | Source::Copy(position) => {
            states.get(position).and_then(Option::as_ref)
        }
        Source::Thrown => Some(&thrown),
    };
    let mut previous = Some(&initial);
    let mut after_original = true;
    for (at, source) in frames {
        let state = state_of(*source);
        match (source, table_frame(table, *source)) {
            (Source::Original(_), Some(frame)) if after_original => writer.moved(*at, frame)?,
            _ => {
                let state = state.ok_or(SkipReason::MissingFrame(CodeOffset(*at)))?;
                writer.added(*at, state, previous, method, pool)?;
            }
        }
        after_original = matches!(source, Source::Original(_));
        previous = state;
    }
    Ok(())
}

fn table_frame<'t, 'c>(
    table: &'t StackMapTable<'c>,
    source: Source,
) -> Option<&'t ducktrack_classfile::Frame<'c>> {
    match source {
        Source::Original(position) | Source::Copy(position) => table.frames().get(position),
        Source::Thrown => None,
    }
}

/// The absolute states of those frames that are written, or that a written frame is
/// relative to.
fn states<'c>(
    frames: &[(u32, Source)],
    mut state: FrameState<'c>,
    table: &StackMapTable<'c>,
) -> Result<Vec<Option<FrameState<'c>>>, SkipReason> {
    let mut states = vec![None; table.frames().len()];
    let mut needed = vec![false; table.frames().len()];
    let mut need = |position: usize| {
        needed
            .get_mut(position)
            .into_iter()
            .for_each(|needed| *needed = true)
    };
    for (position, (_, source)) in frames.iter().enumerate() {
        let before = position
            .checked_sub(1)
            .and_then(|before| frames.get(before))
            .map(|(_, source)| *source);
        match (before, *source) {
            (Some(Source::Original(before)), Source::Copy(copied)) => {
                need(before);
                need(copied);
            }
            (Some(Source::Original(before)), Source::Thrown) => need(before),
            (_, Source::Copy(copied)) => need(copied),
            (Some(Source::Copy(_) | Source::Thrown), Source::Original(own)) => need(own),
            _ => {}
        }
    }
    for ((frame, kept), needed) in table.frames().iter().zip(&mut states).zip(needed) {
        state.advance(frame)?;
        *kept = needed.then(|| state.clone());
    }
    Ok(states)
}

/// The state with no local variables and only the exception on the stack.
fn thrown<'c>(method: &Method<'c>, pool: &mut PoolAppender) -> Result<FrameState<'c>, SkipReason> {
    let name = b"java/lang/Throwable";
    let class = match method.class().pool().find_class(name) {
        Some(class) => class,
        None => pool.class(name)?,
    };
    Ok(FrameState {
        locals: Vec::new(),
        stack: vec![VerificationType::Object(class)],
    })
}

/// Every frame of the new table with its new offset, in order.
fn plan(layout: &Layout<'_>, table: &StackMapTable<'_>) -> Result<Vec<(u32, Source)>, SkipReason> {
    let mut frames = Vec::with_capacity(table.frames().len());
    for (position, frame) in table.frames().iter().enumerate() {
        frames.push((layout.label(frame.offset)?, Source::Original(position)));
    }
    let mut copy = |at: u32, of: Option<CodeOffset>| {
        if let Some(position) = of.and_then(|of| table.find(of)) {
            frames.push((at, Source::Copy(position)));
        }
    };
    let old = |id| layout.units.get(id).map(|unit| unit.instruction.offset);
    for trampoline in &layout.trampolines {
        copy(trampoline.at, old(trampoline.to));
    }
    for stub in &layout.stubs {
        if let Exit::Continue { handler, .. } = stub.exit {
            copy(stub.at, old(handler));
        }
    }
    let thrown = layout
        .stubs
        .iter()
        .filter(|stub| stub.exit == Exit::Rethrow);
    frames.extend(thrown.map(|stub| (stub.at, Source::Thrown)));
    frames.sort_unstable_by_key(|(at, _)| *at);
    Ok(frames)
}
