//! Where a report goes, and in which form. A reader that has had enough (`| head`) is no error.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use ducktrack_reports::Report;

use crate::terminal;

/// The form of a report and where it goes.
#[derive(Args)]
pub(crate) struct Output {
    /// Form of the report
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write to this file instead of standard output
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables for a terminal
    #[default]
    Text,
    /// Documented keys
    Json,
    /// The main table, for spreadsheets
    Csv,
    /// One page with charts
    Html,
    /// A comment for a review
    Markdown,
    /// JUnit's XML, for CI servers
    Junit,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

impl Output {
    pub(crate) fn format(&self) -> Format {
        self.format
    }

    /// Refuses a form that the command does not have, before it does its work.
    ///
    /// # Errors
    /// One line that names the forms there are.
    pub(crate) fn accept(&self, forms: &[Format]) -> Result<()> {
        if forms.contains(&self.format) {
            return Ok(());
        }
        let name = |form: &Format| {
            let value = form.to_possible_value();
            value.map_or_else(String::new, |value| value.get_name().to_owned())
        };
        let names: Vec<_> = forms.iter().map(name).collect();
        let refused = name(&self.format);
        bail!(
            "this report has no form {refused}: give --format {}",
            names.join(" or ")
        )
    }

    /// Prints the report.
    pub(crate) fn print(&self, report: &impl Report) -> Result<()> {
        print(report, self.format, self.file.as_deref())
    }

    /// Prints a text that is in the wanted form.
    pub(crate) fn print_text(&self, text: &str) -> Result<()> {
        write(text, self.file.as_deref())
    }

    /// Prints the report after the text of `head`.
    pub(crate) fn print_after(&self, head: String, report: Option<&impl Report>) -> Result<()> {
        let file = self.file.as_deref();
        let tail = report.map(|report| report.text(terminal::width(file.is_none())));
        write(&(head + &tail.unwrap_or_default()), file)
    }
}

/// Prints a report to the file, or to standard output.
pub(crate) fn print(report: &impl Report, format: Format, file: Option<&Path>) -> Result<()> {
    let text = match format {
        Format::Text => report.text(terminal::width(file.is_none())),
        Format::Json => report.json()?,
        Format::Csv => report.csv()?,
        Format::Html => report.html()?,
        Format::Markdown | Format::Junit | Format::Sarif | Format::Github => {
            bail!("only `ducktrack diff` has this form")
        }
    };
    write(&text, file)
}

/// Writes the text to the file, or to standard output.
pub(crate) fn write(text: &str, file: Option<&Path>) -> Result<()> {
    match file {
        Some(path) => {
            let written = fs::write(path, text);
            if written.is_err() {
                remove_part(path);
            }
            written.with_context(|| format!("cannot write {}", path.display()))
        }
        None => {
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes())
                .and_then(|()| out.flush())
                .context("cannot write to standard output")
        }
    }
}

/// Removes a file that could not be written to its end. Devices and pipes stay.
fn remove_part(path: &Path) {
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        // The error that is reported is that of the write.
        let _ = fs::remove_file(path);
    }
}

/// True when the error is only that the reader has stopped reading.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
