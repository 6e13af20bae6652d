//! Finds values on the operand stack that are the same object, within a straight line of code.
//!
//! Each slot of the stack and each local variable has a [`Value`]; equal values are the same
//! object. The value of a field, an array element or a call is a new value; copies keep theirs:
//!
//! ```text
//! aload_1            stack: v1
//! dup                       v1 v1
//! getfield next             v1 v2
//! astore_2                  v1             variable 2: v2
//! ```
//!
//! The values below the known ones are unknown, so an underflow is not an error.

use ducktrack_classfile::{
    ConstantPool, Error, Instruction, MethodDescriptor, Opcode, ParameterType, PoolIndex,
    StackEffect, rearrange,
};
use rustc_hash::FxHashMap;

/// The content of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Value(u32);

impl Value {
    /// An unknown value, or one that is no reference.
    pub(super) const UNKNOWN: Self = Self(0);
    /// The receiver.
    pub(super) const THIS: Self = Self(1);
}

/// Whether an instruction writes to variable 0. Control may come back from it to a label before.
pub(super) fn writes_first_variable(instructions: &[Instruction<'_>]) -> bool {
    // istore to astore_3
    let writes = |instruction: &Instruction<'_>| {
        matches!(instruction.opcode.0, 54..=78) && instruction.local() == Some(0)
    };
    instructions.iter().any(writes)
}

/// The operand stack and the local variables.
#[derive(Debug)]
pub(super) struct Operands {
    stack: Vec<Value>,
    locals: FxHashMap<u16, Value>,
    last: Value,
    /// Variable 0 is the receiver in the whole method.
    keeps_this: bool,
}

impl Operands {
    /// At the entry of a method. `has_this`: variable 0 is the receiver there; `keeps_this`: in the whole method.
    pub(super) fn at_entry(has_this: bool, keeps_this: bool) -> Self {
        let mut locals = FxHashMap::default();
        if has_this {
            locals.insert(0, Value::THIS);
        }
        Self {
            stack: Vec::new(),
            locals,
            last: Value::THIS,
            keeps_this,
        }
    }

    /// Control may come from elsewhere: only the receiver is known.
    pub(super) fn forget(&mut self) {
        self.stack.clear();
        self.locals.clear();
        if self.keeps_this {
            self.locals.insert(0, Value::THIS);
        }
    }

    /// The value this many slots below the top.
    pub(super) fn at(&self, depth: u16) -> Value {
        let position = self.stack.len().checked_sub(1 + usize::from(depth));
        position
            .and_then(|position| self.stack.get(position))
            .copied()
            .unwrap_or(Value::UNKNOWN)
    }

    /// Applies an instruction. Returns the object that it made.
    pub(super) fn pass(
        &mut self,
        instruction: &Instruction<'_>,
        pool: &ConstantPool<'_>,
    ) -> Result<Option<Value>, Error> {
        let opcode = instruction.opcode;
        match opcode.0 {
            25 | 42..=45 => self.load(instruction.local()),
            58 | 75..=78 => self.store_reference(instruction.local()),
            54..=57 | 59..=74 => self.store_number(instruction),
            87..=95 => rearrange(&mut self.stack, opcode, Value::UNKNOWN),
            178..=181 => self.field(opcode, instruction.pool_index(), pool)?,
            182..=186 => self.call(opcode, instruction.pool_index(), pool)?,
            187..=189 | 197 => return Ok(Some(self.make(instruction))),
            // checkcast: the same object.
            192 => {}
            _ => {
                let effect = StackEffect::of(instruction, pool)?;
                self.pop(effect.pops);
                self.push_unknown(effect.pushes);
            }
        }
        Ok(None)
    }

    fn fresh(&mut self) -> Value {
        self.last = Value(self.last.0 + 1);
        self.last
    }

    fn pop(&mut self, slots: u16) {
        let left = self.stack.len().saturating_sub(slots.into());
        self.stack.truncate(left);
    }

    fn push_unknown(&mut self, slots: u16) {
        for _ in 0..slots {
            self.stack.push(Value::UNKNOWN);
        }
    }

    fn load(&mut self, local: Option<u16>) {
        let Some(local) = local else { return };
        let value = match self.locals.get(&local) {
            Some(value) => *value,
            None => {
                let value = self.fresh();
                self.locals.insert(local, value);
                value
            }
        };
        self.stack.push(value);
    }

    fn store_reference(&mut self, local: Option<u16>) {
        let value = self.at(0);
        self.pop(1);
        let Some(local) = local else { return };
        match value {
            Value::UNKNOWN => self.locals.remove(&local),
            known => self.locals.insert(local, known),
        };
    }

    fn store_number(&mut self, instruction: &Instruction<'_>) {
        let opcode = instruction.opcode.0;
        // lstore and dstore, and their short forms.
        let is_wide = matches!(opcode, 55 | 57 | 63..=66 | 71..=74);
        let slots = if is_wide { 2 } else { 1 };
        self.pop(slots);
        let Some(local) = instruction.local() else {
            return;
        };
        for local in local..local.saturating_add(slots) {
            self.locals.remove(&local);
        }
    }

