//! The output of `ducktrack lifetimes --deaths` for a trace: its objects, and their updates in the text of Elephant Tracks.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::product::ducktrack_command;

/// An object's number; 0 in an [`ObjectUpdate`]: none.
pub type ObjectNumber = u64;

/// A reference that was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectUpdate {
    /// The reference in the slot before.
    pub old: ObjectNumber,
    /// The object whose slot it is; 0: a static field.
    pub source: ObjectNumber,
    /// The reference in it now.
    pub new: ObjectNumber,
    /// The slot, by number.
    pub slot: u64,
}

/// Output and messages of `ducktrack lifetimes TRACE --deaths MORE...`.
///
/// # Errors
///
/// If the command fails.
pub fn deaths_command(trace: &Path, more: &[&str]) -> Result<(String, String)> {
    let output = Command::new(ducktrack_command()?)
        .args(["lifetimes", "--deaths"])
        .arg(trace)
        .args(more)
        .output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (said, messages) = (text(&output.stdout), text(&output.stderr));
    ensure!(output.status.success(), "deaths {more:?}: {messages}");
    Ok((said, messages))
}

/// Objects of the types that fit a pattern, in the order of birth: number and type.
///
/// # Errors
///
/// If the command fails, or its list has another form.
pub fn traced_objects(trace: &Path, pattern: &str) -> Result<BTreeMap<ObjectNumber, String>> {
    let (list, _) = deaths_command(trace, &["--objects", "--type", pattern])?;
    let row = |line: &str| {
        let mut fields = line.split(',');
        let number = fields.next().context("no number")?.parse()?;
        Ok((number, fields.next().context("no type")?.to_owned()))
    };
    list.lines().skip(1).map(row).collect()
}

/// All updates, in the order of the stream.
///
/// # Errors
///
/// If the command fails, or a line has another form.
pub fn traced_updates(trace: &Path) -> Result<Vec<ObjectUpdate>> {
    let (text, _) = deaths_command(trace, &["--format", "et1"])?;
    let lines = text.lines().filter_map(|line| line.strip_prefix("U "));
    let update = |line: &str| {
        let mut fields = line.split(' ');
        let mut next = || -> Result<u64> {
            let field = fields.next().context("an update is too short")?;
            Ok(u64::from_str_radix(field, 16)?)
        };
        Ok(ObjectUpdate {
            old: next()?,
            source: next()?,
            new: next()?,
            slot: next()?,
        })
    };
    lines.map(update).collect()
}
