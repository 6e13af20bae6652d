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

use crate::view::View;

/// Rows of the two tables when the filter does not say.
const DEFAULT_TOP: usize = 20;

/// Callers shown of a location; the rest is one line with its sum.
pub(crate) const CALLERS: usize = 3;

/// What stands for the caller of objects that have none.
pub(crate) const WITHOUT_CALLER: &str = "<- (no tracked call was under way)";

/// The whole report, in full.
pub fn text(view: &View) -> String {
    full_text(view, false)
}

/// The same with what counting has cost: increments, versions of methods, the agent itself.
pub fn verbose_text(view: &View) -> String {
    full_text(view, true)
}

fn full_text(view: &View, verbose: bool) -> String {
    let mut out = String::new();
    head::write(&mut out, view);
    caused::write(&mut out, view, view.filter.top.unwrap_or(DEFAULT_TOP));
    types::write(&mut out, view);
    locations::write(&mut out, view);
    lengths::write(&mut out, view);
    balance::write(&mut out, view, verbose);
    next_command::write(&mut out, view);
    out
}

/// A headline with an empty line before it.
pub(crate) fn section(out: &mut String, title: &str) {
    out.push('\n');
    out.push_str(title);
    out.push('\n');
}

/// One fact: a name and what is to be said.
pub(crate) fn fact(out: &mut String, name: &str, value: &str) {
    out.push_str(&format!("  {name:<14} {value}\n"));
}
