//! `ducktrack waste`: what the live bytes of a heap dump are wasted on, the fields that hold it, and the lines that made it.

mod build;
mod document;
mod page;
mod text;

pub use build::{WasteRequest, waste_report};
pub use document::{
    HumongousDoc, LargeObjectsDoc, RegionDoc, WasteLineDoc, WasteMakerDoc, WasteReport, WasteRowDoc,
};

use crate::document_lines::lines;
use crate::error::ReportError;
use crate::event_trace::csv_line;
use crate::report::Report;
use crate::text::next_command::NextCommand;
use crate::text_lines::TextLines;

impl Report for WasteReport {
    fn name(&self) -> &'static str {
        "waste"
    }

    fn write(&self, out: &mut TextLines) {
        text::write(self, out);
    }

    fn next(&self) -> Vec<NextCommand> {
        text::next(self)
    }

    fn json(&self) -> Result<String, ReportError> {
        lines(self)
    }

    fn csv(&self) -> Result<String, ReportError> {
        const HEADER: [&str; 9] = [
            "kind", "objects", "bytes", "overlap", "holder", "class", "method", "line", "what",
        ];
        let rows = self.waste.iter().map(|row| {
            vec![
                row.kind.clone(),
                row.objects.to_string(),
                row.bytes.to_string(),
                row.overlap.to_string(),
                row.holder.clone(),
                row.class.clone().unwrap_or_default(),
                row.method.clone().unwrap_or_default(),
                row.line.map_or_else(String::new, |line| line.to_string()),
                row.what.clone(),
            ]
        });
        let header = HEADER.map(str::to_owned).to_vec();
        Ok(core::iter::once(header)
            .chain(rows)
            .map(|row| csv_line(&row))
            .collect())
    }

    fn html(&self) -> Result<String, ReportError> {
        page::html(self)
    }
}
