//! The type of what an instruction makes, as a descriptor.

use ducktrack_classfile::{ConstantPool, Error, Instruction, Opcode, Operand};

/// The type that `new`, `newarray`, `anewarray` or `multianewarray` makes.
pub(crate) fn new_type(
    instruction: &Instruction<'_>,
    pool: &ConstantPool<'_>,
) -> Result<Option<Box<[u8]>>, Error> {
    Ok(match (instruction.opcode, instruction.operand) {
        (Opcode::NEW, Operand::Pool(index)) => Some(class_descriptor(pool.class_name(index)?)),
        (Opcode::NEWARRAY, Operand::ArrayType(primitive)) => {
            primitive_array(primitive).map(Box::from)
        }
        (Opcode::ANEWARRAY, Operand::Pool(index)) => Some(
            [b"[".as_slice(), &class_descriptor(pool.class_name(index)?)]
                .concat()
                .into(),
        ),
        (Opcode::MULTIANEWARRAY, Operand::MultiArray(index, _)) => {
            Some(pool.class_name(index)?.into())
        }
        _ => None,
    })
}

/// `java/lang/String` becomes `Ljava/lang/String;`; array names are descriptors already.
pub(crate) fn class_descriptor(name: &[u8]) -> Box<[u8]> {
    if name.first() == Some(&b'[') {
        name.into()
    } else {
        [b"L".as_slice(), name, b";"].concat().into()
    }
}

/// The descriptor of an array that `newarray` makes.
pub(crate) fn primitive_array(code: u8) -> Option<&'static [u8]> {
    Some(match code {
        4 => b"[Z",
        5 => b"[C",
        6 => b"[F",
        7 => b"[D",
        8 => b"[B",
        9 => b"[S",
        10 => b"[I",
        11 => b"[J",
        _ => return None,
    })
}
