//! Errors: the broken rule, the place, and the part of the class file.

/// A rule of the class file format that the bytes break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{rule} at byte {offset}, in {part}")]
pub struct Error {
    /// The broken rule, with the bad value.
    pub rule: Rule,
    /// Byte position: in the class file, or, for bytecode, in the method's code.
    pub offset: usize,
    /// The part that was being read or written.
    pub part: Part,
}

impl Error {
    /// An error of `rule` at `offset` in `part`.
    /// A constant pool has no room for one more constant.
    #[must_use]
    pub fn pool_full() -> Self {
        Self::new(Rule::PoolFull, 0, Part::ConstantPool)
    }

    pub(crate) fn new(rule: Rule, offset: usize, part: Part) -> Self {
        Self { rule, offset, part }
    }
}

/// The rules that can be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rule {
    /// The bytes end inside a value.
    #[error("unexpected end")]
    UnexpectedEnd,
    /// Bytes are left over where a part should end.
    #[error("{0} bytes left over")]
    TrailingBytes(usize),
    /// The file does not start with `CAFEBABE`.
    #[error("bad magic {0:#010x}")]
    BadMagic(u32),
    /// A constant has a tag that is not in the specification.
    #[error("unknown constant tag {0}")]
    UnknownConstantTag(u8),
    /// An index into the pool that holds nothing.
    #[error("no constant {0}")]
    NoSuchConstant(u16),
    /// A constant of another kind than the place asks for.
    #[error("constant {index} has the wrong kind (tag {tag})")]
    WrongConstantKind {
        /// Its pool index.
        index: u16,
        /// The tag found there.
        tag: u8,
    },
    /// More than one attribute where only one may be.
    #[error("second Code attribute")]
    SecondCode,
    /// A code length of 0 or above 65,535.
    #[error("bad code length {0}")]
    BadCodeLength(u32),
    /// A byte that is no instruction.
    #[error("unknown opcode {0:#04x}")]
    UnknownOpcode(u8),
    /// `wide` before an instruction that has no wide form.
    #[error("wide before opcode {0:#04x}")]
    BadWide(u8),
    /// A switch whose bounds or count cannot be.
    #[error("bad switch")]
    BadSwitch,
    /// A branch that leaves the method's code.
    #[error("branch out of the code by {0}")]
    BranchOutOfCode(i32),
    /// A frame type in the reserved range 128..=246.
    #[error("reserved frame type {0}")]
    ReservedFrameType(u8),
    /// An unknown verification type.
    #[error("unknown verification type {0}")]
    UnknownVerificationType(u8),
    /// Frames that are not in ascending order, or beyond the code.
    #[error("bad frame offset")]
    BadFrameOffset,
    /// A chop frame that removes more locals than there are.
    #[error("frame chops {0} locals too many")]
    ChopTooMany(usize),
    /// An unknown target of a type annotation.
    #[error("unknown type annotation target {0:#04x}")]
    UnknownAnnotationTarget(u8),
    /// An unknown kind of annotation value.
    #[error("unknown annotation value kind {0:#04x}")]
    UnknownAnnotationValue(u8),
    /// Annotations nested deeper than is read.
    #[error("annotations nested too deep")]
    AnnotationsTooDeep,
    /// A method descriptor that does not follow the grammar.
    #[error("bad method descriptor")]
    BadDescriptor,
    /// No room for another constant.
    #[error("constant pool is full")]
    PoolFull,
    /// A value that does not fit its field.
    #[error("{0} is too large for its field")]
    TooLarge(usize),
    /// A label that was used but never placed.
    #[error("label {0} was never placed")]
    UnplacedLabel(u32),
}

/// The part of a class file that was being read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// Magic and version.
    Header,
    /// The constant pool.
    ConstantPool,
    /// Access flags, names and interfaces.
    ClassInfo,
    /// A field or its attributes.
    Field,
    /// A method or its attributes.
    Method,
    /// The attributes of the class.
    ClassAttributes,
    /// The Code attribute around the bytecode.
    Code,
    /// Bytecode.
    Instruction,
    /// An exception table.
    ExceptionTable,
    /// A LineNumberTable.
    LineNumberTable,
    /// A LocalVariableTable or LocalVariableTypeTable.
    LocalVariableTable,
    /// A StackMapTable.
    StackMapTable,
    /// Runtime(In)VisibleTypeAnnotations.
    TypeAnnotations,
    /// BootstrapMethods.
    BootstrapMethods,
    /// A method descriptor.
    Descriptor,
    /// A class being built.
    Builder,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Header => "the header",
            Self::ConstantPool => "the constant pool",
            Self::ClassInfo => "the class information",
            Self::Field => "a field",
            Self::Method => "a method",
            Self::ClassAttributes => "the class attributes",
            Self::Code => "a Code attribute",
            Self::Instruction => "bytecode",
            Self::ExceptionTable => "an exception table",
            Self::LineNumberTable => "a LineNumberTable",
            Self::LocalVariableTable => "a local variable table",
            Self::StackMapTable => "a StackMapTable",
            Self::TypeAnnotations => "type annotations",
            Self::BootstrapMethods => "BootstrapMethods",
            Self::Descriptor => "a descriptor",
            Self::Builder => "a class being built",
        })
    }
}
