//! For a terminal: the sums, then a table of kinds and holders, each with its lines and what to do.

use super::document::{HumongousDoc, RegionDoc, WasteLineDoc, WasteReport};
use super::table::{holder_name, table};
use crate::quantity::{bytes, bytes_in_objects, counted, share};
use crate::table::{Table, Unit};
use crate::text::next_command::{NextCommand, shell_word};
use crate::text::table::more;
use crate::text::{fact, section};
use crate::text_lines::TextLines;

/// Rows when nothing says how many.
const ROWS: usize = 20;
/// Rows that are explained.
const EXPLAINED: usize = 10;
/// Rows of large objects.
const LARGE: usize = 5;

pub(super) fn write(report: &WasteReport, out: &mut TextLines) {
    out.push_str("ducktrack waste\n\n");
    fact(out, "dump", &report.dump);
    if let Some(trace) = &report.trace {
        fact(out, "trace", trace);
    }
    if let Some(at) = report.cut_at {
        let text = format!(
            "the JVM did not finish the dump, it ends at byte {at}: every figure is at least that, and what holds an object may be missing"
        );
        fact(out, "unfinished", &text);
    }
    if let Some(why) = &report.without_lines {
        fact(out, "without lines", why);
    }
    let live = bytes_in_objects(report.live_bytes, report.live_objects);
    fact(out, "live", &live);
    let total = format!(
        "{} ({} of the live heap), no byte twice",
        bytes(report.total),
        share(report.total, report.live_bytes)
    );
    fact(out, "wasted", &total);
    if let Some(saved) = report.compact_headers_save {
        let text = format!(
            "would save {} ({}) of the whole heap, apart from the waste (JDK 25, -XX:+UseCompactObjectHeaders)",
            bytes(saved),
            share(saved, report.live_bytes)
        );
        fact(out, "compact headers", &text);
    }
    write_table(report, out);
    write_lines(report, out);
    if let Some(found) = &report.humongous {
        write_humongous(found, out);
    }
}

/// Large objects, as G1 keeps them.
fn write_humongous(found: &HumongousDoc, out: &mut TextLines) {
    section(
        out,
        "Large objects under G1: one above half a region has regions of its own",
    );
    Table::<RegionDoc>::new()
        .in_text("region", Unit::Number, |row| {
            format!("{} MB", row.region >> 20)
        })
        .in_text("objects", Unit::Count, |row| row.objects)
        .in_text("bytes", Unit::Bytes, |row| row.bytes)
        .in_text("lost behind them", Unit::Bytes, |row| row.lost)
        .write(out, &found.regions);
    for row in found.rows.iter().take(LARGE) {
        let made = row.made.as_ref();
        out.push_str(&format!(
            "  {} in {}, held by {}{}\n",
            bytes(row.bytes),
            counted(row.objects, "object"),
            holder_name(&row.holder),
            made.map_or_else(String::new, |line| format!(", made by {}", place(line)))
        ));
    }
    let least = found.regions.iter().min_by_key(|row| row.lost);
    if let Some(least) = least {
        out.push_str(&format!(
            "  Least is lost with -XX:G1HeapRegionSize={}m.\n",
            least.region >> 20
        ));
    }
}

fn write_table(report: &WasteReport, out: &mut TextLines) {
    section(out, "Waste by kind and by the field that holds it");
    table(report).write(out, report.waste.iter().take(ROWS));
    let rest = (report.rows as usize).saturating_sub(ROWS.min(report.waste.len()));
    if rest > 0 {
        out.push_str(&format!(
            "  {} (--format json has all)\n",
            more(rest, "row")
        ));
    }
}

fn write_lines(report: &WasteReport, out: &mut TextLines) {
    section(out, "Where it is made, and what to do");
    for row in report.waste.iter().take(EXPLAINED) {
        out.push_str(&format!("  {}  {}\n", row.kind, holder_name(&row.holder)));
        if !row.detail.is_empty() {
            out.push_str(&format!("    {}\n", row.detail));
        }
        let made = row.made();
        if let Some(line) = &made {
            out.push_str(&format!("    made by {}\n", place(line)));
        }
        if let Some(line) = row
            .table
            .as_ref()
            .filter(|line| Some(*line) != made.as_ref())
        {
            out.push_str(&format!("    its table by {}\n", place(line)));
        }
        out.push_str(&format!("    {}\n", row.what));
    }
}

fn place(line: &WasteLineDoc) -> String {
    let at = match line.line {
        Some(number) => format!("{}.{}:{number}", line.class, line.method),
        None => format!("{}.{}", line.class, line.method),
    };
    match &line.calls {
        Some(target) => format!("{at} (by {target})"),
        None => at,
    }
}

pub(super) fn next(report: &WasteReport) -> Vec<NextCommand> {
    match &report.trace {
        Some(trace) => vec![NextCommand::new(
            format!(
                "holders {} --dump {}",
                shell_word(trace),
                shell_word(&report.dump)
            ),
            "where retained bytes accumulate, and who holds them",
        )],
        None => vec![NextCommand::new(
            "run --mode trace --dump -- java ...".to_owned(),
            "a trace and a dump: then waste has the lines that made it",
        )],
    }
}
