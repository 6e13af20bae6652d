//! Applies an edit to one method: mechanism, no policy.
//!
//! A [`CodeEdit`] says in terms of the original bytecode what to insert and
//! which handlers to add. Code is inserted and the rest is shifted; frames are
//! moved and copied, never inferred. That is sound because every insertion is
//! stack-neutral, stores no local variable that a frame knows and has no branch:
//! the verifier's state after it is the one before it.
//!
//! Two maps lead from an old offset to a new one, and mixing them up is a
//! `VerifyError`:
//!
//! ```text
//! old      new
//!          | After(previous), FallThroughInto(x)   only when falling in
//!          | label(x):  Before(x)                  jumps, handlers, frames, lines and ranges
//! x: insn  | insn(x):   insn                       uninitialized(x), type annotations
//! ```
//!
//! After the last instruction come the trampolines of taken edges (`code;
//! goto target`, with a copy of the target's frame) and the stubs of added
//! handlers. What cannot be done for sure is refused by a [`SkipReason`], and
//! the method stays as it was.
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
mod offset_map;
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
    AddedHandler, Catch, CodeEdit, HandlerExit, Insertion, Place, ProtectedPlace, Rank,
};
pub use offset_map::OffsetMap;
pub use probe::{Probe, ProbeBuilder, ProbeMethod, Probes};
pub use replace_code::rewrite_class_methods;
pub use skip_reason::SkipReason;

use ducktrack_classfile::{Code, Method, Opcode, PoolAppender};

/// A method's new code.
#[derive(Debug, Clone)]
pub struct EditedCode {
    /// The Code attribute, without name and length.
    pub attribute: Vec<u8>,
    /// Where the old instructions are now.
    pub offsets: OffsetMap,
    /// Attributes of the code that were dropped because they may hold offsets in a way we do not know.
    pub dropped_attributes: u16,
}

/// Applies `edit` to the code of `method`. Constants that new frames name are appended to `pool`.
///
/// # Errors
/// If the edit cannot be applied for sure; the method is then to be left as it is.
pub fn edit_code(
    method: &Method<'_>,
    edit: &CodeEdit,
    pool: &mut PoolAppender,
) -> Result<EditedCode, SkipReason> {
    let code = method.code().ok_or(SkipReason::NoCode)?;
    let mut units = unit::Units::decode(&code)?;
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
    let slots = slots::Slots::assign(edit, &mut units, code.max_locals())?;
    let mut layout = layout::Layout::new(edit, method, &code, units, slots)?;
    branch_reach::settle(&mut layout)?;
    layout.check_size(&code)?;
    let emitted = emission::emit(&layout, edit)?;
    let exceptions = exception_rows::rewrite(&layout, edit, &emitted)?;
    let frames = frames::rewrite(&layout, method, &code, pool)?;
    code_attribute::assemble(&layout, edit, &code, &emitted, &exceptions, frames, pool)
}

/// A `finalize()` that only returns, so that HotSpot treats the class as one without.
fn is_empty_finalizer(method: &Method<'_>, code: &Code<'_>) -> bool {
    method.name() == b"finalize"
        && method.descriptor() == b"()V"
        && code.bytecode() == [Opcode::RETURN.0]
}

#[cfg(test)]
mod tests;
