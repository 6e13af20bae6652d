//! The report for a terminal, in the shape of aprof: types with reverse location traces, locations with their types.
//!
//! Every number carries its unit, every cut says what it leaves out, and the report ends with what it does not
//! know: completeness, refusals, damage.

mod balance;
mod caused;
mod head;
mod lengths;
mod locations;
pub(crate) mod next_command;
pub(crate) mod table;
mod types;

use next_command::NextCommand;

use crate::report::Report;
use crate::text_lines::TextLines;
use crate::view::View;

/// Rows of the two tables when the filter does not say.
const DEFAULT_TOP: usize = 20;

/// Callers shown of a location; the rest is one line with its sum.
pub(crate) const CALLERS: usize = 3;

/// The word for the caller of objects that have none.
pub(crate) const WITHOUT_CALLER: &str = "<- (no tracked call was under way)";

/// The whole report with what counting has cost: increments, versions of methods, the agent itself.
pub fn verbose_text(view: &View) -> String {
    let mut out = TextLines::new(None);
    write(&mut out, view, true);
    NextCommand::write(&mut out, &view.next());
    out.finish()
}

pub(crate) fn write(out: &mut TextLines, view: &View, verbose: bool) {
    head::write(out, view);
    caused::write(out, view, view.filter.top.unwrap_or(DEFAULT_TOP));
    types::write(out, view);
    locations::write(out, view);
    lengths::write(out, view);
    balance::write(out, view, verbose);
}

/// A headline with an empty line before it.
pub(crate) fn section(out: &mut String, title: &str) {
    out.push('\n');
    out.push_str(title);
    out.push('\n');
}

/// One fact: a name and a text.
pub(crate) fn fact(out: &mut String, name: &str, value: &str) {
    out.push_str(&format!("  {name:<14} {value}\n"));
}
