//! The forms in which `ducktrack lifetimes` writes.

use clap::ValueEnum;

use crate::output::Format;

/// See the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// Tables for a terminal
    #[default]
    Text,
    /// Documented keys
    Json,
    /// Sites, for spreadsheets
    Csv,
    /// One page with charts
    Html,
    /// Text of Elephant Tracks 1 and 2, with deaths
    Et1,
    /// Text of Elephant Tracks 3, with deaths
    Et3,
    /// When each allocation may be freed, for simulators
    OracleCsv,
    /// The neutral stream, for other back ends (crates/merlin/STREAM.md)
    Stream,
}

impl Form {
    /// Whether it has the death of each object.
    pub(crate) fn has_deaths(self) -> bool {
        match self {
            Self::Text | Self::Json | Self::Csv | Self::Html => false,
            Self::Et1 | Self::Et3 | Self::OracleCsv | Self::Stream => true,
        }
    }

    /// The form of the report; the others are written as the records come.
    pub(crate) fn of_report(self) -> Format {
        match self {
            Self::Json => Format::Json,
            Self::Csv => Format::Csv,
            Self::Html => Format::Html,
            Self::Text | Self::Et1 | Self::Et3 | Self::OracleCsv | Self::Stream => Format::Text,
        }
    }
}
