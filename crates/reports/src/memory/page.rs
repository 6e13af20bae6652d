//! The page of what fills a process and its container.

use super::document::MemoryReport;
use super::table;
use super::text::end;
use crate::card::Card;
use crate::error::ReportError;
use crate::event_trace::page::{Facts, MEMORY, page};
use crate::quantity::{grouped, share, short_bytes};

pub(super) fn html(report: &MemoryReport) -> Result<String, ReportError> {
    let limit = match report.limit {
        Some(limit) => format!(
            "{} of the limit of {}",
            share(report.charged, limit),
            short_bytes(limit)
        ),
        None => "without a limit".to_owned(),
    };
    let heap = report.max_heap.map_or_else(|| "-".to_owned(), short_bytes);
    let ends = match report.observed_seconds > 0.0 {
        true => end(report.end.as_ref()),
        false => "not observed over time: ducktrack memory shows the trend".to_owned(),
    };
    let cards = vec![
        Card::new("Charged", short_bytes(report.charged), limit),
        Card::new("Largest heap", heap, "-Xmx".to_owned()),
        Card::new(
            "Threads",
            grouped(report.threads),
            "with a stack each".to_owned(),
        ),
        Card::new("End", String::new(), ends),
    ];
    let title = format!("process {}", report.pid);
    let mut facts = Facts::titled(title, "What fills the memory of", cards);
    facts
        .run
        .extend(report.group.iter().map(|group| format!("group {group}")));
    if !report.native_memory_tracking {
        let note = "The JVM does not count its own memory (-XX:NativeMemoryTracking=summary): what lies in malloc is one part.";
        facts.missing.push(note.to_owned());
    }
    page(report, Some(table::page(report)), &facts, MEMORY)
}
