//! Runs the command `ducktrack` on a trace and returns its JSON output.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::Installation;

/// Runs `ducktrack WHAT TRACE --format json` and parses its output.
pub(crate) fn command_json(installation: &Installation, what: &str, trace: &Path) -> Result<Value> {
    command_json_with(installation, what, trace, &[])
}

/// The same with more options.
pub(crate) fn command_json_with(
    installation: &Installation,
    what: &str,
    trace: &Path,
    options: &[&str],
) -> Result<Value> {
    let output = Command::new(installation.needed(installation.command.clone())?)
        .arg(what)
        .arg(trace)
        .args(["--format", "json"])
        .args(options)
        .output()
        .with_context(|| format!("ducktrack {what}"))?;
    if !output.status.success() {
        bail!(
            "ducktrack {what} {}: {}",
            trace.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    serde_json::from_slice(&output.stdout)
        .with_context(|| format!("ducktrack {what} printed no JSON"))
}
