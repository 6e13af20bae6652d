//! Lines that reach the terminal even if the test passed: what was compared, and what was skipped.
//!
//! The test runner shows the output of failed tests only, which it captures from the printing macros; these lines bypass the capture.
//! `scripts/test` shows them below the step's verdict.

use std::io::Write;

/// Announces how much a test compared.
pub fn checked(what: &str) {
    say("checked", what);
}

/// Announces what a test could not check on this machine, and why.
pub fn skipped(what: &str) {
    say("skipped", what);
}

fn say(verdict: &str, what: &str) {
    // The runner may have begun a line with dots.
    let line = format!("\n{verdict}: {what}\n");
    // Nothing depends on whether the line is read.
    let _ = std::io::stdout().write_all(line.as_bytes());
}
