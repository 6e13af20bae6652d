//! How long a concurrent collector's own threads were held while the agent read beside the program. `scripts/bench concurrent` shows it.

use std::fmt;
use std::time::Duration;

use parking_lot::Mutex;

/// Each cycle: how long its driver was held, and how long the cycle took.
#[derive(Debug, Default)]
pub(super) struct HeldDrivers {
    cycles: Mutex<Vec<(Duration, Duration)>>,
}

/// Enough for medians.
const MOST: usize = 100_000;

impl HeldDrivers {
    pub(super) fn add(&self, held: Duration, cycle: Duration) {
        let mut cycles = self.cycles.lock();
        if cycles.len() < MOST {
            cycles.push((held, cycle));
        }
    }
}

impl fmt::Display for HeldDrivers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cycles = self.cycles.lock();
        let share = |(held, cycle): &(Duration, Duration)| {
            100.0 * held.as_secs_f64() / cycle.as_secs_f64().max(1e-9)
        };
        let mut shares: Vec<f64> = cycles.iter().map(share).collect();
        shares.sort_by(f64::total_cmp);
        let median = shares.get(shares.len() / 2).copied().unwrap_or(0.0);
        let longest = cycles.iter().map(|(held, _)| *held).max();
        let longest = longest.unwrap_or_default().as_secs_f64() * 1e3;
        write!(
            f,
            "in {} cycles, the collector's drivers were held {median:.2} % of the cycle at the median, {longest:.3} ms at the longest",
            shares.len(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_share_is_said() {
        let held = HeldDrivers::default();
        for (one, cycle) in [(1, 100), (3, 100), (50, 100)] {
            held.add(Duration::from_millis(one), Duration::from_millis(cycle));
        }
        let said = held.to_string();
        assert!(said.contains("in 3 cycles"), "{said}");
        assert!(said.contains("3.00 % of the cycle"), "{said}");
        assert!(said.contains("50.000 ms at the longest"), "{said}");
    }
}
