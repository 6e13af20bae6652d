//! The states of a method without frames: branches and handlers are followed until nothing changes.
//!
//! The effect of a subroutine (`jsr`) on the objects of its caller is not followed:
//! an object that is not initialized before the call counts as such after it.

use ducktrack_classfile::{Code, CodeOffset, Error, ExceptionEntry, Instruction};

use super::operand_state::OperandState;

/// The states at the start and at each label that control reaches, by ascending offset.
pub(super) fn infer(
    first: OperandState,
    code: &Code<'_>,
    instructions: &[Instruction<'_>],
) -> Result<Vec<(CodeOffset, OperandState)>, Error> {
    let mut inference = Inference {
        code,
        instructions,
        rows: code.exception_table().iter().collect(),
        states: vec![None; instructions.len()],
        is_label: labels(code, instructions),
        waiting: Vec::new(),
    };
    inference.come(0, &first);
    while let Some(start) = inference.waiting.pop() {
        inference.follow(start)?;
    }
    let offsets = instructions.iter().map(|instruction| instruction.offset);
    let states = offsets.zip(inference.states);
    Ok(states
        .filter_map(|(at, state)| Some((at, state?)))
        .collect())
}

fn position(instructions: &[Instruction<'_>], at: CodeOffset) -> Option<usize> {
    let found = instructions.binary_search_by_key(&at, |instruction| instruction.offset);
    found.ok()
}

fn labels(code: &Code<'_>, instructions: &[Instruction<'_>]) -> Vec<bool> {
    let targets = instructions.iter().flat_map(Instruction::targets);
    let handlers = code.exception_table();
    let handlers = handlers.iter().map(|row| row.handler);
    let mut is_label = vec![false; instructions.len()];
    for at in targets.chain(handlers) {
        let place = position(instructions, at).and_then(|position| is_label.get_mut(position));
        place.into_iter().for_each(|place| *place = true);
    }
    is_label
}

struct Inference<'a, 'c> {
    code: &'a Code<'c>,
    instructions: &'a [Instruction<'c>],
    rows: Vec<ExceptionEntry>,
    /// Those at labels, by the position of their instruction.
    states: Vec<Option<OperandState>>,
    is_label: Vec<bool>,
    /// Positions of labels whose state has changed.
    waiting: Vec<usize>,
}

impl Inference<'_, '_> {
    /// Control comes to a label.
    fn come(&mut self, position: usize, state: &OperandState) {
        let Some(known) = self.states.get_mut(position) else {
            return;
        };
        let changes = match known {
            Some(known) => known.merge(state),
            None => {
                *known = Some(state.clone());
                true
            }
        };
        if changes {
            self.waiting.push(position);
        }
    }

    fn come_to(&mut self, at: CodeOffset, state: &OperandState) {
        if let Some(position) = position(self.instructions, at) {
            self.come(position, state);
        }
    }

    /// Follows control from a label to the next one.
    fn follow(&mut self, start: usize) -> Result<(), Error> {
        let Some(mut state) = self.states.get(start).cloned().flatten() else {
            return Ok(());
        };
        let instructions = self.instructions;
        for (number, instruction) in instructions.iter().enumerate().skip(start) {
            if number > start && self.is_label.get(number) == Some(&true) {
                self.come(number, &state);
                return Ok(());
            }
            self.come_to_handlers(instruction.offset, &state);
            let before = instruction.opcode.is_jsr().then(|| state.clone());
            state.pass(instruction, self.code.pool())?;
            for target in instruction.targets() {
                self.come_to(target, &state);
            }
            if let Some(before) = before {
                state = before;
            } else if instruction.is_unconditional_end() {
                return Ok(());
            } else {
                self.come_to_handlers(instruction.offset, &state);
            }
        }
        Ok(())
    }

    fn come_to_handlers(&mut self, at: CodeOffset, state: &OperandState) {
        for number in 0..self.rows.len() {
            let row = self.rows.get(number).filter(|row| row.protects(at));
            if let Some(handler) = row.map(|row| row.handler) {
                self.come_to(handler, &state.in_handler());
            }
        }
    }
}
