//! For a terminal.

use super::document::OffHeapReport;
use super::row::{OffHeapDoc, OffHeapFrameDoc};
use super::table::{of_kinds, of_lines};
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
    of_kinds().write(out, &report.kinds);
    section(out, "by the line that made it");
    let table = of_lines();
    let mut text = table.text();
    for row in &report.rows {
        text.row(row);
        let stack = row.stacks.first().map(|stack| stack.frames.as_slice());
        for caller in callers(row, stack.unwrap_or_default()) {
            text.note(format!("  <- {}", caller.place()));
        }
    }
    text.write(out);
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

/// The frames below the maker, in the largest of its stacks.
fn callers<'a>(row: &OffHeapDoc, stack: &'a [OffHeapFrameDoc]) -> &'a [OffHeapFrameDoc] {
    let is_maker = |frame: &OffHeapFrameDoc| {
        (&frame.class, &frame.method, frame.line) == (&row.class, &row.method, row.line)
    };
    let at = stack.iter().position(is_maker);
    let below = at.and_then(|at| stack.get(at + 1..)).unwrap_or_default();
    below.get(..CALLERS.min(below.len())).unwrap_or_default()
}
