//! For a terminal: levels, the trend, types and sites.

use std::borrow::Cow;

use super::document::{LevelDoc, StaleReport};
use super::table::table;
use crate::event_trace::DEFAULT_TOP;
use crate::event_trace::block_bars::{bar, sparkline};
use crate::event_trace::site_line::SiteLine;
use crate::event_trace::text_parts::{after, cut, head, next_commands, trouble};
use crate::json::CallerDoc;
use crate::quantity::{bytes, bytes_in_objects, counted, share};
use crate::table::{Table, Unit, Value};
use crate::text::next_command::NextCommand;
use crate::text::table::more;
use crate::text::{CALLERS, WITHOUT_CALLER, fact, section};
use crate::text_lines::TextLines;

/// Characters of a trend.
const TREND: usize = 40;

pub(super) fn write(report: &StaleReport, out: &mut TextLines) {
    head(out, "heap --stale", &report.head);
    write_moment(out, report);
    write_levels(out, report);
    write_types(out, report);
    write_sites(out, report);
    trouble(out, &report.head);
}

pub(super) fn next(report: &StaleReport) -> Vec<NextCommand> {
    next_commands(
        &report.head,
        &[
            (
                "heap",
                "--stale --format html -o stale.html",
                "bytes by staleness over time, in a browser",
            ),
            ("leaks", "", "what leaks, and how fast"),
            ("heap", "", "everything that is alive"),
        ],
    )
}

/// The gaps in the knowledge of latest uses.
pub(super) fn until(report: &StaleReport) -> Option<String> {
    (report.all_until < report.collection).then(|| {
        format!(
            "uses after collection {} of objects that no collection has collected since (--at {} is complete)",
            report.all_until, report.all_until
        )
    })
}

fn write_moment(out: &mut TextLines, report: &StaleReport) {
    let at = report
        .micros
        .map_or_else(String::new, |micros| format!(", {}", after(micros)));
    fact(
        out,
        "moment",
        &format!("after collection {}{at}", report.collection),
    );
    if report.since > 0 {
        let text = format!("are known from collection {} on", report.since);
        fact(out, "uses", &text);
    }
    if let Some(until) = until(report) {
        fact(out, "not known", &until);
    }
    let live = &report.selected;
    let text = bytes_in_objects(live.bytes, live.count);
    fact(out, "live", &text);
    let text = format!(
        "{} in {}, {} of the bytes: not used for {} collections or more",
        bytes(report.stale.bytes),
        counted(report.stale.count, "object"),
        share(report.stale.bytes, live.bytes),
        report.stale_from
    );
    fact(out, "stale", &text);
}

fn write_levels(out: &mut TextLines, report: &StaleReport) {
    section(
        out,
        "STALENESS: collections without a use, and how the bytes of each level developed",
    );
    let most = report.staleness.iter().map(|level| level.bytes).max();
    let most = most.unwrap_or(0).unsigned_abs();
    let trend = |at: usize| {
        let levels = report.points.iter().map(|point| point.staleness.get(at));
        let sizes = levels.map(|level| level.map_or(0, |level| level.bytes.unsigned_abs()));
        sparkline(&sizes.collect::<Vec<u64>>(), TREND)
    };
    Table::<(usize, &LevelDoc)>::new()
        .in_text("collections", Unit::Number, |row| row.1.level.clone())
        .in_text("bytes", Unit::Bytes, |row| row.1.bytes)
        .in_text("share", Unit::Share, |row| {
            Value::share(row.1.bytes, report.selected.bytes)
        })
        .in_text("objects", Unit::Objects, |row| row.1.count)
        .in_text("", Unit::Text, |row| {
            bar(row.1.bytes.unsigned_abs(), most, 20)
        })
        .in_text("trend of the whole heap", Unit::Text, |row| trend(row.0))
        .write(out, report.staleness.iter().enumerate());
}

fn write_types(out: &mut TextLines, report: &StaleReport) {
    if report.types.is_empty() {
        return;
    }
    let shown = report.head.asked.top.unwrap_or(DEFAULT_TOP / 2);
    let shown = shown.min(report.types.len());
    let all = usize::try_from(report.rows.types).unwrap_or(usize::MAX);
    section(
        out,
        &format!("TYPES ({})", cut(shown, all, "type", &by(report))),
    );
    let table = table(report).without_last();
    let mut text = table.text();
    for row in report.types.iter().take(shown) {
        text.row(&SiteLine::of_type(&row.ty, &row.part));
    }
    if all > shown {
        text.note(more(all - shown, "type"));
    }
    text.write(out);
}

fn by(report: &StaleReport) -> String {
    format!("stale {}", report.head.filter.sort)
}

fn write_sites(out: &mut TextLines, report: &StaleReport) {
    let shown = report.head.asked.top.unwrap_or(DEFAULT_TOP);
    let shown = shown.min(report.sites.len());
    let all = usize::try_from(report.rows.sites).unwrap_or(usize::MAX);
    section(
        out,
        &format!(
            "SITES with the callers to blame ({})",
            cut(shown, all, "site", &by(report))
        ),
    );
    let table = table(report);
    let mut text = table.text();
    for site in report.sites.iter().take(shown) {
        text.row(&SiteLine {
            ty: match site.types.as_slice() {
                [one] => one.ty.clone(),
                _ => site.place.made().to_owned(),
            },
            ..SiteLine::site(&site.place, &site.part)
        });
        for context in site.context.iter().take(CALLERS) {
            let part = Cow::Borrowed(&context.part);
            text.row(&SiteLine::named(caller_name(&context.caller), part));
        }
        if site.context.len() > CALLERS {
            let left_out = more(site.context.len() - CALLERS, "caller");
            text.note(format!("  <- {left_out}"));
        }
    }
    if all > shown {
        text.note(more(all - shown, "site"));
    }
    if let Some(line) = SiteLine::without_site(report.unattributed.as_ref()) {
        text.row(&line);
    }
    text.write(out);
}

fn caller_name(caller: &CallerDoc) -> String {
    match caller.known() {
        Some(caller) => format!("  <- {caller}"),
        None => format!("  {WITHOUT_CALLER}"),
    }
}
