//! For a terminal: types, sites with their ages, threads, spaces, ages.

use super::document::{HeapMoment, HeapReport};
use crate::event_trace::block_bars::{bar, shares};
use crate::event_trace::callers;
use crate::event_trace::place::WITHOUT_EVENT;
use crate::event_trace::text_parts::{after, cut, head, next_commands, trouble};
use crate::event_trace::{AGES_SHOWN, DEFAULT_TOP, survived};
use crate::json::AmountDoc;
use crate::quantity::{average, bytes, bytes_in_objects, counted, grouped, objects, share};
use crate::table::Printed;
use crate::text::next_command::NextCommand;
use crate::text::table::more;
use crate::text::{fact, section};
use crate::text_lines::TextLines;

/// Classes whose fields are shown when the filter does not say how many rows.
const LAYOUTS: usize = 5;
/// Threads shown when the filter does not say how many rows.
const THREADS: usize = 10;

pub(super) fn write(report: &HeapReport, out: &mut TextLines) {
    head(out, "heap", &report.head);
    write_moment(out, report);
    write_types(out, report);
    write_layouts(out, report);
    write_sites(out, report);
    write_threads(out, report);
    write_ages(out, report);
    write_spaces(out, report);
    trouble(out, &report.head);
}

pub(super) fn next(report: &HeapReport) -> Vec<NextCommand> {
    next_commands(
        &report.head,
        &[
            (
                "heap",
                "--format html -o heap.html",
                "treemap and table in a browser",
            ),
            ("lifetimes", "", "how long the objects of each site live"),
            ("leaks", "", "what leaks, and how fast"),
        ],
    )
}

fn write_moment(out: &mut TextLines, report: &HeapReport) {
    let at = report
        .micros
        .map_or_else(String::new, |micros| format!(", {}", after(micros)));
    let moment = match (report.at, report.collection) {
        (HeapMoment::End, Some(collection)) => format!(
            "the end of the trace{at}: what collection {collection} left, and everything allocated since"
        ),
        (HeapMoment::End, None) => {
            format!("the end of the trace{at}: everything allocated, there was no collection")
        }
        (moment, _) => format!("after collection {moment}{at}"),
    };
    fact(out, "moment", &moment);
    if report.head.asked.is_partial() {
        fact(out, "whole heap", &amount(report.total));
    }
    fact(out, "live", &amount(report.selected));
    if report.not_yet_collected.count > 0 {
        let text = format!(
            "{}: no collection has looked yet, some may be dead",
            amount(report.not_yet_collected)
        );
        fact(out, "of the heap", &text);
    }
    let quality = &report.quality;
    let text = format!(
        "{} of {}",
        share(quality.with_site, quality.objects),
        counted(quality.objects, "object")
    );
    fact(out, "site known", &text);
}

fn amount(amount: AmountDoc) -> String {
    bytes_in_objects(amount.bytes, amount.count)
}

fn top(report: &HeapReport, default: usize) -> usize {
    report.head.asked.top.unwrap_or(default)
}

fn write_types(out: &mut TextLines, report: &HeapReport) {
    let shown = top(report, DEFAULT_TOP).min(report.types.len());
    let all = usize::try_from(report.rows.types).unwrap_or(usize::MAX);
    section(
        out,
        &format!(
            "TYPES ({})",
            cut(shown, all, "type", &report.head.filter.sort)
        ),
    );
    let mut table = Printed::new([">bytes", ">share", ">objects", ">average", "type"]);
    for row in report.types.iter().take(shown) {
        table.row([
            bytes(row.bytes),
            share(row.bytes, report.selected.bytes),
            objects(row.count),
            average(row.bytes, row.count),
            row.ty.clone(),
        ]);
    }
    let listed = report
        .types
        .iter()
        .take(shown)
        .map(|row| (row.count, row.bytes));
    write_rest(&mut table, report, listed, all - shown.min(all), "type");
    table.write(out);
}

/// Where objects of the types asked for have their fields.
fn write_layouts(out: &mut TextLines, report: &HeapReport) {
    for layout in report.layouts.iter().take(top(report, LAYOUTS)) {
        let size = layout.bytes.map_or_else(
            || "each object has its own size".to_owned(),
            |size| bytes(i64::from(size)),
        );
        section(out, &format!("FIELDS of {} ({size})", layout.ty));
        let mut table = Printed::new([">offset", "type", "field", "declared by"]);
        for field in &layout.fields {
            table.row([
                field.offset.to_string(),
                field.ty.clone(),
                field.name.clone(),
                field.declared_by.clone(),
            ]);
        }
        table.write(out);
    }
}

