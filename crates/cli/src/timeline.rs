//! `ducktrack timeline DIR`

use anyhow::Result;
use clap::Args;
use ducktrack_analyses::{Questions, TraceModel};
use ducktrack_reports::{Filter, Report, timeline_report};

use crate::selection::SiteSelection;
use crate::trace_report::TraceReport;

#[derive(Args, Default)]
#[command(after_help = "Examples:
  ducktrack timeline ducktrack-4711                       collections, pauses, rates, what the heap was made of
  ducktrack timeline ducktrack-4711 --format html -o timeline.html
  ducktrack timeline ducktrack-4711 --format csv          one row per collection")]
pub(crate) struct Timeline {
    #[command(flatten)]
    selection: SiteSelection,
}

impl TraceReport for Timeline {
    fn filter(&self) -> Filter {
        self.selection.clone().into()
    }

    fn questions(&self) -> Questions {
        Questions {
            timeline: true,
            ..Questions::default()
        }
    }

    fn report(self, model: &TraceModel, trace: &str) -> Result<impl Report> {
        Ok(timeline_report(model, trace, &self.selection.into()))
    }
}
