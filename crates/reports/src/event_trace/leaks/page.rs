//! The page.

use super::document::LeaksReport;
use crate::card::Card;
use crate::error::ReportError;
use crate::event_trace::duration::duration;
use crate::event_trace::page::{Facts, LEAKS, Verdict, page};
use crate::quantity::{counted, grouped, short_bytes};

pub(super) fn html(report: &LeaksReport) -> Result<String, ReportError> {
    let mut facts = Facts::of(&report.head, "Leaks");
    facts
        .run
        .extend(report.dump.as_ref().map(|dump| format!("dump {dump}")));
    facts.verdict = Some(Verdict {
        word: report.verdict.name().to_owned(),
        sentence: report.sentence.clone(),
    });
    let size = |value: f64| short_bytes(value.max(0.0) as u64);
    let outside = report.off_heap.iter().filter(|row| row.alarm).count() as u64;
    let (full, at) = match report.seconds_until_full {
        Some(seconds) => (
            duration(seconds),
            "of work from the last look, at this rate",
        ),
        None => ("-".to_owned(), "no time can be told"),
    };
    facts.cards = vec![
        Card::new(
            "Leaks",
            grouped(report.alarms + outside),
            format!(
                "of {}; {outside} outside of the heap",
                counted(report.candidates.len() as u64, "candidate")
            ),
        ),
        Card::new(
            "Kept",
            format!("{} per MB", size(report.bytes_per_mb)),
            format!(
                "of what the program allocates; {} per second",
                size(report.bytes_per_second)
            ),
        ),
        Card::new("Heap full", full, at.to_owned()),
        Card::new(
            "Live",
            size(report.live_bytes as f64),
            report.max_heap.map_or_else(String::new, |most| {
                format!("of a heap of {}", short_bytes(most))
            }),
        ),
    ];
    page(report, None, &facts, LEAKS)
}
