//! The errors of making or reading a report.

use std::fmt;

/// Why there is no report.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReportError {
    /// A value has no JSON form.
    NoJsonForm(serde_json::Error),
    /// The text is not a JSON report; the error has line and column.
    NotAReport(serde_json::Error),
    /// The key `format` names something else.
    OtherFormat(String),
    /// A version that this program does not know.
    NewerVersion(u32),
    /// A run has no sampled stacks, of which the picture would be made.
    NoStacks(String),
    /// A report cannot be had in this form.
    NoSuchForm {
        /// Its command.
        report: &'static str,
        /// `csv` or `html`.
        form: &'static str,
    },
    /// The page could not be put together.
    Page(askama::Error),
    /// A page could not be compressed.
    Packed(std::io::Error),
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoJsonForm(error) => write!(f, "a value cannot be written as JSON: {error}"),
            Self::NotAReport(error) => write!(f, "not a JSON report of ducktrack: {error}"),
            Self::OtherFormat(format) => {
                write!(
                    f,
                    "the key \"format\" is {format:?}, not \"{}\"",
                    crate::report_version::FORMAT
                )
            }
            Self::NewerVersion(version) => write!(
                f,
                "the report has version {version}, this program reads up to {}: use a newer ducktrack",
                crate::report_version::VERSION
            ),
            Self::NoStacks(trace) => write!(
                f,
                "{trace} has no call stacks (stacks=off, or see its notes): use --format text"
            ),
            Self::NoSuchForm { report, form } => write!(
                f,
                "ducktrack {report} has no --format {form}: use text or json"
            ),
            Self::Page(error) => write!(f, "the page could not be put together: {error}"),
            Self::Packed(error) => write!(f, "a page could not be compressed: {error}"),
        }
    }
}

impl std::error::Error for ReportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NoJsonForm(error) | Self::NotAReport(error) => Some(error),
            Self::Page(error) => Some(error),
            Self::Packed(error) => Some(error),
            _ => None,
        }
    }
}
