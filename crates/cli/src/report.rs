//! `ducktrack report DIR`

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use ducktrack_reports::{View, collapsed, csv, html, json, text, view};

use crate::selection::Selection;
use crate::{loading, output};

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack report ducktrack-4711                         types and locations, and how complete they are
  ducktrack report ducktrack-4711 --only com.acme         what your code allocates or causes
  ducktrack report ducktrack-4711 --type 'byte[]' --top 5 --sort count
  ducktrack report ducktrack-4711 --format html -o report.html
  ducktrack report ducktrack-4711 --format json -o baseline.json")]
pub(crate) struct ReportArgs {
    /// The directory that the agent wrote
    #[arg(value_name = "DIR")]
    trace: PathBuf,
    /// Form of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    selection: Selection,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// Tables for a terminal
    #[default]
    Text,
    /// One object per site, documented keys
    Json,
    /// One row per site
    Csv,
    /// Stacks for flame graph tools (package;class;method;site)
    Collapsed,
    /// One page with a table and a flame graph
    Html,
}

pub(crate) fn run(args: ReportArgs) -> Result<ExitCode> {
    let model = loading::load(&args.trace)?;
    let view = view(
        &model,
        &args.trace.display().to_string(),
        &args.selection.into(),
    );
    let report = render(&view, args.format)?;
    output::write(&report, args.output.as_deref())?;
    Ok(ExitCode::SUCCESS)
}

fn render(view: &View, format: Format) -> Result<String> {
    Ok(match format {
        Format::Text => text(view),
        Format::Json => json(view)?,
        Format::Csv => csv(view),
        Format::Collapsed => collapsed(view),
        Format::Html => html(view)?,
    })
}
