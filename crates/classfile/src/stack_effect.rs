//! The effect of an instruction on the operand stack (JVM specification 6.5).

use crate::constant_pool::ConstantPool;
use crate::descriptor::MethodDescriptor;
use crate::error::Error;
use crate::instruction::Instruction;
use crate::opcode::Opcode;
use crate::operand::Operand;

/// Numbers of slots; a `long` or `double` takes two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackEffect {
    /// Slots that are taken.
    pub pops: u16,
    /// Slots that are put there afterwards.
    pub pushes: u16,
}

impl StackEffect {
    fn new(pops: u16, pushes: u16) -> Self {
        Self { pops, pushes }
    }

    /// The effect of an instruction.
    ///
    /// # Errors
    /// If the constant that it names is missing or malformed.
    pub fn of(instruction: &Instruction<'_>, pool: &ConstantPool<'_>) -> Result<Self, Error> {
        let opcode = instruction.opcode;
        if opcode.is_invoke() {
            return of_call(instruction, pool);
        }
        Ok(match (opcode, instruction.operand) {
            (
                Opcode::GETSTATIC | Opcode::PUTSTATIC | Opcode::GETFIELD | Opcode::PUTFIELD,
                Operand::Pool(field),
            ) => of_field(opcode, pool.member_ref(field)?.descriptor),
            (_, Operand::MultiArray(_, dimensions)) => Self::new(dimensions.into(), 1),
            _ => of_opcode(opcode),
        })
    }
}

fn of_field(opcode: Opcode, descriptor: &[u8]) -> StackEffect {
    let slots = match descriptor {
        b"J" | b"D" => 2,
        _ => 1,
    };
    match opcode {
        Opcode::GETSTATIC => StackEffect::new(0, slots),
        Opcode::PUTSTATIC => StackEffect::new(slots, 0),
        Opcode::GETFIELD => StackEffect::new(1, slots),
        _ => StackEffect::new(slots + 1, 0),
    }
}

fn of_call(instruction: &Instruction<'_>, pool: &ConstantPool<'_>) -> Result<StackEffect, Error> {
    let opcode = instruction.opcode;
    let Some(index) = instruction.pool_index() else {
        return Ok(StackEffect::new(0, 0));
    };
    let descriptor = match opcode {
        Opcode::INVOKEDYNAMIC => pool.dynamic(index)?.descriptor,
        _ => pool.member_ref(index)?.descriptor,
    };
    let descriptor = MethodDescriptor::parse(descriptor)?;
    let has_receiver = !matches!(opcode, Opcode::INVOKESTATIC | Opcode::INVOKEDYNAMIC);
    let parameters = descriptor.parameter_slots();
    Ok(StackEffect {
        pops: parameters.saturating_add(u16::from(has_receiver)),
        pushes: descriptor.returns().map_or(0, |returned| returned.slots()),
    })
}

/// Of instructions whose effect their opcode tells.
fn of_opcode(opcode: Opcode) -> StackEffect {
    let (pops, pushes) = match opcode.0 {
        // Constants, loads of local variables, and the return address of a subroutine.
        1..=8 | 11..=13 | 16..=19 | 21 | 23 | 25..=29 | 34..=37 | 42..=45 | 168 | 201 => (0, 1),
        9 | 10 | 14 | 15 | 20 | 22 | 24 | 30..=33 | 38..=41 => (0, 2),
        // Stores to local variables.
        54 | 56 | 58..=62 | 67..=70 | 75..=78 => (1, 0),
        55 | 57 | 63..=66 | 71..=74 => (2, 0),
        // Loads from arrays, and stores to them.
        47 | 49 => (2, 2),
        46..=53 => (2, 1),
        80 | 82 => (4, 0),
        79..=86 => (3, 0),
        // The stack itself.
        87 => (1, 0),
        88 => (2, 0),
        89 => (1, 2),
        90 => (2, 3),
        91 => (3, 4),
        92 => (2, 4),
        93 => (3, 5),
        94 => (4, 6),
        95 => (2, 2),
        // Arithmetic of ints and floats, of longs and doubles.
        96 | 98 | 100 | 102 | 104 | 106 | 108 | 110 | 112 | 114 => (2, 1),
        97 | 99 | 101 | 103 | 105 | 107 | 109 | 111 | 113 | 115 => (4, 2),
        120 | 122 | 124 | 126 | 128 | 130 => (2, 1),
        121 | 123 | 125 => (3, 2),
        127 | 129 | 131 => (4, 2),
        // Conversions.
        133 | 135 | 140 | 141 => (1, 2),
        136 | 137 | 142 | 144 => (2, 1),
        // Comparisons.
        148 | 151 | 152 => (4, 1),
        149 | 150 => (2, 1),
        153..=158 | 170 | 171 | 191 | 194 | 195 | 198 | 199 => (1, 0),
        159..=166 => (2, 0),
        // Returns.
        172 | 174 | 176 => (1, 0),
        173 | 175 => (2, 0),
        // Objects and arrays.
        187 => (0, 1),
        188..=190 | 192 | 193 => (1, 1),
        // The others leave the number of slots: negations, other conversions, iinc, goto, ret, return, nop.
        _ => (0, 0),
    };
    StackEffect::new(pops, pushes)
}

/// Applies `pop` to `swap` to a stack. A missing slot below counts as `unknown`.
pub fn rearrange<T: Copy>(stack: &mut Vec<T>, opcode: Opcode, unknown: T) {
    let at = |depth: usize| {
        let position = stack.len().checked_sub(depth + 1);
        let found = position.and_then(|position| stack.get(position));
        found.copied().unwrap_or(unknown)
    };
    let (a, b, c, d) = (at(0), at(1), at(2), at(3));
    // Operands are popped from the top down and pushed from the bottom up.
    let (taken, put): (usize, &[T]) = match opcode {
        Opcode::POP => (1, &[]),
        Opcode::POP2 => (2, &[]),
        Opcode::DUP => (1, &[a, a]),
        Opcode::DUP_X1 => (2, &[a, b, a]),
        Opcode::DUP_X2 => (3, &[a, c, b, a]),
        Opcode::DUP2 => (2, &[b, a, b, a]),
        Opcode::DUP2_X1 => (3, &[b, a, c, b, a]),
        Opcode::DUP2_X2 => (4, &[b, a, d, c, b, a]),
        Opcode::SWAP => (2, &[a, b]),
        _ => return,
    };
    stack.truncate(stack.len().saturating_sub(taken));
    stack.extend_from_slice(put);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The moves on the stack have the effect of their opcodes.
    #[test]
    fn rearrangements_have_the_effect_of_their_opcode() {
        for opcode in 87..=95 {
            let opcode = Opcode(opcode);
            let mut stack = vec![0, 1, 2, 3, 4, 5];
            rearrange(&mut stack, opcode, 9);
            let effect = of_opcode(opcode);
            let left = 6 - usize::from(effect.pops) + usize::from(effect.pushes);
            assert_eq!(stack.len(), left, "{opcode}");
        }
    }
}
