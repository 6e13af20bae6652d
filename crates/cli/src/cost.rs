//! `ducktrack cost DIR`

use anyhow::Result;
use clap::Args;
use ducktrack_heap_model::{Questions, TraceModel};
use ducktrack_reports::{Change, Report, cost_report};

use crate::leaks::heap_size;
use crate::selection::RowSelection;
use crate::trace_report::TraceReport;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack cost ducktrack-4711                           what each site and type costs, and what a run without it saves
  ducktrack cost ducktrack-4711 --young 64m --heap 2g
  ducktrack cost ducktrack-4711 --halve com.acme.Cache.put")]
pub(crate) struct Cost {
    /// What if the heap were of this size, as -Xmx; the young space stays (may be repeated)
    #[arg(long, value_name = "SIZE", value_parser = heap_size)]
    heap: Vec<u64>,
    /// What if this many bytes could be allocated between two young collections (may be repeated)
    #[arg(long, value_name = "SIZE", value_parser = heap_size)]
    young: Vec<u64>,
    /// What if this class or method (com.acme.Cache.put) allocated half (may be repeated)
    #[arg(long, value_name = "SITE")]
    halve: Vec<String>,
    #[command(flatten)]
    selection: RowSelection,
}

impl TraceReport for Cost {
    fn questions(&self) -> Questions {
        Questions {
            cost: true,
            ..Questions::default()
        }
    }

    fn report(self, model: &TraceModel, trace: &str) -> Result<impl Report> {
        let heap = self.heap.into_iter().map(Change::Heap);
        let young = self.young.into_iter().map(Change::Young);
        let halve = self.halve.into_iter().map(Change::Halve);
        let changes: Vec<Change> = heap.chain(young).chain(halve).collect();
        Ok(cost_report(model, trace, &self.selection.into(), &changes))
    }
}
