//! `ducktrack mcp [DIR]`: `ducktrack-reach` serves the reports of recordings, and runs this command for each answer.

use std::env;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;

use crate::reach;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack mcp /var/recordings
      the recordings below that folder, read-only
  claude mcp add ducktrack -- ducktrack mcp /var/recordings")]
pub(crate) struct McpArgs {
    /// Recordings and heap dumps below this folder can be read, and nothing else
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
}

pub(crate) fn run(args: &McpArgs) -> Result<ExitCode> {
    let folder = args
        .folder
        .canonicalize()
        .with_context(|| format!("{}: give a folder with recordings", args.folder.display()))?;
    let mut command = reach::command("mcp")?;
    let error = command.arg(env::current_exe()?).arg(folder).exec();
    Err(error).context(reach::NAME)
}
