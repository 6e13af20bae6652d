//! `ducktrack report`: allocations by site, in each form.

use crate::error::ReportError;
use crate::report::Report;
use crate::text::next_command::NextCommand;
use crate::text_lines::TextLines;
use crate::view::View;
use crate::{csv, html, json, text};

impl Report for View {
    fn name(&self) -> &'static str {
        "report"
    }

    fn write(&self, out: &mut TextLines) {
        text::write(out, self, false);
    }

    fn next(&self) -> Vec<NextCommand> {
        text::next_command::next(self)
    }

    fn json(&self) -> Result<String, ReportError> {
        json::json(self)
    }

    fn csv(&self) -> Result<String, ReportError> {
        Ok(csv::csv(self))
    }

    fn html(&self) -> Result<String, ReportError> {
        html::html(self)
    }
}
