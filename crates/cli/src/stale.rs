//! `ducktrack heap DIR --stale [--at GC]`

use anyhow::{Result, bail};
use ducktrack_analyses::{StalenessAt, TraceModel};
use ducktrack_heap_replay::{CollectionNumber, Moment};
use ducktrack_reports::{Filter, Report, stale_report};

use crate::selection::SiteSelection;
use crate::trace_report::{Answer, TraceReport, unknown_heap};

/// Live objects by how long the program has not used them.
#[derive(Default)]
pub(crate) struct Stale {
    /// The number of a collection; without it the last one.
    pub(crate) at: Option<u32>,
    pub(crate) selection: SiteSelection,
}

impl TraceReport for Stale {
    fn filter(&self) -> Filter {
        self.selection.clone().into()
    }

    type Question = StalenessAt;

    fn question(&self) -> StalenessAt {
        let at = self.at.map(CollectionNumber);
        StalenessAt::new(at.map_or(Moment::End, Moment::After))
    }

    fn report(self, model: &TraceModel, answer: &Answer<Self>, trace: &str) -> Result<impl Report> {
        let at = self.at.map(CollectionNumber);
        match answer {
            Some(staleness) => {
                let filter = self.selection.into();
                Ok(stale_report(model, staleness, trace, &filter))
            }
            None => bail!("{trace}: {}", no_staleness(model, at)),
        }
    }
}

/// Why there is no answer, and what to do.
fn no_staleness(model: &TraceModel, at: Option<CollectionNumber>) -> String {
    let (first, last) = (model.info.first_collection, model.info.last_collection);
    match (first.zip(last), at) {
        (None, _) if model.count.run.collector.eq_ignore_ascii_case("epsilon") => "Epsilon never collects, and uses are read by collections; record with another collector".to_owned(),
        (None, _) => "no collection was recorded, and uses are read by collections; let one happen: jcmd PID GC.run".to_owned(),
        (Some((first, last)), Some(at)) if at < first || at > last => format!(
            "there is no collection {}: the trace has {} to {}",
            at.0, first.0, last.0
        ),
        _ => match unknown_heap(model) {
            Some(why) => format!("the live heap is not known{why}"),
            None => "no uses of objects were recorded until then; record them: ducktrack run --mode trace --staleness on -- java ...".to_owned(),
        },
    }
}