/// The line for what a table does not show: `more` rows.
fn write_rest(
    table: &mut Printed,
    report: &HeapReport,
    shown: impl Iterator<Item = (i64, i64)>,
    left_out: usize,
    what: &str,
) {
    if left_out == 0 {
        return;
    }
    let (count, size) = shown.fold(
        (report.selected.count, report.selected.bytes),
        |rest, row| (rest.0 - row.0, rest.1 - row.1),
    );
    table.row([
        bytes(size),
        share(size, report.selected.bytes),
        objects(count),
        average(size, count),
        more(left_out, what),
    ]);
}

fn write_sites(out: &mut TextLines, report: &HeapReport) {
    let shown = top(report, DEFAULT_TOP).min(report.sites.len());
    let all = usize::try_from(report.rows.sites).unwrap_or(usize::MAX);
    section(
        out,
        &format!(
            "SITES with the callers to blame, and how many of their objects have survived 0, 1, 2, ... collections ({})",
            cut(shown, all, "site", &report.head.filter.sort)
        ),
    );
    let mut table = Printed::new([
        ">bytes",
        ">share",
        ">objects",
        "survived",
        "type",
        "site (way of allocating)",
    ]);
    let mut row = |size: i64, count: i64, ages: &[u64], made: &str, name: String| {
        let ages = shares(ages, AGES_SHOWN);
        table.row([
            bytes(size),
            share(size, report.selected.bytes),
            objects(count),
            ages,
            made.to_owned(),
            name,
        ]);
    };
    for site in report.sites.iter().take(shown) {
        let (place, live) = (&site.place, &site.live);
        let made = match live.types.as_slice() {
            [one] => one.ty.as_str(),
            _ => place.made(),
        };
        row(
            live.bytes,
            live.count,
            &live.ages,
            made,
            format!(
                "{} ({}{})",
                place.location,
                place.kind,
                loaders(site.loaders)
            ),
        );
        for (caller, name) in callers::amount_lines(&live.context) {
            row(caller.bytes, caller.count, &[], "", name);
        }
    }
    if all > shown {
        let listed = report.sites.iter().take(shown);
        let rest = listed.fold(report.selected, |rest, site| AmountDoc {
            count: rest.count - site.live.count,
            bytes: rest.bytes - site.live.bytes,
        });
        let rest = report.unattributed.as_ref().map_or(rest, |part| AmountDoc {
            count: rest.count - part.count,
            bytes: rest.bytes - part.bytes,
        });
        row(rest.bytes, rest.count, &[], "", more(all - shown, "site"));
    }
    if let Some(part) = &report.unattributed {
        row(
            part.bytes,
            part.count,
            &part.ages,
            "",
            WITHOUT_EVENT.to_owned(),
        );
    }
    table.write(out);
}

/// How many loaders the class came from, where it was not one.
fn loaders(loaders: u32) -> String {
    match loaders {
        0 | 1 => String::new(),
        many => format!("; its class from {many} loaders"),
    }
}

fn write_threads(out: &mut TextLines, report: &HeapReport) {
    if report.threads.is_empty() {
        return;
    }
    let shown = top(report, THREADS).min(report.threads.len());
    section(
        out,
        &format!(
            "THREADS that allocated them ({})",
            cut(
                shown,
                report.threads.len(),
                "thread",
                &report.head.filter.sort
            )
        ),
    );
    let mut table = Printed::new([">bytes", ">share", ">objects", "thread"]);
    for row in report.threads.iter().take(shown) {
        table.row([
            bytes(row.bytes),
            share(row.bytes, report.total.bytes),
            objects(row.count),
            row.name.clone(),
        ]);
    }
    table.write(out);
}

fn write_ages(out: &mut TextLines, report: &HeapReport) {
    let whole = report
        .ages
        .iter()
        .fold(0_u64, |sum, count| sum.saturating_add(*count));
    if whole == 0 {
        return;
    }
    section(out, "AGES, in collections survived");
    let most = report.ages.iter().copied().max().unwrap_or(0);
    let mut table = Printed::new([">survived", ">objects", ">share", ""]);
    for (age, count) in report
        .ages
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
    {
        table.row([
            survived(age),
            objects(*count),
            share(*count, whole),
            bar(*count, most, 40),
        ]);
    }
    table.write(out);
}

fn write_spaces(out: &mut TextLines, report: &HeapReport) {
    if report.spaces.is_empty() {
        return;
    }
    section(out, "SPACES of the whole heap");
    let mut table = Printed::new([
        "kind",
        ">areas",
        ">used",
        ">live",
        ">objects",
        ">live share",
    ]);
    for space in &report.spaces {
        table.row([
            space.kind.clone(),
            grouped(space.areas),
            bytes(space.used),
            bytes(space.bytes),
            objects(space.count),
            share(space.bytes, space.used),
        ]);
    }
    table.write(out);
}
