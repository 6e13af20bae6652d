//! One row per site and type.

use super::document::{DeathsReport, QuantilesDoc, SiteDeathsDoc};
use crate::event_trace::csv_rows::table;

const COLUMNS: [&str; 19] = [
    "class",
    "method",
    "source_file",
    "line",
    "type",
    "objects",
    "bytes",
    "alive_count",
    "alive_bytes",
    "lifetime_p50",
    "lifetime_p90",
    "lifetime_max",
    "drag_p50",
    "drag_p90",
    "drag_max",
    "floating_p50",
    "floating_p90",
    "floating_max",
    "clock",
];

pub(super) fn csv(report: &DeathsReport) -> String {
    table(
        &COLUMNS,
        report
            .sites
            .iter()
            .map(|site| row(site, report.clock.name())),
    )
}

fn row(site: &SiteDeathsDoc, clock: &str) -> Vec<String> {
    let (place, lives) = (&site.place, &site.lives);
    let mut row = vec![
        place.class.clone(),
        place.method.clone(),
        place.source_file.clone().unwrap_or_default(),
        place.line.map_or_else(String::new, |line| line.to_string()),
        site.ty.clone(),
        lives.objects.to_string(),
        lives.bytes.to_string(),
        lives.alive.count.to_string(),
        lives.alive.bytes.to_string(),
    ];
    for span in [lives.spans.lifetime, lives.spans.drag, lives.spans.floating] {
        row.extend(quantiles(span));
    }
    row.push(clock.to_owned());
    row
}

fn quantiles(span: Option<QuantilesDoc>) -> [String; 3] {
    match span {
        Some(span) => [span.p50, span.p90, span.max].map(|value| value.to_string()),
        None => Default::default(),
    }
}
