//! Why an edit of a method was refused.

use ducktrack_classfile::{CodeOffset, Error, Rule};

/// Why an edit was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SkipReason {
    /// The method is native or abstract.
    #[error("no code")]
    NoCode,
    /// An empty `finalize()`. HotSpot registers finalizers for a class as soon as that method
    /// has any code; in `Object` that would be all classes.
    #[error("an empty finalizer must stay empty")]
    EmptyFinalizer,
    /// The constructor of `Object`. HotSpot rewrites its `return`, and its C2 compiler crashes
    /// when an exception handler is added (seen on JDK 17).
    #[error("the constructor of Object must stay as it is")]
    ObjectConstructor,
    /// Bytecode or a table of it is malformed.
    #[error("malformed: {0}")]
    Malformed(Error),
    /// A type of frame that this crate does not know.
    #[error("unknown frame type: {0}")]
    UnsupportedFrame(Error),
    /// A frame that an added one builds on is not there.
    #[error("no frame at {0}")]
    MissingFrame(CodeOffset),
    /// A table names an offset where no instruction starts.
    #[error("no instruction starts at {0}")]
    NotAnInstruction(CodeOffset),
    /// More than 65,535 bytes of code.
    #[error("code would be {0} bytes, over the limit")]
    TooLarge(u32),
    /// HotSpot never compiles methods over 8,000 bytes, and this one was within the
    /// limit.
    #[error("code would be {0} bytes, too many for the JIT compiler")]
    TooLargeToCompile(u32),
    /// A branch that cannot reach its target, without room for a stepping stone.
    #[error("branch at {0} cannot reach its target")]
    BranchTooFar(CodeOffset),
    /// More than 65,535 rows in the exception table.
    #[error("too many exception handlers")]
    TooManyHandlers,
    /// More than 65,535 stack slots or frames.
    #[error("stack or frames over the limit")]
    TooDeep,
    /// The constant pool has no room for what a new frame names.
    #[error("constant pool is full")]
    PoolFull,
    /// Control would fall through into code that was added at the end.
    #[error("control falls off the end")]
    FallsOffEnd,
    /// A rethrowing handler is required where `this` may be uninitialized.
    #[error("state of this at {0} is unknown")]
    UnknownThis(CodeOffset),
    /// The JVM rejects the method, and the edit would repair it.
    #[error("rejected by the JVM: {0}")]
    RejectedByTheJvm(&'static str),
    /// The edit names a place that the method does not have.
    #[error("edit at a place that does not exist: {0}")]
    BadPlace(CodeOffset),
    /// Inserted code that is not stack-neutral straight-line code.
    #[error("inserted code is not allowed")]
    BadCode,
    /// An added handler that the verifier would reject.
    #[error("added handler does not fit the original ones")]
    BadHandler,
}

impl SkipReason {
    /// The word used in reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::NoCode => "no-code",
            Self::Malformed(_) => "malformed-code",
            Self::UnsupportedFrame(_) => "unknown-frame-type",
            Self::MissingFrame(_) => "missing-frame",
            Self::NotAnInstruction(_) => "not-an-instruction",
            Self::TooLarge(_) => "method-over-65535-bytes",
            Self::TooLargeToCompile(_) => "method-too-large-for-the-jit",
            Self::BranchTooFar(_) => "branch-too-far",
            Self::TooManyHandlers => "too-many-handlers",
            Self::TooDeep => "stack-or-frames-over-the-limit",
            Self::PoolFull => "constant-pool-full",
            Self::FallsOffEnd => "falls-off-the-end",
            Self::UnknownThis(_) => "this-may-be-uninitialized",
            Self::RejectedByTheJvm(_) => "rejected-by-the-jvm",
            Self::BadPlace(_) => "edit-at-no-place",
            Self::BadCode => "edit-not-allowed",
            Self::BadHandler => "handler-does-not-fit",
            Self::EmptyFinalizer => "empty-finalizer",
            Self::ObjectConstructor => "constructor-of-object",
        }
    }
}

impl From<Error> for SkipReason {
    fn from(error: Error) -> Self {
        match error.rule {
            Rule::PoolFull => Self::PoolFull,
            Rule::ReservedFrameType(_) => Self::UnsupportedFrame(error),
            _ => Self::Malformed(error),
        }
    }
}
