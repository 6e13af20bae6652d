//! For a terminal: types, sites with their ages, threads, spaces, ages.

use std::borrow::Cow;

use super::document::{HeapMoment, HeapReport, LayoutFieldDoc, SpaceDoc};
use super::table::{Live, table};
use crate::event_trace::amounts::sum;
use crate::event_trace::block_bars::bar;
use crate::event_trace::callers;
use crate::event_trace::place::WITHOUT_EVENT;
use crate::event_trace::site_line::SiteLine;
use crate::event_trace::text_parts::{after, cut, head, next_commands, trouble};
use crate::event_trace::{DEFAULT_TOP, survived};
use crate::json::{AmountDoc, ThreadDoc, TypeDoc};
use crate::quantity::{average, bytes, bytes_in_objects, counted, share};
use crate::table::{Table, Unit, Value};
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
    let mut types: Vec<TypeDoc> = report.types.iter().take(shown).cloned().collect();
    if all > shown {
        let listed = sum(types.iter().map(AmountDoc::of_type));
        types.push(TypeDoc {
            ty: more(all - shown, "type"),
            count: report.selected.count - listed.count,
            bytes: report.selected.bytes - listed.bytes,
        });
    }
    let whole = report.selected.bytes;
    Table::<TypeDoc>::new()
        .in_text("bytes", Unit::Bytes, |row| row.bytes)
        .in_text("share", Unit::Share, |row| Value::share(row.bytes, whole))
        .in_text("objects", Unit::Objects, |row| row.count)
        .in_text("average", Unit::Average, |row| {
            average(row.bytes, row.count)
        })
        .in_text("type", Unit::Text, |row| row.ty.clone())
        .write(out, types);
}

/// Where objects of the types asked for have their fields.
fn write_layouts(out: &mut TextLines, report: &HeapReport) {
    for layout in report.layouts.iter().take(top(report, LAYOUTS)) {
        let size = layout.bytes.map_or_else(
            || "each object has its own size".to_owned(),
            |size| bytes(i64::from(size)),
        );
        section(out, &format!("FIELDS of {} ({size})", layout.ty));
        Table::<LayoutFieldDoc>::new()
            .in_text("offset", Unit::Number, |row| row.offset.to_string())
            .in_text("type", Unit::Text, |row| row.ty.clone())
            .in_text("field", Unit::Text, |row| row.name.clone())
            .in_text("declared by", Unit::Text, |row| row.declared_by.clone())
            .write(out, &layout.fields);
    }
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
    let table = table(report);
    let mut text = table.text();
    let part = |amount: AmountDoc| {
        Cow::Owned(Live {
            count: amount.count,
            bytes: amount.bytes,
            ages: None,
        })
    };
    for site in report.sites.iter().take(shown) {
        let (place, live) = (&site.place, &site.live);
        let made = match live.types.as_slice() {
            [one] => one.ty.as_str(),
            _ => place.made(),
        };
        let name = format!(
            "{} ({}{})",
            place.location,
            place.kind,
            loaders(site.loaders)
        );
        text.row(&SiteLine {
            ty: made.to_owned(),
            ..SiteLine::named(name, Live::of(live))
        });
        for (caller, name) in callers::amount_lines(&live.context) {
            text.row(&SiteLine::named(name, part(caller)));
        }
    }
    if all > shown {
        let listed = report.sites.iter().take(shown).map(|site| &site.live);
        let listed = listed.chain(&report.unattributed);
        let rest = listed.fold(report.selected, |rest, live| AmountDoc {
            count: rest.count - live.count,
            bytes: rest.bytes - live.bytes,
        });
        text.row(&SiteLine::named(more(all - shown, "site"), part(rest)));
    }
    if let Some(live) = &report.unattributed {
        text.row(&SiteLine::named(WITHOUT_EVENT, Live::of(live)));
    }
    text.write(out);
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
    Table::<ThreadDoc>::new()
        .in_text("bytes", Unit::Bytes, |row| row.bytes)
        .in_text("share", Unit::Share, |row| {
            Value::share(row.bytes, report.total.bytes)
        })
        .in_text("objects", Unit::Objects, |row| row.count)
        .in_text("thread", Unit::Text, |row| row.name.clone())
        .write(out, report.threads.iter().take(shown));
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
    let ages = report.ages.iter().copied().enumerate();
    Table::<(usize, u64)>::new()
        .in_text("survived", Unit::Number, |row| survived(row.0))
        .in_text("objects", Unit::Objects, |row| row.1)
        .in_text("share", Unit::Share, |row| Value::share(row.1, whole))
        .in_text("", Unit::Text, |row| bar(row.1, most, 40))
        .write(out, ages.filter(|(_, count)| *count > 0));
}

fn write_spaces(out: &mut TextLines, report: &HeapReport) {
    if report.spaces.is_empty() {
        return;
    }
    section(out, "SPACES of the whole heap");
    Table::<SpaceDoc>::new()
        .in_text("kind", Unit::Text, |row| row.kind.clone())
        .in_text("areas", Unit::Count, |row| row.areas)
        .in_text("used", Unit::Bytes, |row| row.used)
        .in_text("live", Unit::Bytes, |row| row.bytes)
        .in_text("objects", Unit::Objects, |row| row.count)
        .in_text("live share", Unit::Share, |row| {
            Value::share(row.bytes, row.used)
        })
        .write(out, &report.spaces);
}
