//! The output of `ducktrack lifetimes --deaths` for a trace: its objects, and their updates in the text of Elephant Tracks.

use std::collections::BTreeMap;
use std::path::Path;

use crate::product::ducktrack_command;
use ducktrack_test_support::Finished;

/// An object's number; 0 in an [`ObjectUpdate`]: none.
pub type ObjectNumber = u64;

/// A reference that was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectUpdate {
    /// The reference in the slot before.
    pub old: ObjectNumber,
    /// The object whose slot it is; 0: a static field.
    pub source: ObjectNumber,
    /// The reference in it now.
    pub new: ObjectNumber,
    /// The slot, by number.
    pub slot: u64,
}

/// Output and messages of `ducktrack lifetimes TRACE --deaths MORE...`.
#[track_caller]
pub fn deaths_command(trace: &Path, more: &[&str]) -> (String, String) {
    let mut command = ducktrack_command();
    let command = command.args(["lifetimes", "--deaths"]).arg(trace);
    let finished = Finished::well(command.args(more));
    (finished.out, finished.errors)
}

/// Objects of the types that fit a pattern, in the order of birth: number and type.
pub fn traced_objects(trace: &Path, pattern: &str) -> BTreeMap<ObjectNumber, String> {
    let (list, _) = deaths_command(trace, &["--objects", "--type", pattern]);
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        (fields[0].parse().expect("a number"), fields[1].to_owned())
    };
    list.lines().skip(1).map(row).collect()
}

/// All updates, in the order of the stream.
pub fn traced_updates(trace: &Path) -> Vec<ObjectUpdate> {
    let (text, _) = deaths_command(trace, &["--format", "et1"]);
    let lines = text.lines().filter_map(|line| line.strip_prefix("U "));
    let update = |line: &str| {
        let mut fields = line.split(' ');
        let mut next = || {
            let field = fields.next().expect("four fields");
            u64::from_str_radix(field, 16).expect("a number")
        };
        ObjectUpdate {
            old: next(),
            source: next(),
            new: next(),
            slot: next(),
        }
    };
    lines.map(update).collect()
}
