//! `ducktrack timeline DIR`

use anyhow::Result;
use clap::Args;
use ducktrack_analyses::{TimelineCourse, TraceModel};
use ducktrack_reports::{Filter, Report, timeline_report};

use crate::selection::SiteSelection;
use crate::trace_report::{Answer, TraceReport};

#[derive(Args, Default)]
#[command(after_help = "Examples:
  ducktrack timeline ducktrack-4711
      collections, pauses, rates, what the heap was made of
  ducktrack timeline ducktrack-4711 --format html -o timeline.html
  ducktrack timeline ducktrack-4711 --format csv
      one row per collection")]
pub(crate) struct Timeline {
    #[command(flatten)]
    selection: SiteSelection,
}

impl TraceReport for Timeline {
    fn filter(&self) -> Filter {
        self.selection.clone().into()
    }

    type Question = TimelineCourse;

    fn question(&self) -> TimelineCourse {
        match self.filter().is_partial() {
            true => TimelineCourse::with_parts(),
            false => TimelineCourse::default(),
        }
    }

    fn report(self, model: &TraceModel, answer: &Answer<Self>, trace: &str) -> Result<impl Report> {
        let filter = self.selection.into();
        Ok(timeline_report(model, answer, trace, &filter))
    }
}
