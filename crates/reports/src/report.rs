//! A report: what one command finds out, in each form that it can be printed in.
//!
//! A report *is* its JSON document (`schemas` has every key): names resolved, filter applied, rows sorted and cut. Text,
//! table and page show nothing that is not in it.

use serde::Serialize;

use crate::document_lines::lines;
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

/// A report whose forms are declared.
pub(crate) trait Declared: Sized {
    const FORMS: Forms<Self>;
}

type Form<R> = fn(&R) -> Result<String, ReportError>;

/// The functions that write each form.
pub(crate) struct Forms<R> {
    pub(crate) name: &'static str,
    pub(crate) text: fn(&R, &mut TextLines),
    pub(crate) next: fn(&R) -> Vec<NextCommand>,
    pub(crate) json: Form<R>,
    pub(crate) csv: Option<fn(&R) -> String>,
    pub(crate) html: Option<Form<R>>,
}

impl<R: Serialize> Forms<R> {
    pub(crate) const fn new(name: &'static str, text: fn(&R, &mut TextLines)) -> Self {
        Self {
            name,
            text,
            next: |_| Vec::new(),
            json: lines,
            csv: None,
            html: None,
        }
    }

    pub(crate) const fn next(mut self, next: fn(&R) -> Vec<NextCommand>) -> Self {
        self.next = next;
        self
    }

    pub(crate) const fn csv(mut self, csv: fn(&R) -> String) -> Self {
        self.csv = Some(csv);
        self
    }

    pub(crate) const fn html(mut self, html: Form<R>) -> Self {
        self.html = Some(html);
        self
    }
}

impl<R: Declared> Report for R {
    fn name(&self) -> &'static str {
        R::FORMS.name
    }

    fn write(&self, out: &mut TextLines) {
        (R::FORMS.text)(self, out);
    }

    fn next(&self) -> Vec<NextCommand> {
        (R::FORMS.next)(self)
    }

    fn json(&self) -> Result<String, ReportError> {
        (R::FORMS.json)(self)
    }

    fn csv(&self) -> Result<String, ReportError> {
        let csv = R::FORMS.csv.ok_or_else(|| self.has_no("csv"))?;
        Ok(csv(self))
    }

    fn html(&self) -> Result<String, ReportError> {
        let html = R::FORMS.html.ok_or_else(|| self.has_no("html"))?;
        html(self)
    }
}
