//! `ducktrack lifetimes DIR`

use anyhow::Result;
use clap::Args;
use ducktrack_analyses::{LifetimeTallies, TraceModel};
use ducktrack_reports::{Filter, Report, lifetimes_report};

use crate::selection::SiteSelection;
use crate::trace_report::{Answer, TraceReport};

#[derive(Args, Default)]
#[command(after_help = "Examples:
  ducktrack lifetimes ducktrack-4711
      which sites' objects die young, live long, die promoted
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

    type Question = LifetimeTallies;

    fn question(&self) -> LifetimeTallies {
        LifetimeTallies::default()
    }

    fn report(self, model: &TraceModel, answer: &Answer<Self>, trace: &str) -> Result<impl Report> {
        let filter = self.selection.into();
        Ok(lifetimes_report(model, answer, trace, &filter))
    }
}
