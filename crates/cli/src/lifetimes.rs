//! `ducktrack lifetimes DIR`

use anyhow::Result;
use clap::Args;
use ducktrack_analyses::{Questions, TraceModel};
use ducktrack_reports::{Filter, Report, lifetimes_report};

use crate::selection::SiteSelection;
use crate::trace_report::TraceReport;

#[derive(Args, Default)]
#[command(after_help = "Examples:
  ducktrack lifetimes ducktrack-4711                      which sites' objects die young, live long, die promoted
  ducktrack lifetimes ducktrack-4711 --only com.acme --sort count
  ducktrack lifetimes ducktrack-4711 --format html -o lifetimes.html")]
pub(crate) struct Lifetimes {
    #[command(flatten)]
    selection: SiteSelection,
}

impl TraceReport for Lifetimes {
    fn filter(&self) -> Filter {
        self.selection.clone().into()
    }

    fn questions(&self) -> Questions {
        Questions {
            lifetimes: true,
            ..Questions::default()
        }
    }

    fn report(self, model: &TraceModel, trace: &str) -> Result<impl Report> {
        Ok(lifetimes_report(model, trace, &self.selection.into()))
    }
}
