//! A comparison for those who review a change: a comment, an XML report for any CI server, SARIF for code scanning, annotations of GitHub.
//!
//! ```text
//! Comparison ── findings ──┬─ markdown   a comment or a step summary
//!                          ├─ junit      one test for each gate
//!                          ├─ sarif      2.1.0, results at lines
//!                          └─ github     workflow commands at lines
//! ```

mod finding;
mod github;
mod junit;
mod markdown;
mod remark;
mod sarif;

use super::Comparison;
use crate::error::ReportError;
use finding::findings;

pub(crate) use remark::{Remark, github_remarks, sarif_remarks};

/// The form of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewForm {
    /// GitHub's Markdown.
    Markdown,
    /// JUnit's XML.
    Junit,
    /// SARIF 2.1.0.
    Sarif,
    /// Workflow commands of GitHub Actions.
    Github,
}

/// Finds the file of a class's source in the repository: from `com/acme/Shop.java`, its path there.
pub type SourceFinder<'a> = dyn Fn(&str) -> Option<String> + 'a;

impl Comparison {
    /// The comparison in a form for reviews.
    ///
    /// # Errors
    /// If a value has no JSON form; none of these has.
    pub fn review(
        &self,
        form: ReviewForm,
        sources: &SourceFinder<'_>,
    ) -> Result<String, ReportError> {
        let findings = match self.is_green() {
            true => Vec::new(),
            false => findings(self, sources),
        };
        match form {
            ReviewForm::Markdown => Ok(markdown::write(self, &findings)),
            ReviewForm::Junit => Ok(junit::write(self, &findings)),
            ReviewForm::Sarif => sarif::write(self, &findings),
            ReviewForm::Github => Ok(github::write(self, &findings)),
        }
    }

    /// There are gates, and all of them hold: two equal runs differ by some objects of the JVM's own threads, which concern nobody.
    fn is_green(&self) -> bool {
        !self.verdicts.is_empty() && self.passed()
    }

    /// The command that accepts the second run.
    fn accept(&self) -> String {
        format!(
            "ducktrack report {} --format json -o {}",
            self.after.name, self.before.name
        )
    }
}

#[cfg(test)]
mod tests;
