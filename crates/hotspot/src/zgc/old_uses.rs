//! Uses of objects of the old generation, read with young cycles: an old
//! cycle comes seldom, and does not see what was promoted since it began.
//!
//! ```text
//! old     Mark End ──── Relocate Start ──── relocated, told                                  the last one that the trace has before the young cycle
//! young             Mark Start ──────────────────────────── relocated ── old pages are read  no other old cycle begins to relocate until that is done
//! ```
//!
//! Then objects of the old generation are where the trace has them before the
//! young cycle. Otherwise nothing is read: the stamps stay, for a later cycle.
//!
//! Pages are read word by word: a stamp in the old generation is one of
//! the object there, since stamps are taken away before memory is freed.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::address::Address;
use crate::zgc::address_key::Generation;
use crate::zgc::collector_threads::thread_cpu;
use crate::zgc::generations::RELOCATE;
use crate::zgc::layout::Layout;
use crate::zgc::use_reader::Stamps;

/// Between two readings, at least this many times the duration of one must pass.
const MOST_OF_THE_TIME: u32 = 20;

/// The old generation's phase and number, and the latest of its cycles that is told.
type State = ((u32, u32), u32);

#[derive(Debug, Default)]
pub(crate) struct OldUses(Mutex<LastReading>);

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

impl OldUses {
    /// Adds the uses of all objects of the old generation to those that a young cycle found, if they can be read now. `marked` is the last
    /// old cycle that had passed its Mark End when the young one began, at this step of the clock; `state` is that of the old generation.
    pub(crate) fn add(
        &self,
        (marked, step): (u32, u64),
        stamps: &Stamps,
        layout: &Layout,
        state: impl Fn() -> State,
        uses: &mut Vec<(Address, u64)>,
    ) -> bool {
        let now = Instant::now();
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !last.is_long_ago(now) || !is_settled(marked, state()) {
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
        let is_known = is_settled(marked, state());
        if is_known {
            last.until = step;
            // A stamp from the future is not a stamp.
            uses.extend(found.into_iter().filter(|(_, stamp)| *stamp <= latest));
        }
        last.time = Some((now, thread_cpu().saturating_sub(begun)));
        is_known
    }
}

/// Whether old objects are where this cycle left them, which is told: it has relocated, and the next one has not begun to.
fn is_settled(marked: u32, ((phase, number), told): State) -> bool {
    let relocated = number.wrapping_sub(u32::from(phase != RELOCATE));
    (relocated, told) == (marked, marked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zgc::generations::{MARK, MARK_COMPLETE};

    #[test]
    fn old_objects_are_read_while_they_stay() {
        for (now, told, expected) in [
            ((MARK_COMPLETE, 3), 2, false),
            // Its relocation is not over.
            ((RELOCATE, 3), 2, false),
            ((RELOCATE, 3), 3, true),
            ((MARK, 4), 3, true),
            ((MARK_COMPLETE, 4), 3, true),
            ((RELOCATE, 4), 3, false),
            ((RELOCATE, 4), 4, false),
        ] {
            assert_eq!(is_settled(3, (now, told)), expected, "{now:?} {told}");
        }
    }
}
