//! `ducktrack waste`: what the live bytes of a heap dump are wasted on, the fields that hold it, and the lines that made it.

mod build;
mod document;
mod page;
mod table;
mod text;

pub use build::{WasteRequest, waste_report};
pub use document::{
    HumongousDoc, LargeObjectsDoc, RegionDoc, WasteLineDoc, WasteMakerDoc, WasteReport, WasteRowDoc,
};

use crate::document_lines::lines;
use crate::error::ReportError;
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
        Ok(table::table(self).csv(&self.waste))
    }

    fn html(&self) -> Result<String, ReportError> {
        page::html(self)
    }
}
