//! `ducktrack report --off-heap`: memory outside of the heap that Java code owns, by the line that made it.

mod build;
mod document;
mod page;
pub(crate) mod row;
mod table;
mod text;

pub use build::off_heap_report;
pub(crate) use build::{by_line, frame_doc, rows};
pub use document::OffHeapReport;
pub(crate) use row::{OffHeapDoc, OffHeapFrameDoc, OffHeapStackDoc};

use crate::report::{Declared, Forms};

impl Declared for OffHeapReport {
    const FORMS: Forms<Self> = Forms::new("report --off-heap", text::write)
        .csv(|report| table::of_lines().csv(&report.rows))
        .html(page::html);
}

impl OffHeapReport {
    /// Stacks with the bytes that are live, for flame graph tools.
    pub fn collapsed(&self) -> String {
        let stacks = self.rows.iter().flat_map(|row| {
            let live = row.stacks.iter().filter(|stack| stack.live.bytes > 0);
            live.map(|stack| {
                let frames = stack.frames.iter().rev().map(OffHeapFrameDoc::place);
                let mut frames: Vec<String> = frames.collect();
                frames.push(format!("({})", row.kind));
                format!("{} {}\n", frames.join(";"), stack.live.bytes)
            })
        });
        stacks.collect()
    }
}
