//! The forms in which `ducktrack deaths` writes.

use clap::ValueEnum;

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
}
