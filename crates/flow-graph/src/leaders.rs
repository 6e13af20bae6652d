//! Finds leaders: the instructions at which blocks begin.

use ducktrack_classfile::{Code, CodeOffset, Instruction};

use crate::error::Error;

/// The kind of unit that starts at a byte of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Nothing,
    Instruction,
    Leader,
}

/// For each byte of the code: whether an instruction starts there, and whether a block does.
#[derive(Debug)]
pub(crate) struct Leaders {
    starts: Vec<Start>,
}

impl Leaders {
    /// Finds and checks all leaders: the first instruction, targets of branches and switches, handler
    /// entries, and each instruction after one that ends a block.
    pub(crate) fn find(code: &Code<'_>, instructions: &[Instruction<'_>]) -> Result<Self, Error> {
        let mut leaders = Self {
            starts: vec![Start::Nothing; code.bytecode().len() + 1],
        };
        for instruction in instructions {
            leaders.mark(instruction.offset, Start::Instruction);
        }
        leaders.mark(CodeOffset(0), Start::Leader);
        for instruction in instructions {
            leaders.follow(instruction)?;
        }
        leaders.handlers(code)?;
        Ok(leaders)
    }

    pub(crate) fn is_leader(&self, offset: CodeOffset) -> bool {
        self.starts.get(offset.index()) == Some(&Start::Leader)
    }

    fn is_instruction(&self, offset: CodeOffset) -> bool {
        !matches!(self.starts.get(offset.index()), None | Some(Start::Nothing))
    }

    fn mark(&mut self, offset: CodeOffset, start: Start) {
        if let Some(slot) = self.starts.get_mut(offset.index()) {
            *slot = start;
        }
    }

    fn follow(&mut self, instruction: &Instruction<'_>) -> Result<(), Error> {
        for target in instruction.targets() {
            if !self.is_instruction(target) {
                return Err(Error::BranchIntoInstruction {
                    from: instruction.offset,
                    target,
                });
            }
            self.mark(target, Start::Leader);
        }
        if ends_block(instruction) && self.is_instruction(instruction.end()) {
            self.mark(instruction.end(), Start::Leader);
        }
        Ok(())
    }

    fn handlers(&mut self, code: &Code<'_>) -> Result<(), Error> {
        for (position, entry) in code.exception_table().iter().enumerate() {
            let ends_with_code = entry.end == code.end();
            for offset in [entry.start, entry.end, entry.handler] {
                let allowed =
                    self.is_instruction(offset) || (offset == entry.end && ends_with_code);
                if !allowed {
                    return Err(Error::BadExceptionEntry {
                        entry: position,
                        offset,
                    });
                }
            }
            self.mark(entry.handler, Start::Leader);
        }
        Ok(())
    }
}

/// Whether control may continue elsewhere than at the next instruction.
pub(crate) fn ends_block(instruction: &Instruction<'_>) -> bool {
    let opcode = instruction.opcode;
    opcode.is_unconditional_end() || opcode.is_conditional_branch() || opcode.is_jsr()
}
