//! Whether this is the full run, which takes hours: `scripts/test --full` sets `DUCKTRACK_FULL`, every other run leaves it empty.

/// Is everything to be tried?
#[must_use]
pub fn is_full_run() -> bool {
    std::env::var_os("DUCKTRACK_FULL").is_some_and(|value| !value.is_empty())
}
