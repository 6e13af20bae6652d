//! For a terminal: one screen that says what leaks, how sure, how fast, since
//! when, who made it, who holds it, when the heap is full, what to change.

use ducktrack_count_model::RunState;
use ducktrack_leaks::CONFIDENCE;

use super::document::{CandidateDoc, LeaksReport, SiteVerdictDoc};
use super::interval::IntervalDoc;
use super::kept;
use super::off_heap::OffHeapLeakDoc;
use super::table::{Line, candidates_table, sites_table};
use super::words::{MeasureDoc, RunVerdictDoc, SpanEndDoc, UnknownDoc, VerdictDoc};
use crate::event_trace::duration::duration;
use crate::event_trace::path_fold::lines as path_lines;
use crate::event_trace::text_parts::{head, next_commands, trouble, wrapped};
use crate::quantity::{bytes, counted, grouped, share, short_bytes};
use crate::text::next_command::{NextCommand, shell_word};
use crate::text::{fact, section};
use crate::text_lines::TextLines;

/// Candidates shown in full when nothing says how many.
const SHOWN: usize = 3;
/// The unit of rates.
const MB: f64 = 1_048_576.0;
/// Rows of the tables.
const ROWS: usize = 20;
/// Letters of a sentence in a line beside its name.
const WIDTH: usize = 62;

pub(super) fn write(report: &LeaksReport, out: &mut TextLines) {
    head(out, "leaks", &report.head);
    let width = out
        .width()
        .map_or(WIDTH, |width| width.saturating_sub(18).max(30));
    if let Some(dump) = &report.dump {
        fact(out, "dump", dump);
    }
    if let Some(note) = &report.dump_note {
        sentence(out, "", note, width);
    }
    sentence(out, "verdict", &report.sentence, width);
    fact(out, "heap", &heap(report));
    fact(out, "judged", &span(report));
    if !report.sites.is_empty() {
        write_sites(out, &report.sites);
        return trouble(out, &report.head);
    }
    let candidates = report.candidates.iter();
    let matters = candidates.take_while(|row| row.matters);
    let most = matters.count().min(SHOWN);
    let most = report.head.asked.top.unwrap_or(most);
    for (rank, row) in report.candidates.iter().take(most).enumerate() {
        write_candidate(out, rank + 1, row, report, width);
    }
    write_off_heap(out, &report.off_heap, width);
    // Buffers that are no leak are no news.
    let buffers = match report.verdict {
        RunVerdictDoc::NoLeak => &[],
        _ => report.direct_memory.as_slice(),
    };
    kept::write(out, (&report.loaders, buffers), report.live_bytes);
    write_rest(out, report, most);
    trouble(out, &report.head);
}

fn sentence(out: &mut TextLines, name: &str, text: &str, width: usize) {
    let lines = wrapped(text, width);
    for (at, line) in lines.iter().enumerate() {
        fact(out, if at == 0 { name } else { "" }, line);
    }
}

fn heap(report: &LeaksReport) -> String {
    let live = format!("{} live", bytes(report.live_bytes));
    let most = report.max_heap;
    let most = most.map_or_else(String::new, |most| format!(" of {}", short_bytes(most)));
    if report.alarms == 0 {
        return format!("{live}{most}");
    }
    let rate = short_bytes(report.bytes_per_second as u64);
    match report.seconds_until_full {
        Some(seconds) => format!(
            "{live}{most}, {rate} more per second of work: full in {}",
            duration(seconds)
        ),
        None if report.max_heap.is_some() => {
            format!("{live}{most}, {rate} more per second of work")
        }
        None => format!("{live}, {rate} more per second (--max-heap 512m says when it is full)"),
    }
}

fn span(report: &LeaksReport) -> String {
    let span = &report.span;
    let seconds = |micros: u64| format!("{:.1}", micros as f64 / 1e6);
    let by = match (span.by_look, span.look) {
        (true, Some(look)) => format!("by what collection {look} left, which looked at all"),
        _ => "at the end; no collection looked at all of the old space late enough".to_owned(),
    };
    let after = match span.bytes_after {
        0 => String::new(),
        after => format!(" ({} follow)", short_bytes(after)),
    };
    let ends = match span.ends {
        SpanEndDoc::Shutdown => ", before the shutdown",
        SpanEndDoc::Lost => ", until the heap was lost",
        SpanEndDoc::Until | SpanEndDoc::End => "",
    };
    format!(
        "{} to {} s{ends}, {} allocated{after}, {by}",
        seconds(span.from_micros),
        seconds(span.until_micros),
        short_bytes(span.bytes)
    )
}

