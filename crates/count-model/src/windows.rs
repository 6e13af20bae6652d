//! Windows of a run: from a mark to the next one, or to the end.

use ducktrack_trace_format::{Term, Unit};

use crate::Tally;
use crate::definitions::Definitions;
use crate::own_objects::is_in_helper;
use crate::snapshot_state::SnapshotState;

/// How the cause of a snapshot begins that a mark has brought about.
const MARK: &str = "mark ";
/// At most this many marks make windows; the last window reaches to the end.
const MOST_MARKS: usize = 10_000;

/// The allocations executed between two marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowRow {
    /// Name of the mark that it begins with; `None`: it begins with the recording.
    pub name: Option<String>,
    /// When it begins, milliseconds since 1970.
    pub start_unix_millis: u64,
    /// When it ends.
    pub end_unix_millis: u64,
    /// The allocations executed.
    pub made: Tally,
}

/// A moment of a run.
#[derive(Clone, Debug)]
struct Mark {
    name: String,
    unix_millis: u64,
    total: Tally,
}

/// Collects marks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks(Vec<Mark>);

impl Marks {
    /// After a snapshot was taken.
    pub(crate) fn look(&mut self, state: &SnapshotState, definitions: &Definitions) {
        if let Some((name, unix_millis)) = last_mark(state)
            && self.0.len() < MOST_MARKS
        {
            self.0.push(Mark {
                name: name.to_owned(),
                unix_millis,
                total: total(state, definitions),
            });
        }
    }

    /// The windows; none without a mark. `end` is the last moment that is known, with everything until then.
    pub(crate) fn windows(self, start_unix_millis: u64, end: (u64, Tally)) -> Vec<WindowRow> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let mut windows = Vec::with_capacity(self.0.len() + 1);
        let mut from = (None, start_unix_millis, Tally::default());
        let marks = self.0.into_iter();
        let ends = marks
            .map(|mark| (Some(mark.name), mark.unix_millis, mark.total))
            .chain([(None, end.0, end.1)]);
        for (name, unix_millis, total) in ends {
            windows.push(WindowRow {
                name: from.0,
                start_unix_millis: from.1,
                end_unix_millis: unix_millis,
                made: Tally {
                    count: total.count.saturating_sub(from.2.count),
                    bytes: total.bytes.saturating_sub(from.2.bytes),
                },
            });
            from = (name, unix_millis, total);
        }
        windows
    }
}

/// Name and time of the mark that the last snapshot is of.
pub(crate) fn last_mark(state: &SnapshotState) -> Option<(&str, u64)> {
    let snapshot = state.snapshots.last()?;
    let name = snapshot.cause.strip_prefix(MARK)?;
    Some((name, snapshot.unix_millis))
}

/// Everything executed so far, with the sizes that are known so far.
pub(crate) fn total(state: &SnapshotState, definitions: &Definitions) -> Tally {
    let (mut count, mut bytes) = (0_i128, 0_i128);
    for (id, value) in state.counter_totals() {
        let Some(counter) = definitions.counters.get(id) else {
            continue;
        };
        let of_program = |term: &&Term| !is_in_helper(definitions, term.site);
        for term in counter.terms.iter().filter(of_program) {
            let amount = i128::try_from(value)
                .unwrap_or(i128::MAX)
                .saturating_mul(term.factor.into());
            match term.unit {
                Unit::Count => {
                    count += amount;
                    bytes += amount * i128::from(definitions.size(term.site).unwrap_or(0));
                }
                Unit::Bytes if definitions.size(term.site).is_none() => bytes += amount,
                _ => {}
            }
        }
    }
    for ((site, ..), (objects, of_objects)) in
        state.threads.values().flat_map(|thread| &thread.keyed)
    {
        if is_in_helper(definitions, *site) {
            continue;
        }
        count += i128::from(*objects);
        bytes += match *of_objects {
            0 => i128::from(*objects) * i128::from(definitions.size(*site).unwrap_or(0)),
            measured => i128::from(measured),
        };
    }
    let fit = |sum: i128| i64::try_from(sum).unwrap_or(i64::MAX);
    Tally {
        count: fit(count),
        bytes: fit(bytes),
    }
}
