//! `ducktrack advise DIR`

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use ducktrack_advise::{AdviceOptions, advise};
use ducktrack_count_model::CountModel;
use ducktrack_profile::profile;
use ducktrack_reports::{AdviceReport, Report, advice_report};

use crate::diff::{SourceRoots, review_form};
use crate::output::{Format, Output, Remarks};
use crate::run_dump::RunDump;
use crate::target::recording;
use crate::window_args::WindowArgs;
use crate::{newer_run, per, waste};

/// Rows of a text, and of a review.
const ROWS: usize = 20;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack advise ducktrack-4711
      which changes save most, and how much
  ducktrack advise ducktrack-4711 --from warm
      without the start, up to the mark `warm`
  ducktrack advise ducktrack-4711 --per request
      only between the marks `request` (or in contexts: `GET /orders*`, `tests`)
  ducktrack advise ducktrack-4711 --after ducktrack-4815
      what came of each prediction after the change
  ducktrack advise ducktrack-4711 --format json
  ducktrack advise ducktrack-4711 --format sarif --sources src/main/java")]
pub(crate) struct AdviseArgs {
    /// The directory that the agent wrote, or the process that writes it
    #[arg(value_name = "PID|DIR", value_parser = recording)]
    trace: PathBuf,
    /// A later recording, of the changed program: what came of each prediction
    #[arg(long, value_name = "PID|DIR", value_parser = recording)]
    after: Option<PathBuf>,
    /// Also changes that save less than a thousandth of the run, or fewer than 100 objects
    #[arg(long)]
    all: bool,
    /// Show this many changes (text and reviews: 20; JSON and HTML: all)
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Where sources are, for the lines of a review [default: src/main/java and other usual ones]
    #[arg(long, value_name = "FOLDER")]
    sources: Vec<PathBuf>,
    /// Only from each mark of this name to the next mark, or in contexts of this name or kind (requests, tests), and what each time saves
    #[arg(long, value_name = "MARK|TEST|CONTEXT", conflicts_with_all = ["window", "from", "until"])]
    per: Option<String>,
    #[command(flatten)]
    windows: WindowArgs,
    #[command(flatten)]
    output: Output<Remarks>,
}

pub(crate) fn run(args: AdviseArgs) -> Result<ExitCode> {
    newer_run::mention(&args.trace);
    let report = report(&args)?;
    match review_form(args.output.format()) {
        Some(form) => {
            let roots = SourceRoots::new(args.sources);
            let text = report.review(form, &|file| roots.find(file))?;
            args.output.print_text(&text)?;
        }
        None => args.output.print(&report)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The page of a whole run.
pub(crate) fn page(model: &CountModel, name: &str) -> Result<String> {
    let advice = advise(model, &profile(model), AdviceOptions::default());
    Ok(advice_report(model, name, &advice, None).html()?)
}

fn report(args: &AdviseArgs) -> Result<AdviceReport> {
    let part = per::load(&args.trace, args.per.as_deref(), &args.windows)?;
    let model = &part.model;
    let options = AdviceOptions { all: args.all };
    let stacks = profile(model);
    let advice = advise(model, &stacks, options);
    let top = match (args.top, args.output.format()) {
        (None, Format::Json | Format::Html) => None,
        (given, _) => Some(given.unwrap_or(ROWS)),
    };
    let mut report = advice_report(model, &args.trace.display().to_string(), &advice, top);
    if let (Some(name), Some(times)) = (&args.per, part.times) {
        report = report.divided(name, times);
    }
    report = with_dump(report, model, &args.trace)?;
    let Some(after) = &args.after else {
        return Ok(report);
    };
    let all = AdviceOptions { all: true };
    let later = per::load(after, args.per.as_deref(), &args.windows)?.model;
    let before = advise(model, &stacks, all);
    let later = advise(&later, &profile(&later), all);
    Ok(report.with_results(&before, &later))
}

/// With what the newest heap dump in the folder says, where the trace knows who made its objects.
fn with_dump(report: AdviceReport, model: &CountModel, trace: &Path) -> Result<AdviceReport> {
    let RunDump::Found(dump) = RunDump::of(None, trace) else {
        return Ok(report);
    };
    if !model.run.mode.has_events() {
        return Ok(report);
    }
    Ok(report.with_waste(&waste::whole_report(trace, &dump)?))
}