fn write_candidate(
    out: &mut TextLines,
    rank: usize,
    row: &CandidateDoc,
    report: &LeaksReport,
    width: usize,
) {
    let source = row.source.as_ref();
    let source = source.map_or_else(String::new, |source| format!("{source} -> "));
    section(
        out,
        &format!("{rank}. {source}{}: {}", row.target, title(row)),
    );
    fact(out, "size", &size(row, report));
    let made = row.made.as_deref();
    let loaders = match row.loaders {
        0 | 1 => String::new(),
        many => format!(" (its class from {many} loaders)"),
    };
    let made = made.unwrap_or("(not known: by the VM or JNI)");
    fact(out, "made at", &format!("{made}{loaders}"));
    if let Some(caller) = row.caller.as_ref().or(row.holder_made.as_ref()) {
        fact(out, "for", caller);
    }
    fact(out, "stays", &stays(row));
    fact(out, "rate", &rate(row, report));
    sentence(out, "sure", &sure(row), width);
    for with in row.with.iter().take(3) {
        let made = with.made.as_deref().unwrap_or("(not known)");
        let (name, each) = match with.each {
            0 if row.structure.is_some() => ("also in it", String::new()),
            0 => ("in step", String::new()),
            each => ("with each", format!("{each} ")),
        };
        fact(out, name, &format!("{each}{} made at {made}", with.target));
    }
    if row.with.len() > 3 {
        let more = row.with.len() as u64 - 3;
        fact(out, "", &format!("and {}", counted(more, "more site")));
    }
    write_holder(out, row, report, width);
    if !row.staleness.is_empty() {
        fact(out, "unused", &unused(row));
    }
    sentence(out, "to do", &row.to_do, width);
}

fn write_off_heap(out: &mut TextLines, rows: &[OffHeapLeakDoc], width: usize) {
    if rows.is_empty() {
        return;
    }
    section(out, "MEMORY OUTSIDE OF THE HEAP that becomes more");
    for row in rows.iter().take(SHOWN) {
        out.push_str(&format!("  {} made at {}\n", row.kind, row.made));
        let (live, blocks) = (bytes(row.live.bytes), grouped(row.live.count));
        let made = grouped(row.made_in_all.count);
        fact(out, "live", &format!("{live} in {blocks} of {made} made"));
        if row.bytes_per_mb.value > 0.0 {
            let size = |value: f64| short_bytes(value.max(0.0) as u64);
            let IntervalDoc { value, low, high } = row.bytes_per_mb;
            let rate = format!(
                "{} of each MB allocated in the heap ({} to {}), {} per second of work",
                size(value),
                size(low),
                size(high),
                size(row.bytes_per_second)
            );
            fact(out, "rate", &rate);
        }
        sentence(out, "verdict", &row.sentence, width);
        sentence(out, "to do", &row.to_do, width);
    }
    if let Some(more) = rows.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        fact(
            out,
            "",
            &format!("and {}", counted(more as u64, "more line")),
        );
    }
}

/// The path in at most eight lines, and what a person would change.
fn write_holder(out: &mut TextLines, row: &CandidateDoc, report: &LeaksReport, width: usize) {
    if let Some(outside) = &row.held_outside {
        sentence(out, "held by", outside, width);
    }
    if let Some(root) = &row.root {
        let mut lines = path_lines(root, &row.path, &row.shown).into_iter();
        let root = lines.next().filter(|_| row.held_outside.is_none());
        root.iter().for_each(|root| fact(out, "held by", root));
        lines.for_each(|line| out.push_str(&format!("      {line}\n")));
    }
    if let Some(structure) = &row.structure {
        let field = structure
            .field
            .as_deref()
            .unwrap_or("(in no class of the program's own)");
        let retained = bytes(structure.retained);
        let part = share(structure.retained, report.live_bytes);
        fact(
            out,
            "structure",
            &format!("{field} ({}{retained}, {part})", at_least(report)),
        );
    }
    if let Some(added) = &row.added_by {
        fact(out, "added by", added);
    }
}

