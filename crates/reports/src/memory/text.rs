//! For a terminal: one screen.

use super::document::{MemoryEndDoc, MemoryEndWord, MemoryReport, MemoryTrendDoc, NativeMemoryDoc};
use super::table::{Line, parts, rest, table};
use crate::quantity::{bytes, grouped, share, short_bytes};
use crate::table::{Table, Unit};
use crate::text::next_command::NextCommand;
use crate::text::{fact, section};
use crate::text_lines::TextLines;

pub(super) fn write(report: &MemoryReport, out: &mut TextLines) {
    out.push_str(&format!("ducktrack memory: process {}\n\n", report.pid));
    let charged = match (&report.group, report.limit) {
        (Some(group), Some(limit)) => format!(
            "{} of {} ({}) in group {group}",
            bytes(report.charged),
            short_bytes(limit),
            share(report.charged, limit)
        ),
        (Some(group), None) => format!(
            "{} in group {group}, without a limit",
            bytes(report.charged)
        ),
        (None, _) => format!(
            "{} in memory (no control group with figures)",
            bytes(report.charged)
        ),
    };
    fact(out, "charged", &charged);
    if let Some(max_heap) = report.max_heap {
        fact(out, "largest heap", &short_bytes(max_heap));
    }
    fact(
        out,
        "growth",
        &growth("the charge", report.charge_trend, report.observed_seconds),
    );
    if report.heap_trend.is_some() {
        fact(
            out,
            "",
            &growth("the heap", report.heap_trend, report.observed_seconds),
        );
    }
    fact(out, "end", &end(report.end.as_ref()));
    section(out, "What is charged");
    let table = table(report);
    let mut text = table.text();
    for (line, row) in parts(report).zip(&report.parts) {
        text.row(&line);
        for maker in &row.makers {
            text.note(format!(
                "  {} in {} {}: {}",
                short_bytes(u64::try_from(maker.live.bytes).unwrap_or(0)),
                grouped(maker.live.count),
                maker.kind,
                maker.place
            ));
        }
    }
    text.row(&rest(report));
    text.row(&Line::named("sum", report.charged));
    text.write(out);
    native_memory(report, out);
    let advised = report
        .parts
        .iter()
        .filter_map(|row| Some((row, row.what.as_ref()?)));
    let advised: Vec<_> = advised.collect();
    if !advised.is_empty() {
        section(out, "What to do");
    }
    for (row, what) in advised {
        out.push_str(&format!("  {}: {what}\n", row.name));
    }
    if !report.native_memory_tracking {
        out.push_str("  The JVM does not count its own memory: what lies in malloc is one part.\n");
    }
}

/// What the JVM counts, line by line: of what it has reserved also pages that were never written.
fn native_memory(report: &MemoryReport, out: &mut TextLines) {
    if report.native_memory.is_empty() {
        return;
    }
    section(out, "What the JVM counts (committed, written or not)");
    Table::<NativeMemoryDoc>::new()
        .in_text("bytes", Unit::Bytes, |row| row.committed)
        .in_text("category", Unit::Text, |row| row.category.clone())
        .write(out, &report.native_memory);
}

fn growth(what: &str, trend: Option<MemoryTrendDoc>, seconds: f64) -> String {
    let Some(trend) = trend else {
        return format!("of {what} not known: observe longer (--for 30)");
    };
    let per_hour = |value: f64| format!("{:.1} MB", value / 1e6);
    match trend.low > 0.0 {
        true => format!(
            "{what} by {} per hour ({} to {}), observed for {seconds:.0} s",
            per_hour(trend.bytes_per_hour),
            per_hour(trend.low),
            per_hour(trend.high)
        ),
        false => format!("{what}: none for sure within {seconds:.0} s"),
    }
}

/// What ends the process, and when.
pub(super) fn end(end: Option<&MemoryEndDoc>) -> String {
    let Some(end) = end else {
        return "nothing surely grows towards a limit".to_owned();
    };
    let by = match end.by {
        MemoryEndWord::Killed => "the kernel kills the process at the limit of its group",
        MemoryEndWord::HeapFull => "the heap is full (OutOfMemoryError)",
    };
    format!(
        "in {} ({} to {}) {by}, if it goes on so",
        duration(end.in_seconds),
        duration(end.earliest),
        duration(end.latest)
    )
}

fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 120.0 => format!("{seconds:.0} s"),
        seconds if seconds < 7200.0 => format!("{:.0} min", seconds / 60.0),
        seconds if seconds < 172_800.0 => format!("{:.1} h", seconds / 3600.0),
        seconds => format!("{:.0} days", seconds / 86_400.0),
    }
}

pub(super) fn next(report: &MemoryReport) -> Vec<NextCommand> {
    let pid = report.pid;
    vec![
        NextCommand::new(
            format!("attach {pid}"),
            "which lines allocate, in the program that runs",
        ),
        NextCommand::new(
            "guide my-container-was-killed".to_owned(),
            "a container that was killed, step by step",
        ),
    ]
}
