//! Each line of source, type and caller with its verdict.

use std::borrow::Cow;

use ducktrack_analyses::{SurvivorRow, Survivors};
use ducktrack_leaks::{History, Judgement, before_it_was_dropped, judge};

use crate::softly_held::{Part, SoftlyHeld};

/// A row, or a part of it, with its verdict.
#[derive(Clone, Debug)]
pub struct JudgedRow<'a> {
    /// The row.
    pub row: &'a SurvivorRow,
    /// The part of its objects.
    pub part: Part,
    /// The history of the part's objects; where they were dropped, up to that moment.
    pub history: Cow<'a, History>,
    /// The verdict by itself: what groups and a dump add is in the finding that has the row.
    pub judged: Judgement,
}

/// Judges all rows, most kept bytes first. What only soft references hold is judged apart.
pub(crate) fn judged<'a>(
    survivors: &'a Survivors,
    soft: Option<&SoftlyHeld<'_>>,
) -> Vec<JudgedRow<'a>> {
    let clock = &survivors.clock;
    let judged = |row: &'a SurvivorRow, part, history: Cow<'a, History>| {
        let judged = match part {
            Part::All | Part::Firm => judge(clock, &history),
            Part::Soft => judge(clock, &history).that_can_be_cleared(),
        };
        // What was dropped at one time has risen as one until then.
        let dropped = judged
            .released
            .then(|| before_it_was_dropped(clock, &history));
        JudgedRow {
            row,
            part,
            judged,
            history: dropped.flatten().map_or(history, Cow::Owned),
        }
    };
    let mut rows: Vec<JudgedRow<'a>> = Vec::with_capacity(survivors.rows.len());
    for row in &survivors.rows {
        match soft.and_then(|soft| soft.parts(row)) {
            None => rows.push(judged(row, Part::All, Cow::Borrowed(&row.history))),
            Some(parts) => rows.extend(
                parts
                    .into_iter()
                    .filter(|(_, history)| !history.live().is_zero())
                    .map(|(part, history)| judged(row, part, Cow::Owned(history))),
            ),
        }
    }
    rows.sort_by_key(|row| core::cmp::Reverse(row.judged.kept.bytes));
    rows
}
