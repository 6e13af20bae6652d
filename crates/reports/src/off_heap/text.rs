//! For a terminal.

use super::document::OffHeapReport;
use super::row::{OffHeapDoc, OffHeapFrameDoc};
use crate::event_trace::columns::Columns;
use crate::json::AmountDoc;
use crate::quantity::{bytes, grouped};
use crate::text::section;
use crate::text_lines::TextLines;

/// Frames below the maker that are shown.
const CALLERS: usize = 2;

pub(super) fn write(report: &OffHeapReport, out: &mut TextLines) {
    out.push_str(&format!("ducktrack: {}\n", report.run.command));
    if report.kinds.is_empty() {
        out.push_str("  No memory outside of the heap was made while this was recorded.\n");
        return;
    }
    section(
        out,
        "MEMORY OUTSIDE OF THE HEAP, by kind: made since recording began",
    );
    let mut table = Columns::new(&[">live bytes", ">live", ">made bytes", ">made", "kind"]);
    for kind in &report.kinds {
        table.push(cells(kind.live, kind.made, kind.kind.clone()));
    }
    table.write(out);
    section(out, "by the line that made it");
    let mut table = Columns::new(&[">live bytes", ">live", ">made bytes", ">made", "line"]);
    for row in &report.rows {
        let name = format!("{}  {}", row.place(), row.kind);
        table.push(cells(row.live, row.made, name));
        let stack = row.stacks.first().map(|stack| stack.frames.as_slice());
        for caller in callers(row, stack.unwrap_or_default()) {
            let mut empty = vec![String::new(); 4];
            empty.push(format!("    <- {}", caller.place()));
            table.push(empty);
        }
    }
    table.write(out);
    let mut notes: Vec<&String> = Vec::new();
    for note in report.kinds.iter().filter_map(|kind| kind.note.as_ref()) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    for note in notes {
        out.push_str(&format!("  {note}\n"));
    }
}

fn cells(live: AmountDoc, made: AmountDoc, name: String) -> Vec<String> {
    vec![
        bytes(live.bytes),
        grouped(live.count),
        bytes(made.bytes),
        grouped(made.count),
        name,
    ]
}

/// The frames below the maker, in the largest of its stacks.
fn callers<'a>(row: &OffHeapDoc, stack: &'a [OffHeapFrameDoc]) -> &'a [OffHeapFrameDoc] {
    let is_maker = |frame: &OffHeapFrameDoc| {
        (&frame.class, &frame.method, frame.line) == (&row.class, &row.method, row.line)
    };
    let at = stack.iter().position(is_maker);
    let below = at.and_then(|at| stack.get(at + 1..)).unwrap_or_default();
    below.get(..CALLERS.min(below.len())).unwrap_or_default()
}
