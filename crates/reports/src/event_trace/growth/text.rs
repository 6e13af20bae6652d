//! For a terminal: verdicts with sparklines, growing ones first.

use super::document::{GrowthReport, GrowthRowDoc};
use crate::event_trace::block_bars::sparkline;
use crate::event_trace::callers;
use crate::event_trace::columns::Columns;
use crate::event_trace::place::WITHOUT_EVENT;
use crate::event_trace::text_parts::{head, next, trouble};
use crate::event_trace::{DEFAULT_TOP, signed_rate};
use crate::quantity::{bytes, counted, objects, share};
use crate::text::table::more;
use crate::text::{fact, section};

/// Characters of a sparkline.
const WIDTH: usize = 32;
/// Types shown when the filter does not say how many rows.
const TYPES: usize = 10;

pub(super) fn text(report: &GrowthReport) -> String {
    let mut out = String::new();
    head(&mut out, "growth", &report.head);
    fact(
        &mut out,
        "collections",
        &crate::quantity::grouped(report.collections),
    );
    if let Some(stretches) = report.head.knowledge.stretches() {
        let text = format!(
            "behind {stretches}: each stretch has a verdict of its own, and the last one that is not unknown counts"
        );
        fact(&mut out, "known", &text);
    }
    fact(&mut out, "verdicts", &outline(report));
    write_sites(&mut out, report);
    write_types(&mut out, report);
    section(&mut out, "HOW A VERDICT IS REACHED");
    for line in wrapped(&report.method, 110) {
        out.push_str(&format!("  {line}\n"));
    }
    trouble(&mut out, &report.head);
    next(
        &mut out,
        &report.head,
        &[
            (
                "growth",
                "--format html -o growth.html",
                "every site's line in a browser",
            ),
            (
                "heap",
                "--at end",
                "what is alive at the end, and how old it is",
            ),
            ("timeline", "", "what the heap was made of over time"),
        ],
    );
    out
}

fn outline(report: &GrowthReport) -> String {
    if !report.known {
        return "none: the live heap is not known".to_owned();
    }
    if report.collections < report.fewest_collections {
        return format!(
            "none: a verdict needs {} collections, this run has {}",
            report.fewest_collections, report.collections
        );
    }
    let all = &report.verdicts;
    format!(
        "of {}: {} growing, {} periodic, {} bounded, {} unknown",
        counted(report.rows.sites, "site"),
        all.growing,
        all.periodic,
        all.bounded,
        all.unknown
    )
}

const COLUMNS: [&str; 8] = [
    "verdict",
    ">confidence",
    ">live",
    ">objects",
    ">per collection",
    ">objects per collection",
    "live objects over time",
    "name",
];

const LIVE: usize = 2;
const OBJECTS: usize = 3;
const NAME: usize = 7;

/// The word; where there are several stretches, that of each: `bounded, then growing`.
fn verdict(row: &GrowthRowDoc) -> String {
    let all = row.stretches.iter();
    let all: Vec<&str> = all.map(|one| one.judged.verdict.as_str()).collect();
    match all.as_slice() {
        [] => row.judged.verdict.clone(),
        all => all.join(", then "),
    }
}

fn row(table: &mut Columns, row: &GrowthRowDoc, name: String) {
    table.row([
        verdict(row),
        if row.judged.verdict == "unknown" {
            "-".to_owned()
        } else {
            share(thousandths(row.judged.confidence), 1000)
        },
        bytes(row.bytes),
        objects(row.count),
        format!("{} B", signed_rate(row.judged.bytes_per_collection)),
        format!("{} obj", signed_rate(row.judged.objects_per_collection)),
        sparkline(&row.counts, WIDTH),
        name,
    ]);
}

fn thousandths(share: f64) -> i64 {
    (share.clamp(0.0, 1.0) * 1000.0).round() as i64
}

fn write_sites(out: &mut String, report: &GrowthReport) {
    let shown = report
        .head
        .asked
        .top
        .unwrap_or(DEFAULT_TOP)
        .min(report.sites.len());
    let all = usize::try_from(report.rows.sites).unwrap_or(usize::MAX);
    section(
        out,
        &format!(
            "SITES with the callers to blame, growing ones first, steepest first ({shown} of {})",
            counted(report.rows.sites, "site")
        ),
    );
    let mut table = Columns::new(&COLUMNS);
    for site in report.sites.iter().take(shown) {
        row(
            &mut table,
            &site.row,
            format!(
                "{}  {} ({})",
                site.place.location,
                site.place.made(),
                site.place.kind
            ),
        );
        for (caller, name) in callers::amount_lines(&site.context) {
            let mut cells = COLUMNS.map(|_| String::new());
            cells[LIVE] = bytes(caller.bytes);
            cells[OBJECTS] = objects(caller.count);
            cells[NAME] = name;
            table.row(cells);
        }
    }
    if let Some(part) = &report.unattributed {
        row(&mut table, part, WITHOUT_EVENT.to_owned());
    }
    table.write(out);
    if all > shown {
        out.push_str(&format!("  {}\n", more(all - shown, "site")));
    }
}

fn write_types(out: &mut String, report: &GrowthReport) {
    if report.types.is_empty() {
        return;
    }
    let shown = report
        .head
        .asked
        .top
        .unwrap_or(TYPES)
        .min(report.types.len());
    let all = usize::try_from(report.rows.types).unwrap_or(usize::MAX);
    section(
        out,
        &format!("TYPES ({shown} of {})", counted(report.rows.types, "type")),
    );
    let mut table = Columns::new(&COLUMNS);
    for ty in report.types.iter().take(shown) {
        row(&mut table, &ty.row, ty.ty.clone());
    }
    table.write(out);
    if all > shown {
        out.push_str(&format!("  {}\n", more(all - shown, "type")));
    }
}

/// Words in lines of at most `width` characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
