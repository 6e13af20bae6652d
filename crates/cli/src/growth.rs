//! `ducktrack growth DIR`

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use ducktrack_heap_model::{CountModel, GrowthBound, Questions};
use ducktrack_reports::growth_report;

use crate::event_report::EventReportArgs;
use crate::selection::SiteSelection;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack growth ducktrack-4711                         whose live objects become more and more
  ducktrack growth ducktrack-4711 --only com.acme
  ducktrack growth ducktrack-4711 --from 30               without the first 30 seconds
  ducktrack growth ducktrack-4711 --from warm --until done  between two marks (ducktrack mark)
  ducktrack growth ducktrack-4711 --format html -o growth.html")]
pub(crate) struct GrowthArgs {
    #[command(flatten)]
    report: EventReportArgs,
    #[command(flatten)]
    selection: SiteSelection,
    /// Only from here on: seconds since the start (12.5), or the name of a mark
    #[arg(long, value_name = "TIME|MARK")]
    from: Option<String>,
    /// Only up to here
    #[arg(long, value_name = "TIME|MARK")]
    until: Option<String>,
}

pub(crate) fn run(args: GrowthArgs) -> Result<ExitCode> {
    let questions = Questions {
        growth: true,
        growth_from: args.from.as_deref().map(bound),
        growth_until: args.until.as_deref().map(bound),
        ..Questions::default()
    };
    let model = args.report.load(&questions)?;
    check_marks(&model.count, &questions, &args.report.name())?;
    let growth = model.growth.clone().unwrap_or_default();
    let report = growth_report(&model, &growth, &args.report.name(), &args.selection.into());
    args.report.print(&report)
}

/// A number is seconds, anything else the name of a mark.
pub(crate) fn bound(text: &str) -> GrowthBound {
    let seconds = text.strip_suffix('s').unwrap_or(text).parse::<f64>().ok();
    match seconds.filter(|seconds| seconds.is_finite() && *seconds >= 0.0) {
        // Stops at the limit of u64.
        Some(seconds) => GrowthBound::After((seconds * 1e6) as u64),
        None => GrowthBound::Mark(text.to_owned()),
    }
}

/// Marks that the questions name and the run does not have are an error.
pub(crate) fn check_marks(count: &CountModel, questions: &Questions, trace: &str) -> Result<()> {
    let mut bounds = questions.growth_from.iter().chain(&questions.growth_until);
    bounds.try_for_each(|bound| check_mark(count, bound, trace))
}

fn check_mark(count: &CountModel, bound: &GrowthBound, trace: &str) -> Result<()> {
    let GrowthBound::Mark(name) = bound else {
        return Ok(());
    };
    let marks: Vec<&str> = count.marks().into_iter().map(|(name, _)| name).collect();
    if marks.contains(&name.as_str()) {
        return Ok(());
    }
    match marks.as_slice() {
        [] => bail!(
            "{trace} has no mark `{name}`, nor any other; give seconds since the start, or mark moments with: ducktrack mark PID NAME"
        ),
        marks => bail!("{trace} has no mark `{name}`; it has: {}", marks.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_seconds_or_marks() {
        assert_eq!(bound("12.5"), GrowthBound::After(12_500_000));
        assert_eq!(bound("3s"), GrowthBound::After(3_000_000));
        for name in ["warm", "-1", "nan", "s"] {
            assert_eq!(bound(name), GrowthBound::Mark(name.to_owned()));
        }
    }
}
