//! Applies an edit to one method. This crate decides nothing about what to insert.
//!
//! A [`CodeEdit`] says, in terms of the original bytecode, what to insert and which
//! handlers to add. Code is inserted and the rest is shifted; frames are moved and
//! copied, never inferred. That is sound because every insertion is stack-neutral, stores
//! no local variable that a frame mentions and has no branch: the verifier's state after
//! it is the one before it.
//!
//! Two maps lead from an old offset to a new one. Using the wrong one causes a
//! `VerifyError`:
//!
//! ```text
//! old      new
//!          | After(previous), FallThroughInto(x)   only when control falls through
//!          | label(x):  Before(x)                  jumps, handlers, frames, lines and ranges
//! x: insn  | insn(x):   insn                       uninitialized(x), type annotations
//! ```
//!
//! After the last instruction come the trampolines of taken edges (`code; goto target`,
//! with a copy of the target's frame) and the stubs of added handlers. An edit that
//! cannot be applied safely is refused with a [`SkipReason`], and the method stays
//! unchanged.
#![forbid(unsafe_code)]

mod branch_offset;
mod branch_reach;
mod code_attribute;
mod code_edit;
mod emission;
mod exception_rows;
mod frames;
mod inserted_code;
mod islands;
mod layout;
mod line_and_variable_tables;
mod malformed;
mod offset_map;
mod operand_flow;
mod probe;
mod protection;
mod replace_code;
mod skip_reason;
mod slots;
mod stub;
mod trampoline;
mod type_annotations;
mod unit;

pub use code_edit::{
    AddedHandler, Catch, CodeEdit, HandlerExit, Insertion, Place, ProtectedPlace, Rank, Replacement,
};
pub use offset_map::OffsetMap;
pub use operand_flow::{ConstructorHead, OperandCursor, OperandFlow};
pub use probe::{Probe, ProbeBuilder, ProbeMethod, Probes};
pub use replace_code::rewrite_class_methods;
pub use skip_reason::SkipReason;

use ducktrack_classfile::{Code, Instruction, Method, Opcode, PoolAppender};

/// A method's new code.
#[derive(Debug, Clone)]
pub struct EditedCode {
    /// The Code attribute, without name and length.
    pub attribute: Vec<u8>,
    /// From the old instructions to their new offsets, and back.
    pub offsets: OffsetMap,
    /// The number of attributes dropped because they may contain offsets in a format that is not known
    /// here.
    pub dropped_attributes: u16,
}

/// Applies `edit` to the code of `method`. Constants that new frames need are appended to `pool`.
///
/// # Errors
/// If the edit cannot be applied safely; the caller must then leave the method unchanged.
pub fn edit_code(
    method: &Method<'_>,
    edit: &CodeEdit,
    pool: &mut PoolAppender,
) -> Result<EditedCode, SkipReason> {
    let code = method.code().ok_or(SkipReason::NoCode)?;
    let instructions: Vec<Instruction<'_>> = code.instructions().collect::<Result<_, _>>()?;
    edit_instructions(method, &instructions, edit, pool)
}

/// As [`edit_code`], with all instructions of the method.
///
/// # Errors
/// As [`edit_code`].
pub fn edit_instructions(
    method: &Method<'_>,
    instructions: &[Instruction<'_>],
    edit: &CodeEdit,
    pool: &mut PoolAppender,
) -> Result<EditedCode, SkipReason> {
    let code = method.code().ok_or(SkipReason::NoCode)?;
    let mut units = unit::Units::new(&code, instructions);
    if edit.is_empty() {
        return Ok(EditedCode {
            attribute: code.data().to_vec(),
            offsets: OffsetMap::unchanged(&units),
            dropped_attributes: 0,
        });
    }
    if is_empty_finalizer(method, &code) {
        return Err(SkipReason::EmptyFinalizer);
    }
    if method.is_constructor() && method.class().super_class().is_none() {
        return Err(SkipReason::ObjectConstructor);
    }
    malformed::check(method, &code, instructions)?;
    let head = ConstructorHead::of(method, &code, instructions)?;
    let slots = slots::Slots::assign(edit, &mut units, code.max_locals())?;
    let mut layout = layout::Layout::new(edit, head, &code, units, slots)?;
    branch_reach::settle(&mut layout)?;
    layout.check_size(&code)?;
    let emitted = emission::emit(&layout, edit)?;
    let exceptions = exception_rows::rewrite(&layout, edit, &emitted)?;
    let frames = frames::rewrite(&layout, method, &code, pool)?;
    code_attribute::assemble(&layout, edit, &code, &emitted, &exceptions, frames, pool)
}

/// A `finalize()` that only returns. HotSpot treats its class as one without a finalizer.
fn is_empty_finalizer(method: &Method<'_>, code: &Code<'_>) -> bool {
    method.name() == b"finalize"
        && method.descriptor() == b"()V"
        && code.bytecode() == [Opcode::RETURN.0]
}

#[cfg(test)]
mod tests;
