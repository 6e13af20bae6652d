//! The version of the form of a JSON report of counts.

/// The value of the key `format`.
pub(crate) const FORMAT: &str = "ducktrack-report";
/// The value of the key `version`: raised when a key changes its meaning or goes away, not when one is added.
pub(crate) const VERSION: u32 = 1;
