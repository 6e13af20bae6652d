//! The machine-readable report; `schemas` in this crate has every key, `JSON.md` the rules for all.
//!
//! The structs in `document.rs` *are* the format: they are written here and read back by `ducktrack diff`,
//! so that a JSON report can serve as the baseline of a later run. Every site is one line, so that line tools work too.

mod convert;
pub(crate) mod document;

pub(crate) use crate::amount_doc::AmountDoc;
pub use convert::document;
pub(crate) use convert::{
    filter as filter_doc, finding as finding_doc, run as run_doc, run_of_model,
};
pub(crate) use document::{CallerDoc, CauseDoc, FilterDoc, FindingDoc, RunDoc, ThreadDoc, TypeDoc};
pub use document::{ContextDoc, Document, SiteDoc, StackMethodDoc};

use crate::document_lines::lines_of;
use crate::error::ReportError;
use crate::report_version::{FORMAT, VERSION};
use crate::view::View;

/// The report as JSON text, one line per key and per site.
///
/// # Errors
/// Fails only where a value has no JSON form; none of the report's has.
pub(crate) fn json(view: &View) -> Result<String, ReportError> {
    lines_of(&convert::document(view), &["causes", "sites"])
}

/// Reads a report in JSON.
///
/// # Errors
/// When the text is not JSON, not a report, or of a newer version.
pub fn read_json(text: &str) -> Result<Document, ReportError> {
    let document: Document = serde_json::from_str(text).map_err(ReportError::NotAReport)?;
    if document.format != FORMAT {
        return Err(ReportError::OtherFormat(document.format));
    }
    if document.version > VERSION {
        return Err(ReportError::NewerVersion(document.version));
    }
    Ok(document)
}
