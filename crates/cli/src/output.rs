//! Where a report goes, and in which form. A reader that has had enough (`| head`) is no error.

use std::fs;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use ducktrack_reports::Report;

use crate::terminal;

/// The form of a report, one of those that the command has, and where it goes.
#[derive(Args)]
pub(crate) struct Output<F: Forms> {
    /// Form of the report
    #[arg(long, default_value = "text", value_parser = parser_of::<F>())]
    format: Format,
    #[arg(skip)]
    forms: PhantomData<F>,
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
    /// A method, for Graphviz
    Dot,
}

/// The forms of a command's report.
pub(crate) trait Forms: Send + Sync + 'static {
    const FORMS: &'static [Format];
}

macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident: $($form:ident)*;)*) => {
        $($(#[$doc])* pub(crate) struct $name;
        impl Forms for $name {
            const FORMS: &'static [Format] = &[$(Format::$form),*];
        })*
    };
}

forms! {
    /// Tables, keys, and a page with charts.
    Charts: Text Json Csv Html;
    /// The forms of the contents of a file; a method of a class file is drawn.
    Contents: Text Json Csv Html Dot;
    /// One text and keys.
    Keys: Text Json;
    /// A comparison, for people and for CI.
    Reviews: Text Json Html Markdown Junit Sarif Github;
    /// Findings at lines of source.
    Remarks: Text Json Html Markdown Sarif Github;
}

fn parser_of<F: Forms>() -> impl TypedValueParser<Value = Format> {
    let words = F::FORMS.iter().filter_map(Format::to_possible_value);
    PossibleValuesParser::new(words).map(|word| Format::from_str(&word, false).unwrap_or_default())
}

impl<F: Forms> Output<F> {
    /// `format`: one of those that the command has.
    pub(crate) fn new(format: Format, file: Option<PathBuf>) -> Self {
        Self {
            format,
            forms: PhantomData,
            file,
        }
    }

    pub(crate) fn format(&self) -> Format {
        self.format
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
            bail!("only `ducktrack diff` and `ducktrack advise` have this form")
        }
        Format::Dot => {
            bail!("only methods of a class file are drawn: use --format text or json")
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
