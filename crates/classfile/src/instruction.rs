//! One instruction, decoded far enough to step over it and to see its operands.
//!
//! ```text
//! C4 84 01 00 FF 38   wide iinc 256, -200: opcode IINC, wide, length 6
//! ```

use crate::code_offset::CodeOffset;
use crate::constant_pool::{Constant, ConstantPool, PoolIndex};
use crate::cursor::{i32_at, u16_at};
use crate::error::{Error, Part, Rule};
use crate::opcode::{Format, Opcode};
use crate::operand::Operand;
use crate::switch::{Switch, Targets};

/// An instruction at its place in the bytecode. Branch targets are checked to
/// lie inside the code, but not that an instruction starts there.
#[derive(Debug, Clone, Copy)]
pub struct Instruction<'c> {
    /// Where it starts (at the prefix, if it has one).
    pub offset: CodeOffset,
    /// Its opcode; the one after the prefix, if it has one.
    pub opcode: Opcode,
    /// Has the prefix `wide`.
    pub wide: bool,
    /// Its operands.
    pub operand: Operand<'c>,
    bytes: &'c [u8],
}

impl<'c> Instruction<'c> {
    /// Decodes the instruction that starts at `offset`.
    ///
    /// # Errors
    /// If the bytes there are no instruction, or it is cut off.
    #[inline]
    pub fn decode(bytecode: &'c [u8], offset: CodeOffset) -> Result<Self, Error> {
        let error = |rule| Error::new(rule, offset.index(), Part::Instruction);
        let rest = bytecode.get(offset.index()..).unwrap_or_default();
        let (&first, operands) = rest
            .split_first()
            .ok_or_else(|| error(Rule::UnexpectedEnd))?;
        let opcode = Opcode(first);
        let (length, operand) = match opcode.format() {
            Format::Plain => (1, plain(opcode)),
            Format::Byte => (2, Operand::Value(first_byte(operands).cast_signed().into())),
            Format::Short => (3, Operand::Value(u16_at(operands, 0).cast_signed().into())),
            Format::PoolByte => (2, Operand::Pool(PoolIndex(first_byte(operands).into()))),
            Format::Pool => (3, Operand::Pool(PoolIndex(u16_at(operands, 0)))),
            Format::Local => (2, Operand::Local(first_byte(operands).into())),
            Format::Increment => {
                let amount = operands.get(1).copied().unwrap_or(0).cast_signed();
                (
                    3,
                    Operand::Increment(first_byte(operands).into(), amount.into()),
                )
            }
            Format::Branch => {
                let delta = i32::from(u16_at(operands, 0).cast_signed());
                (3, branch(bytecode, offset, delta)?)
            }
            Format::WideBranch => (5, branch(bytecode, offset, i32_at(operands, 0))?),
            Format::InvokeInterface | Format::InvokeDynamic => {
                (5, Operand::Pool(PoolIndex(u16_at(operands, 0))))
            }
            Format::ArrayType => (2, Operand::ArrayType(first_byte(operands))),
            Format::MultiArray => {
                let dimensions = operands.get(2).copied().unwrap_or(0);
                (
                    4,
                    Operand::MultiArray(PoolIndex(u16_at(operands, 0)), dimensions),
                )
            }
            Format::TableSwitch | Format::LookupSwitch => {
                let (switch, length) = Switch::decode(bytecode, offset, opcode)?;
                (length as usize, Operand::Switch(switch))
            }
            Format::Wide => return Self::decode_wide(rest, offset),
            Format::Unknown => return Err(error(Rule::UnknownOpcode(first))),
        };
        let bytes = rest
            .get(..length)
            .ok_or_else(|| error(Rule::UnexpectedEnd))?;
        Ok(Self {
            offset,
            opcode,
            wide: false,
            operand,
            bytes,
        })
    }

    /// Decodes an instruction whose first byte is `wide`.
    fn decode_wide(rest: &'c [u8], offset: CodeOffset) -> Result<Self, Error> {
        let error = |rule| Error::new(rule, offset.index(), Part::Instruction);
        let opcode = Opcode(
            rest.get(1)
                .copied()
                .ok_or_else(|| error(Rule::UnexpectedEnd))?,
        );
        let local = u16_at(rest, 2);
        let (length, operand) = match opcode.format() {
            Format::Local => (4, Operand::Local(local)),
            Format::Increment => (6, Operand::Increment(local, u16_at(rest, 4).cast_signed())),
            _ => return Err(error(Rule::BadWide(opcode.0))),
        };
        let bytes = rest
            .get(..length)
            .ok_or_else(|| error(Rule::UnexpectedEnd))?;
        Ok(Self {
            offset,
            opcode,
            wide: true,
            operand,
            bytes,
        })
    }

