//! The figures of the live heap that a traced run has.

use std::path::Path;

use anyhow::Result;
use ducktrack_analyses::HeapMoments;
use ducktrack_heap_replay::Moment;
use ducktrack_trace_reader::EventFiles;

use crate::leak_findings::LeakJudge;

/// See the module.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LiveFigures {
    pub(crate) objects: u64,
    pub(crate) bytes: u64,
    /// Alarms of `ducktrack leaks`.
    pub(crate) sites: usize,
    pub(crate) bytes_per_second: f64,
    /// The same outside of the heap.
    pub(crate) off_heap_lines: usize,
    pub(crate) off_heap_bytes_per_second: f64,
}

/// `None`: the run has no events, or the heap is not known.
pub(crate) fn live_figures(directory: &Path) -> Result<Option<LiveFigures>> {
    if EventFiles::open(directory)?.files().is_empty() {
        return Ok(None);
    }
    let heap = HeapMoments::new(vec![Moment::End]);
    let judge = LeakJudge::of(directory);
    judge.judge(
        directory,
        heap,
        |_| Ok(()),
        |findings, heaps, _| {
            let heap = heaps.iter().flatten().next();
            Ok(heap.map(|heap| LiveFigures {
                objects: heap.total.count,
                bytes: heap.total.bytes,
                sites: findings.alarms().count(),
                bytes_per_second: findings.forecast.per_second(findings.rate()),
                off_heap_lines: findings.off_heap_alarms().count(),
                off_heap_bytes_per_second: findings
                    .off_heap_alarms()
                    .map(|one| one.bytes_per_second(&findings.forecast))
                    .sum(),
            }))
        },
    )
}
