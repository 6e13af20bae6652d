//! `ducktrack growth DIR`

use anyhow::{Result, bail};
use clap::Args;
use ducktrack_analyses::{GrowthBound, Questions, TraceModel};
use ducktrack_count_model::CountModel;
use ducktrack_reports::{Filter, Report, growth_report};

use crate::selection::SiteSelection;
use crate::trace_report::TraceReport;

#[derive(Args, Default)]
#[command(after_help = "Examples:
  ducktrack growth ducktrack-4711                         whose live objects become more and more
  ducktrack growth ducktrack-4711 --only com.acme
  ducktrack growth ducktrack-4711 --from 30               without the first 30 seconds
  ducktrack growth ducktrack-4711 --from warm --until done  between two marks (ducktrack mark)
  ducktrack growth ducktrack-4711 --format html -o growth.html")]
pub(crate) struct Growth {
    #[command(flatten)]
    pub(crate) selection: SiteSelection,
    /// Only from here on: seconds since the start (12.5), or the name of a mark
    #[arg(long, value_name = "TIME|MARK")]
    pub(crate) from: Option<String>,
    /// Only up to here
    #[arg(long, value_name = "TIME|MARK")]
    pub(crate) until: Option<String>,
}

impl TraceReport for Growth {
    fn filter(&self) -> Filter {
        self.selection.clone().into()
    }

    fn questions(&self) -> Questions {
        Questions {
            growth: true,
            growth_from: self.from.as_deref().map(bound),
            growth_until: self.until.as_deref().map(bound),
            ..Questions::default()
        }
    }

    fn report(self, model: &TraceModel, trace: &str) -> Result<impl Report> {
        check_marks(&model.count, &self.questions(), trace)?;
        Ok(growth_report(model, trace, &self.selection.into()))
    }
}

/// A number is seconds, anything else the name of a mark.
fn bound(text: &str) -> GrowthBound {
    let seconds = text.strip_suffix('s').unwrap_or(text).parse::<f64>().ok();
    match seconds.filter(|seconds| seconds.is_finite() && *seconds >= 0.0) {
        // Stops at the limit of u64.
        Some(seconds) => GrowthBound::After((seconds * 1e6) as u64),
        None => GrowthBound::Mark(text.to_owned()),
    }
}

/// Marks that the questions name and the run does not have are an error.
fn check_marks(count: &CountModel, questions: &Questions, trace: &str) -> Result<()> {
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
