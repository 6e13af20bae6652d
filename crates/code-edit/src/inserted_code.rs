//! The rules for inserted code: whole instructions that neither branch, nor return, nor throw on
//! purpose.
//!
//! It may write two kinds of local variables, because the frames around it stay valid:
//!
//! ```text
//! sipush 7; invokestatic I(I)J; lstore 9       a variable after max_locals: no frame mentions it
//! aload 4; invokestatic P([B)[B; astore 4      on entry, a parameter by an object of the same type
//! ```

use ducktrack_classfile::{CodeOffset, Format, Instruction, Opcode};

use crate::code_edit::{CodeEdit, Place};
use crate::skip_reason::SkipReason;

/// Checks code that stores nothing.
pub(crate) fn check_code(code: &[u8]) -> Result<(), SkipReason> {
    check(code, |_| false)
}

/// Checks an insertion.
pub(crate) fn check_insertion(
    place: Place,
    code: &[u8],
    max_locals: u16,
) -> Result<(), SkipReason> {
    let parameter = match (place, Instruction::decode(code, CodeOffset(0))) {
        (Place::Entry, Ok(first)) if loads_reference(first.opcode) => first.local(),
        _ => None,
    };
    check(code, |store| match store.local() {
        Some(local) if [Opcode::ISTORE, Opcode::LSTORE].contains(&store.opcode) => {
            local >= max_locals
        }
        Some(local) if stores_reference(store.opcode) => {
            local >= max_locals || parameter == Some(local)
        }
        _ => false,
    })
}

/// The number of local variables, including those that the insertions store.
pub(crate) fn max_locals(edit: &CodeEdit, max_locals: u16) -> Result<u16, SkipReason> {
    let mut most = max_locals;
    for insertion in &edit.insertions {
        for instruction in decoded(&insertion.code) {
            let instruction = instruction?;
            if let Some(local) = instruction.local().filter(|_| stores(instruction.opcode)) {
                let slots = if instruction.opcode == Opcode::LSTORE {
                    2
                } else {
                    1
                };
                most = most.max(local.checked_add(slots).ok_or(SkipReason::TooDeep)?);
            }
        }
    }
    Ok(most)
}

/// Whether the instruction writes a local variable.
pub(crate) fn stores(opcode: Opcode) -> bool {
    opcode.format() == Format::Increment || matches!(opcode.0, 54..=78)
}

fn loads_reference(opcode: Opcode) -> bool {
    opcode == Opcode::ALOAD || matches!(opcode.0, 42..=45)
}

fn stores_reference(opcode: Opcode) -> bool {
    opcode == Opcode::ASTORE || matches!(opcode.0, 75..=78)
}

fn check(code: &[u8], may_store: impl Fn(&Instruction<'_>) -> bool) -> Result<(), SkipReason> {
    for instruction in decoded(code) {
        let instruction = instruction?;
        let opcode = instruction.opcode;
        let leaves =
            opcode.is_unconditional_end() || opcode.is_jsr() || opcode.is_conditional_branch();
        if leaves || stores(opcode) && !may_store(&instruction) {
            return Err(SkipReason::BadCode);
        }
    }
    Ok(())
}

/// The instructions of inserted code; the sequence ends at an error.
fn decoded(code: &[u8]) -> impl Iterator<Item = Result<Instruction<'_>, SkipReason>> {
    let mut next = Some(CodeOffset(0));
    std::iter::from_fn(move || {
        let at = next.take().filter(|at| at.index() < code.len())?;
        let instruction = Instruction::decode(code, at).map_err(|_| SkipReason::BadCode);
        next = instruction.as_ref().ok().map(Instruction::end);
        Some(instruction)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code_edit::Insertion;

    #[test]
    fn only_variables_that_no_frame_knows_are_written() {
        let before = Place::Before(CodeOffset(0));
        assert_eq!(check_insertion(before, &[0x04, 0x36, 9], 9), Ok(()));
        assert_eq!(
            check_insertion(before, &[0x04, 0x36, 8], 9),
            Err(SkipReason::BadCode)
        );
        assert_eq!(
            check_insertion(before, &[0x04, 0x3b], 0),
            Err(SkipReason::BadCode)
        );
        assert_eq!(check_code(&[0x04, 0x36, 9]), Err(SkipReason::BadCode));
    }

    #[test]
    fn a_long_variable_takes_two_places() {
        let storing = |code: &[u8]| CodeEdit {
            insertions: vec![Insertion {
                place: Place::Entry,
                code: code.to_vec(),
                stack: 2,
            }],
            ..CodeEdit::default()
        };
        assert_eq!(check_insertion(Place::Entry, &[0x09, 0x37, 9], 9), Ok(()));
        assert_eq!(max_locals(&storing(&[0x09, 0x37, 9]), 9), Ok(11));
        assert_eq!(max_locals(&storing(&[0x03, 0x36, 9]), 9), Ok(10));
    }

    #[test]
    fn a_parameter_is_replaced_on_entry() {
        let replaced = [0x19, 4, 0x3a, 4];
        assert_eq!(check_insertion(Place::Entry, &replaced, 9), Ok(()));
        assert_eq!(
            check_insertion(Place::Before(CodeOffset(0)), &replaced, 9),
            Err(SkipReason::BadCode)
        );
        assert_eq!(
            check_insertion(Place::Entry, &[0x19, 4, 0x3a, 5], 9),
            Err(SkipReason::BadCode)
        );
    }
}
