//! Probes around calls of tracked methods: the call site is noted before the call, and the previous note is restored after it.
//!
//! A tracked method may call code that is not tracked (`toString` inside of a concatenation, `compareTo`), which calls tracked methods
//! itself: the outer call site must be restored after that. It is kept in a local variable after those of the method,
//! which lives from the probe before the call to the probe after it, so no stack map frame mentions it:
//!
//! ```text
//!   sipush 300; invokestatic DuckTrackCallers.noteCallSite(I)J; lstore 5
//!   invokestatic java/lang/String.valueOf(I)
//!   lload 5; invokestatic DuckTrackCallers.restoreNote(J)V
//! ```
//!
//! Where one tracked call follows another in a straight line, with no other call between them, the
//! second note replaces the first, and the note from before the first is restored after the last:
//!
//! ```text
//!   sipush 300; invokestatic DuckTrackCallers.noteCallSite(I)J; lstore 5
//!   invokevirtual java/lang/StringBuilder.append(I)
//!   aload_0; getfield name
//!   sipush 301; invokestatic DuckTrackCallers.setCallSite(I)V
//!   invokevirtual java/lang/StringBuilder.append(Ljava/lang/String;)
//!   lload 5; invokestatic DuckTrackCallers.restoreNote(J)V
//! ```
//!
//! When the call throws, that variable is lost. A handler of the method that may catch it notes that no caller is known.

use crate::call_rules::counts_again;
use crate::joined_chains::{BUILDER, JoinedChain};
use crate::labels::labels;
use crate::part::{Part, PartBuilder};
use crate::planned::CallTarget;
use crate::planner::Planner;
use crate::pool_rules::PoolRules;
use crate::probe::calling;
use crate::refusal::Reason;
use ducktrack_classfile::{CodeOffset, Instruction, Opcode};
use ducktrack_code_edit::{Catch, HandlerExit, Place, Probe, ProbeMethod, ProtectedPlace, Rank};
use ducktrack_probe_vocabulary::COUNTED_BY_CALLER;
use ducktrack_probe_vocabulary::helper::callers;

const NOTE_CALL_SITE: ProbeMethod = calling(callers::NOTE_CALL_SITE);
const SET_CALL_SITE: ProbeMethod = calling(callers::SET_CALL_SITE);
const NOTE_JOINED: ProbeMethod = calling(callers::NOTE_JOINED);
const RESTORE_NOTE: ProbeMethod = calling(callers::RESTORE_NOTE);

/// The name of the target of a string concatenation.
const CONCATENATION: (&[u8], &[u8]) = (
    b"java/lang/invoke/StringConcatFactory",
    b"makeConcatWithConstants",
);

/// Notes of calls of tracked methods.
pub(crate) struct TrackedCalls<'r> {
    pub(crate) rules: &'r PoolRules,
}

impl Planner for TrackedCalls<'_> {
    fn is_interested_in(&self, instruction: &Instruction<'_>) -> bool {
        self.rules.may_apply_to(instruction)
    }

    fn plan(&self, mut builder: PartBuilder<'_>) -> Result<Part, Reason> {
        note_tracked_calls(&mut builder)?;
        Ok(builder.part)
    }
}

/// Adds the probes around every call of a tracked method, unless the method is tracked itself: then the blame stays
/// with its caller.
fn note_tracked_calls(builder: &mut PartBuilder<'_>) -> Result<(), Reason> {
    if builder.view.counted_by_callers {
        return note_counted(builder);
    }
    if builder.view.tracked || !builder.view.takes_blame || !builder.view.rules.has_tracked() {
        return Ok(());
    }
    let is_tracked = |index| builder.view.rules.is_tracked(index);
    let mut all = builder.view.instructions.iter();
    if !all.any(|instruction| instruction.pool_index().is_some_and(is_tracked)) {
        return Ok(());
    }
    let labels = labels(&builder.view.code, builder.view.instructions);
    let mut labels = labels.iter().peekable();
    // Places where an exception leaves a note that must be restored: at calls, and between the calls of a chain.
    let (mut noted, mut between) = (Vec::new(), Vec::new());
    let mut last: Option<CodeOffset> = None;
    let mut joined = builder.view.joined.iter().peekable();
    for instruction in builder.view.instructions {
        while let Some(label) = labels.next_if(|label| **label <= instruction.offset) {
            if *label == instruction.offset {
                end_chain(builder, &mut last)?;
            }
        }
        if let Some(chain) = joined
            .peek()
            .filter(|chain| chain.contains(instruction.offset))
        {
            if instruction.offset == chain.new {
                end_chain(builder, &mut last)?;
                note_joined(builder, chain)?;
            }
            noted.push(instruction.offset);
            if instruction.offset == chain.to_string {
                joined.next();
                end_chain(builder, &mut Some(instruction.offset))?;
            }
            continue;
        }
        match noted_target(builder, instruction)? {
            Some(target) => {
                note_call(builder, instruction.offset, target, last.is_some())?;
                if last.is_some() {
                    noted.append(&mut between);
                }
                between.clear();
                noted.push(instruction.offset);
                last = Some(instruction.offset);
            }
            None if ends_chain(instruction) => end_chain(builder, &mut last)?,
            None if last.is_some() => between.push(instruction.offset),
            None => {}
        }
    }
    forget_in_handlers(builder, &noted)
}