/// The bytes of the leak: those of its structure, or those that it retains, or those that
/// are kept of its lines. A structure retains little of what a second one holds as well.
fn size(row: &CandidateDoc, report: &LeaksReport) -> String {
    let structure = row.structure.as_ref().map(|one| one.retained);
    let kept = match row.released {
        true => row.bytes,
        false => row.kept_bytes.max(row.bytes),
    };
    let size = structure
        .or(row.retained)
        .map(|retained| retained.max(kept));
    let (at_least, size) = match size {
        Some(size) => (at_least(report), size),
        None => ("", row.kept_bytes.max(row.bytes)),
    };
    // What was dropped before the last look is no part of what was alive then.
    let part = match size > report.live_bytes {
        true => "dropped since".to_owned(),
        false => format!("{} of what is alive", share(size, report.live_bytes)),
    };
    let (size, objects) = (bytes(size), counted(row.objects, "object"));
    format!("{at_least}{size} ({part}), with {objects}")
}

fn at_least(report: &LeaksReport) -> &'static str {
    match report.dump_cut_at {
        Some(_) => "at least ",
        None => "",
    }
}

fn title(row: &CandidateDoc) -> &'static str {
    match row.verdict {
        VerdictDoc::Leaks if row.alarm && row.slows => "leaks, ever more slowly",
        VerdictDoc::Leaks if row.alarm => "leaks",
        VerdictDoc::Leaks if row.in_use => "becomes more, and is in use",
        VerdictDoc::Leaks => "becomes more, too slowly for an alarm after this run",
        VerdictDoc::Fills if row.softly => "fills, held by soft references only",
        VerdictDoc::NotKnown => match row.reason {
            Some(UnknownDoc::Starting) => "becomes more while the program starts",
            Some(UnknownDoc::OldestGone) => "leaks, unless it replaces its oldest",
            Some(UnknownDoc::DeathsUndated) => "leaks, unless what died has made room for it",
            Some(UnknownDoc::Late) => "leaks if it goes on: it began late",
            Some(UnknownDoc::WeakTable) => "leaks if the keys of these entries are alive",
            Some(UnknownDoc::FewLooks) => "leaks if it goes on as its births do",
            Some(UnknownDoc::Unseen | UnknownDoc::FewCollections) | None => {
                "leaks if what is in the old space is alive"
            }
        },
        other => other.name(),
    }
}

fn percent(value: f64) -> String {
    match value {
        value if value >= 0.9995 => "100 %".to_owned(),
        value if value >= 0.1 => format!("{:.1} %", 100.0 * value),
        value => format!("{:.2} %", 100.0 * value),
    }
}

fn stays(row: &CandidateDoc) -> String {
    let IntervalDoc { value, low, high } = row.share;
    let cohorts = format!(
        "{} of {} pieces of the run keep some",
        row.cohorts, row.of_cohorts
    );
    match value > 0.0 {
        true => format!(
            "{} of what is made there ({} to {}); {cohorts}",
            percent(value),
            percent(low),
            percent(high)
        ),
        false => cohorts,
    }
}

/// By the clock on the wall, which also passes while the program waits.
fn per_second_of_run(report: &LeaksReport, per_mb: f64) -> Option<f64> {
    let span = &report.span;
    let micros = span.until_micros.checked_sub(span.from_micros)?;
    (micros > 0).then(|| per_mb * span.bytes as f64 / MB * 1e6 / micros as f64)
}

fn rate(row: &CandidateDoc, report: &LeaksReport) -> String {
    let IntervalDoc { value, low, high } = row.bytes_per_mb;
    let size = |value: f64| short_bytes(value.max(0.0) as u64);
    let full = row.seconds_until_full.map_or_else(String::new, |seconds| {
        format!("; alone it fills the heap in {}", duration(seconds))
    });
    let wall = per_second_of_run(report, value);
    let wall = wall.map(size);
    let wall = wall.filter(|wall| *wall != size(row.bytes_per_second));
    let wall = wall.map_or_else(String::new, |wall| format!(" ({wall} of the run)"));
    format!(
        "{} of each MB allocated ({} to {}), {} per second of work{wall}{full}",
        size(value),
        size(low),
        size(high),
        size(row.bytes_per_second)
    )
}

