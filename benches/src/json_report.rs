//! The result as JSON: everything that was measured, fork by fork, beside what was concluded from it.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

/// Writes a value, readable by people too.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    std::fs::write(path, text + "\n").with_context(|| format!("{}", path.display()))
}
