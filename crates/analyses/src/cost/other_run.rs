//! The full collections of a run in which the old space holds less.
//!
//! A full collection comes when bytes that get old have filled the room that the one before left.
//! Objects that were not made leave more room, so the collections come later, and each has less to do.
//!
//! ```text
//! used    /|    /|    /|      as traced: three
//!        / |   / |   / |
//!       /  |__/  |__/  |__
//!          /\       /\        without an object that stays: two, and less is alive after each
//!         /  \     /  \___
//! ```
//!
//! The run is followed in bytes that get old, from one full collection of the
//! trace to the next. Between two of them what is alive is taken to change evenly.

/// A full collection for want of room, and what came before it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct FullCollection {
    /// Bytes in use in the old space after the full collection before.
    pub(super) started_at: f64,
    /// In use before this one.
    pub(super) filled_to: f64,
    /// Alive after it.
    pub(super) alive: f64,
    /// Bytes of its work: all that is alive, young objects too.
    pub(super) work: f64,
    /// It would come in any case: the program or a tool asked for it.
    pub(super) is_asked: bool,
}

/// The objects that the other run lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Missing {
    /// Of the bytes that get old, this share does not.
    pub(super) share: f64,
    /// Bytes of the collection's work that are not alive.
    pub(super) alive: f64,
}

/// The other run, up to the last full collection of the trace.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct OtherRun {
    /// Bytes in use in the old space.
    used: f64,
    /// The same after its last full collection.
    left: f64,
    /// In use when a collection for want of room came last: that is how much fits. `None`: none has come yet.
    capacity: Option<f64>,
    /// Missing at the last full collection of the trace.
    missing: f64,
    /// Work at the last full collection of the trace.
    work_then: f64,
    saved: Saved,
}

/// Full collections and their work that the other run does without.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Saved {
    /// Full collections. A part of one is on the way.
    pub collections: f64,
    /// Bytes of work.
    pub work: f64,
}

impl Saved {
    /// A share of it.
    pub(super) fn part(self, share: f64) -> Self {
        Self {
            collections: self.collections * share,
            work: self.work * share,
        }
    }
}

impl core::ops::AddAssign for Saved {
    fn add_assign(&mut self, other: Self) {
        self.collections += other.collections;
        self.work += other.work;
    }
}

/// More full collections than one between two of the trace cannot be.
const MOST: usize = 4;
/// Bytes that are no difference.
const NOTHING: f64 = 0.5;

impl OtherRun {
    /// The other run is as the trace until after this much is in use in the old space, for the first time.
    pub(super) fn starting(used: f64) -> Self {
        Self {
            used,
            left: used,
            ..Self::default()
        }
    }

    /// Follows the run to the next full collection of the trace.
    pub(super) fn reach(&mut self, full: &FullCollection, missing: Missing) {
        let growth = (full.filled_to - full.started_at).max(0.0);
        let mut rest = growth * (1.0 - missing.share.clamp(0.0, 1.0));
        let whole = rest;
        if !full.is_asked {
            self.saved.collections += 1.0;
            self.capacity = Some(full.filled_to);
        }
        self.saved.work += full.work;
        for _ in 0..MOST {
            let Some(room) = self.capacity.map(|capacity| capacity - self.used) else {
                break;
            };
            if rest + NOTHING < room {
                break;
            }
            let until = room.clamp(0.0, rest);
            rest -= until;
            let passed = match whole > 0.0 {
                true => 1.0 - rest / whole,
                false => 1.0,
            };
            let between = |then: f64, now: f64| then + passed * (now - then);
            let gone = between(self.missing, missing.alive);
            let work = between(self.work_then, full.work);
            self.collect(between(full.started_at, full.alive), work, gone);
            self.saved.collections -= 1.0;
            if whole <= 0.0 {
                break;
            }
        }
        self.used += rest;
        if full.is_asked {
            self.collect(full.alive, full.work, missing.alive);
        }
        self.missing = missing.alive;
        self.work_then = full.work;
    }

    fn collect(&mut self, alive: f64, work: f64, missing: f64) {
        self.used = (alive - missing).max(0.0);
        self.left = self.used;
        self.saved.work -= (work - missing).max(0.0);
    }

