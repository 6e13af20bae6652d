//! Which runs of a product of choices are taken: all in the full run and in the run on one JDK, else each pair.
//!
//! A test on three JDKs, with three collectors and three kinds of counters, has 27 runs. Where the second and
//! third choice take turns, there are nine, and every JDK still meets every collector and every kind of counters:
//!
//! ```text
//!            Serial  Parallel  G1
//! JDK 17     a       b         c
//! JDK 21     b       c         a
//! JDK 25     c       a         b
//! ```

use crate::announcement::checked;
use crate::full_run::is_full_run;
use crate::jdk::{Jdk, is_one_jdk};

/// The choices that take turns, and how many runs that made.
#[derive(Debug, Default)]
pub struct Turns {
    taken: usize,
    left_out: usize,
}

impl Turns {
    /// None so far.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The choices to take in this turn: one of them, or all in the full run and in the run on one JDK.
    pub fn take<'a, T>(&mut self, choices: &'a [T], turn: usize) -> &'a [T] {
        let taken = match is_full_run() || is_one_jdk() {
            true => choices,
            false => one_in_turn(choices, turn),
        };
        self.taken += taken.len();
        self.left_out += choices.len() - taken.len();
        taken
    }

    /// Announces what was left out, if anything.
    pub fn announce(&self, test: &str) {
        if self.left_out > 0 {
            checked(&format!(
                "{test}: {} of {} runs, in turn; --full and --jdk take all",
                self.taken,
                self.taken + self.left_out
            ));
        }
    }
}

/// One of these JDKs, another in each turn; all in the full run. For a test that depends
/// little on the JDK: `scripts/test --jdk`, which CI runs for each JDK, takes it on each.
#[must_use]
pub fn jdks_in_turn(test: &str, jdks: &[Jdk], turn: usize) -> Vec<Jdk> {
    let mut turns = Turns::new();
    let taken = turns.take(jdks, turn).to_vec();
    turns.announce(test);
    taken
}

/// All pairs of two choices. The first few have each of the first choice once, with those of the second in turn.
pub fn pairs<A: Clone, B: Clone>(ones: &[A], others: &[B]) -> Vec<(A, B)> {
    let shifts = 0..others.len();
    let with_shift = |shift| {
        let shifted = others.iter().cycle().skip(shift).take(others.len()).cycle();
        ones.iter().cloned().zip(shifted.cloned())
    };
    shifts.flat_map(with_shift).collect()
}

fn one_in_turn<T>(choices: &[T], turn: usize) -> &[T] {
    let at = turn % choices.len().max(1);
    choices.get(at..=at).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_pair_of_the_first_two_and_of_the_third_is_met() {
        let modes = ["a", "b", "c"];
        let mut met = BTreeSet::new();
        for jdk in 0..3 {
            for collector in 0..3 {
                let mode = one_in_turn(&modes, jdk + collector)[0];
                met.insert((jdk, mode));
                met.insert((collector + 10, mode));
            }
        }
        assert_eq!(met.len(), 18);
        assert!(one_in_turn(&[0_u8; 0], 4).is_empty());
    }

    #[test]
    fn pairs_are_complete_and_the_first_few_have_each_choice() {
        for (one, other) in [(3, 3), (4, 3), (3, 2), (1, 3), (3, 1)] {
            let (ones, others) = ((0..one).collect::<Vec<_>>(), (0..other).collect::<Vec<_>>());
            let pairs = pairs(&ones, &others);
            let all: BTreeSet<_> = pairs.iter().collect();
            assert_eq!((pairs.len(), all.len()), (one * other, one * other));
            let first = &pairs[..one.max(other)];
            let first_ones: BTreeSet<_> = first.iter().map(|pair| pair.0).collect();
            let first_others: BTreeSet<_> = first.iter().map(|pair| pair.1).collect();
            assert_eq!((first_ones.len(), first_others.len()), (one, other));
        }
        assert!(pairs(&[0], &[0_u8; 0]).is_empty());
    }
}
