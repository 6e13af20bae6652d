//! What the page says without its script.

use super::document::LeaksReport;
use crate::event_trace::page::{Card, Facts};
use crate::quantity::{counted, grouped, short_bytes};

pub(super) fn facts(report: &LeaksReport) -> Facts {
    let mut facts = Facts::of(&report.head, "Leaks");
    facts
        .run
        .extend(report.dump.as_ref().map(|dump| format!("dump {dump}")));
    let size = |value: f64| short_bytes(value.max(0.0) as u64);
    facts.cards = vec![
        Card::new(
            "Alarms",
            grouped(report.alarms),
            format!(
                "of {}",
                counted(report.candidates.len() as u64, "candidate")
            ),
        ),
        Card::new(
            "Growth",
            format!("{}/s", size(report.bytes_per_second)),
            "all alarms together".to_owned(),
        ),
        Card::new(
            "Live",
            size(report.live_bytes as f64),
            format!(
                "after {}",
                counted(u64::from(report.collections), "collection")
            ),
        ),
    ];
    facts
}
