//! A recording whose clock cannot be right.
//!
//! The clock of every verdict is the bytes that were allocated. The JVM has
//! a counter of its own for them, which nothing of the recording goes into.

use ducktrack_analyses::Survivors;
use ducktrack_count_model::Completeness;

/// Bytes of the recording, of what the JVM counted. Short of the truth is the
/// JVM's figure where a process was killed, by what came after it was read.
const MOST_SHARE: f64 = 1.25;

/// The two figures that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// Bytes allocated by the recording's clock.
    pub recorded: u64,
    /// Bytes that the JVM's threads have allocated by its own counters.
    pub allocated: u64,
}

impl Contradiction {
    /// Compares the two; `None`: they agree, or the JVM's is not known.
    pub(crate) fn of(survivors: &Survivors, completeness: &Completeness) -> Option<Self> {
        let before = completeness.before_ready_bytes.unwrap_or(0);
        let allocated = completeness.vm_bytes?.saturating_add(before);
        let parts = [
            survivors.allocated_after,
            survivors.unjudged,
            survivors.lost,
        ];
        let clock = survivors.clock.bytes();
        let recorded = parts.into_iter().fold(clock, u64::saturating_add);
        let is_more = recorded as f64 > allocated as f64 * MOST_SHARE;
        is_more.then_some(Self {
            recorded,
            allocated,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ducktrack_leaks::{Cell, Clock};

    #[test]
    fn more_bytes_than_the_jvm_allocated_are_a_contradiction() {
        let survivors = Survivors {
            clock: Clock::new(vec![
                Cell {
                    bytes: 50_000_000,
                    micros: 1
                };
                3
            ]),
            allocated_after: 10_000_000,
            ..Survivors::default()
        };
        let jvm = |vm_bytes| Completeness {
            vm_bytes,
            before_ready_bytes: Some(20_000_000),
            ..Completeness::default()
        };
        assert_eq!(Contradiction::of(&survivors, &jvm(None)), None);
        assert_eq!(Contradiction::of(&survivors, &jvm(Some(140_000_000))), None);
        let expected = Contradiction {
            recorded: 160_000_000,
            allocated: 100_000_000,
        };
        let found = Contradiction::of(&survivors, &jvm(Some(80_000_000)));
        assert_eq!(found, Some(expected));
    }
}
