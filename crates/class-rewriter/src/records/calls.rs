//! Entries and exits of a method.

use ducktrack_classfile::{CodeOffset, Instruction, Opcode};
use ducktrack_code_edit::{
    AddedHandler, Catch, HandlerExit, Insertion, Place, ProbeMethod, Probes, ProtectedPlace, Rank,
};
use ducktrack_probe_vocabulary::helper::methods;

use super::RecordPlan;
use crate::method_view::MethodView;
use crate::planned::{Numbers, PlannedMethod};
use crate::probe::calling;
use crate::refusal::Reason;
use crate::stamps::Calls;

const ENTER: ProbeMethod = calling(methods::ENTER);
const ENTER_STATIC: ProbeMethod = calling(methods::ENTER_STATIC);
const EXIT: ProbeMethod = calling(methods::EXIT);
const THROWN: ProbeMethod = calling(methods::THROWN);

pub(super) fn plan(
    view: &MethodView<'_>,
    calls: Calls,
    probes: &mut Probes,
    numbers: &mut dyn Numbers,
    plan: &mut RecordPlan,
) -> Result<(), Reason> {
    if !is_recorded(view, calls)? {
        return Ok(());
    }
    let Some(number) = numbers.method(view.index) else {
        return Ok(());
    };
    plan.method = Some(PlannedMethod {
        index: view.index,
        number,
    });
    let enter = match view.is_static || view.constructor {
        true => probes.build().push(number).invoke(ENTER_STATIC),
        false => probes.build().load_reference(0).push(number).invoke(ENTER),
    };
    plan.insertions.push(enter.finish()?.at(Place::Entry));
    for instruction in view.instructions {
        if instruction.opcode.is_return() {
            let exit = probes.build().push(number).invoke(EXIT).finish()?;
            plan.insertions
                .push(exit.at(Place::Before(instruction.offset)));
        }
    }
    Ok(())
}

fn is_recorded(view: &MethodView<'_>, calls: Calls) -> Result<bool, Reason> {
    Ok(match calls {
        Calls::Off => false,
        Calls::All => true,
        Calls::Auto => {
            for instruction in view.instructions {
                if is_of_note(view, instruction)? {
                    return Ok(true);
                }
            }
            false
        }
    })
}

/// Whether an instruction calls, allocates or updates a reference.
fn is_of_note(view: &MethodView<'_>, instruction: &Instruction<'_>) -> Result<bool, Reason> {
    let opcode = instruction.opcode;
    if matches!(opcode, Opcode::PUTFIELD | Opcode::PUTSTATIC) {
        let Some(index) = instruction.pool_index() else {
            return Ok(false);
        };
        let field = view.code.pool().member_ref(index)?;
        return Ok(matches!(field.descriptor.first(), Some(b'L' | b'[')));
    }
    Ok(
        opcode.is_invoke() && !is_empty_constructor(view, instruction)?
            || opcode.is_allocation()
            || opcode == Opcode::AASTORE,
    )
}

/// Whether an instruction calls the constructor of `Object`, which does nothing and leaves no record.
fn is_empty_constructor(
    view: &MethodView<'_>,
    instruction: &Instruction<'_>,
) -> Result<bool, Reason> {
    let Some(index) = instruction.pool_index() else {
        return Ok(false);
    };
    if instruction.opcode != Opcode::INVOKESPECIAL {
        return Ok(false);
    }
    let method = view.code.pool().member_ref(index)?;
    Ok(method.class == b"java/lang/Object" && method.name == b"<init>")
}

/// See [`super::way_out`]. In the head of a constructor there may be no handler.
pub(super) fn way_out<'a>(
    view: &MethodView<'_>,
    method: PlannedMethod,
    insertions: impl Iterator<Item = &'a Insertion>,
    probes: &mut Probes,
) -> Result<Option<AddedHandler>, Reason> {
    let head = view.constructor_head()?;
    let is_after_head = |at: CodeOffset| !head.contains(at);
    let mut protects = Vec::new();
    for instruction in view.instructions {
        let offset = instruction.offset;
        if is_after_head(offset) {
            protects.push(ProtectedPlace::Instruction(offset));
        }
    }
    for (number, insertion) in insertions.enumerate() {
        let is_inside = match insertion.place {
            Place::Entry => false,
            Place::Before(at) | Place::FallThroughInto(at) => is_after_head(at),
            Place::After(at) => is_after_head(at),
            Place::OnBranch { from, to } => is_after_head(from) && is_after_head(to),
        };
        if is_inside {
            protects.push(ProtectedPlace::Insertion(number));
        }
    }
    if protects.is_empty() {
        return Ok(None);
    }
    let probe = probes
        .build()
        .dup()
        .push(method.number)
        .invoke(THROWN)
        .finish()?;
    Ok(Some(AddedHandler {
        protects,
        catch: Catch::Any,
        code: probe.code,
        stack: probe.stack,
        then: HandlerExit::Rethrow,
        rank: Rank::Last,
    }))
}
