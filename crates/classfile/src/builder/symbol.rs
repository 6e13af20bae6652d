//! Constants that code asks for by value, before it belongs to a class.

use crate::constant_pool::PoolIndex;
use crate::error::Error;
use crate::pool_appender::PoolAppender;

/// A constant by value.
#[derive(Debug, Clone)]
pub(super) enum Symbol {
    Integer(i32),
    Long(i64),
    Text(Vec<u8>),
    Class(Vec<u8>),
    Field(MemberName),
    Method(MemberName),
    InterfaceMethod(MemberName),
    InvokeDynamic(u16, Vec<u8>, Vec<u8>),
}

/// Class, name and descriptor.
#[derive(Debug, Clone)]
pub(super) struct MemberName {
    class: Vec<u8>,
    name: Vec<u8>,
    descriptor: Vec<u8>,
}

impl MemberName {
    pub(super) fn new(class: &[u8], name: &[u8], descriptor: &[u8]) -> Self {
        Self {
            class: class.into(),
            name: name.into(),
            descriptor: descriptor.into(),
        }
    }
}

impl Symbol {
    /// Its index in `pool`, appended if it is new.
    pub(super) fn resolve(&self, pool: &mut PoolAppender) -> Result<PoolIndex, Error> {
        match self {
            Self::Integer(value) => pool.integer(*value),
            Self::Long(value) => pool.long(*value),
            Self::Text(text) => pool.string(text),
            Self::Class(name) => pool.class(name),
            Self::Field(m) => pool.field_ref(&m.class, &m.name, &m.descriptor),
            Self::Method(m) => pool.method_ref(&m.class, &m.name, &m.descriptor),
            Self::InterfaceMethod(m) => pool.interface_method_ref(&m.class, &m.name, &m.descriptor),
            Self::InvokeDynamic(row, name, descriptor) => {
                pool.invoke_dynamic(*row, name, descriptor)
            }
        }
    }
}
