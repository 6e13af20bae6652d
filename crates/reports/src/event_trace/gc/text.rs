//! For a terminal: what the pauses went into, the sites that cost most, the types.

use std::borrow::Cow;

use super::document::{GcCandidateDoc, GcContextDoc, GcCostDoc, GcReport, PauseKindDoc};
use super::table::table;
use crate::event_trace::DEFAULT_TOP;
use crate::event_trace::amounts::sum;
use crate::event_trace::callers;
use crate::event_trace::site_line::SiteLine;
use crate::event_trace::text_parts::{cut, head, next_commands, trouble, wrapped};
use crate::quantity::{bytes, counted, grouped, micros, share, short_bytes};
use crate::table::{Table, Unit};
use crate::text::next_command::NextCommand;
use crate::text::table::more;
use crate::text::{fact, section};
use crate::text_lines::TextLines;

/// Types shown when the filter does not say how many rows.
const TYPES: usize = 10;

pub(super) fn write(report: &GcReport, out: &mut TextLines) {
    head(out, "cost", &report.head);
    write_outline(out, report);
    write_what_if(out, report);
    write_candidates(out, report);
    write_sites(out, report);
    write_types(out, report);
    section(out, "HOW COSTS ARE WORKED OUT");
    for line in wrapped(&report.method, out.sentence_width()) {
        out.push_str(&format!("  {line}\n"));
    }
    trouble(out, &report.head);
}

pub(super) fn next(report: &GcReport) -> Vec<NextCommand> {
    next_commands(
        &report.head,
        &[
            ("cost", "--format html -o cost.html", "the same with charts"),
            ("lifetimes", "", "how long the objects of each site live"),
            ("timeline", "", "every collection"),
        ],
    )
}

fn write_outline(out: &mut TextLines, report: &GcReport) {
    for kind in &report.pauses {
        fact(out, &report.times, &pauses(kind));
    }
    if report.pauses.is_empty() {
        fact(out, &report.times, "no collection whose moves are known");
    }
    if report.unknown.collections > 0 {
        let text = format!(
            "{}, {}: their moves are not known, and they are in no cost",
            counted(report.unknown.collections, "more collection"),
            micros(report.unknown.pause_micros)
        );
        fact(out, "not known", &text);
    }
    let all = &report.selected;
    let (label, worked) = match report.is_of_cycles() {
        true => ("marked", report.work_bytes()),
        false => ("copied", all.copied.bytes),
    };
    let text = format!(
        "{}, {} of it for objects that died before they were promoted",
        bytes(worked),
        share(all.copied_in_vain, worked.unsigned_abs())
    );
    fact(out, label, &text);
    let text = format!(
        "{} in {}; {} of it was dead when a collection first looked",
        bytes(all.promoted.bytes),
        counted(all.promoted.count, "object"),
        bytes(all.promoted_soon_dead.bytes)
    );
    fact(out, "promoted", &text);
}

fn write_what_if(out: &mut TextLines, report: &GcReport) {
    if report.what_if.is_empty() {
        return;
    }
    let now = micros(report.pause_micros());
    section(
        out,
        &format!("WHAT IF: all {}, {now} in this run", report.times),
    );
    for one in &report.what_if {
        let text = match (one.pause_micros, one.pause_interval, &one.unknown) {
            (Some(pauses), Some([low, high]), _) => {
                let text = format!("{} ({} to {})", micros(pauses), micros(low), micros(high));
                match (low..=high).contains(&report.pause_micros()) {
                    true => text + "; too wide to tell more from less: record a longer run",
                    false => text,
                }
            }
            (_, _, why) => format!("not known: {}", why.as_deref().unwrap_or("")),
        };
        out.push_str(&format!("  {}: {text}\n", one.what));
    }
}

fn write_candidates(out: &mut TextLines, report: &GcReport) {
    if report.candidates.is_empty() {
        return;
    }
    let title = format!(
        "LEAK CANDIDATES: saved if they died when not used for {} collections, of {}",
        report.unused_for,
        micros(report.pause_micros())
    );
    section(out, &title);
    if let Some(at) = report.dump_cut_at {
        let note = format!(
            "the JVM did not finish the dump, it ends at byte {at}: each holds, and saves, at least this"
        );
        fact(out, "unfinished", &note);
    }
    Table::<GcCandidateDoc>::new()
        .in_text("saved", Unit::Duration, |row| row.cost.unused.pause_micros)
        .in_text("from", Unit::Duration, |row| {
            row.cost.unused.pause_interval[0]
        })
        .in_text("to", Unit::Duration, |row| {
            row.cost.unused.pause_interval[1]
        })
        .in_text("held", Unit::ShortBytes, |row| row.held)
        .in_text("source", Unit::Text, |row| {
            row.source.clone().unwrap_or_else(|| "a root".to_owned())
        })
        .in_text("target", Unit::Text, |row| row.target.clone())
        .write(out, &report.candidates);
    let intervals = report.candidates.iter();
    write_unsure(out, intervals.map(|row| row.cost.unused.pause_interval));
}

