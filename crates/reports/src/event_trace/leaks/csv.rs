//! One row per candidate and per line that makes memory outside of the heap; with `--sites` one per line of source.

use super::document::{CandidateDoc, LeaksReport, SiteVerdictDoc};
use super::off_heap::OffHeapLeakDoc;
use crate::event_trace::csv_rows::table;

const HEADER: [&str; 19] = [
    "verdict",
    "alarm",
    "target",
    "class",
    "method",
    "line",
    "caller",
    "loaders",
    "objects",
    "bytes",
    "kept_bytes",
    "retained",
    "bytes_per_mb",
    "bytes_per_mb_low",
    "bytes_per_mb_high",
    "share_that_stays",
    "sure",
    "bends",
    "root",
];

const SITES: [&str; 15] = [
    "verdict",
    "type",
    "class",
    "method",
    "line",
    "caller",
    "loaders",
    "objects",
    "bytes",
    "kept_bytes",
    "bytes_per_mb",
    "bytes_per_mb_low",
    "bytes_per_mb_high",
    "share_that_stays",
    "sure",
];

pub(super) fn csv(report: &LeaksReport) -> String {
    match report.sites.is_empty() {
        true => {
            let candidates = report.candidates.iter().map(candidate);
            let off_heap = report.off_heap.iter().map(off_heap);
            table(&HEADER, candidates.chain(off_heap))
        }
        false => table(&SITES, report.sites.iter().map(site)),
    }
}

fn or_nothing<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn candidate(row: &CandidateDoc) -> Vec<String> {
    vec![
        row.verdict.name().to_owned(),
        row.alarm.to_string(),
        row.target.clone(),
        or_nothing(row.class.as_ref()),
        or_nothing(row.method.as_ref()),
        or_nothing(row.line),
        or_nothing(row.caller.as_ref()),
        row.loaders.to_string(),
        row.objects.to_string(),
        row.bytes.to_string(),
        row.kept_bytes.to_string(),
        or_nothing(row.retained),
        row.bytes_per_mb.value.to_string(),
        row.bytes_per_mb.low.to_string(),
        row.bytes_per_mb.high.to_string(),
        row.share.value.to_string(),
        row.sure.to_string(),
        row.bends.to_string(),
        or_nothing(row.root.as_ref().map(|root| &root.name)),
    ]
}

/// Memory outside of the heap: its kind is the target, and what is not known of it is empty.
fn off_heap(row: &OffHeapLeakDoc) -> Vec<String> {
    let rate = [
        row.bytes_per_mb.value,
        row.bytes_per_mb.low,
        row.bytes_per_mb.high,
    ];
    let [rate, low, high] = rate.map(|rate| rate.to_string());
    vec![
        row.verdict.name().to_owned(),
        row.alarm.to_string(),
        row.kind.clone(),
        or_nothing(row.class.as_ref()),
        or_nothing(row.method.as_ref()),
        or_nothing(row.line),
        String::new(),
        String::new(),
        row.live.count.to_string(),
        row.live.bytes.to_string(),
        String::new(),
        String::new(),
        rate,
        low,
        high,
        String::new(),
        or_nothing(row.sure),
        String::new(),
        or_nothing(row.held_by.as_ref()),
    ]
}

fn site(row: &SiteVerdictDoc) -> Vec<String> {
    vec![
        row.verdict.name().to_owned(),
        row.ty.clone(),
        or_nothing(row.class.as_ref()),
        or_nothing(row.method.as_ref()),
        or_nothing(row.line),
        or_nothing(row.caller.as_ref()),
        row.loaders.to_string(),
        row.objects.to_string(),
        row.bytes.to_string(),
        row.kept_bytes.to_string(),
        row.bytes_per_mb.value.to_string(),
        row.bytes_per_mb.low.to_string(),
        row.bytes_per_mb.high.to_string(),
        row.share.value.to_string(),
        row.sure.to_string(),
    ]
}
