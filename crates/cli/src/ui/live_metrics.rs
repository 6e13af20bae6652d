//! The figures of the live heap that a traced run has.

use std::path::Path;

use anyhow::Result;
use ducktrack_analyses::{HeapMoments, JudgedSpan, SurvivorsBuilder};
use ducktrack_heap_replay::Moment;
use ducktrack_leaks::{Forecast, Verdict, judge};
use ducktrack_trace_reader::EventFiles;

use crate::trace_loading::load_trace;

/// See the module.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LiveFigures {
    pub(crate) objects: u64,
    pub(crate) bytes: u64,
    /// Sites that leak.
    pub(crate) sites: usize,
    pub(crate) bytes_per_second: f64,
}

/// `None`: the run has no events, or the heap is not known.
pub(crate) fn live_figures(directory: &Path) -> Result<Option<LiveFigures>> {
    if EventFiles::open(directory)?.files().is_empty() {
        return Ok(None);
    }
    let question = (
        HeapMoments::new(vec![Moment::End]),
        SurvivorsBuilder::new(JudgedSpan::default()),
    );
    let (_, (heaps, survivors)) = load_trace(directory, question)?;
    let Some(heap) = heaps.iter().flatten().next() else {
        return Ok(None);
    };
    let mut live = LiveFigures {
        objects: heap.total.count,
        bytes: heap.total.bytes,
        ..LiveFigures::default()
    };
    let forecast = Forecast::of(&survivors.clock, survivors.live.bytes, 0);
    for row in &survivors.rows {
        let judged = judge(&survivors.clock, &row.history);
        if judged.verdict == Verdict::Leaks {
            live.sites += 1;
            live.bytes_per_second += forecast.per_second(judged.bytes_per_mb.value);
        }
    }
    Ok(Some(live))
}
