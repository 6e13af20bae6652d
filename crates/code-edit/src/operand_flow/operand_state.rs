//! The stack and the local variables at one place, as far as objects that are not initialized go.

use ducktrack_classfile::{
    CodeOffset, ConstantPool, Error, FrameState, Instruction, MethodDescriptor, Opcode,
    StackEffect, VerificationType, rearrange,
};

/// The content of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// A number, `null` or an initialized object.
    Whole,
    /// `this` of a constructor, not initialized.
    This,
    /// The object that the `new` there has made, not initialized.
    New(CodeOffset),
    /// One of these, depending on where control comes from.
    Unknown,
}

/// The state before an instruction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OperandState {
    stack: Vec<Slot>,
    /// The local variables that are not [`Slot::Whole`].
    locals: Vec<(u16, Slot)>,
    /// `this` is still to be initialized.
    this_is_pending: bool,
}

impl OperandState {
    pub(super) fn of(frame: &FrameState<'_>) -> Self {
        let mut state = Self::default();
        let mut local = 0u16;
        for ty in &frame.locals {
            state.set_local(local, slot(ty));
            local = local.saturating_add(ty.slots());
        }
        for ty in &frame.stack {
            for _ in 0..ty.slots() {
                state.stack.push(slot(ty));
            }
        }
        let in_locals = state.locals.iter().map(|(_, slot)| slot);
        let mut all = state.stack.iter().chain(in_locals);
        state.this_is_pending = all.any(|slot| *slot == Slot::This);
        state
    }

    pub(super) fn depth(&self) -> usize {
        self.stack.len()
    }

    pub(super) fn this_is_object(&self) -> bool {
        !self.this_is_pending
    }

    /// The value this many slots below the top.
    pub(super) fn at(&self, depth: u16) -> Slot {
        let position = self.stack.len().checked_sub(1 + usize::from(depth));
        let slot = position.and_then(|position| self.stack.get(position));
        slot.copied().unwrap_or(Slot::Unknown)
    }

    pub(super) fn local(&self, local: u16) -> Slot {
        let known = self.locals.iter().find(|(number, _)| *number == local);
        known.map_or(Slot::Whole, |(_, slot)| *slot)
    }

    fn set_local(&mut self, local: u16, slot: Slot) {
        self.locals.retain(|(number, _)| *number != local);
        if slot != Slot::Whole {
            self.locals.push((local, slot));
        }
    }

    /// Applies an instruction.
    pub(super) fn pass(
        &mut self,
        instruction: &Instruction<'_>,
        pool: &ConstantPool<'_>,
    ) -> Result<(), Error> {
        let opcode = instruction.opcode;
        match (opcode.0, instruction.local()) {
            (25 | 42..=45, Some(local)) => self.stack.push(self.local(local)),
            (58 | 75..=78, Some(local)) => {
                let stored = self.at(0);
                self.pop(1);
                self.set_local(local, stored);
            }
            (54..=57 | 59..=74, Some(local)) => {
                let effect = StackEffect::of(instruction, pool)?;
                self.pop(effect.pops);
                for local in local..local.saturating_add(effect.pops) {
                    self.set_local(local, Slot::Whole);
                }
            }
            (87..=95, _) => rearrange(&mut self.stack, opcode, Slot::Unknown),
            (187, _) => self.stack.push(Slot::New(instruction.offset)),
            _ => {
                if opcode == Opcode::INVOKESPECIAL {
                    self.construct(instruction, pool)?;
                }
                let effect = StackEffect::of(instruction, pool)?;
                self.pop(effect.pops);
                for _ in 0..effect.pushes {
                    self.stack.push(Slot::Whole);
                }
            }
        }
        Ok(())
    }

    fn pop(&mut self, slots: u16) {
        let left = self.stack.len().saturating_sub(slots.into());
        self.stack.truncate(left);
    }

    /// A call of a constructor initializes every copy of its receiver.
    fn construct(&mut self, call: &Instruction<'_>, pool: &ConstantPool<'_>) -> Result<(), Error> {
        let Some(index) = call.pool_index() else {
            return Ok(());
        };
        let called = pool.member_ref(index)?;
        if called.name != b"<init>" {
            return Ok(());
        }
        let made = self.at(MethodDescriptor::parse(called.descriptor)?.parameter_slots());
        if matches!(made, Slot::Whole | Slot::Unknown) {
            return Ok(());
        }
        for slot in self.stack.iter_mut().filter(|slot| **slot == made) {
            *slot = Slot::Whole;
        }
        self.locals.retain(|(_, slot)| *slot != made);
        self.this_is_pending &= made != Slot::This;
        Ok(())
    }

    /// The state in which a handler begins after an exception here.
    pub(super) fn in_handler(&self) -> Self {
        Self {
            stack: vec![Slot::Whole],
            locals: self.locals.clone(),
            this_is_pending: self.this_is_pending,
        }
    }

    /// Control may also come from a place with the state `other`. Whether that changes anything.
    pub(super) fn merge(&mut self, other: &Self) -> bool {
        let before = self.clone();
        self.this_is_pending |= other.this_is_pending;
        for (slot, other) in self.stack.iter_mut().zip(&other.stack) {
            if *slot != *other {
                *slot = Slot::Unknown;
            }
        }
        let numbers = self.locals.iter().chain(&other.locals);
        let numbers: Vec<u16> = numbers.map(|(number, _)| *number).collect();
        for number in numbers {
            if self.local(number) != other.local(number) {
                self.set_local(number, Slot::Unknown);
            }
        }
        self.locals.sort_unstable_by_key(|(number, _)| *number);
        *self != before
    }
}

fn slot(ty: &VerificationType<'_>) -> Slot {
    match ty {
        VerificationType::UninitializedThis => Slot::This,
        VerificationType::Uninitialized(made) => Slot::New(*made),
        _ => Slot::Whole,
    }
}
