//! For a terminal: one screen that says what leaks, who made it, who holds it, how fast it grows, when the heap is full.

use ducktrack_analyses::Levels;

use super::document::{CandidateDoc, LeaksReport};
use crate::event_trace::columns::Columns;
use crate::event_trace::holder_lines::write_steps;
use crate::event_trace::signed_rate;
use crate::event_trace::stale::level_name;
use crate::event_trace::text_parts::{head, next_commands, trouble};
use crate::quantity::{bytes, counted, grouped, short_bytes};
use crate::text::next_command::NextCommand;
use crate::text::next_command::shell_word;
use crate::text::{fact, section};
use crate::text_lines::TextLines;

/// Candidates shown in full when nothing says how many.
const SHOWN: usize = 3;

pub(super) fn write(report: &LeaksReport, out: &mut TextLines) {
    head(out, "leaks", &report.head);
    if let Some(dump) = &report.dump {
        fact(out, "dump", dump);
    }
    fact(out, "verdict", &verdict(report));
    fact(out, "heap", &heap(report));
    let most = report.head.asked.top.unwrap_or(SHOWN);
    for (rank, candidate) in report.candidates.iter().take(most).enumerate() {
        write_candidate(out, rank + 1, candidate, report);
    }
    write_rest(out, report, most);
    trouble(out, &report.head);
}

fn verdict(report: &LeaksReport) -> String {
    if report.collections < report.fewest_collections {
        return format!(
            "none: it needs {} collections, this run has {}",
            report.fewest_collections, report.collections
        );
    }
    match report.alarms {
        0 => format!(
            "no leak: {} below a score of {}",
            counted(report.candidates.len() as u64, "candidate"),
            report.alarm_from
        ),
        alarms => format!(
            "{} (score of at least {})",
            counted(alarms, "likely leak"),
            report.alarm_from
        ),
    }
}

fn heap(report: &LeaksReport) -> String {
    let live = format!("{} live", bytes(report.live_bytes));
    if report.bytes_per_second < 1.0 {
        return live;
    }
    let rate = short_bytes(report.bytes_per_second as u64);
    match report.seconds_until_full {
        Some(seconds) => format!(
            "{live}, {rate} more per second: {} full in {}",
            report.max_heap.map_or_else(String::new, |most| format!(
                "the heap of {} is",
                short_bytes(most)
            )),
            duration(seconds)
        ),
        None => format!("{live}, {rate} more per second (--max-heap 512m tells when it is full)"),
    }
}

fn duration(seconds: f64) -> String {
    match seconds {
        ..120.0 => format!("{seconds:.0} seconds"),
        ..7200.0 => format!("{:.0} minutes", seconds / 60.0),
        ..172_800.0 => format!("{:.0} hours", seconds / 3600.0),
        _ => format!("{:.0} days", seconds / 86400.0),
    }
}

fn write_candidate(out: &mut TextLines, rank: usize, row: &CandidateDoc, report: &LeaksReport) {
    let source = row.source.as_ref();
    let source = source.map_or_else(String::new, |source| format!("{source} -> "));
    section(
        out,
        &format!("{rank}. {source}{} (score {:.0})", row.target, row.score),
    );
    let retained = row.retained.map_or_else(String::new, |retained| {
        format!(
            ", retaining {} ({})",
            bytes(retained),
            crate::quantity::share(retained, report.live_bytes)
        )
    });
    fact(
        out,
        "live",
        &format!(
            "{} in {}{retained}",
            bytes(row.bytes),
            counted(row.objects, "object")
        ),
    );
    let made = row
        .made
        .as_deref()
        .unwrap_or("(not known: by the VM or JNI)");
    fact(out, "made at", made);
    if let Some(caller) = &row.caller {
        fact(out, "for", caller);
    }
    if let Some(root) = &row.root {
        fact(out, "held by", &root.name);
        write_steps(out, &row.path);
    }
    fact(out, "grows", &growth(row));
    fact(out, "unused", &unused(row));
    if !row.staleness.is_empty() {
        fact(out, "", &levels(row));
    }
    fact(out, "score", &parts(row));
}

