//! Whether full collections still free something.
//!
//! With Parallel, a VM that does nothing but collect ends the program by its own clocks: "GC overhead limit exceeded"
//! comes when 98 % of the time were collections that freed less than 2 %. The agent's work in a pause is time of the
//! program by these clocks, so with it the end would not come for minutes, or at all. The agent therefore steps back:
//! it reads no pause until there is air again. The other collectors have no such clock: their program ends at the
//! first allocation for which there is no room, and a heap dump of that moment needs the last collection.
//!
//! ```text
//! full collections that free at most 2 %, each after less time than it takes   3 in a row ──> no air
//! a collection that frees 5 %, or a second between two                                     ──> air; the next full collection lists the heap
//! ```

use std::time::{Duration, Instant};

use super::Pause;
use crate::collection::report::{CollectionKind, CollectionReport};
use crate::heap::space::Space;
use crate::vm::collector::Collector;

/// Full collections in a row that take the air.
const IN_A_ROW: u32 = 3;
/// The same where the VM does not give their causes: the program may ask for them itself.
const OF_UNKNOWN_CAUSE: u32 = 30;
/// Causes of collections that the program has not asked for: the heap is full.
const FULL_HEAP: [&str; 2] = ["Allocation Failure", "Ergonomics"];
/// Parts of the used heap, as divisors: a fiftieth is nearly nothing, a twentieth is air.
const NEARLY_NOTHING: u64 = 50;
const ENOUGH: u64 = 20;
/// A program that runs this long between two collections has air.
const LONG: Duration = Duration::from_secs(1);

/// The last pauses.
#[derive(Debug, Default)]
pub(super) struct Air {
    began: Option<Instant>,
    ended: Option<Instant>,
    in_a_row: u32,
    is_gone: bool,
}

/// A collection that is over.
struct Freed<'a> {
    /// Bytes used before and after it.
    used: (u64, u64),
    is_full: bool,
    cause: &'a str,
}

impl Air {
    /// There is none: no pause must be read.
    pub(super) fn is_gone(&self) -> bool {
        self.is_gone
    }

    pub(super) fn pause_begins(&mut self, now: Instant) {
        self.began = Some(now);
    }

    fn pause_ends(&mut self, now: Instant, freed: &Freed<'_>) {
        let gap = match (self.ended.replace(now), self.began) {
            (Some(ended), Some(began)) => began.saturating_duration_since(ended),
            _ => Duration::MAX,
        };
        let pause = self
            .began
            .map_or(Duration::ZERO, |began| now.saturating_duration_since(began));
        let (before, after) = freed.used;
        let bytes = before.saturating_sub(after);
        if bytes.saturating_mul(ENOUGH) >= before || gap >= LONG {
            (self.in_a_row, self.is_gone) = (0, false);
        } else if freed.is_full && gap < pause && bytes.saturating_mul(NEARLY_NOTHING) <= before {
            self.breathless(freed.cause);
        }
    }

    fn breathless(&mut self, cause: &str) {
        let needed = match cause {
            "" => OF_UNKNOWN_CAUSE,
            cause if FULL_HEAP.contains(&cause) => IN_A_ROW,
            _ => return,
        };
        self.in_a_row += 1;
        self.is_gone |= self.in_a_row >= needed;
    }
}

impl Pause {
    /// Notes what the collections of this pause have freed.
    pub(super) fn note_air(&mut self, reports: &[CollectionReport]) {
        let Some(last) = reports
            .last()
            .filter(|_| self.collector == Collector::Parallel)
        else {
            return;
        };
        let freed = Freed {
            used: (self.used_before, used(&last.after)),
            is_full: (reports.iter()).any(|report| report.kind == CollectionKind::Full),
            cause: &last.cause,
        };
        self.air.pause_ends(Instant::now(), &freed);
    }
}

/// Bytes below the tops of all spaces.
pub(super) fn used(spaces: &[Space]) -> u64 {
    let bytes = |space: &Space| space.top.0.saturating_sub(space.bottom.0) as u64;
    spaces.iter().map(bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEGABYTE: u64 = 1 << 20;

    /// Pauses of 20 ms: the time of the program before each, the megabytes
    /// that it frees of 100, its cause. Whether there was air after each.
    fn air(pauses: &[(u64, u64, &str)]) -> Vec<bool> {
        let (mut air, mut now) = (Air::default(), Instant::now());
        let mut after = |&(gap, freed, cause): &(u64, u64, &str)| {
            now += Duration::from_millis(gap);
            air.pause_begins(now);
            now += Duration::from_millis(20);
            let used = (100 * MEGABYTE, (100 - freed) * MEGABYTE);
            let is_full = true;
            air.pause_ends(
                now,
                &Freed {
                    used,
                    is_full,
                    cause,
                },
            );
            !air.is_gone()
        };
        pauses.iter().map(&mut after).collect()
    }

    #[test]
    fn three_that_follow_each_other_and_free_nothing_take_the_air() {
        let full = (5, 0, "Ergonomics");
        assert_eq!(air(&[full; 5]), [true, true, true, false, false]);
        assert_eq!(
            air(&[
                full,
                full,
                full,
                full,
                (5, 3, "Ergonomics"),
                (5, 6, "Ergonomics")
            ]),
            [true, true, true, false, false, true]
        );
        assert!(air(&[(200, 0, "Ergonomics"); 9]).iter().all(|air| *air));
    }

    #[test]
    fn time_gives_it_back() {
        let full = (5, 0, "Allocation Failure");
        let pauses = [
            full,
            full,
            full,
            full,
            (500, 0, "Ergonomics"),
            (1500, 0, "Ergonomics"),
        ];
        assert_eq!(air(&pauses), [true, true, true, false, false, true]);
    }

    #[test]
    fn collections_that_the_program_asks_for_take_none() {
        assert!(air(&[(1, 0, "System.gc()"); 50]).iter().all(|air| *air));
        let unknown = air(&[(1, 0, ""); 40]);
        assert_eq!(unknown.iter().filter(|air| **air).count(), 30);
    }
}
