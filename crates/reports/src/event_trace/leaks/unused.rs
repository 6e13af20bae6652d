//! When the objects of a candidate were last used, where that is recorded.

use ducktrack_analyses::{Staleness, SurvivorRow, TraceModel};
use ducktrack_holders::LastUse;
use ducktrack_leaks::{NotKnown, Verdict};

use super::document::CandidateDoc;
use crate::event_trace::heap::since_start;

impl CandidateDoc {
    /// Uses are recorded, and most of them were used since the last collection.
    pub(super) fn is_in_use(&self) -> bool {
        !self.staleness.is_empty() && is_in_use(self.unused_for)
    }

    /// It is not known for this reason.
    pub(super) fn is_not_known(&self, why: NotKnown) -> bool {
        self.reason.as_deref() == Some(why.name())
    }

    /// It rises, and nobody need act: no alarm, or less than the smallest rate that matters.
    pub(super) fn is_small(&self, smallest: f64) -> bool {
        let is_slow = self.verdict == Verdict::Leaks.name() || self.bytes_per_mb.value < smallest;
        is_slow && !self.alarm && !self.is_in_use()
    }

    /// Adds the last uses of the driver's live objects.
    pub(super) fn with_uses(
        self,
        model: &TraceModel,
        staleness: &Staleness,
        driver: &SurvivorRow,
    ) -> Self {
        let Some(last_use) = last_use(staleness, driver) else {
            return self;
        };
        let unused_for = last_use.median();
        Self {
            // More than half of them were used since the last collection: they are more, and needed.
            alarm: self.alarm && !is_in_use(unused_for),
            unused_for,
            unused_since_micros: unused_for
                .and_then(|unused| moment_before(model, staleness, unused)),
            staleness: last_use.levels,
            ..self
        }
    }
}

/// Whether uses are recorded, and most of the live objects of these sites were not used since the last collection.
pub(super) fn is_unused(staleness: &Staleness, row: &SurvivorRow) -> bool {
    last_use(staleness, row).is_some_and(|last_use| !is_in_use(last_use.median()))
}

/// Whether objects whose median was not used for this many collections are in use; `None`: there are none.
fn is_in_use(unused_for: Option<u32>) -> bool {
    matches!(unused_for, None | Some(0))
}

/// The last uses of the live objects of the driver's sites; `None`: not recorded.
fn last_use(staleness: &Staleness, driver: &SurvivorRow) -> Option<LastUse> {
    let is_its = |site: Option<_>| site.is_some_and(|site| driver.sites.contains(&site));
    let mut levels: Vec<u64> = Vec::new();
    for row in staleness.sites.iter().filter(|row| is_its(row.site)) {
        let of_row = LastUse::of_levels(&row.levels).levels;
        if levels.len() < of_row.len() {
            levels.resize(of_row.len(), 0);
        }
        for (sum, more) in levels.iter_mut().zip(of_row) {
            *sum += more;
        }
    }
    (!levels.is_empty()).then_some(LastUse { levels })
}

/// About when the collection this many collections before the end was, in microseconds since the start.
fn moment_before(model: &TraceModel, staleness: &Staleness, collections: u32) -> Option<u64> {
    let wanted = staleness.collection.0.saturating_sub(collections);
    let mut points = staleness.points.iter().rev();
    let point = points.find(|point| point.collection.0 <= wanted)?;
    since_start(model, point.unix_micros)
}
