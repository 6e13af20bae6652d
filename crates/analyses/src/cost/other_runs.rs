//! For each key: the full collections of a run without its objects, and of
//! a run in which its objects die when they have not been used for long.

use core::hash::Hash;

use rustc_hash::FxHashMap;

use crate::cost::other_run::{FullCollection, Missing, OtherRun, Saved};

/// Objects of a key, up to a full collection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Open {
    /// Bytes promoted since the full collection before.
    promoted: f64,
    /// Bytes alive in this one.
    alive: f64,
    /// Of these, not used for long: after once and twice the time.
    unused: [f64; 2],
}

/// The other runs of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Runs {
    without: OtherRun,
    unused: [OtherRun; 2],
}

/// Full collections that are saved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FullSavings {
    /// In a run without the objects.
    pub without: Saved,
    /// In a run in which they die when they have not been used for some collections, and for twice as many.
    pub unused: [Saved; 2],
}

/// Sums; see [`Cost::full`](crate::Cost::full).
impl core::ops::AddAssign for FullSavings {
    fn add_assign(&mut self, other: Self) {
        self.without += other.without;
        for (sum, saved) in self.unused.iter_mut().zip(other.unused) {
            *sum += saved;
        }
    }
}

/// Other runs by key.
#[derive(Clone, Debug)]
pub(super) struct OtherRuns<K: Hash + Eq> {
    open: FxHashMap<K, Open>,
    runs: FxHashMap<K, Runs>,
}

impl<K: Hash + Eq> Default for OtherRuns<K> {
    fn default() -> Self {
        Self {
            open: FxHashMap::default(),
            runs: FxHashMap::default(),
        }
    }
}

impl<K: Hash + Eq + Copy> OtherRuns<K> {
    pub(super) fn promoted(&mut self, key: K, bytes: f64) {
        self.open.entry(key).or_default().promoted += bytes;
    }

    /// Bytes are alive in a full collection; `unused`: how many times the time they have not been used, up to 2.
    pub(super) fn alive(&mut self, key: K, bytes: f64, unused: usize) {
        let open = self.open.entry(key).or_default();
        open.alive += bytes;
        open.unused
            .iter_mut()
            .take(unused)
            .for_each(|sum| *sum += bytes);
    }

    /// A full collection ends, before which this many bytes were promoted in all.
    pub(super) fn end(&mut self, full: &FullCollection, promoted: f64) {
        for key in self.open.keys() {
            let start = OtherRun::starting(full.started_at);
            self.runs.entry(*key).or_insert(Runs {
                without: start,
                unused: [start; 2],
            });
        }
        for (key, runs) in &mut self.runs {
            let open = self.open.remove(key).unwrap_or_default();
            let share = match promoted > 0.0 {
                true => open.promoted / promoted,
                false => 0.0,
            };
            let without = Missing {
                share,
                alive: open.alive,
            };
            runs.without.reach(full, without);
            for (run, alive) in runs.unused.iter_mut().zip(open.unused) {
                run.reach(full, Missing { share: 0.0, alive });
            }
        }
        self.open.clear();
    }

    pub(super) fn savings(&self, key: K, last: &FullCollection) -> FullSavings {
        let Some(runs) = self.runs.get(&key) else {
            return FullSavings::default();
        };
        FullSavings {
            without: runs.without.saved(last),
            unused: runs.unused.map(|run| run.saved(last)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_comes_late_is_followed_from_then_on() {
        let full = FullCollection {
            started_at: 20.0,
            filled_to: 100.0,
            alive: 60.0,
            work: 60.0,
            is_asked: false,
        };
        let first = FullCollection {
            started_at: 0.0,
            alive: 20.0,
            ..full
        };
        let later = FullCollection {
            started_at: 60.0,
            ..full
        };
        let mut runs = OtherRuns::default();
        runs.alive("early", 20.0, 0);
        runs.end(&first, 100.0);
        // "late" has all that is promoted, and is unused from the first time on.
        runs.promoted("late", 80.0);
        runs.alive("late", 40.0, 2);
        runs.end(&full, 80.0);
        runs.promoted("late", 20.0);
        runs.alive("late", 40.0, 2);
        runs.alive("late", 5.0, 1);
        runs.end(&later, 40.0);
        let late = runs.savings("late", &later);
        assert!((late.without.collections - 2.0).abs() < 0.4, "{late:?}");
        // The second collection comes as traced; then a room of 80 is half used.
        let [unused, twice] = late.unused;
        assert!((unused.collections - 0.5).abs() < 1e-6, "{late:?}");
        assert!(twice.work <= unused.work, "{late:?}");
        assert_eq!(runs.savings("never", &later), FullSavings::default());
    }
}
