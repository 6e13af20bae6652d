//! The values that a closure captures.

use serde::{Deserialize, Serialize};

/// Whether the values that a lambda or method reference captures are the same each time that it is made.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum Captures {
    /// Not known: they may differ.
    #[default]
    Unknown,
    /// Local variables that the innermost loop around the site does not write.
    UnchangedInLoop,
    /// Only `this`.
    OnlyThis,
}