    fn field(
        &mut self,
        opcode: Opcode,
        index: Option<PoolIndex>,
        pool: &ConstantPool<'_>,
    ) -> Result<(), Error> {
        let descriptor = match index {
            Some(index) => pool.member_ref(index)?.descriptor,
            None => b"I",
        };
        let slots = if matches!(descriptor, b"J" | b"D") {
            2
        } else {
            1
        };
        let is_reference = matches!(descriptor.first(), Some(b'L' | b'['));
        match opcode {
            Opcode::GETFIELD => self.pop(1),
            Opcode::PUTFIELD => self.pop(slots + 1),
            Opcode::PUTSTATIC => self.pop(slots),
            _ => {}
        }
        if matches!(opcode, Opcode::GETFIELD | Opcode::GETSTATIC) {
            self.push_result(is_reference, slots);
        }
        Ok(())
    }

    fn push_result(&mut self, is_reference: bool, slots: u16) {
        if is_reference {
            let value = self.fresh();
            self.stack.push(value);
        } else {
            self.push_unknown(slots);
        }
    }

    fn call(
        &mut self,
        opcode: Opcode,
        index: Option<PoolIndex>,
        pool: &ConstantPool<'_>,
    ) -> Result<(), Error> {
        let Some(index) = index else { return Ok(()) };
        let descriptor = match opcode {
            Opcode::INVOKEDYNAMIC => pool.dynamic(index)?.descriptor,
            _ => pool.member_ref(index)?.descriptor,
        };
        let descriptor = MethodDescriptor::parse(descriptor)?;
        let has_receiver = !matches!(opcode, Opcode::INVOKESTATIC | Opcode::INVOKEDYNAMIC);
        self.pop(descriptor.parameter_slots() + u16::from(has_receiver));
        if let Some(returned) = descriptor.returns() {
            let is_reference = matches!(returned, ParameterType::Reference(_));
            self.push_result(is_reference, returned.slots());
        }
        Ok(())
    }

    fn make(&mut self, instruction: &Instruction<'_>) -> Value {
        let dimensions = match instruction.operand {
            ducktrack_classfile::Operand::MultiArray(_, dimensions) => dimensions.into(),
            _ if instruction.opcode == Opcode::NEW => 0,
            _ => 1,
        };
        self.pop(dimensions);
        let made = self.fresh();
        self.stack.push(made);
        made
    }
}

#[cfg(test)]
mod tests {
    use ducktrack_classfile::CodeOffset;

    use super::*;

    /// Passes plain instructions.
    fn after(code: &[u8]) -> Operands {
        let mut operands = Operands::at_entry(true, true);
        let bytes = ducktrack_classfile::ClassBuilder::new(52, 0, b"A", b"B")
            .finish()
            .expect("a class");
        let class = ducktrack_classfile::ClassFile::parse(&bytes).expect("a class");
        let mut at = CodeOffset(0);
        while at.index() < code.len() {
            let instruction = Instruction::decode(code, at).expect("code");
            operands
                .pass(&instruction, class.pool())
                .expect("no constants");
            at = instruction.end();
        }
        operands
    }

    const ALOAD_0: u8 = 42;
    const ALOAD_1: u8 = 43;
    const ASTORE_2: u8 = 77;
    const ALOAD_2: u8 = 44;
    const LCONST_0: u8 = 9;
    const DUP_X2: u8 = 91;
    const DUP2_X2: u8 = 94;
    const AALOAD: u8 = 50;
    const ICONST_0: u8 = 3;

    #[test]
    fn copies_are_the_same_object() {
        let operands = after(&[ALOAD_1, ASTORE_2, ALOAD_0, ALOAD_2, ALOAD_1]);
        assert_eq!(operands.at(0), operands.at(1));
        assert_eq!(operands.at(2), Value::THIS);
        assert_ne!(operands.at(0), Value::THIS);
        assert_eq!(operands.at(3), Value::UNKNOWN);
    }

    #[test]
    fn every_rearrangement_puts_values_where_the_vm_does() {
        let operands = after(&[ALOAD_0, ALOAD_1, ALOAD_2, DUP_X2]);
        let [c, b, a, top] = [0, 1, 2, 3].map(|depth| operands.at(depth));
        assert_eq!((a, c), (Value::THIS, top));
        assert_ne!(b, c);
        // A long below an object and an index.
        let operands = after(&[ALOAD_0, ICONST_0, LCONST_0, DUP2_X2]);
        assert_eq!(operands.at(3), Value::THIS);
        assert_eq!(operands.stack.len(), 6);
    }

    #[test]
    fn elements_are_unknown_and_a_variable_that_was_written_is_not_this() {
        let operands = after(&[ALOAD_0, ICONST_0, AALOAD]);
        assert_eq!((operands.at(0), operands.stack.len()), (Value::UNKNOWN, 1));
        let operands = after(&[ALOAD_1, 75, ALOAD_0]);
        assert_ne!(operands.at(0), Value::THIS);
    }
}
