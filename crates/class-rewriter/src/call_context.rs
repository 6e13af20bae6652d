//! Probes around calls of tracked methods: the call site is noted before, cleared after.

use ducktrack_classfile::{CodeOffset, Instruction, Opcode};

use crate::edit::Place;
use crate::method_plan::MethodPlanner;
use crate::probe::Helper;
use crate::refusal::Reason;

const NOTE_CALL_SITE: Helper = Helper("x", "(I)V");

/// What is named as the target of a string concatenation.
const CONCATENATION: (&[u8], &[u8]) = (b"java/lang/invoke/StringConcatFactory", b"makeConcatWithConstants");

impl MethodPlanner<'_, '_, '_> {
    /// Adds the probes around every call of a tracked method, unless the method is tracked itself: then the blame stays
    /// with its caller.
    pub(crate) fn note_tracked_calls(&mut self) -> Result<(), Reason> {
        if self.view.tracked || !self.view.takes_blame || !self.view.rules.has_tracked() {
            return Ok(());
        }
        for instruction in self.view.code.instructions() {
            let instruction = instruction?;
            if let Some(target) = self.tracked_target(&instruction)? {
                self.note_call(instruction.offset, target)?;
            }
        }
        Ok(())
    }

    fn tracked_target(&self, instruction: &Instruction<'_>) -> Result<Option<(Box<[u8]>, Box<[u8]>)>, Reason> {
        let Some(index) = instruction.pool_index().filter(|index| self.view.rules.is_tracked(*index)) else {
            return Ok(None);
        };
        Ok(match instruction.opcode {
            Opcode::INVOKEDYNAMIC => Some((CONCATENATION.0.into(), CONCATENATION.1.into())),
            Opcode::INVOKEVIRTUAL | Opcode::INVOKESPECIAL | Opcode::INVOKESTATIC | Opcode::INVOKEINTERFACE => {
                let member = self.view.code.pool().member_ref(index)?;
                Some((member.class.into(), member.name.into()))
            }
            _ => None,
        })
    }

    fn note_call(&mut self, offset: CodeOffset, target: (Box<[u8]>, Box<[u8]>)) -> Result<(), Reason> {
        // A call that is an allocation site itself needs no one else to blame.
        if self.view.allocations.binary_search_by_key(&offset, |allocation| allocation.offset).is_ok() {
            return Ok(());
        }
        let id = self.add_call_site(offset, target)?;
        let note = self.assembler.call(NOTE_CALL_SITE, id)?;
        self.insert(Place::Before(offset), note);
        let clear = self.assembler.call(NOTE_CALL_SITE, 0)?;
        self.insert(Place::After(offset), clear);
        Ok(())
    }
}
