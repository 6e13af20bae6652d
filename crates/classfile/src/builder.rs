//! Class files from nothing.
//!
//! Made for classes whose code we know by heart: the agent's helper class, and
//! the fixtures of tests. Branch targets are labels and constants are given by
//! value; stack sizes and frames are given by hand, nothing is inferred.

mod assembler;
mod class;
mod code_attribute;
mod fields;
mod frame;
mod label;
mod member;
mod symbol;

pub use assembler::CodeBuilder;
pub use class::ClassBuilder;
pub use frame::{BuiltFrame, FrameType};
pub use label::Label;
pub use member::{FieldBuilder, MethodBuilder};
