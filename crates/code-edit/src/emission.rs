//! Writes the new bytecode.

use std::ops::Range;

use ducktrack_classfile::{CodeOffset, Instruction, Opcode, Operand};

use crate::code_edit::{CodeEdit, Replacement};
use crate::layout::Layout;
use crate::skip_reason::SkipReason;
use crate::slots::{Order, Slot};
use crate::stub::Exit;
use crate::trampoline::Trampoline;
use crate::unit::{Unit, UnitId, padding};

/// The new bytecode, and the positions of the insertions in it.
#[derive(Debug)]
pub(crate) struct Emitted {
    pub(crate) bytecode: Vec<u8>,
    /// Per insertion of the edit; empty if it was not written.
    pub(crate) insertions: Vec<Range<u32>>,
}

/// Writes everything at the offset that the layout gave it.
pub(crate) fn emit(layout: &Layout<'_>, edit: &CodeEdit) -> Result<Emitted, SkipReason> {
    let mut writer = Writer {
        layout,
        edit,
        out: Vec::with_capacity(layout.end as usize),
        insertions: Vec::new(),
    };
    writer.insertions.resize(edit.insertions.len(), 0..0);
    writer.instructions()?;
    for trampoline in layout
        .trampolines
        .iter()
        .filter(|trampoline| trampoline.island.is_none())
    {
        writer.trampoline(trampoline)?;
    }
    writer.stubs()?;
    debug_assert_eq!(writer.position(), layout.end, "emission follows the layout");
    Ok(Emitted {
        bytecode: writer.out,
        insertions: writer.insertions,
    })
}

struct Writer<'w, 'c> {
    layout: &'w Layout<'c>,
    edit: &'w CodeEdit,
    out: Vec<u8>,
    insertions: Vec<Range<u32>>,
}

impl Writer<'_, '_> {
    fn position(&self) -> u32 {
        u32::try_from(self.out.len()).unwrap_or(u32::MAX)
    }

    fn instructions(&mut self) -> Result<(), SkipReason> {
        let layout = self.layout;
        let mut slots = layout.slots.in_line.iter().copied().peekable();
        let mut islands = layout.islands().into_iter().peekable();
        let is_copied = self.edit.replacements.is_empty();
        for (id, unit) in (0..).map(UnitId).zip(layout.units.as_slice()) {
            let stands_alone = slots.peek().is_none_or(|slot| slot.unit != id)
                && islands.peek().is_none_or(|(place, _)| *place != id);
            if is_copied && stands_alone && !names_places(&unit.instruction) {
                self.out.extend_from_slice(unit.instruction.bytes());
                continue;
            }
            while let Some((_, island)) = islands.next_if(|(place, _)| *place == id) {
                layout
                    .trampolines
                    .get(island.0)
                    .map_or(Ok(()), |trampoline| self.trampoline(trampoline))?;
            }
            while let Some(Slot {
                insertion, order, ..
            }) = slots.next_if(|slot| slot.unit == id)
            {
                debug_assert!(
                    order >= Order::Before || self.position() < unit.label || unit.falling == 0
                );
                self.insertion(insertion);
            }
            debug_assert_eq!(self.position(), unit.insn, "emission follows the layout");
            self.instruction(id, unit)?;
        }
        Ok(())
    }

    fn insertion(&mut self, insertion: usize) {
        let start = self.position();
        if let Some(inserted) = self.edit.insertions.get(insertion) {
            self.out.extend_from_slice(&inserted.code);
        }
        let end = self.position();
        if let Some(range) = self.insertions.get_mut(insertion) {
            *range = start..end;
        }
    }

    fn instruction(&mut self, id: UnitId, unit: &Unit<'_>) -> Result<(), SkipReason> {
        let instruction = &unit.instruction;
        if instruction.switch().is_some() {
            return self.switch(id, unit);
        }
        let Some(to) = instruction.branch_target() else {
            return self.plain(unit);
        };
        let destination = self.layout.destination(id, to)?;
        let opcode = match instruction.opcode {
            Opcode::GOTO if unit.wide => Opcode::GOTO_W,
            Opcode::JSR if unit.wide => Opcode::JSR_W,
            other => other,
        };
        self.branch(opcode, destination, instruction.offset)
    }

