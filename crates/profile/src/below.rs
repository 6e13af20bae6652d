//! What is allocated below chosen frames: of each exact total its share, and the sum with its interval.

use crate::interval::Interval;
use crate::profile::{Frame, Profile, ProfileRow};
use crate::unit::Unit;

/// Allocations with a chosen frame on their stacks.
#[derive(Clone, Debug, PartialEq)]
pub struct Below {
    /// Objects or bytes; each object counts once, even in recursion.
    pub amount: i64,
    /// Where the true amount is.
    pub interval: Interval,
    /// By stratum, in the order of [`Profile::strata`]: the share of its total, from 0 to 1.
    pub shares: Vec<f64>,
}

impl Profile {
    /// What is allocated below frames that `is_it` chooses. `None`: no stack and no site has one.
    pub fn below(&self, is_it: impl Fn(&Frame) -> bool, unit: Unit) -> Option<Below> {
        let chosen: Vec<bool> = self.frames.iter().map(is_it).collect();
        let is_below = |row: &&ProfileRow| {
            let mut frames = self.frames_of(row.stack);
            frames.any(|frame| chosen.get(frame.get()) == Some(&true))
        };
        let rows: Vec<&ProfileRow> = self.rows.iter().filter(is_below).collect();
        if rows.is_empty() {
            return None;
        }
        let mut sums = vec![0_i64; self.strata.len()];
        for row in &rows {
            if let Some(sum) = sums.get_mut(row.stratum) {
                *sum += unit.of(row.tally);
            }
        }
        let share = |(sum, stratum): (&i64, &crate::profile::Stratum)| {
            let all = unit.of(stratum.tally).max(1) as f64;
            (*sum as f64 / all).clamp(0.0, 1.0)
        };
        Some(Below {
            amount: sums.iter().sum(),
            shares: sums.iter().zip(&self.strata).map(share).collect(),
            interval: self.inclusive_interval(rows, unit),
        })
    }
}
