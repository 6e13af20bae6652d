//! One row per event file.

use super::document::InfoReport;
use crate::event_trace::csv_rows::table;

pub(super) fn csv(report: &InfoReport) -> String {
    let rows = report.files.iter().map(|file| {
        vec![
            file.name.clone(),
            file.index.to_string(),
            file.bytes.to_string(),
            file.blocks.to_string(),
            file.collections.to_string(),
        ]
    });
    table(&["name", "index", "bytes", "blocks", "collections"], rows)
}
