//! Finds the reference that an instruction overwrites, and reads its old target just before.
//!
//! | instruction | old target | probe |
//! |---|---|---|
//! | `putfield` of a reference | the field's | `dup2; pop; getfield; lost`, where the holder cannot be null |
//! | | | elsewhere `dup2; pop; number; field`, which looks at the holder first and finds the field by its number |
//! | `putstatic` of a reference | the field's | `getstatic; lost` |
//! | `aastore` | the element | `dup_x2; pop; dup2_x1; element`, which looks at array and index first |
//! | `Unsafe.compareAndSet...` of a reference | the one that is expected | `dup2; pop; lost` |
//!
//! `getfield` of null would throw in place of `putfield`, with another message. So it is
//! inserted only where the holder was used earlier on the same straight line, or is `this`.

use ducktrack_classfile::{
    ConstantPool, Error, Instruction, MemberRef, MethodDescriptor, Opcode, PoolIndex,
};

/// The place of the overwritten reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overwritten<'a> {
    /// In a field of the object under the value; the constant that names the field.
    Field(MemberRef<'a>, PoolIndex),
    /// In the static field that this constant names.
    Static(PoolIndex),
    /// In the array under index and value.
    Element,
    /// In any place; its target lies under the topmost operand.
    Expected,
}

impl<'a> Overwritten<'a> {
    pub(super) fn of(
        instruction: &Instruction<'_>,
        pool: &ConstantPool<'a>,
    ) -> Result<Option<Self>, Error> {
        let Some(index) = instruction.pool_index() else {
            return Ok((instruction.opcode == Opcode::AASTORE).then_some(Self::Element));
        };
        Ok(match instruction.opcode {
            Opcode::PUTFIELD | Opcode::PUTSTATIC => {
                let field = pool.member_ref(index)?;
                let is_reference = matches!(field.descriptor.first(), Some(b'L' | b'['));
                is_reference.then_some(match instruction.opcode {
                    Opcode::PUTFIELD => Self::Field(field, index),
                    _ => Self::Static(index),
                })
            }
            Opcode::INVOKEVIRTUAL => {
                is_compare_and_set(&pool.member_ref(index)?).then_some(Self::Expected)
            }
            _ => None,
        })
    }
}

fn is_compare_and_set(method: &MemberRef<'_>) -> bool {
    const OF_REFERENCES: &[u8] = b"(Ljava/lang/Object;JLjava/lang/Object;Ljava/lang/Object;)";
    let names: [&[u8]; 3] = [b"compareAnd", b"weakCompareAndSet", b"weakCompareAndSwap"];
    matches!(
        method.class,
        b"jdk/internal/misc/Unsafe" | b"sun/misc/Unsafe"
    ) && method.descriptor.starts_with(OF_REFERENCES)
        && names.iter().any(|name| method.name.starts_with(name))
}

/// Number of slots above the receiver of a call. `None`: the instruction is no call, or the call has no receiver.
pub(super) fn receiver_depth(
    instruction: &Instruction<'_>,
    pool: &ConstantPool<'_>,
) -> Result<Option<u16>, Error> {
    let has_receiver = matches!(
        instruction.opcode,
        Opcode::INVOKEVIRTUAL | Opcode::INVOKESPECIAL | Opcode::INVOKEINTERFACE
    );
    let Some(index) = instruction.pool_index().filter(|_| has_receiver) else {
        return Ok(None);
    };
    let descriptor = MethodDescriptor::parse(pool.member_ref(index)?.descriptor)?;
    Ok(Some(descriptor.parameter_slots()))
}
