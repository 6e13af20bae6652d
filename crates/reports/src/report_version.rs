//! What a JSON report of counts says of its own form.

/// The value of the key `format`.
pub(crate) const FORMAT: &str = "ducktrack-report";
/// The value of the key `version`: raised when a key changes its meaning or goes away, not when one is added.
pub(crate) const VERSION: u32 = 1;
