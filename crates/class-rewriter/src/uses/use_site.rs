//! Finds the operand of an instruction that is an object it uses.

use ducktrack_classfile::{ConstantPool, Error, Instruction, Opcode};

use crate::stamps::Stamps;

/// Where the object is on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// On top.
    Top,
    /// Under a value of one or two slots.
    Under(u16),
    /// Under an index and a value of one or two slots.
    UnderTwo(u16),
    /// The two topmost are objects.
    Both,
}

/// The kind of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UsedValue {
    /// Not an array.
    Instance,
    /// An array of numbers.
    Numbers,
    /// An array of references, or of unknown kind.
    Any,
}

/// An object that an instruction uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UseSite {
    pub(super) depth: Depth,
    pub(super) used: UsedValue,
    /// The verifier accepts objects that are not initialized.
    pub(super) may_be_uninitialized: bool,
}

impl UseSite {
    fn new(depth: Depth, used: UsedValue) -> Option<Self> {
        Some(Self {
            depth,
            used,
            may_be_uninitialized: false,
        })
    }

    /// The object that an instruction uses.
    pub(super) fn of(
        instruction: &Instruction<'_>,
        stamps: Stamps,
        pool: &ConstantPool<'_>,
    ) -> Result<Option<Self>, Error> {
        Ok(match instruction.opcode {
            Opcode::GETFIELD => Self::new(Depth::Top, UsedValue::Instance),
            Opcode::PUTFIELD => Self::new(
                Depth::Under(slots_of_field(instruction, pool)?),
                UsedValue::Instance,
            )
            .map(|site| site.even_uninitialized()),
            Opcode::AALOAD => Self::new(Depth::Under(1), UsedValue::Any),
            Opcode(46..=53) => Self::new(Depth::Under(1), UsedValue::Numbers),
            Opcode::AASTORE => Self::new(Depth::UnderTwo(1), UsedValue::Any),
            Opcode::LASTORE | Opcode::DASTORE => Self::new(Depth::UnderTwo(2), UsedValue::Numbers),
            Opcode(79..=86) => Self::new(Depth::UnderTwo(1), UsedValue::Numbers),
            Opcode::ARRAYLENGTH | Opcode::CHECKCAST | Opcode::INSTANCEOF => {
                Self::new(Depth::Top, UsedValue::Any)
            }
            Opcode::MONITORENTER => {
                Self::new(Depth::Top, UsedValue::Any).map(|site| site.even_uninitialized())
            }
            Opcode::IF_ACMPEQ | Opcode::IF_ACMPNE => {
                Self::new(Depth::Both, UsedValue::Any).map(|site| site.even_uninitialized())
            }
            Opcode::ATHROW if stamps.are_positions() => Self::new(Depth::Top, UsedValue::Instance),
            Opcode::INVOKEVIRTUAL | Opcode::INVOKESPECIAL
                if is_native_of_object(instruction, pool)? =>
            {
                Self::new(Depth::Top, UsedValue::Any)
            }
            _ => None,
        })
    }

    fn even_uninitialized(self) -> Self {
        Self {
            may_be_uninitialized: true,
            ..self
        }
    }
}

/// A quick look: whether an opcode may use an object.
pub(crate) fn use_may_be_in(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::GETFIELD
            | Opcode::PUTFIELD
            | Opcode(46..=53)
            | Opcode(79..=86)
            | Opcode::ARRAYLENGTH
            | Opcode::CHECKCAST
            | Opcode::INSTANCEOF
            | Opcode::MONITORENTER
            | Opcode::ATHROW
            | Opcode::PUTSTATIC
            | Opcode::IF_ACMPEQ
            | Opcode::IF_ACMPNE
            | Opcode::INVOKEVIRTUAL
            | Opcode::INVOKESPECIAL
    )
}

fn slots_of_field(instruction: &Instruction<'_>, pool: &ConstantPool<'_>) -> Result<u16, Error> {
    let Some(index) = instruction.pool_index() else {
        return Ok(1);
    };
    let is_wide = matches!(pool.member_ref(index)?.descriptor, b"J" | b"D");
    Ok(if is_wide { 2 } else { 1 })
}

/// Native methods have no code that could stamp their receiver, and these can be called on any object.
fn is_native_of_object(
    instruction: &Instruction<'_>,
    pool: &ConstantPool<'_>,
) -> Result<bool, Error> {
    let Some(index) = instruction.pool_index() else {
        return Ok(false);
    };
    let member = pool.member_ref(index)?;
    let is_one = matches!(
        (member.name, member.descriptor),
        (b"getClass", b"()Ljava/lang/Class;")
            | (b"hashCode", b"()I")
            | (b"clone", b"()Ljava/lang/Object;")
            | (b"notify" | b"notifyAll" | b"wait", b"()V")
    );
    let of_object = member.class == b"java/lang/Object" || member.class.first() == Some(&b'[');
    Ok(is_one && of_object)
}
