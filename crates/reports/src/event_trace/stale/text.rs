//! For a terminal: levels, the trend, types and sites.

use super::build::stale_of;
use super::document::{StalePartDoc, StaleReport};
use crate::event_trace::DEFAULT_TOP;
use crate::event_trace::block_bars::{bar, shares, sparkline};
use crate::event_trace::place::WITHOUT_EVENT;
use crate::event_trace::text_parts::{after, cut, head, next_commands, trouble};
use crate::json::CallerDoc;
use crate::quantity::{bytes, bytes_in_objects, counted, objects, share};
use crate::table::Printed;
use crate::text::next_command::NextCommand;
use crate::text::table::more;
use crate::text::{CALLERS, WITHOUT_CALLER, fact, section};
use crate::text_lines::TextLines;

/// Characters of a trend.
const TREND: usize = 40;
/// Levels that fit into a table's column.
const LEVELS: usize = 12;

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
    let mut table = Printed::new([
        ">collections",
        ">bytes",
        ">share",
        ">objects",
        "",
        "trend of the whole heap",
    ]);
    for (at, level) in report.staleness.iter().enumerate() {
        let of_level = report.points.iter().map(|point| {
            let level = point.staleness.get(at);
            level.map_or(0, |level| level.bytes.unsigned_abs())
        });
        let trend: Vec<u64> = of_level.collect();
        table.row([
            level.level.clone(),
            bytes(level.bytes),
            share(level.bytes, report.selected.bytes),
            objects(level.count),
            bar(level.bytes.unsigned_abs(), most, 20),
            sparkline(&trend, TREND),
        ]);
    }
    table.write(out);
}

/// The columns that all rows have.
fn columns(part: &StalePartDoc) -> [String; 4] {
    let levels = part
        .staleness
        .iter()
        .map(|level| level.bytes.unsigned_abs());
    let levels: Vec<u64> = levels.collect();
    [
        bytes(stale_of(&part.staleness).bytes),
        bytes(part.bytes),
        objects(part.count),
        shares(&levels, LEVELS),
    ]
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
    let mut table = Printed::new([">stale", ">live", ">objects", "0 1 2-3 ..", "type"]);
    for row in report.types.iter().take(shown) {
        let [stale, live, count, levels] = columns(&row.part);
        table.row([stale, live, count, levels, row.ty.clone()]);
    }
    if all > shown {
        table.row(rest(more(all - shown, "type")));
    }
    table.write(out);
}

fn by(report: &StaleReport) -> String {
    format!("stale {}", report.head.filter.sort)
}

fn rest(name: String) -> [String; 5] {
    let [stale, live, count, levels] = Default::default();
    [stale, live, count, levels, name]
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
    let mut table = Printed::new([
        ">stale",
        ">live",
        ">objects",
        "0 1 2-3 ..",
        "site (type, way of allocating)",
    ]);
    for site in report.sites.iter().take(shown) {
        let place = &site.place;
        let made = match site.types.as_slice() {
            [one] => one.ty.as_str(),
            _ => place.made(),
        };
        let [stale, live, count, levels] = columns(&site.part);
        let name = format!("{} ({made}, {})", place.location, place.kind);
        table.row([stale, live, count, levels, name]);
        for context in site.context.iter().take(CALLERS) {
            let [stale, live, count, levels] = columns(&context.part);
            table.row([stale, live, count, levels, caller_name(&context.caller)]);
        }
        if site.context.len() > CALLERS {
            let left_out = more(site.context.len() - CALLERS, "caller");
            table.row(rest(format!("  <- {left_out}")));
        }
    }
    if all > shown {
        table.row(rest(more(all - shown, "site")));
    }
    if let Some(part) = &report.unattributed {
        let [stale, live, count, levels] = columns(part);
        table.row([stale, live, count, levels, WITHOUT_EVENT.to_owned()]);
    }
    table.write(out);
}

fn caller_name(caller: &CallerDoc) -> String {
    match caller.known() {
        Some(caller) => format!("  <- {caller}"),
        None => format!("  {WITHOUT_CALLER}"),
    }
}
