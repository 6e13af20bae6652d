//! One row per candidate.

use super::document::LeaksReport;
use crate::event_trace::csv_rows::table;

const HEADER: [&str; 16] = [
    "score",
    "source",
    "target",
    "class",
    "method",
    "line",
    "objects",
    "bytes",
    "retained",
    "youngest",
    "oldest",
    "stale",
    "unused_for",
    "growth",
    "bytes_per_collection",
    "root",
];

pub(super) fn csv(report: &LeaksReport) -> String {
    let rows = report.candidates.iter().map(|row| {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        vec![
            row.score.to_string(),
            text(&row.source),
            row.target.clone(),
            text(&row.class),
            text(&row.method),
            row.line.map_or_else(String::new, |line| line.to_string()),
            row.objects.to_string(),
            row.bytes.to_string(),
            row.retained
                .map_or_else(String::new, |bytes| bytes.to_string()),
            row.youngest.to_string(),
            row.oldest.to_string(),
            row.parts
                .staleness
                .map_or_else(String::new, |part| part.to_string()),
            row.unused_for
                .map_or_else(String::new, |unused| unused.to_string()),
            row.growth.clone(),
            row.bytes_per_collection.to_string(),
            row.root
                .as_ref()
                .map_or_else(String::new, |root| root.name.clone()),
        ]
    });
    table(&HEADER, rows)
}
