//! Class files, read by position and changed only where asked.
//!
//! The reader borrows the bytes and remembers where parts are; it copies no
//! name and decodes no instruction until asked. Every class that is
//! structurally sound is accepted, whatever its version. Input is not trusted:
//! nothing here panics on it, a broken rule is an [`Error`] with its place.
//!
//! ```
//! use ducktrack_classfile::{ClassFile, ClassBuilder, CodeBuilder, Opcode, access};
//!
//! let mut builder = ClassBuilder::new(52, access::PUBLIC | access::SUPER, b"Answer", b"java/lang/Object");
//! let mut code = CodeBuilder::new(1, 0);
//! code.push_int(42).op(Opcode::IRETURN);
//! builder.method(access::PUBLIC | access::STATIC, b"get", b"()I").code(code)?;
//! let bytes = builder.finish()?;
//!
//! let class = ClassFile::parse(&bytes)?;
//! let method = class.methods().next().ok_or("a method")?;
//! let code = method.code().ok_or("its code")?;
//! let opcodes: Vec<Opcode> = code.instructions().map(|i| i.map(|i| i.opcode)).collect::<Result<_, _>>()?;
//! assert_eq!(opcodes, [Opcode::BIPUSH, Opcode::IRETURN]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Parts
//!
//! | to read | start at |
//! |---|---|
//! | a class, its fields and methods | [`ClassFile::parse`] |
//! | constants | [`ClassFile::pool`], [`ConstantPool`] |
//! | bytecode | [`Method::code`], [`Code::instructions`], [`Instruction`] |
//! | annotations with their texts | [`annotations`] |
//! | tables of a method | [`Code::exception_table`], [`LineNumbers`], [`LocalVariableTable`], [`StackMapTable`], [`TypeAnnotations`] |
//!
//! | to write | start at |
//! |---|---|
//! | constants at the end of an existing pool | [`PoolAppender`] |
//! | names of parameters that a class has lost | [`ClassFile::with_method_parameters`] |
//! | a class from nothing | [`ClassBuilder`], [`CodeBuilder`] |
#![forbid(unsafe_code)]

pub mod access;
mod annotations;
mod attribute;
mod bootstrap_methods;
mod builder;
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
mod local_variable_table;
mod member;
mod member_view;
mod method_parameters;
mod modified_utf8;
mod opcode;
mod operand;
mod pool_appender;
mod stack_effect;
mod stack_map_table;
mod switch;
mod type_annotation;

pub use annotations::{Annotation, annotations};
pub use attribute::{Attribute, Attributes};
pub use bootstrap_methods::{BootstrapMethod, BootstrapMethods};
pub use builder::{
    BuiltFrame, ClassBuilder, CodeBuilder, FieldBuilder, FrameType, Label, MethodBuilder,
};
pub use class_file::ClassFile;
pub use code::{Code, Instructions};
pub use code_offset::CodeOffset;
pub use constant_pool::{Constant, ConstantPool, Dynamic, MemberRef, MethodHandle, PoolIndex};
pub use descriptor::{MethodDescriptor, ParameterType, Parameters, class_of};
pub use error::{Error, Part, Rule};
pub use exception_table::{ExceptionEntry, ExceptionTable};
pub use instruction::Instruction;
pub use line_number_table::{LineNumber, LineNumberTable, LineNumbers};
pub use local_variable_table::{LocalVariable, LocalVariableTable};
pub use member_view::{Field, Method};
pub use method_parameters::NamedParameter;
pub use modified_utf8::decode_modified_utf8;
pub use opcode::{Format, Opcode};
pub use operand::Operand;
pub use pool_appender::PoolAppender;
pub use stack_effect::{StackEffect, rearrange};
pub use stack_map_table::{
    Frame, FrameKind, FrameState, StackMapTable, VerificationType, VerificationTypes, write_delta,
};
pub use switch::{Switch, SwitchCases, Targets};
pub use type_annotation::{AnnotatedRanges, TypeAnnotation, TypeAnnotationTarget, TypeAnnotations};
