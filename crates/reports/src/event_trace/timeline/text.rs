//! For a terminal: pauses and rates, the collections, and what the heap was made of.

use super::document::{LayerDoc, TimelineReport};
use super::table::table;
use crate::event_trace::DEFAULT_TOP;
use crate::event_trace::block_bars::sparkline;
use crate::event_trace::place::WITHOUT_EVENT;
use crate::event_trace::text_parts::{head, next_commands, trouble};
use crate::quantity::{bytes, bytes_in_objects, counted, grouped, micros, share, short_bytes};
use crate::table::{Table, Unit};
use crate::text::next_command::NextCommand;
use crate::text::{fact, section};
use crate::text_lines::TextLines;

/// Characters of a sparkline.
const WIDTH: usize = 48;

pub(super) fn write(report: &TimelineReport, out: &mut TextLines) {
    head(out, "timeline", &report.head);
    write_outline(out, report);
    write_composition(out, report);
    write_collections(out, report);
    trouble(out, &report.head);
}

pub(super) fn next(report: &TimelineReport) -> Vec<NextCommand> {
    let example = report.collections.last().map_or(0, |point| point.number);
    next_commands(
        &report.head,
        &[
            (
                "timeline",
                "--format html -o timeline.html",
                "the same as charts in a browser",
            ),
            (
                "heap",
                &format!("--at {example}"),
                "the heap after that collection",
            ),
            ("leaks", "", "what leaks, and how fast"),
        ],
    )
}

fn write_outline(out: &mut TextLines, report: &TimelineReport) {
    let totals = &report.totals;
    if let (Some(begin), Some(end)) = (report.begin_micros, report.end_micros) {
        let span = end.saturating_sub(begin);
        fact(
            out,
            "time",
            &format!(
                "{:.3} s of events, from {:.3} s after the start",
                span as f64 / 1e6,
                begin as f64 / 1e6
            ),
        );
        let rate =
            (span > 0).then(|| totals.allocated.bytes.unsigned_abs() as f64 * 1e6 / span as f64);
        let rate = rate.map_or_else(String::new, |rate| {
            format!(", {}/s on average", short_bytes(rate as u64))
        });
        fact(
            out,
            "allocated",
            &format!(
                "{} in {}{rate}",
                bytes(totals.allocated.bytes),
                counted(totals.allocated.count, "object")
            ),
        );
        if totals.collections > 0 {
            let text = format!(
                "{}, together {} ({}), the longest {}; the agent took {} of it ({})",
                counted(totals.collections, "collection"),
                micros(totals.pause_micros),
                share(totals.pause_micros, span),
                micros(totals.longest_pause_micros),
                micros(totals.walk_micros),
                share(totals.walk_micros, totals.pause_micros)
            );
            fact(out, "pauses", &text);
        }
    } else {
        fact(
            out,
            "time",
            "not known: no buffer of events was handed over",
        );
    }
    if totals.died.count > 0 {
        fact(
            out,
            "died",
            &bytes_in_objects(totals.died.bytes, totals.died.count),
        );
        fact(
            out,
            "promoted",
            &bytes_in_objects(totals.promoted.bytes, totals.promoted.count),
        );
    }
    if totals.faults > 0 {
        fact(
            out,
            "not known",
            &format!("moves of {}", counted(totals.faults, "collection")),
        );
    }
}

fn write_composition(out: &mut TextLines, report: &TimelineReport) {
    if report.moments.is_empty() {
        return;
    }
    let top = report.head.asked.top.unwrap_or(DEFAULT_TOP);
    let types = report
        .types
        .iter()
        .take(top)
        .map(|row| (row.ty.clone(), &row.layer));
    layers(
        out,
        "LIVE HEAP over the collections, by type",
        types.chain([("(all others)".to_owned(), &report.other_types)]),
    );
    let sites = report.sites.iter().take(top).map(|row| {
        (
            format!("{}  {}", row.place.location, row.place.made()),
            &row.layer,
        )
    });
    let without = report
        .unattributed
        .iter()
        .map(|layer| (WITHOUT_EVENT.to_owned(), layer));
    layers(
        out,
        "LIVE HEAP over the collections, by site",
        sites
            .chain(without)
            .chain([("(all others)".to_owned(), &report.other_sites)]),
    );
}

fn layers<'a>(
    out: &mut TextLines,
    title: &str,
    rows: impl Iterator<Item = (String, &'a LayerDoc)>,
) {
    section(out, title);
    Table::<(String, &LayerDoc)>::new()
        .in_text("first", Unit::ShortBytes, |row| {
            row.1.sizes.first().copied()
        })
        .in_text("most", Unit::ShortBytes, |row| {
            row.1.sizes.iter().max().copied()
        })
        .in_text("last", Unit::ShortBytes, |row| row.1.sizes.last().copied())
        .in_text("bytes over time", Unit::Text, |row| {
            sparkline(&row.1.sizes, WIDTH)
        })
        .in_text("name", Unit::Text, |row| row.0.clone())
        .write(
            out,
            rows.filter(|(_, layer)| layer.sizes.iter().any(|size| *size > 0)),
        );
}

fn write_collections(out: &mut TextLines, report: &TimelineReport) {
    let all = report.collections.len();
    section(out, &format!("COLLECTIONS ({})", shown_of(all, report)));
    if all == 0 {
        out.push_str("  none was recorded\n");
        return;
    }
    let table = table(report);
    let mut text = table.text();
    for at in chosen(all, report) {
        match report.collections.get(at) {
            Some(point) => text.row(point),
            None => text.gap(),
        }
    }
    text.write(out);
}

/// Rows shown of all collections: half of them from the start, half from the end.
fn ends(all: usize, report: &TimelineReport) -> Option<(usize, usize)> {
    let top = report.head.asked.top.unwrap_or(DEFAULT_TOP);
    (all > top).then_some((top.div_ceil(2), top / 2))
}

fn shown_of(all: usize, report: &TimelineReport) -> String {
    match ends(all, report) {
        Some((first, last)) => format!(
            "the first {first} and the last {last} of {}",
            grouped(all as u64)
        ),
        None => counted(all as u64, "collection"),
    }
}

/// Positions of the rows; one that is none stands for what is left out.
fn chosen(all: usize, report: &TimelineReport) -> Vec<usize> {
    match ends(all, report) {
        Some((first, last)) => (0..first)
            .chain([usize::MAX])
            .chain(all - last..all)
            .collect(),
        None => (0..all).collect(),
    }
}
