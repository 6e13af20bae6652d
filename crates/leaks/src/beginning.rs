//! Until when a leak must have begun that a run of this length shows.

use crate::clock::Clock;
use crate::cohorts::Cohorts;
use crate::verdict::FEWEST_COHORTS;

/// The part of the span: of what begins later there are fewer cohorts than a verdict needs, and objects in flight look so.
pub fn latest_beginning(clock: &Clock) -> f64 {
    let lengths = Cohorts::of(clock).lengths;
    let before = lengths.len().saturating_sub(FEWEST_COHORTS);
    let all: f64 = lengths.iter().sum();
    let early: f64 = lengths.iter().take(before).sum();
    match all > 0.0 {
        true => early / all,
        false => 0.0,
    }
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
        // Cohorts are as long as collections let them be.
        let bytes = [100, 100, 100, 200, 100, 200, 200, 200];
        let cells = bytes.map(|bytes| Cell { bytes, micros: 1 });
        assert_eq!(
            latest_beginning(&Clock::new(cells.to_vec())),
            500.0 / 1200.0
        );
    }
}
