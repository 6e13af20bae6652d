//! Uses of objects before the cycles of a concurrent collector.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use ducktrack_hotspot::CycleUses;
use ducktrack_trace_format::{UseEncoder, UsesHead};

use crate::trace::use_clock::{clock_of, epoch_of};

/// The clock that the program's code stamps objects with; 1 more than the epoch.
#[derive(Debug, Default)]
pub(super) struct CycleClock {
    clock: OnceLock<&'static AtomicU64>,
    epoch: AtomicU32,
}

impl CycleClock {
    /// Uses are recorded from now on.
    pub(super) fn start(&self, clock: &'static AtomicU64) {
        // A recording begins once.
        let _ = self.clock.set(clock);
        // A pause on another thread may begin an epoch meanwhile.
        clock.fetch_max(
            clock_of(self.epoch.load(Ordering::SeqCst)),
            Ordering::SeqCst,
        );
    }

    /// In a pause: an epoch begins. The clock from here on, if uses are recorded.
    pub(super) fn step(&self, epoch: u32) -> Option<u64> {
        self.epoch.store(epoch, Ordering::SeqCst);
        let value = clock_of(epoch);
        let clock = self.clock.get()?;
        clock.fetch_max(value, Ordering::SeqCst);
        Some(value)
    }
}

/// The contents of blocks before the collection with this number. A use after the pause from
/// which on the collection counts is one before it: the stamp of an earlier use is gone.
pub(super) fn encode(found: &CycleUses, number: u32) -> Vec<Vec<u8>> {
    let ended = number.saturating_sub(1);
    let mut encoder = UseEncoder::new(UsesHead {
        epoch: ended,
        all: found.all,
    });
    for (object, stamp) in &found.uses {
        encoder.push(object.0 as u64, epoch_of(*stamp).min(ended));
    }
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use ducktrack_hotspot::Address;
    use ducktrack_trace_format::decode_uses;

    use super::*;

    #[test]
    fn a_use_during_a_cycle_is_one_before_it() {
        let found = CycleUses {
            uses: vec![(Address(64), 3), (Address(80), 8), (Address(96), 9)],
            all: true,
        };
        let contents = encode(&found, 7);
        let (head, uses) = decode_uses(&contents[0]).expect("a head");
        assert_eq!((head.epoch, head.all), (6, true));
        let uses = uses.map(|used| used.expect("a use"));
        let uses: Vec<(u64, u32)> = uses.map(|used| (used.address, used.epoch)).collect();
        assert_eq!(uses, [(64, 2), (80, 6), (96, 6)]);
    }

    #[test]
    fn a_clock_that_starts_late_has_the_epoch_of_then() {
        static CLOCK: AtomicU64 = AtomicU64::new(1);
        let clock = CycleClock::default();
        assert_eq!(clock.step(4), None);
        clock.start(&CLOCK);
        assert_eq!(CLOCK.load(Ordering::SeqCst), 5);
        assert_eq!(clock.step(5), Some(6));
        assert_eq!(CLOCK.load(Ordering::SeqCst), 6);
    }
}
