//! The key of a content.

/// Identifies a class file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClassKey(pub u128);