fn sure(row: &CandidateDoc) -> String {
    let since = format!("{:.1} s", row.since_micros as f64 / 1e6);
    let rises = match row.judged_by {
        MeasureDoc::Bytes => "its bytes rise",
        MeasureDoc::Objects => "it rises",
    };
    let bend = match (row.verdict, row.level_of_all) {
        (VerdictDoc::Fills, Some(level)) => format!(
            "the curve bends ({}), towards {}",
            percent(row.bends),
            short_bytes(level as u64)
        ),
        _ if row.slows => "the curve bends, but towards no bound".to_owned(),
        _ if row.bends >= CONFIDENCE => "ever more slowly".to_owned(),
        _ if row.bends <= 1.0 - CONFIDENCE => "ever faster".to_owned(),
        _ => "evenly".to_owned(),
    };
    let released = match row.released {
        true => "; it was dropped before the run ended",
        false => "",
    };
    format!(
        "{} that {rises}, since {since} after the start; {bend}{released}",
        percent(row.sure)
    )
}

fn unused(row: &CandidateDoc) -> String {
    let all: u64 = row.staleness.iter().sum();
    let since = row.unused_since_micros;
    let since = since.map_or_else(String::new, |micros| {
        format!(
            " (since about {:.1} s after the start)",
            micros as f64 / 1e6
        )
    });
    match row.unused_for {
        None | Some(0) => format!(
            "most of {} were used since the last collection",
            counted(all, "object")
        ),
        Some(unused) => format!(
            "half of {} for at least {}{since}",
            counted(all, "object"),
            counted(u64::from(unused), "collection")
        ),
    }
}

fn write_rest(out: &mut TextLines, report: &LeaksReport, most: usize) {
    let rest = report.candidates.get(most..).unwrap_or_default();
    if rest.is_empty() {
        return;
    }
    section(
        out,
        &match rest.first() {
            Some(first) if !first.matters => format!(
                "{}, but too little to matter in this run",
                match rest.len() {
                    1 => "1 site that rises".to_owned(),
                    many => format!("{many} sites that rise"),
                }
            ),
            _ => format!("{} more", counted(rest.len() as u64, "candidate")),
        },
    );
    let rest = rest.iter().take(ROWS / 2);
    candidates_table().write(out, rest.map(Line::Candidate));
}

fn write_sites(out: &mut TextLines, sites: &[SiteVerdictDoc]) {
    section(
        out,
        &format!("{}, most kept first", counted(sites.len() as u64, "site")),
    );
    sites_table().write(out, sites.iter().take(ROWS));
}

pub(super) fn next(report: &LeaksReport) -> Vec<NextCommand> {
    let sites = ("leaks", "--sites", "the verdict on every line of source");
    let Some(dump) = &report.dump else {
        return [NextCommand::new(
            holder_command(report),
            "who holds what leaks: with a heap dump",
        )]
        .into_iter()
        .chain(next_commands(&report.head, &[sites]))
        .collect();
    };
    let partial = report.dump_cut_at.map_or("", |_| " --partial");
    let dump = format!("--dump {}{partial}", shell_word(dump));
    let first = report.candidates.first();
    let ty = first.map_or_else(String::new, |row| {
        format!("{dump} --type {}", shell_word(&row.target))
    });
    let page = format!("{dump} --format html -o leaks.html");
    let mut commands = vec![("leaks", page.as_str(), "all candidates in a browser")];
    if first.is_some() {
        commands.push(("holders", ty.as_str(), "every path to the first"));
    }
    commands.push(sites);
    next_commands(&report.head, &commands)
}

/// A program that runs can be asked; one that has ended runs again.
fn holder_command(report: &LeaksReport) -> String {
    let run = &report.head.run;
    match RunState::named(&run.state) {
        RunState::Running => format!("leaks {}", run.pid),
        _ => "run --mode trace --dump -- java ...".to_owned(),
    }
}
