//! A place that makes more or less than before.

use std::cmp::Reverse;

use super::matching::{Placed, match_places};
use crate::filter::Sort;
use crate::json::AmountDoc;

/// A site, or a call of the application, that differs.
#[derive(Clone, Debug)]
pub struct Change<T> {
    /// In the first run, with the amount in scope; `None` when it made nothing there.
    pub before: Option<T>,
    /// In the second run.
    pub after: Option<T>,
}

impl<T: Placed + Clone> Change<T> {
    /// All places of both runs, whether they differ or not.
    pub(super) fn of_all<'a>(before: &'a [T], after: &'a [T]) -> impl Iterator<Item = Self> + 'a {
        let pairs = match_places(before, after).into_iter();
        pairs.map(|(before, after)| Self {
            before: before.cloned(),
            after: after.cloned(),
        })
    }

    /// Objects and bytes of both runs.
    pub(super) fn amounts(&self) -> [AmountDoc; 2] {
        let sides = [&self.before, &self.after];
        sides.map(|side| side.as_ref().map(T::amount).unwrap_or_default())
    }

    /// Change of objects and bytes.
    pub(super) fn change(&self) -> AmountDoc {
        let [before, after] = self.amounts();
        AmountDoc {
            count: after.count.saturating_sub(before.count),
            bytes: after.bytes.saturating_sub(before.bytes),
        }
    }

    /// The place as it is now, or as it was.
    pub(super) fn place(&self) -> Option<&T> {
        self.after.as_ref().or(self.before.as_ref())
    }
}

/// Largest change first.
pub(super) fn sort<T: Placed + Clone>(changes: &mut [Change<T>], sort: Sort) {
    changes.sort_by_key(|change| {
        let AmountDoc { count, bytes } = change.change();
        Reverse(match sort {
            Sort::Bytes => (bytes.unsigned_abs(), count.unsigned_abs()),
            Sort::Count => (count.unsigned_abs(), bytes.unsigned_abs()),
        })
    });
}
