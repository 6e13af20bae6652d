//! One row per candidate; with `--sites` one per line of source.

use super::document::{CandidateDoc, LeaksReport, SiteVerdictDoc};
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
        true => table(&HEADER, report.candidates.iter().map(candidate)),
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
