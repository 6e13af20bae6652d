//! Whether this is the full run, which takes hours: `scripts/test --full` sets `DUCKTRACK_FULL`; other runs leave it empty.

/// Whether to test everything.
#[must_use]
pub fn is_full_run() -> bool {
    std::env::var_os("DUCKTRACK_FULL").is_some_and(|value| !value.is_empty())
}
