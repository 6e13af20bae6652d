//! Until when a leak must have begun that a run of this length shows.

use crate::clock::Clock;
use crate::cohorts::Cohorts;
use crate::verdict::FEWEST_COHORTS;

/// The part of the span: of what begins later there are fewer cohorts than a verdict needs, and objects in flight look so.
pub fn latest_beginning(clock: &Clock) -> f64 {
    let cohorts = Cohorts::of(clock).len();
    cohorts.saturating_sub(FEWEST_COHORTS) as f64 / cohorts.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cell;

    #[test]
    fn three_quarters_of_a_long_run() {
        let cell = Cell {
            bytes: 100,
            micros: 1,
        };
        assert_eq!(latest_beginning(&Clock::new(vec![cell; 32])), 0.75);
        assert_eq!(latest_beginning(&Clock::new(vec![cell; 5])), 0.2);
        assert_eq!(latest_beginning(&Clock::default()), 0.0);
    }
}