/// A line, if there are intervals that nobody should act on.
fn write_unsure(out: &mut TextLines, intervals: impl ExactSizeIterator<Item = [u64; 2]>) {
    let all = intervals.len();
    let unsure = intervals
        .filter(|[low, high]| *low == 0 && *high > 0)
        .count();
    if unsure > 0 {
        out.push_str(&format!(
            "  {unsure} of {}: what is saved may be nothing; a longer run tells more\n",
            counted(all as u64, "row")
        ));
    }
}

/// `30 young and mixed, together 1.2 s: 3.1 ms each and 0.8 ms per MB copied`.
fn pauses(kind: &PauseKindDoc) -> String {
    let mut text = format!(
        "{} {}, together {} without the agent's part",
        grouped(kind.count),
        kind.kind,
        micros(kind.pause_micros)
    );
    if kind.work_bytes > 0 {
        // Far below the limits of u64.
        text.push_str(&format!(
            ": {} each and {} per MB of {}",
            micros(kind.constant_micros as u64),
            micros(kind.micros_per_megabyte as u64),
            short_bytes(kind.work_bytes)
        ));
    }
    if kind.asked > 0 {
        text.push_str(&format!("; {} asked for", grouped(kind.asked)));
    }
    text
}

fn write_sites(out: &mut TextLines, report: &GcReport) {
    let top = report.head.asked.top.unwrap_or(DEFAULT_TOP);
    let costly = report.sites.iter();
    let costly = costly.filter(|site| is_worth_a_line(&site.cost)).count();
    let shown = top.min(costly);
    let all = usize::try_from(report.rows.sites).unwrap_or(usize::MAX);
    section(
        out,
        &format!(
            "SITES with the callers to blame ({})",
            cut(shown, all, "site", "what a run without them saves")
        ),
    );
    let table = table(report);
    let mut text = table.text();
    for site in report.sites.iter().take(shown) {
        text.row(&SiteLine::site(&site.place, &site.cost));
        let context = site.context.iter();
        let context = context.filter(|part| is_worth_a_line(&part.cost));
        for (cost, name) in caller_lines(context) {
            text.row(&SiteLine::named(name, Cow::Owned(cost)));
        }
    }
    if let Some(line) = SiteLine::without_site(report.unattributed.as_ref()) {
        text.row(&line);
    }
    text.write(out);
    let intervals = report.sites.iter().take(shown);
    write_unsure(out, intervals.map(|site| site.cost.without.pause_interval));
    if all > shown {
        out.push_str(&format!("  {}\n", more(all - shown, "site")));
    }
}

fn write_types(out: &mut TextLines, report: &GcReport) {
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
        &format!(
            "TYPES ({})",
            cut(shown, all, "type", "what a run without them saves")
        ),
    );
    let types = report.types.iter().take(shown);
    let table = table(report).without_last();
    table.write(out, types.map(|row| SiteLine::of_type(&row.ty, &row.cost)));
}

fn is_worth_a_line(cost: &GcCostDoc) -> bool {
    cost.pause_micros > 0 || cost.without.pause_micros > 0
}

fn caller_lines<'a>(parts: impl Iterator<Item = &'a GcContextDoc>) -> Vec<(GcCostDoc, String)> {
    callers::lines(
        parts.map(|part| (&part.caller, part.cost.clone())),
        together,
    )
}

/// The costs of several callers.
fn together(parts: &[GcCostDoc]) -> GcCostDoc {
    let mut all = GcCostDoc::default();
    for part in parts {
        all.copied = sum([all.copied, part.copied].into_iter());
        all.promoted = sum([all.promoted, part.promoted].into_iter());
        all.promoted_soon_dead = sum([all.promoted_soon_dead, part.promoted_soon_dead].into_iter());
        all.pause_micros += part.pause_micros;
        all.collections += part.collections;
        all.without.pause_micros += part.without.pause_micros;
        for side in 0..2 {
            all.without.pause_interval[side] += part.without.pause_interval[side];
        }
    }
    all
}
