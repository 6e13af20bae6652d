//! The result as JSON: all measurements, fork by fork, and the conclusions.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

/// Writes a value as pretty-printed JSON.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    std::fs::write(path, text + "\n").with_context(|| format!("{}", path.display()))
}
