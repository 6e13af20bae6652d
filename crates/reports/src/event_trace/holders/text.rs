//! For a terminal: how dump and trace agree, retained bytes by type and by site, paths from roots.

use std::borrow::Cow;

use super::document::{HoldersReport, JoinDoc, TypeCountDoc};
use super::table::table;
use crate::event_trace::holder_docs::HoldingDoc;
use crate::event_trace::holder_lines::{retained, write_path};
use crate::event_trace::place::WITHOUT_EVENT;
use crate::event_trace::site_line::SiteLine;
use crate::event_trace::text_parts::{head, next_commands, trouble};
use crate::quantity::{bytes, bytes_in_objects, counted, grouped, share};
use crate::text::next_command::NextCommand;
use crate::text::next_command::shell_word;
use crate::text::table::more;
use crate::text::{fact, section};
use crate::text_lines::TextLines;

/// Rows of each table when nothing says how many.
const ROWS: usize = 10;
/// Callers shown of a site.
const CALLERS: usize = 3;
/// Classes named in a line.
const CLASSES: usize = 3;

pub(super) fn write(report: &HoldersReport, out: &mut TextLines) {
    head(out, "holders", &report.head);
    write_dump(out, report);
    write_paths(out, report);
    write_sites(out, report);
    write_types(out, report);
    trouble(out, &report.head);
}

pub(super) fn next(report: &HoldersReport) -> Vec<NextCommand> {
    let dump = format!("--dump {}", shell_word(&report.dump));
    let site = report.sites.first().map(|site| {
        let at = &site.place.location;
        shell_word(&format!("{}.{}", at.class, at.method))
    });
    let site = format!("{dump} --site {}", site.unwrap_or_default());
    let page = format!("{dump} --format html -o holders.html");
    let mut commands = vec![("holders", page.as_str(), "the dominator tree in a browser")];
    if report.selected.is_none() && !report.sites.is_empty() {
        commands.push(("holders", site.as_str(), "who holds what this site makes"));
    }
    commands.push((
        "leaks",
        dump.as_str(),
        "what leaks, who made it, who holds it",
    ));
    next_commands(&report.head, &commands)
}

fn write_dump(out: &mut TextLines, report: &HoldersReport) {
    let text = match &report.without_sites {
        Some(_) => report.dump.clone(),
        None => format!(
            "{}, written after collection {}",
            report.dump, report.collection
        ),
    };
    fact(out, "dump", &text);
    if let Some(at) = report.cut_at {
        let text = format!(
            "the JVM did not finish the dump, it ends at byte {at}: every figure is at least that, and what holds an object may be missing"
        );
        fact(out, "unfinished", &text);
    }
    fact(out, "heap", &amount(&report.total));
    let direct = report.direct_buffers;
    if direct.count > 0 {
        let text = format!(
            "{} outside of the heap in {} (--type java.nio.DirectByteBuffer: who holds them)",
            bytes(i64::try_from(direct.bytes).unwrap_or(i64::MAX)),
            counted(direct.count, "direct buffer")
        );
        fact(out, "direct memory", &text);
    }
    match &report.without_sites {
        Some(why) => {
            let text = format!(
                "paths, and sizes as the dump lets them be estimated, without sites: {why}"
            );
            fact(out, "not joined", &text);
        }
        None => fact(out, "joined", &joined(&report.join)),
    }
    if !report.join.missing.is_empty() {
        let text = format!(
            "{}: not in the trace",
            classes(&report.join.missing, "object")
        );
        fact(out, "missing", &text);
    }
    let only_in_trace = report.join.only_in_trace.iter().map(|row| row.count);
    let others: u64 = only_in_trace.sum();
    if others + report.join.archived_only_in_trace > 0 {
        let text = format!(
            "{} of the JDK's archive and {} in the trace only: the dump leaves them out",
            counted(report.join.archived_only_in_trace, "object"),
            counted(others, "other")
        );
        fact(out, "besides", &text);
    }
    if let Some(selected) = &report.selected {
        let text = format!(
            "{}; without all of them {}{} would be free",
            amount(&selected.held),
            if selected.frees_classes {
                "at least "
            } else {
                ""
            },
            bytes(selected.exactly_retained)
        );
        fact(out, "chosen", &text);
    }
}

fn joined(join: &JoinDoc) -> String {
    let fillers = match join.fillers {
        0 => String::new(),
        fillers => format!(
            "; {} put by the collector where objects have been",
            counted(fillers, "filler")
        ),
    };
    let since = match join.made_since {
        0 => String::new(),
        since => format!(
            "; {} made after the last collection before the dump, without a site",
            grouped(since)
        ),
    };
    format!(
        "{} of {} ({}) found in the trace by their address{fillers}{since}",
        grouped(join.found),
        counted(join.objects, "object"),
        share(join.found, join.objects)
    )
}

fn classes(rows: &[TypeCountDoc], what: &str) -> String {
    let all: u64 = rows.iter().map(|row| row.count).sum();
    let names = rows.iter().take(CLASSES);
    let names: Vec<String> = names
        .map(|row| format!("{} {}", grouped(row.count), row.ty))
        .collect();
    let rest = rows.len().saturating_sub(CLASSES);
    let rest = match rest {
        0 => String::new(),
        rest => format!(", {}", more(rest, "class")),
    };
    format!("{} ({}{rest})", counted(all, what), names.join(", "))
}

fn amount(held: &HoldingDoc) -> String {
    bytes_in_objects(held.bytes, held.count)
}

fn write_sites(out: &mut TextLines, report: &HoldersReport) {
    let most = report.head.asked.top.unwrap_or(ROWS);
    let shown = most.min(report.sites.len());
    let title = format!(
        "SITES with the callers to blame, by retained bytes ({shown} of {})",
        counted(report.rows.sites, "site")
    );
    section(out, &title);
    let table = table(report);
    let mut text = table.text();
    for site in report.sites.iter().take(shown) {
        text.row(&SiteLine::site(&site.place, &site.held));
        for part in site.context.iter().take(CALLERS) {
            let caller = part.caller.as_deref().unwrap_or("(caller not known)");
            text.row(&SiteLine::named(
                format!("  <- {caller}"),
                Cow::Borrowed(&part.held),
            ));
        }
    }
    if report.selected.is_none() {
        text.row(&SiteLine::named(
            WITHOUT_EVENT,
            Cow::Borrowed(&report.unattributed),
        ));
    }
    text.write(out);
}

fn write_types(out: &mut TextLines, report: &HoldersReport) {
    let most = report.head.asked.top.unwrap_or(ROWS);
    let shown = most.min(report.types.len());
    let title = format!(
        "TYPES, by retained bytes ({shown} of {})",
        counted(report.rows.types, "type")
    );
    section(out, &title);
    let types = report.types.iter().take(shown);
    let table = table(report).without_last();
    table.write(out, types.map(|row| SiteLine::of_type(&row.ty, &row.held)));
}

fn write_paths(out: &mut TextLines, report: &HoldersReport) {
    let title = match report.selected {
        Some(_) => "PATHS from roots to the chosen objects, by retained bytes",
        None => "PATHS from roots to where retained bytes accumulate",
    };
    section(out, title);
    for path in &report.paths {
        write_path(out, path);
    }
    if let Some(path) = report.paths.first() {
        out.push_str(&format!(
            "  (ages are collections survived; the first path retains {})\n",
            retained(path.held.retained)
        ));
    }
}
