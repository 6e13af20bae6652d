//! Advice for those who review a change: a table, SARIF, annotations.

use super::document::{AdviceDoc, AdviceReport};
use crate::diff::{Remark, ReviewForm, SourceFinder, github_remarks, sarif_remarks};
use crate::error::ReportError;
use crate::quantity::{bytes, objects, share};

impl AdviceReport {
    /// The advice in a form for reviews.
    ///
    /// # Errors
    /// If the form is that of tests.
    pub fn review(
        &self,
        form: ReviewForm,
        sources: &SourceFinder<'_>,
    ) -> Result<String, ReportError> {
        let remarks: Vec<Remark> = self.advice.iter().map(|row| remark(row, sources)).collect();
        match form {
            ReviewForm::Markdown => Ok(self.markdown()),
            ReviewForm::Sarif => sarif_remarks(&remarks),
            ReviewForm::Github => Ok(github_remarks("Fewer allocations", &remarks)),
            ReviewForm::Junit => Err(ReportError::NoSuchForm {
                report: "advise",
                form: "junit",
            }),
        }
    }

    fn markdown(&self) -> String {
        let mut out =
            String::from("| place | change | saves | of the run |\n|---|---|---:|---:|\n");
        for row in &self.advice {
            out.push_str(&format!(
                "| `{}` | {} | {} {}, {} | {} |\n",
                place(row),
                row.what.replace('|', "\\|"),
                row.sure,
                bytes(row.bytes),
                objects(row.objects),
                share(row.bytes, self.total.bytes)
            ));
        }
        out
    }
}

fn place(row: &AdviceDoc) -> String {
    let line = row.line.map_or_else(String::new, |line| format!(":{line}"));
    format!("{}.{}{line}", row.class, row.method)
}

fn remark(row: &AdviceDoc, sources: &SourceFinder<'_>) -> Remark {
    Remark {
        rule: row.rule.to_owned(),
        message: format!(
            "{}: {}; saves {} {} in {}",
            place(row),
            row.what,
            row.sure,
            bytes(row.bytes),
            objects(row.objects)
        ),
        stable_name: format!("{}.{} {}", row.class, row.method, row.rule),
        file: row.file.as_deref().and_then(sources),
        line: row.line,
    }
}
