//! For a terminal: verdicts with sparklines, growing ones first.

use super::document::{GroupDoc, GroupSiteDoc, GrowthReport, GrowthRowDoc, GrowthSiteDoc};
use crate::event_trace::block_bars::sparkline;
use crate::event_trace::callers;
use crate::event_trace::columns::Columns;
use crate::event_trace::place::WITHOUT_EVENT;
use crate::event_trace::text_parts::{after, head, next_commands, trouble, wrapped};
use crate::event_trace::{DEFAULT_TOP, signed_rate};
use crate::quantity::{bytes, counted, objects, share};
use crate::text::next_command::NextCommand;
use crate::text::table::more;
use crate::text::{fact, section};
use crate::text_lines::TextLines;

/// Characters of a sparkline.
const WIDTH: usize = 32;
/// Types shown when the filter does not say how many rows.
const TYPES: usize = 10;
/// Groups shown when the filter does not say how many rows, sites of each but its driver, and sites of each window.
const GROUPS: usize = 5;
const FOLLOWERS: usize = 4;
const IN_WINDOWS: usize = 5;

pub(super) fn write(report: &GrowthReport, out: &mut TextLines) {
    head(out, "growth", &report.head);
    fact(
        out,
        "collections",
        &crate::quantity::grouped(report.collections),
    );
    if let Some(stretches) = report.head.knowledge.stretches() {
        let text = format!(
            "after {stretches}: each stretch has a verdict of its own, and the last one that is not unknown counts"
        );
        fact(out, "known", &text);
    }
    fact(out, "verdicts", &outline(report));
    fact(out, "old space", &old_space(report));
    write_groups(out, report);
    write_windows(out, report);
    write_sites(out, report);
    write_types(out, report);
    section(out, "HOW A VERDICT IS REACHED");
    for line in wrapped(&report.method, out.sentence_width()) {
        out.push_str(&format!("  {line}\n"));
    }
    trouble(out, &report.head);
}

pub(super) fn next(report: &GrowthReport) -> Vec<NextCommand> {
    next_commands(
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
    )
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
        "of {}{}: {} growing, {} periodic, {} bounded, {} unknown",
        counted(report.rows.sites, "site"),
        match report.unattributed {
            Some(_) => " and the objects without an event",
            None => "",
        },
        all.growing,
        all.periodic,
        all.bounded,
        all.unknown
    )
}

const COLUMNS: [&str; 9] = [
    "verdict",
    ">confidence",
    ">live",
    ">not yet collected",
    ">objects",
    ">per second",
    ">objects per second",
    "live objects over time",
    "name",
];

const LIVE: usize = 2;
const OBJECTS: usize = 4;
const NAME: usize = 8;

/// The word; where there are several stretches, that of each: `bounded, then growing`.
fn verdict(row: &GrowthRowDoc) -> String {
    let all = row.stretches.iter();
    let all: Vec<&str> = all.map(|one| one.judged.verdict.as_str()).collect();
    match all.as_slice() {
        [] if row.judged.may_grow => "unknown (may grow)".to_owned(),
        [] if row.judged.dropped_after.is_some() => {
            format!("{}, dropped at the end", row.judged.verdict)
        }
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
        bytes(row.live.bytes),
        bytes(row.not_yet_collected.bytes),
        objects(row.count),
        format!("{} B", signed_rate(row.judged.bytes_per_second)),
        format!("{} obj", signed_rate(row.judged.objects_per_second)),
        sparkline(&row.counts, WIDTH),
        name,
    ]);
}

/// When a collection last looked at the old space.
fn old_space(report: &GrowthReport) -> String {
    match &report.old_space {
        None => "no collection has looked at it: what was promoted may be dead. Let one look: jcmd PID GC.run".to_owned(),
        Some(look) => format!(
            "last looked at by collection {} ({}), {}",
            look.collection,
            if look.full { "all of it" } else { "some regions" },
            after(look.micros)
        ),
    }
}

fn write_groups(out: &mut TextLines, report: &GrowthReport) {
    if report.groups.is_empty() {
        return;
    }
    let shown = report
        .head
        .asked
        .top
        .unwrap_or(GROUPS)
        .min(report.groups.len());
    section(
        out,
        &format!(
            "WHAT GROWS: sites that rise as one curve, and the likely driver ({shown} of {})",
            counted(report.groups.len() as u64, "group")
        ),
    );
    for (number, group) in (1..).zip(report.groups.iter().take(shown)) {
        let blamed = group.caller.as_ref();
        out.push_str(&format!(
            "  {number}. {}  {} ({} obj/s, {} B/s in all){}\n",
            group.driver.location,
            group.driver.made(),
            signed_rate(group.objects_per_second),
            signed_rate(group.bytes_per_second),
            blamed.map_or_else(String::new, |caller| format!(" <- {caller}")),
        ));
        write_followers(out, group);
    }
}

fn write_followers(out: &mut TextLines, group: &GroupDoc) {
    let others = group.sites.iter().filter(|site| site.place != group.driver);
    let others: Vec<&GroupSiteDoc> = others.collect();
    for site in others.iter().take(FOLLOWERS) {
        out.push_str(&format!(
            "       with each {:.1}  {}  {}\n",
            site.objects_each,
            site.place.location,
            site.place.made()
        ));
    }
    if others.len() > FOLLOWERS {
        out.push_str(&format!(
            "       {}\n",
            more(others.len() - FOLLOWERS, "site")
        ));
    }
}

fn write_windows(out: &mut TextLines, report: &GrowthReport) {
    for (at, window) in report.windows.iter().enumerate() {
        let name = match window.name.as_str() {
            "" => "start",
            name => name,
        };
        section(
            out,
            &format!(
                "FROM {name}: {:.3} to {:.3} s after the start",
                window.from_micros as f64 / 1e6,
                window.until_micros as f64 / 1e6
            ),
        );
        let change = |site: &GrowthSiteDoc| site.row.windows.get(at).map_or(0, |one| one.bytes);
        let mut sites: Vec<&GrowthSiteDoc> = report.sites.iter().collect();
        sites.retain(|site| change(site) != 0);
        sites.sort_by_key(|site| std::cmp::Reverse(change(site)));
        let mut table = Columns::new(&[">more", ">objects more", ">objects per second", "site"]);
        for site in sites.iter().take(IN_WINDOWS) {
            let Some(growth) = site.row.windows.get(at) else {
                continue;
            };
            let rate = growth.objects_per_second.map(signed_rate);
            table.row([
                bytes(growth.bytes),
                objects(growth.count),
                rate.unwrap_or_else(|| "-".to_owned()),
                format!("{}  {}", site.place.location, site.place.made()),
            ]);
        }
        table.write(out);
    }
}

fn thousandths(share: f64) -> i64 {
    (share.clamp(0.0, 1.0) * 1000.0).round() as i64
}

fn write_sites(out: &mut TextLines, report: &GrowthReport) {
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

fn write_types(out: &mut TextLines, report: &GrowthReport) {
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