    /// Its bytes, prefix and padding included.
    #[must_use]
    #[inline]
    pub fn bytes(&self) -> &'c [u8] {
        self.bytes
    }

    /// Number of its bytes.
    #[must_use]
    #[inline]
    pub fn length(&self) -> u32 {
        u32::try_from(self.bytes.len()).unwrap_or(u32::MAX)
    }

    /// Where the next instruction starts.
    #[must_use]
    #[inline]
    pub fn end(&self) -> CodeOffset {
        CodeOffset(self.offset.0.saturating_add(self.length()))
    }

    /// The constant that it names.
    #[must_use]
    #[inline]
    pub fn pool_index(&self) -> Option<PoolIndex> {
        match self.operand {
            Operand::Pool(index) | Operand::MultiArray(index, _) => Some(index),
            _ => None,
        }
    }

    /// The local variable that it reads or writes, also where the opcode implies it.
    #[must_use]
    #[inline]
    pub fn local(&self) -> Option<u16> {
        match self.operand {
            Operand::Local(local) | Operand::Increment(local, _) => Some(local),
            _ => None,
        }
    }

    /// The target of a branch that is no switch.
    #[must_use]
    #[inline]
    pub fn branch_target(&self) -> Option<CodeOffset> {
        match self.operand {
            Operand::Branch(target) => Some(target),
            _ => None,
        }
    }

    /// The targets of a switch.
    #[must_use]
    #[inline]
    pub fn switch(&self) -> Option<Switch<'c>> {
        match self.operand {
            Operand::Switch(switch) => Some(switch),
            _ => None,
        }
    }

    /// Every target of a branch or switch.
    #[must_use]
    #[inline]
    pub fn targets(&self) -> Targets<'c> {
        match &self.operand {
            Operand::Branch(target) => Targets::branch(*target),
            Operand::Switch(switch) => Targets::switch(switch),
            _ => Targets::none(),
        }
    }

    /// Control never continues at the instruction after it.
    #[must_use]
    #[inline]
    pub fn is_unconditional_end(&self) -> bool {
        self.opcode.is_unconditional_end()
    }

    /// Whether an instruction with this opcode can throw; see [`Opcode::can_throw`].
    #[must_use]
    #[inline]
    pub fn can_throw(&self) -> bool {
        self.opcode.can_throw()
    }

    /// May throw: as [`can_throw`](Self::can_throw), but `ldc` of a number, which
    /// needs no resolution, does not.
    #[must_use]
    #[inline]
    pub fn can_throw_given(&self, pool: &ConstantPool<'_>) -> bool {
        let loads = matches!(self.opcode, Opcode::LDC | Opcode::LDC_W | Opcode::LDC2_W);
        let number = || match self.pool_index().map(|index| pool.get(index)) {
            Some(Ok(constant)) => matches!(
                constant,
                Constant::Integer(_) | Constant::Float(_) | Constant::Long(_) | Constant::Double(_)
            ),
            _ => false,
        };
        self.can_throw() && !(loads && number())
    }
}

/// The local variable that opcodes such as `aload_0` imply.
fn plain(opcode: Opcode) -> Operand<'static> {
    match opcode.0 {
        26..=45 => Operand::Local(u16::from((opcode.0 - 26) % 4)),
        59..=78 => Operand::Local(u16::from((opcode.0 - 59) % 4)),
        _ => Operand::None,
    }
}

fn first_byte(operands: &[u8]) -> u8 {
    operands.first().copied().unwrap_or(0)
}

fn branch(bytecode: &[u8], offset: CodeOffset, delta: i32) -> Result<Operand<'static>, Error> {
    match offset.branch(delta) {
        Some(target) if target.index() < bytecode.len() => Ok(Operand::Branch(target)),
        _ => Err(Error::new(
            Rule::BranchOutOfCode(delta),
            offset.index(),
            Part::Instruction,
        )),
    }
}
