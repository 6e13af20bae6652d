//! Uses of objects of the old generation, read with young cycles: an old cycle comes seldom, and does not see what was promoted since it began.
//!
//! ```text
//! young   Mark Start ───────────────────── relocated, read
//! old     no cycle between its Mark End and the end of its relocation, and no Relocate Start until all pages are read
//! ```
//!
//! Then objects of the old generation stay where they are from that Mark Start on, and their addresses are those that the trace has before the young cycle. Otherwise nothing is
//! read: the stamps stay, for a later cycle.
//!
//! Pages are read word by word: a stamp in the old generation is one of the object there, since stamps are taken away before memory is freed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::address::Address;
use crate::zgc::address_key::Generation;
use crate::zgc::collector_threads::thread_cpu;
use crate::zgc::cycle_watch::{MARK_COMPLETE, RELOCATE};
use crate::zgc::layout::Layout;
use crate::zgc::use_reader::Stamps;

/// Between two readings, at least this many times the duration of one must pass.
const MOST_OF_THE_TIME: u32 = 20;

/// The old generation's phase and number, and the latest of its cycles that is read.
type State = ((u32, u32), u32);

/// The old generation as it was when a young cycle began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OldBeside {
    relocations: u32,
}

#[derive(Debug, Default)]
pub(crate) struct OldUses {
    /// The latest young cycle, and the relocations of the old generation until then; 0: objects will not be where the trace has them.
    begun: AtomicU64,
    last: Mutex<LastReading>,
}

#[derive(Debug, Default)]
struct LastReading {
    /// The clock at the young cycle's step. Earlier stamps are read.
    until: u64,
    /// When it was, and the CPU time that it took.
    time: Option<(Instant, Duration)>,
}

impl LastReading {
    fn is_long_ago(&self, now: Instant) -> bool {
        self.time.is_none_or(|(at, took)| {
            now.saturating_duration_since(at) >= took.saturating_mul(MOST_OF_THE_TIME)
        })
    }
}

/// How many Relocate Starts there were.
fn relocations((phase, number): (u32, u32)) -> u32 {
    number.wrapping_sub(u32::from(phase != RELOCATE))
}

fn pair(young: u32, relocations: u32) -> u64 {
    u64::from(young) << 32 | u64::from(relocations)
}

impl OldUses {
    /// In the Mark Start of a young cycle: phase and number of the old generation.
    pub(crate) fn young_begins(&self, young: u32, phase: u32, number: u32) {
        let begun = match phase {
            // The trace has the old cycle before the young one, and its objects have not moved.
            MARK_COMPLETE => 0,
            _ => pair(young, relocations((phase, number))),
        };
        self.begun.store(begun, Ordering::Release);
    }

    /// At the Mark End of a young cycle: the old generation when it began; `None` if its objects will not be where the trace has them.
    pub(crate) fn beside(&self, young: u32) -> Option<OldBeside> {
        let begun = self.begun.load(Ordering::Acquire);
        let relocations = begun as u32;
        (begun == pair(young, relocations)).then_some(OldBeside { relocations })
    }

    /// Adds the uses of all objects of the old generation to those that a young cycle found, if they can be read now. `state` is that of the old generation.
    pub(crate) fn add(
        &self,
        (beside, step): (OldBeside, u64),
        stamps: &Stamps,
        layout: &Layout,
        state: impl Fn() -> State,
        uses: &mut Vec<(Address, u64)>,
    ) -> bool {
        let now = Instant::now();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if !last.is_long_ago(now) || !beside.can_be_read(state()) {
            return false;
        }
        let Some(pages) = layout.pages(|page| page.is_old()) else {
            return false;
        };
        let (mut found, begun) = (Vec::new(), thread_cpu());
        for page in pages {
            let (start, end) = (layout.memory(page.start), page.top - page.start);
            let end = start.plus(end as usize);
            let add = |object: Address, stamp| found.push((Generation::Old.key(object.0), stamp));
            stamps.shadow.newer_now(start, end, last.until.max(1), add);
        }
        let latest = stamps.clock.load(Ordering::Acquire);
        let is_known = beside.can_be_read(state());
        if is_known {
            last.until = step;
            // A stamp from the future is not a stamp.
            uses.extend(found.into_iter().filter(|(_, stamp)| *stamp <= latest));
        }
        last.time = Some((now, thread_cpu().saturating_sub(begun)));
        is_known
    }
}

impl OldBeside {
    /// Whether old objects are where they were when the young cycle began.
    fn can_be_read(self, (now, read): State) -> bool {
        relocations(now) == self.relocations && read == self.relocations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: u32 = 0;

    #[test]
    fn old_objects_are_read_while_they_stay() {
        let uses = OldUses::default();
        uses.young_begins(7, RELOCATE, 3);
        let beside = uses.beside(7).expect("it began");
        for (now, read, is_known) in [
            ((RELOCATE, 3), 3, true),
            // Its relocation is not over.
            ((RELOCATE, 3), 2, false),
            ((MARK, 4), 3, true),
            ((MARK_COMPLETE, 4), 3, true),
            ((RELOCATE, 4), 3, false),
            ((RELOCATE, 4), 4, false),
        ] {
            assert_eq!(beside.can_be_read((now, read)), is_known, "{now:?} {read}");
        }
        assert_eq!(uses.beside(8), None);
        // The old cycle comes first, and moves later.
        uses.young_begins(8, MARK_COMPLETE, 4);
        assert_eq!(uses.beside(8), None);
        uses.young_begins(9, MARK, 5);
        assert_eq!(uses.beside(9), Some(OldBeside { relocations: 4 }));
    }
}