fn growth(row: &CandidateDoc) -> String {
    format!(
        "by {} objects and {} B per collection; ages {} to {} collections; its site: {}",
        signed_rate(row.objects_per_collection),
        signed_rate(row.bytes_per_collection),
        row.youngest,
        row.oldest,
        row.growth
    )
}

fn unused(row: &CandidateDoc) -> String {
    if row.staleness.is_empty() {
        return "not recorded (staleness=on)".to_owned();
    }
    let stale: u64 = row.staleness.iter().skip(Levels::STALE).sum();
    let all: u64 = row.staleness.iter().sum();
    let (from, _) = Levels::bounds(Levels::STALE);
    let stale = format!(
        "{} of {} for {from} collections or more",
        grouped(stale),
        counted(all, "object")
    );
    let since = row.unused_since_micros;
    let since = since.map_or_else(String::new, |micros| {
        format!(
            " (since about {:.1} s after the start)",
            micros as f64 / 1e6
        )
    });
    match row.unused_for {
        None | Some(0) => format!("{stale}; most were used since the last collection"),
        Some(unused) => format!(
            "{stale}; half of them for at least {}{since}",
            counted(u64::from(unused), "collection")
        ),
    }
}

fn levels(row: &CandidateDoc) -> String {
    let levels = row.staleness.iter().enumerate();
    let levels: Vec<String> = levels
        .filter(|(_, count)| **count > 0)
        .map(|(level, count)| format!("{}: {}", level_name(level), grouped(*count)))
        .collect();
    format!(
        "objects by collections since their last use: {}",
        levels.join(", ")
    )
}

fn parts(row: &CandidateDoc) -> String {
    let staleness = row.parts.staleness;
    let staleness = staleness.map_or_else(|| "not known".to_owned(), |part| format!("{part:.2}"));
    format!(
        "growth {:.2}, staleness {staleness}, age {:.2}, retained {:.2}",
        row.parts.growth, row.parts.age, row.parts.retained
    )
}

fn write_rest(out: &mut TextLines, report: &LeaksReport, most: usize) {
    let rest = report.candidates.get(most..).unwrap_or_default();
    if rest.is_empty() {
        return;
    }
    section(
        out,
        &format!("{} more", counted(rest.len() as u64, "candidate")),
    );
    let mut table = Columns::new(&[">score", ">bytes", ">objects", "target", "made at"]);
    for row in rest.iter().take(10) {
        table.row([
            format!("{:.0}", row.score),
            bytes(row.retained.unwrap_or(row.bytes)),
            grouped(row.objects),
            row.target.clone(),
            row.made.clone().unwrap_or_default(),
        ]);
    }
    table.write(out);
}

pub(super) fn next(report: &LeaksReport) -> Vec<NextCommand> {
    let Some(dump) = &report.dump else {
        let dump = [
            (
                "dump",
                "-o heap.hprof",
                "a heap dump while the program runs",
            ),
            ("leaks", "--dump heap.hprof", "who holds what leaks"),
            ("growth", "", "every site over time"),
        ];
        return next_commands(&report.head, &dump);
    };
    let dump = format!("--dump {}", shell_word(dump));
    let first = report.candidates.first();
    let ty = first.map_or_else(String::new, |row| {
        format!("{dump} --type {}", shell_word(&row.target))
    });
    let page = format!("{dump} --format html -o leaks.html");
    let mut commands = vec![("leaks", page.as_str(), "all candidates in a browser")];
    if first.is_some() {
        commands.push(("holders", ty.as_str(), "every path to the first"));
    }
    commands.push(("growth", "", "every site over time"));
    next_commands(&report.head, &commands)
}
