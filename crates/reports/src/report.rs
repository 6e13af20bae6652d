//! A report: what one command finds out, in each form that it can be printed in.
//!
//! A report *is* its JSON document (`schemas` has every key): names resolved, filter applied, rows sorted and cut. Text,
//! table and page show nothing that is not in it.

use crate::error::ReportError;
use crate::text::next_command::NextCommand;
use crate::text_lines::TextLines;

/// The findings of one command.
pub trait Report {
    /// The command's name.
    fn name(&self) -> &'static str;

    /// Writes facts and tables for people.
    fn write(&self, out: &mut TextLines);

    /// The commands that are useful next.
    fn next(&self) -> Vec<NextCommand>;

    /// For people, in lines of at most `width` columns; `None`: lines have any length.
    fn text(&self, width: Option<usize>) -> String {
        let mut out = TextLines::new(width);
        self.write(&mut out);
        NextCommand::write(&mut out, &self.next());
        out.finish()
    }

    /// For programs, with documented keys.
    ///
    /// # Errors
    /// If a value has no JSON form; none of these has.
    fn json(&self) -> Result<String, ReportError>;

    /// For spreadsheets: the report's main table (RFC 4180).
    ///
    /// # Errors
    /// If the report has no table.
    fn csv(&self) -> Result<String, ReportError> {
        Err(self.has_no("csv"))
    }

    /// One self-contained page with charts.
    ///
    /// # Errors
    /// If the report has no page.
    fn html(&self) -> Result<String, ReportError> {
        Err(self.has_no("html"))
    }

    /// The refusal of a form.
    fn has_no(&self, form: &'static str) -> ReportError {
        ReportError::NoSuchForm {
            report: self.name(),
            form,
        }
    }
}