    /// Savings until after a full collection of the trace: of the next one of the other run, the part that is on the way counts as done.
    pub(super) fn saved(&self, last: &FullCollection) -> Saved {
        let room = self.capacity.unwrap_or(last.filled_to) - self.left;
        let part = match room > 0.0 {
            true => ((self.used - self.left) / room).clamp(0.0, 1.0),
            false => 0.0,
        };
        let work = part * (self.work_then - self.missing).max(0.0);
        Saved {
            collections: (self.saved.collections - part).max(0.0),
            work: (self.saved.work - work).max(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Old space of 100 bytes; what is alive grows by a byte and a half each time, from 30 on.
    fn run(count: usize) -> Vec<FullCollection> {
        let alive = |at: usize| 30.0 + 1.5 * at as f64;
        let full = |at: usize| FullCollection {
            started_at: if at == 0 { 0.0 } else { alive(at - 1) },
            filled_to: 100.0,
            alive: alive(at),
            work: alive(at) + 5.0,
            is_asked: false,
        };
        (0..count).map(full).collect()
    }

    fn follow(run: &[FullCollection], missing: impl Fn(usize) -> Missing) -> Saved {
        let mut other = OtherRun::starting(0.0);
        for (at, full) in run.iter().enumerate() {
            other.reach(full, missing(at));
        }
        other.saved(run.last().expect("one"))
    }

    #[test]
    fn without_a_difference_nothing_is_saved() {
        let saved = follow(&run(40), |_| Missing::default());
        assert!(
            saved.collections.abs() < 1e-6 && saved.work.abs() < 1e-6,
            "{saved:?}"
        );
    }

    /// The leak is all that grows: without it each collection leaves a room of 70, and the promoted bytes of the trace are known.
    #[test]
    fn a_leak_makes_rooms_smaller() {
        let run = run(40);
        let leak = |at: usize| Missing {
            share: 0.0,
            alive: 1.5 * at as f64,
        };
        let saved = follow(&run, leak);
        let promoted: f64 = run.iter().map(|one| one.filled_to - one.started_at).sum();
        // The first fills 100, each later one 70.
        let expected = 1.0 + (promoted - 100.0) / 70.0;
        assert!(
            (saved.collections - (40.0 - expected)).abs() < 0.1,
            "{saved:?}, left {expected}"
        );
        let work: f64 = run.iter().map(|one| one.work).sum();
        let left = expected * 35.0;
        assert!((saved.work - (work - left)).abs() < 40.0, "{saved:?}");
    }

    #[test]
    fn nothing_gets_old_so_nothing_is_collected() {
        let saved = follow(&run(10), |_| Missing {
            share: 1.0,
            alive: 0.0,
        });
        assert!((saved.collections - 10.0).abs() < 1e-6, "{saved:?}");
    }

    #[test]
    fn half_of_what_gets_old_saves_half_of_the_collections() {
        let even: Vec<FullCollection> = (0..20)
            .map(|at| FullCollection {
                started_at: if at == 0 { 0.0 } else { 20.0 },
                filled_to: 100.0,
                alive: 20.0,
                work: 20.0,
                is_asked: false,
            })
            .collect();
        let saved = follow(&even, |_| Missing {
            share: 0.5,
            alive: 0.0,
        });
        assert!((saved.collections - 10.0).abs() < 0.2, "{saved:?}");
    }

    /// A collection that little is missing in comes a little later, and one that is asked for at the end finds the same.
    #[test]
    fn a_delayed_collection_comes_before_one_that_is_asked_for() {
        let mut all = run(11);
        let last = all.last_mut().expect("one");
        (last.is_asked, last.filled_to) = (true, last.started_at + 20.0);
        let saved = follow(&all, |_| Missing {
            share: 0.0,
            alive: 1.0,
        });
        assert!(saved.collections < 0.5, "{saved:?}");
    }

    #[test]
    fn collections_that_are_asked_for_stay_and_have_less_to_do() {
        let asked: Vec<FullCollection> = run(10)
            .into_iter()
            .map(|full| FullCollection {
                is_asked: true,
                ..full
            })
            .collect();
        let saved = follow(&asked, |at| Missing {
            share: 0.0,
            alive: at as f64,
        });
        assert!(saved.collections.abs() < 1e-6, "{saved:?}");
        assert!((saved.work - 45.0).abs() < 1e-6, "{saved:?}");
    }
}