    /// Writes an instruction as it is, or the call that takes its place.
    fn plain(&mut self, unit: &Unit<'_>) -> Result<(), SkipReason> {
        let instruction = &unit.instruction;
        let at = |replacement: &&Replacement| replacement.call == instruction.offset;
        let Some(replacement) = self.edit.replacements.iter().find(at) else {
            self.out.extend_from_slice(instruction.bytes());
            return Ok(());
        };
        let is_call = matches!(
            instruction.opcode,
            Opcode::INVOKEVIRTUAL | Opcode::INVOKESPECIAL | Opcode::INVOKESTATIC
        );
        if !is_call {
            return Err(SkipReason::BadPlace(instruction.offset));
        }
        self.out.push(Opcode::INVOKESTATIC.0);
        self.out
            .extend_from_slice(&replacement.method.0.to_be_bytes());
        Ok(())
    }

    /// Writes a branch at the current position to the new offset `to`; `old` is for the error.
    fn branch(&mut self, opcode: Opcode, to: u32, old: CodeOffset) -> Result<(), SkipReason> {
        let too_far = SkipReason::BranchTooFar(old);
        let delta = distance(self.position(), to).ok_or(too_far)?;
        self.out.push(opcode.0);
        if matches!(opcode, Opcode::GOTO_W | Opcode::JSR_W) {
            self.out.extend_from_slice(&delta.to_be_bytes());
        } else {
            let delta = i16::try_from(delta).map_err(|_| too_far)?;
            self.out.extend_from_slice(&delta.to_be_bytes());
        }
        Ok(())
    }

    fn switch(&mut self, id: UnitId, unit: &Unit<'_>) -> Result<(), SkipReason> {
        let old = unit.instruction.offset;
        let Some(switch) = unit.instruction.switch() else {
            return Ok(());
        };
        let at = self.position();
        self.out.push(unit.instruction.opcode.0);
        self.out.extend((0..padding(at)).map(|_| 0));
        self.switch_target(id, at, switch.default(), old)?;
        let count = i32::try_from(switch.len()).map_err(|_| SkipReason::TooLarge(u32::MAX))?;
        if let Some(low) = switch.low() {
            self.out.extend_from_slice(&low.to_be_bytes());
            self.out
                .extend_from_slice(&low.wrapping_add(count - 1).to_be_bytes());
        } else {
            self.out.extend_from_slice(&count.to_be_bytes());
        }
        for (value, target) in switch.cases() {
            if switch.low().is_none() {
                self.out.extend_from_slice(&value.to_be_bytes());
            }
            self.switch_target(id, at, target, old)?;
        }
        Ok(())
    }

    fn switch_target(
        &mut self,
        id: UnitId,
        at: u32,
        to: CodeOffset,
        old: CodeOffset,
    ) -> Result<(), SkipReason> {
        let delta =
            distance(at, self.layout.destination(id, to)?).ok_or(SkipReason::BranchTooFar(old))?;
        self.out.extend_from_slice(&delta.to_be_bytes());
        Ok(())
    }

    fn trampoline(&mut self, trampoline: &Trampoline) -> Result<(), SkipReason> {
        debug_assert_eq!(
            self.position(),
            trampoline.at,
            "emission follows the layout"
        );
        let layout = self.layout;
        for slot in layout
            .slots
            .on_edges
            .get(trampoline.slots.clone())
            .unwrap_or_default()
        {
            self.insertion(slot.insertion);
        }
        let opcode = if trampoline.wide {
            Opcode::GOTO_W
        } else {
            Opcode::GOTO
        };
        self.branch(
            opcode,
            layout.label_of(trampoline.to)?,
            CodeOffset(trampoline.at),
        )
    }

    fn stubs(&mut self) -> Result<(), SkipReason> {
        let (layout, edit) = (self.layout, self.edit);
        for stub in &layout.stubs {
            if let Some(handler) = edit.handlers.get(stub.handler) {
                self.out.extend_from_slice(&handler.code);
            }
            match stub.exit {
                Exit::Rethrow => self.out.push(Opcode::ATHROW.0),
                Exit::Continue { handler, wide } => {
                    let opcode = if wide { Opcode::GOTO_W } else { Opcode::GOTO };
                    self.branch(opcode, layout.label_of(handler)?, CodeOffset(stub.at))?;
                }
            }
        }
        Ok(())
    }
}

/// Whether offsets are among its operands.
fn names_places(instruction: &Instruction<'_>) -> bool {
    matches!(instruction.operand, Operand::Branch(_) | Operand::Switch(_))
}

fn distance(from: u32, to: u32) -> Option<i32> {
    i32::try_from(i64::from(to) - i64::from(from)).ok()
}
