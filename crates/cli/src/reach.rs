//! The program beside this one that writes Parquet and speaks to other machines and programs.

use std::env;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

pub(crate) const NAME: &str = "ducktrack-reach";

/// The program with a task.
pub(crate) fn command(task: &str) -> Result<Command> {
    let own = env::current_exe().context("cannot tell where this program is")?;
    let program = own.canonicalize().unwrap_or(own).with_file_name(NAME);
    if !program.is_file() {
        bail!(
            "cannot find {}: Parquet, stores, collectors and MCP are its; take it from the release or the build of this command",
            program.display()
        );
    }
    let mut command = Command::new(program);
    command.args([env!("CARGO_PKG_VERSION"), task]);
    Ok(command)
}

/// Sends a profile of OpenTelemetry to a collector.
pub(crate) fn push(url: &str, profiles: &[u8]) -> Result<()> {
    let mut child = command("push")?
        .arg(url)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .context(NAME)?;
    if let Some(mut into) = child.stdin.take() {
        // A program that ends early has given the reason.
        let _ = into.write_all(profiles);
    }
    let ended = child.wait_with_output().context(NAME)?;
    let reason = String::from_utf8_lossy(&ended.stderr);
    ensure!(ended.status.success(), "{}", reason.trim());
    Ok(())
}
