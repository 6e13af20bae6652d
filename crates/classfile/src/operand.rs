//! The operands of an instruction, decoded.

use crate::code_offset::CodeOffset;
use crate::constant_pool::PoolIndex;
use crate::switch::Switch;

/// The operands after the opcode.
#[derive(Debug, Clone, Copy)]
pub enum Operand<'c> {
    /// Nothing.
    None,
    /// A number: of `bipush` or `sipush`.
    Value(i32),
    /// A constant.
    Pool(PoolIndex),
    /// A local variable, also where the opcode implies it (`aload_0`).
    Local(u16),
    /// A local variable and what `iinc` adds.
    Increment(u16, i16),
    /// A branch target.
    Branch(CodeOffset),
    /// The targets of a switch.
    Switch(Switch<'c>),
    /// The primitive type of `newarray`: 4 `boolean`, 5 `char`, 6 `float`,
    /// 7 `double`, 8 `byte`, 9 `short`, 10 `int`, 11 `long`.
    ArrayType(u8),
    /// Array class and number of dimensions of `multianewarray`.
    MultiArray(PoolIndex, u8),
}