/// Restores, after the last call of a chain, the note from before the chain.
fn end_chain(builder: &mut PartBuilder<'_>, last: &mut Option<CodeOffset>) -> Result<(), Reason> {
    if let Some(offset) = last.take() {
        restore_note(builder, offset)?;
    }
    Ok(())
}

fn restore_note(builder: &mut PartBuilder<'_>, after: CodeOffset) -> Result<(), Reason> {
    let outer = builder.view.code.max_locals();
    let restore = builder.probes.build().load_long(outer);
    let restore = restore.invoke(RESTORE_NOTE).finish()?;
    builder.insert(Place::After(after), restore);
    Ok(())
}

/// Notes that no caller is known.
fn forget(builder: &mut PartBuilder<'_>) -> Result<Probe, Reason> {
    let probe = builder.probes.build().push(0).invoke(SET_CALL_SITE);
    Ok(probe.finish()?)
}

/// In a method whose allocations its callers count: tells the called methods not to count them again.
fn note_counted(builder: &mut PartBuilder<'_>) -> Result<(), Reason> {
    let outer = builder.view.code.max_locals();
    let pool = builder.view.code.pool();
    for instruction in builder.view.instructions {
        let Some(index) = instruction
            .pool_index()
            .filter(|_| instruction.opcode == Opcode::INVOKESTATIC)
        else {
            continue;
        };
        let member = pool.member_ref(index)?;
        if !counts_again(member.class, member.name) {
            continue;
        }
        let note = builder
            .probes
            .build()
            .push(COUNTED_BY_CALLER)
            .invoke(NOTE_CALL_SITE)
            .store_long(outer)
            .finish()?;
        builder.insert(Place::Before(instruction.offset), note);
        restore_note(builder, instruction.offset)?;
        let protects = vec![ProtectedPlace::Instruction(instruction.offset)];
        let forget = forget(builder)?;
        let last = (HandlerExit::Rethrow, Rank::Last);
        builder.add_handler((protects, Catch::Any), forget, last);
    }
    Ok(())
}

/// Notes a chain that C2 joins, before its first instruction.
fn note_joined(builder: &mut PartBuilder<'_>, chain: &JoinedChain) -> Result<(), Reason> {
    let target = (BUILDER.into(), b"toString".as_slice().into());
    let id = builder.add_call_site(chain.to_string, target)?;
    let outer = builder.view.code.max_locals();
    let note = builder.probes.build().push_later(id).invoke(NOTE_JOINED);
    let note = note.store_long(outer).finish()?;
    builder.insert(Place::Before(chain.new), note);
    Ok(())
}

fn tracked_target(
    builder: &PartBuilder<'_>,
    instruction: &Instruction<'_>,
) -> Result<Option<CallTarget>, Reason> {
    let Some(index) = instruction
        .pool_index()
        .filter(|index| builder.view.rules.is_tracked(*index))
    else {
        return Ok(None);
    };
    Ok(match instruction.opcode {
        Opcode::INVOKEDYNAMIC => Some((CONCATENATION.0.into(), CONCATENATION.1.into())),
        Opcode::INVOKEVIRTUAL
        | Opcode::INVOKESPECIAL
        | Opcode::INVOKESTATIC
        | Opcode::INVOKEINTERFACE => {
            let member = builder.view.code.pool().member_ref(index)?;
            Some((member.class.into(), member.name.into()))
        }
        _ => None,
    })
}

/// The handlers that may catch what a noted call throws.
fn forget_in_handlers(builder: &mut PartBuilder<'_>, noted: &[CodeOffset]) -> Result<(), Reason> {
    let rows = builder.view.code.exception_table();
    let catching = rows
        .iter()
        .filter(|row| noted.iter().any(|offset| row.protects(*offset)));
    let mut handlers: Vec<CodeOffset> = catching.map(|row| row.handler).collect();
    handlers.sort_unstable();
    handlers.dedup();
    for handler in handlers {
        let forget = forget(builder)?;
        builder.insert(Place::Before(handler), forget);
    }
    Ok(())
}

/// Notes a call; `in_chain`: right after another noted call.
fn note_call(
    builder: &mut PartBuilder<'_>,
    offset: CodeOffset,
    target: CallTarget,
    in_chain: bool,
) -> Result<(), Reason> {
    let id = builder.add_call_site(offset, target)?;
    let outer = builder.view.code.max_locals();
    let note = match in_chain {
        true => builder
            .probes
            .build()
            .push_later(id)
            .invoke(SET_CALL_SITE)
            .finish()?,
        false => builder
            .probes
            .build()
            .push_later(id)
            .invoke(NOTE_CALL_SITE)
            .store_long(outer)
            .finish()?,
    };
    builder.insert(Place::Before(offset), note);
    Ok(())
}

/// The target of a tracked call, unless the call is an allocation site itself, which needs no other caller.
fn noted_target(
    builder: &PartBuilder<'_>,
    instruction: &Instruction<'_>,
) -> Result<Option<CallTarget>, Reason> {
    let sites = &builder.view.allocations;
    match sites.binary_search_by_key(&instruction.offset, |site| site.offset) {
        Ok(_) => Ok(None),
        Err(_) => tracked_target(builder, instruction),
    }
}

/// Whether control leaves here, or other code may run in between.
fn ends_chain(instruction: &Instruction<'_>) -> bool {
    let opcode = instruction.opcode;
    opcode.is_invoke()
        || instruction.is_unconditional_end()
        || opcode.is_conditional_branch()
        || opcode.is_jsr()
}
