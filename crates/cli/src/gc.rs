//! `ducktrack gc DIR`

use anyhow::Result;
use clap::Args;
use ducktrack_analyses::{CostQuestion, Questions, TraceModel};
use ducktrack_reports::{Filter, Report, gc_report};

use crate::selection::RowSelection;
use crate::trace_report::TraceReport;

#[derive(Args, Default)]
#[command(after_help = "Examples:
  ducktrack gc ducktrack-4711                             which sites the collector works for
  ducktrack gc ducktrack-4711 --only com.acme
  ducktrack gc ducktrack-4711 --format html -o gc.html")]
pub(crate) struct Gc {
    #[command(flatten)]
    selection: RowSelection,
}

impl TraceReport for Gc {
    fn filter(&self) -> Filter {
        self.selection.clone().into()
    }

    fn questions(&self) -> Questions {
        Questions {
            cost: Some(CostQuestion::default()),
            ..Questions::default()
        }
    }

    fn report(self, model: &TraceModel, trace: &str) -> Result<impl Report> {
        Ok(gc_report(model, trace, &self.selection.into()))
    }
}
