//! Class files, read by position and changed only where asked.
//!
//! The reader borrows the bytes and remembers where parts are; it copies no
//! name and decodes no instruction until asked. Every class that is
//! structurally sound is accepted, whatever its version. Input is not trusted:
//! nothing here panics on it, a broken rule is an [`Error`] with its place.
//!
//!
//! # Parts
//!
//! | to read | start at |
//! |---|---|
//! | a class, its fields and methods | [`ClassFile::parse`] |
//! | constants | [`ClassFile::pool`], [`ConstantPool`] |
//! | bytecode | [`Method::code`], [`Code::instructions`], [`Instruction`] |
//!
#![forbid(unsafe_code)]

pub mod access;
mod attribute;
mod bootstrap_methods;
mod class_file;
mod code;
mod code_offset;
mod constant_pool;
mod cursor;
mod descriptor;
mod error;
mod exception_table;
mod instruction;
mod line_number_table;
mod member;
mod modified_utf8;
mod opcode;
mod operand;
mod switch;

pub use attribute::{Attribute, Attributes};
pub use bootstrap_methods::{BootstrapMethod, BootstrapMethods};
pub use class_file::ClassFile;
pub use code::{Code, Instructions};
pub use code_offset::CodeOffset;
pub use constant_pool::{Constant, ConstantPool, Dynamic, MemberRef, MethodHandle, PoolIndex};
pub use descriptor::{MethodDescriptor, ParameterType, Parameters};
pub use error::{Error, Part, Rule};
pub use exception_table::{ExceptionEntry, ExceptionTable};
pub use instruction::Instruction;
pub use line_number_table::{LineNumber, LineNumbers};
pub use member::{Field, Method};
pub use modified_utf8::decode_modified_utf8;
pub use opcode::{Format, Opcode};
pub use operand::Operand;
pub use switch::{Switch, SwitchCases, Targets};
