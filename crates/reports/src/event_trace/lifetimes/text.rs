//! For a terminal: the whole run's lifetimes, the sites, and the medium-lived ones.

use std::borrow::Cow;

use super::document::{LifetimeContextDoc, LifetimeDoc, LifetimesReport};
use super::table::table;
use crate::event_trace::amounts::signed;
use crate::event_trace::block_bars::{bar, shares};
use crate::event_trace::callers;
use crate::event_trace::site_line::SiteLine;
use crate::event_trace::text_parts::{cut, head, next_commands, trouble};
use crate::event_trace::{AGES_SHOWN, DEFAULT_TOP, survived};
use crate::json::AmountDoc;
use crate::quantity::{bytes_in_objects, counted, share};
use crate::table::{Table, Unit, Value};
use crate::text::next_command::NextCommand;
use crate::text::table::more;
use crate::text::{fact, section};
use crate::text_lines::TextLines;

/// Medium-lived sites shown when the filter does not say how many rows.
const MEDIUM: usize = 10;

pub(super) fn write(report: &LifetimesReport, out: &mut TextLines) {
    head(out, "lifetimes", &report.head);
    write_outline(out, report);
    if report.known {
        write_deaths(out, &report.selected);
        write_until_death(out, &report.selected);
    }
    write_sites(out, report);
    write_medium(out, report);
    trouble(out, &report.head);
}

pub(super) fn next(report: &LifetimesReport) -> Vec<NextCommand> {
    next_commands(
        &report.head,
        &[
            (
                "lifetimes",
                "--format html -o lifetimes.html",
                "survival by site in a browser",
            ),
            ("timeline", "", "what the heap was made of over time"),
            ("heap", "--at end", "what is alive at the end"),
        ],
    )
}

fn write_outline(out: &mut TextLines, report: &LifetimesReport) {
    fact(
        out,
        "collections",
        &crate::quantity::grouped(report.collections),
    );
    if report.head.asked.is_partial() {
        fact(
            out,
            "whole run",
            &amount(report.total.count, report.total.bytes),
        );
    }
    let all = &report.selected;
    fact(out, "on the heap", &amount(all.count, all.bytes));
    if all.eliminated > 0 {
        let text = format!(
            "{} more: the JIT removed them",
            counted(all.eliminated, "object")
        );
        fact(out, "eliminated", &text);
    }
    if !report.known {
        return;
    }
    if let Some(stretches) = report.head.knowledge.stretches() {
        let text = format!(
            "after {stretches}: what follows is about objects made there, as long as the heap was known"
        );
        fact(out, "known", &text);
    }
    if all.unknown_fate.count > 0 {
        let text = format!(
            "{}: made, or alive, where the heap was not known",
            amounts(all.unknown_fate)
        );
        fact(out, "fate unknown", &text);
    }
    let young = all.died_young();
    fact(
        out,
        "died young",
        &format!(
            "{} before their first collection ({})",
            counted(young, "object"),
            share(signed(young), all.told())
        ),
    );
    fact(
        out,
        "medium-lived",
        &format!(
            "{} promoted and dead later ({} of what was promoted)",
            amounts(all.died_promoted),
            share(all.died_promoted.bytes, all.promoted.bytes)
        ),
    );
    fact(
        out,
        "alive",
        &format!("{} at the last collection", amounts(all.alive)),
    );
    if all.not_yet_collected.count > 0 {
        fact(
            out,
            "since then",
            &format!(
                "{}: no collection has looked yet",
                amounts(all.not_yet_collected)
            ),
        );
    }
}

fn amount(count: i64, size: i64) -> String {
    bytes_in_objects(size, count)
}

fn amounts(sum: AmountDoc) -> String {
    amount(sum.count, sum.bytes)
}

fn write_deaths(out: &mut TextLines, all: &LifetimeDoc) {
    section(out, "DEATHS, by collections survived");
    let most = all.died.iter().copied().max().unwrap_or(0);
    let bars = bar_width(out);
    let all_died = all.died.iter().copied().enumerate();
    Table::<(usize, u64)>::new()
        .in_text("survived", Unit::Number, |row| survived(row.0))
        .in_text("objects", Unit::Objects, |row| row.1)
        .in_text("share", Unit::Share, |row| Value::share(row.1, all.told()))
        .in_text("bytes", Unit::Bytes, |row| {
            all.died_bytes.get(row.0).copied().unwrap_or(0)
        })
        .in_text("", Unit::Text, |row| bar(row.1, most, bars))
        .write(out, all_died.filter(|(_, count)| *count > 0));
}

/// Letters of the longest bar.
fn bar_width(out: &TextLines) -> u64 {
    match out.width() {
        Some(width) if width < 100 => 24,
        _ => 40,
    }
}

