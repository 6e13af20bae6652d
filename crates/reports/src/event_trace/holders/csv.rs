//! One row per site.

use super::document::HoldersReport;
use crate::event_trace::csv_rows::{PLACE, place_fields, table};

const HELD: [&str; 5] = ["count", "bytes", "retained", "oldest", "youngest"];

pub(super) fn csv(report: &HoldersReport) -> String {
    let header: Vec<&str> = PLACE.into_iter().chain(HELD).collect();
    let rows = report.sites.iter().map(|site| {
        let held = &site.held;
        let mut fields = place_fields(&site.place);
        fields.extend([held.count, held.bytes, held.retained].map(|value| value.to_string()));
        fields.extend([held.oldest, held.youngest].map(|value| value.to_string()));
        fields
    });
    table(&header, rows)
}
