//! A remark at a line of the program, for reports that are no comparison.

use serde_json::{Value, json};

use super::finding::Finding;
use super::{github, sarif};
use crate::error::ReportError;
use crate::json::AmountDoc;

/// A remark at a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remark {
    /// The id of its rule.
    pub(crate) rule: String,
    /// The text.
    pub(crate) message: String,
    /// Its name in all versions of the source.
    pub(crate) stable_name: String,
    /// The path of the file in the repository, where it was found.
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u16>,
}

impl Remark {
    fn finding(&self) -> Finding {
        Finding {
            method: String::new(),
            what: String::new(),
            before: AmountDoc::default(),
            after: AmountDoc::default(),
            line: self.line,
            file: self.file.clone(),
        }
    }
}

/// SARIF of remarks.
pub(crate) fn sarif_remarks(remarks: &[Remark]) -> Result<String, ReportError> {
    let results = remarks.iter().map(|remark| {
        let rule = (remark.rule.as_str(), "note");
        sarif::result(
            rule,
            &remark.message,
            &remark.stable_name,
            Some(&remark.finding()),
        )
    });
    let mut ids: Vec<&str> = remarks.iter().map(|remark| remark.rule.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let rules: Vec<Value> = ids
        .into_iter()
        .map(|id| json!({ "id": id, "shortDescription": { "text": format!("Fewer allocations: {id}") } }))
        .collect();
    sarif::log(json!(rules), results.collect())
}

/// Annotations of remarks.
pub(crate) fn github_remarks(title: &str, remarks: &[Remark]) -> String {
    let lines = remarks
        .iter()
        .map(|remark| github::command(("notice", title), Some(&remark.finding()), &remark.message));
    lines.collect()
}
