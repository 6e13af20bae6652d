//! `ducktrack completions SHELL` and `ducktrack man DIR`: completions and manual pages, made from the description of the command.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Command};
use clap_complete::Shell;

use crate::output;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack completions bash > ~/.local/share/bash-completion/completions/ducktrack
  ducktrack completions zsh > ~/.zfunc/_ducktrack")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Where the pages go; made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn completions(args: &CompletionsArgs, mut command: Command) -> Result<ExitCode> {
    let mut script = Vec::new();
    let name = command.get_name().to_owned();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    output::write(&String::from_utf8_lossy(&script), None)?;
    Ok(ExitCode::SUCCESS)
}

/// One page for the command and one for each of its subcommands.
pub(crate) fn man(args: &ManArgs, command: Command) -> Result<ExitCode> {
    let folder = &args.folder;
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    clap_mangen::generate_to(command, folder)
        .with_context(|| format!("cannot write pages into {}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
