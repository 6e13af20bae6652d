//! The file with the figures of tests.

use std::fs::OpenOptions;
use std::io::Write;

/// Adds a line to the file that `DUCKTRACK_TABLE` names, if it does.
///
/// # Panics
/// The file cannot be written.
pub fn note(line: &str) {
    if let Some(table) = std::env::var_os("DUCKTRACK_TABLE") {
        let file = OpenOptions::new().append(true).create(true).open(table);
        writeln!(file.expect("the table"), "{line}").expect("the table");
    }
}
