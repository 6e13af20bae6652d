//! The machine-readable report; `schemas` in this crate has every key, `JSON.md` the rules for all.
//!
//! The structs in `document.rs` *are* the format: they are written here and read back by `ducktrack diff`,
//! so that a JSON report can serve as the baseline of a later run. Every site is one line, so that line tools work too.

mod convert;
pub(crate) mod document;

use serde::Serialize;

pub(crate) use crate::amount_doc::AmountDoc;
pub use convert::document;
pub(crate) use convert::{
    filter as filter_doc, finding as finding_doc, run as run_doc, run_of_model,
};
pub(crate) use document::{CallerDoc, CauseDoc, FilterDoc, FindingDoc, RunDoc, ThreadDoc, TypeDoc};
pub use document::{ContextDoc, Document, SiteDoc, StackMethodDoc};

use crate::error::ReportError;
use crate::report_version::{FORMAT, VERSION};
use crate::view::View;

/// The report as JSON text, one line per key and per site.
///
/// # Errors
/// Fails only where a value has no JSON form; none of the report's has.
pub(crate) fn json(view: &View) -> Result<String, ReportError> {
    write_document(&convert::document(view))
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

fn write_document(document: &Document) -> Result<String, ReportError> {
    let Document {
        format,
        version,
        run,
        filter,
        totals,
        selected,
        kinds,
        completeness,
        increments,
        refusals,
        cost,
        damage,
        losses,
        notes,
        stacks,
        windows,
        chosen_windows,
        caused,
        causes,
        off_heap,
        sites,
    } = document;
    let mut out = String::from("{\n");
    line(&mut out, "format", format)?;
    line(&mut out, "version", version)?;
    line(&mut out, "run", run)?;
    line(&mut out, "filter", filter)?;
    line(&mut out, "totals", totals)?;
    line(&mut out, "selected", selected)?;
    line(&mut out, "kinds", kinds)?;
    line(&mut out, "completeness", completeness)?;
    line(&mut out, "increments", increments)?;
    line(&mut out, "refusals", refusals)?;
    line(&mut out, "cost", cost)?;
    line(&mut out, "damage", damage)?;
    line(&mut out, "losses", losses)?;
    line(&mut out, "notes", notes)?;
    line(&mut out, "stacks", stacks)?;
    line(&mut out, "windows", windows)?;
    line(&mut out, "chosenWindows", chosen_windows)?;
    line(&mut out, "caused", caused)?;
    out.push_str("\"causes\":[");
    for (at, cause) in causes.iter().enumerate() {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.push_str(&text_of(cause)?);
    }
    out.push_str("\n],\n");
    line(&mut out, "off_heap", off_heap)?;
    out.push_str("\"sites\":[");
    for (at, site) in sites.iter().enumerate() {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.push_str(&text_of(site)?);
    }
    out.push_str("\n]\n}\n");
    Ok(out)
}

fn line(out: &mut String, key: &str, value: &impl Serialize) -> Result<(), ReportError> {
    out.push_str(&format!("\"{key}\":{},\n", text_of(value)?));
    Ok(())
}

fn text_of(value: &impl Serialize) -> Result<String, ReportError> {
    serde_json::to_string(value).map_err(ReportError::NoJsonForm)
}
