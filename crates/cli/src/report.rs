//! `ducktrack report DIR`

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use ducktrack_reports::{
    Filter, Report, TreeOptions, collapsed, contexts_report, off_heap_report, screen, tree,
    verbose_text, view,
};

use crate::selection::Selection;
use crate::target::recording;
use crate::window_args::WindowArgs;
use crate::{loading, newer_run, nothing, output, terminal};

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack report ducktrack-4711
      one screen: what matters most, and how complete it is
  ducktrack report ducktrack-4711 --full
      types, places and callers in full
  ducktrack report ducktrack-4711 --only com.acme
      what your code allocates or causes
  ducktrack report ducktrack-4711 --type 'byte[]' --top 5 --sort count
  ducktrack report ducktrack-4711 --from warm
      without the start, up to the mark `warm`
  ducktrack report ducktrack-4711 --window request
      what the requests make, each from its mark to the next one
  ducktrack report ducktrack-4711 --tree
      whole call stacks, with exact totals of places
  ducktrack report ducktrack-4711 --by context
      what requests, queries or jobs make, as far as `contexts=` was given
  ducktrack report ducktrack-4711 --context 'GET /orders*'
      one of them by type, place and caller
  ducktrack report ducktrack-4711 --off-heap
      direct buffers, mapped files, thread stacks: who made them, what lives
  ducktrack report ducktrack-4711 --format html -o report.html
  ducktrack report ducktrack-4711 --format json -o baseline.json")]
pub(crate) struct ReportArgs {
    /// The directory that the agent wrote, or the process that writes it
    #[arg(value_name = "PID|DIR", value_parser = recording)]
    trace: PathBuf,
    /// Form of the report; without it, one screen with the largest sites
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// All tables for a terminal: types, places, callers
    #[arg(long, conflicts_with_all = ["format", "tree"])]
    full: bool,
    /// The same, and what counting has cost
    #[arg(long, conflicts_with_all = ["format", "tree"])]
    verbose: bool,
    /// Whole call stacks as a tree: callers contain what they call
    #[arg(long, conflicts_with = "format")]
    tree: bool,
    /// With --tree: from types to the places that make them and their callers
    #[arg(long, requires = "tree")]
    invert: bool,
    /// With --tree: this many frames from the root; else levels of the tables of the screen (2)
    #[arg(long, value_name = "N", conflicts_with_all = ["format", "full", "verbose"])]
    depth: Option<usize>,
    /// Rows for each context (request, query, job), with the bytes of its executions; text, json or csv
    #[arg(long, value_enum, conflicts_with_all = ["full", "verbose", "tree"])]
    by: Option<By>,
    /// Memory outside of the heap (direct buffers, mapped files, thread stacks, zlib) by the line that made it; text, json, csv or
    /// collapsed
    #[arg(long, conflicts_with_all = ["full", "verbose", "tree", "by"])]
    off_heap: bool,
    /// With --by context: only contexts of this kind
    #[arg(long, value_name = "KIND", requires = "by")]
    kind: Option<String>,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    windows: WindowArgs,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// `--by`
#[derive(Clone, Copy, Debug, ValueEnum)]
enum By {
    /// What threads were doing
    Context,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// Tables for a terminal
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
    newer_run::mention(&args.trace);
    let model = loading::load_windows(&args.trace, &args.windows)?;
    let trace = args.trace.display().to_string();
    let filter: Filter = args.selection.into();
    let width = terminal::width(args.output.is_none());
    let report = if let Some(By::Context) = args.by {
        let report = contexts_report(&model, &trace, args.kind.as_deref(), &filter);
        let collapsed = || Err(report.has_no("collapsed").into());
        render(&report, args.format, None, collapsed)?
    } else if args.off_heap {
        let report = off_heap_report(&model, &trace, &filter);
        render(&report, args.format, width, || Ok(report.collapsed()))?
    } else {
        let view = view(&model, &trace, &filter);
        nothing::mention(&view);
        match args.format {
            Some(_) => render(&view, args.format, None, || Ok(collapsed(&view)))?,
            None if args.tree => tree(
                &view,
                TreeOptions {
                    inverted: args.invert,
                    depth: args.depth,
                },
            ),
            None if args.verbose => verbose_text(&view),
            None if args.full => view.text(None),
            None => screen(&view, terminal::screen(args.output.is_none(), args.depth)),
        }
    };
    output::write(&report, args.output.as_deref())?;
    Ok(ExitCode::SUCCESS)
}

/// The report in this form; without one, as text of this width.
fn render(
    report: &impl Report,
    format: Option<Format>,
    width: Option<usize>,
    collapsed: impl FnOnce() -> Result<String>,
) -> Result<String> {
    Ok(match format {
        None => report.text(width),
        Some(Format::Text) => report.text(None),
        Some(Format::Json) => report.json()?,
        Some(Format::Csv) => report.csv()?,
        Some(Format::Collapsed) => collapsed()?,
        Some(Format::Html) => report.html()?,
    })
}