fn write_until_death(out: &mut TextLines, all: &LifetimeDoc) {
    if all.bytes_until_death.iter().all(|count| *count == 0) {
        return;
    }
    section(
        out,
        "BYTES that the program allocated from birth to death (at most)",
    );
    let dead = all
        .bytes_until_death
        .iter()
        .fold(0_u64, |sum, count| sum.saturating_add(*count));
    let most = all.bytes_until_death.iter().copied().max().unwrap_or(0);
    let bars = bar_width(out);
    let below = |entry: usize| {
        let bits = u32::try_from(entry).ok();
        bits.and_then(|bits| 1_u64.checked_shl(bits))
            .unwrap_or(u64::MAX)
    };
    let deaths = all.bytes_until_death.iter().copied().enumerate();
    Table::<(usize, u64)>::new()
        .in_text("below", Unit::ShortBytes, |row| below(row.0))
        .in_text("objects", Unit::Objects, |row| row.1)
        .in_text("share", Unit::Share, |row| Value::share(row.1, dead))
        .in_text("", Unit::Text, |row| bar(row.1, most, bars))
        .write(out, deaths.filter(|(_, count)| *count > 0));
}

fn write_sites(out: &mut TextLines, report: &LifetimesReport) {
    let top = report.head.asked.top.unwrap_or(DEFAULT_TOP);
    let shown = top.min(report.sites.len());
    let all = usize::try_from(report.rows.sites).unwrap_or(usize::MAX);
    section(
        out,
        &format!(
            "SITES with the callers to blame, and how many of their objects died after having survived 0, 1, 2, ... collections ({})",
            cut(shown, all, "site", &report.head.filter.sort)
        ),
    );
    let table = table(report);
    let mut text = table.text();
    for site in report.sites.iter().take(shown) {
        text.row(&SiteLine::site(&site.place, &site.lives));
        for (lives, name) in caller_lines(site.context.iter()) {
            text.row(&SiteLine::named(name, Cow::Owned(lives)));
        }
    }
    if let Some(line) = SiteLine::without_site(report.unattributed.as_ref()) {
        text.row(&line);
    }
    text.write(out);
    if all > shown {
        out.push_str(&format!("  {}\n", more(all - shown, "site")));
    }
}

/// Sites whose objects are promoted and then die: the copy and the room in the old space were for nothing.
fn write_medium(out: &mut TextLines, report: &LifetimesReport) {
    let mut sites: Vec<_> = report
        .sites
        .iter()
        .filter(|site| site.lives.died_promoted.count > 0)
        .collect();
    if sites.is_empty() {
        return;
    }
    sites.sort_by_key(|site| {
        std::cmp::Reverse((
            site.lives.died_promoted.bytes,
            site.lives.died_promoted.count,
        ))
    });
    let shown = report.head.asked.top.unwrap_or(MEDIUM).min(sites.len());
    section(
        out,
        &format!(
            "MEDIUM-LIVED: promoted, and dead later ({})",
            cut(shown, sites.len(), "site", "bytes")
        ),
    );
    let table = Table::<SiteLine<'_, LifetimeDoc>>::new()
        .in_text("bytes", Unit::Bytes, |row| row.part.died_promoted.bytes)
        .in_text("objects", Unit::Objects, |row| row.part.died_promoted.count)
        .in_text("of promoted", Unit::Share, |row| {
            Value::share(row.part.died_promoted.bytes, row.part.promoted.bytes)
        })
        .in_text("died after", Unit::Text, |row| {
            shares(&row.part.promoted_died, AGES_SHOWN)
        })
        .in_text("type", Unit::Text, |row| row.ty.clone())
        .in_text("site", Unit::Text, |row| row.name.clone());
    let mut text = table.text();
    for site in sites.iter().take(shown) {
        text.row(&SiteLine::site(&site.place, &site.lives));
        let mut callers: Vec<_> = site.context.iter().collect();
        callers.retain(|part| part.lives.died_promoted.count > 0);
        callers.sort_by_key(|part| std::cmp::Reverse(part.lives.died_promoted.bytes));
        for (lives, name) in caller_lines(callers.into_iter()) {
            text.row(&SiteLine::named(name, Cow::Owned(lives)));
        }
    }
    text.write(out);
}

/// The callers in this order, with their names.
fn caller_lines<'a>(
    parts: impl Iterator<Item = &'a LifetimeContextDoc>,
) -> Vec<(LifetimeDoc, String)> {
    let parts = parts.map(|part| (&part.caller, part.lives.clone()));
    callers::lines(parts, |rest| LifetimeDoc::together(rest.iter()))
}
