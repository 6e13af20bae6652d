//! Refuses code that the JVM rejects and an edit would repair: it must be rejected as before.
//!
//! | the JVM rejects | an edit would |
//! |---|---|
//! | a stack deeper than `max_stack`, a local variable beyond `max_locals` | raise both |
//! | an index beyond the constant pool | append constants, so that there is one |
//! | an attribute whose name is no text, a second StackMapTable | leave it out |
//! | lines and variables beyond the code | make the code longer |
//! | padding of a switch that is not zero (before version 51) | write zeros |

use ducktrack_classfile::{
    Attribute, Code, CodeOffset, ConstantPool, Error, FrameState, Instruction, LineNumberTable,
    LocalVariableTable, Method, Opcode, PoolIndex, StackEffect, StackMapTable,
};

use crate::operand_flow::{FIRST_THAT_NEEDS_FRAMES, OperandFlow};
use crate::skip_reason::SkipReason;

/// From this version on, the padding of switches may have any value.
const ANY_PADDING: u16 = 51;

/// First version whose classes have frames.
const FIRST_WITH_FRAMES: u16 = 50;

/// Checks what an edit would repair.
pub(crate) fn check(
    method: &Method<'_>,
    code: &Code<'_>,
    instructions: &[Instruction<'_>],
) -> Result<(), SkipReason> {
    let version = method.class().major_version();
    for instruction in instructions {
        check_instruction(code, instruction, version)?;
    }
    for row in code.exception_table().iter() {
        row.catch_type.map_or(Ok(()), |class| exists(code, class))?;
    }
    let mut has_frames = false;
    let mut depths = vec![(CodeOffset(0), 0)];
    for attribute in code.attributes() {
        code.pool().utf8(attribute.name_index)?;
        if attribute.name == b"StackMapTable" && version >= FIRST_WITH_FRAMES {
            if std::mem::replace(&mut has_frames, true) {
                return Err(SkipReason::RejectedByTheJvm("a second StackMapTable"));
            }
            depths = check_frames(method, code, &attribute)?;
        }
        check_table(code, &attribute)?;
    }
    if version < FIRST_THAT_NEEDS_FRAMES {
        depths = OperandFlow::of(method, code, instructions)?.depths();
    }
    if deepest(&depths, instructions, code.pool())? > usize::from(code.max_stack()) {
        return Err(SkipReason::RejectedByTheJvm("max_stack is too small"));
    }
    Ok(())
}

fn exists(code: &Code<'_>, index: PoolIndex) -> Result<(), SkipReason> {
    code.pool().get(index).map(drop).map_err(SkipReason::from)
}

fn check_instruction(
    code: &Code<'_>,
    instruction: &Instruction<'_>,
    version: u16,
) -> Result<(), SkipReason> {
    if let Some(index) = instruction.pool_index() {
        exists(code, index)?;
    }
    if let Some(local) = instruction.local() {
        check_local(code, local, is_wide(instruction.opcode))?;
    }
    if instruction.opcode.is_switch() && version < ANY_PADDING {
        let padding = 3 - (instruction.offset.index() & 3);
        let bytes = instruction.bytes().get(1..=padding).unwrap_or_default();
        if bytes.iter().any(|byte| *byte != 0) {
            return Err(SkipReason::RejectedByTheJvm(
                "padding of a switch is not zero",
            ));
        }
    }
    Ok(())
}

fn check_local(code: &Code<'_>, local: u16, is_wide: bool) -> Result<(), SkipReason> {
    let end = u32::from(local) + 1 + u32::from(is_wide);
    match end <= u32::from(code.max_locals()) {
        true => Ok(()),
        false => Err(SkipReason::RejectedByTheJvm("max_locals is too small")),
    }
}

/// Loads and stores of `long` and `double`.
fn is_wide(opcode: Opcode) -> bool {
    matches!(opcode.0, 22 | 24 | 30..=33 | 38..=41 | 55 | 57 | 63..=66 | 71..=74)
}

/// The depths of the stack at the start and at the frames, whose local variables are checked.
fn check_frames(
    method: &Method<'_>,
    code: &Code<'_>,
    attribute: &Attribute<'_>,
) -> Result<Vec<(CodeOffset, usize)>, SkipReason> {
    let table = StackMapTable::parse(attribute)?;
    let mut state = FrameState::initial(method)?;
    let slots = |state: &FrameState<'_>| state.locals.iter().map(|ty| u32::from(ty.slots())).sum();
    let mut most: u32 = slots(&state);
    let mut depths = vec![(CodeOffset(0), 0)];
    for frame in table.frames() {
        state.advance(frame)?;
        most = most.max(slots(&state));
        depths.push((frame.offset, state.stack_slots().into()));
    }
    match most <= u32::from(code.max_locals()) {
        true => Ok(depths),
        false => Err(SkipReason::RejectedByTheJvm("max_locals is too small")),
    }
}

/// Most slots of the stack that are in use at any time, from its depths at the start and wherever control may come from elsewhere.
fn deepest(
    depths: &[(CodeOffset, usize)],
    instructions: &[Instruction<'_>],
    pool: &ConstantPool<'_>,
) -> Result<usize, Error> {
    let mut ahead = depths.iter().peekable();
    // Unknown after an instruction that control does not leave for the next one.
    let mut depth: Option<usize> = None;
    let mut deepest = 0;
    for instruction in instructions {
        while let Some((at, found)) = ahead.next_if(|(at, _)| *at <= instruction.offset) {
            if *at == instruction.offset {
                depth = Some(*found);
            }
        }
        let Some(before) = depth else { continue };
        deepest = deepest.max(before);
        // A subroutine leaves the stack as it was before the call.
        if instruction.opcode.is_jsr() {
            continue;
        }
        let effect = StackEffect::of(instruction, pool)?;
        let after = before.saturating_sub(effect.pops.into()) + usize::from(effect.pushes);
        depth = (!instruction.is_unconditional_end()).then_some(after);
        deepest = deepest.max(depth.unwrap_or(0));
    }
    Ok(deepest)
}

fn check_table(code: &Code<'_>, attribute: &Attribute<'_>) -> Result<(), SkipReason> {
    let beyond = SkipReason::RejectedByTheJvm("a table names a place beyond the code");
    match attribute.name {
        b"LineNumberTable" => {
            let mut rows = LineNumberTable::parse(attribute)?.iter();
            match rows.all(|row| row.start < code.end()) {
                true => Ok(()),
                false => Err(beyond),
            }
        }
        b"LocalVariableTable" | b"LocalVariableTypeTable" => {
            for row in LocalVariableTable::parse(attribute)?.iter() {
                if row.start >= code.end() || row.start.0 + u32::from(row.length) > code.end().0 {
                    return Err(beyond);
                }
                exists(code, row.name)?;
                exists(code, row.descriptor)?;
                let descriptor = code.pool().utf8(row.descriptor)?;
                check_local(code, row.local, matches!(descriptor, b"J" | b"D"))?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
