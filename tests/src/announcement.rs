//! Lines that reach the terminal although the test passed: what was compared, and what could not be.
//!
//! The test runner shows the output of failed tests only, and takes it from the printing macros; these lines are written past it. `scripts/test`
//! shows them below the step's verdict.

use std::io::Write;

/// Says how much a test compared.
pub fn checked(what: &str) {
    say("checked", what);
}

/// Says what a test could not check on this machine, and why.
pub fn skipped(what: &str) {
    say("skipped", what);
}

fn say(verdict: &str, what: &str) {
    // A line of its own: the runner may have begun one with dots.
    let line = format!("\n{verdict}: {what}\n");
    // Nothing depends on whether anybody reads it.
    let _ = std::io::stdout().write_all(line.as_bytes());
}
