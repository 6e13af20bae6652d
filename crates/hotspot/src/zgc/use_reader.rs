//! The program's uses of objects, from their stamps in the shadow of the heap, read beside the program.
//!
//! ```text
//! Pause Mark Start / End     the cycle counts from here on; the clock takes a step                             counts_from
//!   Concurrent Mark          the program stamps objects where they are
//! Pause Mark End
//!   first clock read         driver: takes the stamps of pages without live objects away, before they are freed
//! Pause Relocate Start       from here on, the program stamps moved objects at their new places alone
//!   first clock read         driver: copies the stamps of pages that will be relocated, and takes them away    StampCopy
//!   Concurrent Relocate
//!   afterwards               a thread of ours: the stamps of all others; stamps since the step of the clock
//!                            are carried to the new places                                                     UseReader
//! ```
//!
//! (`src/hotspot/share/gc/z/zRelocate.cpp`.) Threads of the program may move objects from that pause
//! on, but a page is freed, or compacted in place, by a worker that the driver starts after its clock
//! read. The counts of references of the forwardings prove that none has begun when the copy is done.
//!
//! A use after the step of the clock counts before the cycle as well: its stamp has replaced an earlier one. So uses before a cycle
//! are those until they are read, and an object that the program uses all the time is never taken for one that it did not use.
//!
//! So **memory that is freed has no stamps**, and what comes to be there, by whichever generation, inherits none. Dates alone would not do:
//! what moves to a place counts as there since the step of its cycle, and an object that left since then may have been used in between.
//!
//! With two generations, uses of the old one are also read with young cycles ([`super::old_uses`]).

use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::HashMap;

use crate::address::Address;
use crate::heap::shadow::Shadow;
use crate::zgc::address_key::Generation;
use crate::zgc::forwarding_table::RelocationSet;
use crate::zgc::layout::Layout;
use crate::zgc::live_map::LiveMap;
use crate::zgc::object_reader::Places;

/// The stamps of a recording.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamps {
    pub(crate) shadow: Shadow,
    pub(crate) clock: &'static AtomicU64,
}

/// The last uses of objects before a cycle.
#[derive(Debug, Default)]
pub struct CycleUses {
    /// Addresses before the cycle, and the clock of the last use: ascending.
    pub uses: Vec<(Address, u64)>,
    /// Every object of the heap was looked at.
    pub all: bool,
}

impl Stamps {
    /// Takes the stamps of pages away, before the collector frees them: what
    /// comes to be there must not inherit any. False: some may be left.
    pub(crate) fn clear(&self, layout: &Layout, pages: impl Iterator<Item = (u64, u64)>) -> bool {
        let mut parts: Vec<(u64, u64)> = pages.collect();
        parts.sort_unstable();
        parts.dedup_by(|next, kept| {
            let joins = next.0 == kept.1;
            if joins {
                kept.1 = next.1;
            }
            joins
        });
        let mut cleared = parts.into_iter().map(|(start, end)| {
            let bytes = end.saturating_sub(start) as usize;
            self.shadow.clear_part(layout.memory(start), bytes)
        });
        cleared.all(|is_clear| is_clear)
    }
}

/// The clock of a generation's cycles.
#[derive(Debug, Default)]
pub(crate) struct CycleClock {
    /// From the cycle on that counts now; 0: it was not there when it began.
    current: AtomicU64,
    /// From the cycle before it on.
    before: AtomicU64,
}

impl CycleClock {
    /// A cycle counts from this step of the clock on. In its pause.
    pub(crate) fn counts_from(&self, step: u64) {
        let before = self.current.swap(step, Ordering::AcqRel);
        self.before.store(before, Ordering::Release);
    }

    /// Copies nothing yet, for the cycle that counts now; `None` if its uses are not known.
    pub(crate) fn begin(&self) -> Option<StampCopy> {
        let step = self.current.load(Ordering::Acquire);
        (step > 0).then(|| StampCopy {
            step,
            least: self.before.load(Ordering::Acquire),
            pages: HashMap::new(),
            is_made: false,
        })
    }
}

/// The stamps of the objects that a cycle moves.
#[derive(Debug)]
pub(crate) struct StampCopy {
    /// The cycle's step of the clock.
    step: u64,
    /// The step of the cycle before it.
    least: u64,
    /// By the offset of the page, in the order of its marked objects.
    pages: HashMap<u64, Vec<u64>>,
    is_made: bool,
}

impl StampCopy {
    /// Whether the copy was made, or failed: it can be made once.
    pub(crate) fn is_made(&self) -> bool {
        self.is_made
    }

    /// Copies the stamps of pages that are about to be relocated, and takes them away there. `live` gives the end and the marked
    /// objects of a page, by its offset. On the driver, before it starts its workers. False: that was too late, or a page is not known.
    pub(crate) fn make(
        &mut self,
        stamps: &Stamps,
        layout: &Layout,
        set: &RelocationSet,
        live: impl Fn(u64) -> Option<(u64, LiveMap)>,
    ) -> bool {
        self.is_made = true;
        let Ok(pages) = set.pages(layout) else {
            return false;
        };
        let mut parts = Vec::with_capacity(pages.len());
        for page in pages {
            let Some((end, live)) = live(page) else {
                return false;
            };
            let places = live.objects.iter().map(|offset| layout.memory(*offset));
            let words = places.map(|place| stamps.shadow.stamp(place));
            self.pages.insert(page, words.collect());
            parts.push((page, end));
        }
        // Workers may begin while the stamps are taken away: what they move is not stamped at its old place any more, but its page may be.
        set.is_untouched(layout)
            && stamps.clear(layout, parts.into_iter())
            && set.is_untouched(layout)
    }

    /// The cycle's step of the clock.
    pub(crate) fn step(&self) -> u64 {
        self.step
    }
}

/// Reads the uses before a cycle whose relocation is over.
pub(crate) struct UseReader<'a> {
    stamps: &'a Stamps,
    copy: StampCopy,
    generation: Generation,
    now: u64,
    pub(crate) found: CycleUses,
}

impl<'a> UseReader<'a> {
    pub(crate) fn new(stamps: &'a Stamps, copy: StampCopy, generation: Generation) -> Self {
        Self {
            stamps,
            copy,
            generation,
            now: 0,
            found: CycleUses::default(),
        }
    }

    /// A stamp from the future is not a stamp. The clock may have taken a step since it was looked at last.
    fn is_of_the_future(&mut self, stamp: u64) -> bool {
        if stamp > self.now {
            self.now = self.stamps.clock.load(Ordering::Acquire);
        }
        stamp > self.now
    }

    /// The marked objects of a page. False: its stamps were not copied before they moved.
    pub(crate) fn page(
        &mut self,
        layout: &Layout,
        page: u64,
        live: &LiveMap,
        places: &Places<'_>,
    ) -> bool {
        let copied = self.copy.pages.remove(&page);
        let is_whole = |words: &Vec<u64>| words.len() == live.objects.len();
        if places.moves.is_some() && !copied.as_ref().is_some_and(is_whole) {
            return false;
        }
        for (index, from) in live.objects.iter().enumerate() {
            let memory = layout.memory(*from);
            let stamp = match copied.as_ref().and_then(|words| words.get(index)) {
                Some(stamp) => *stamp,
                None => self.stamps.shadow.stamp(memory),
            };
            if stamp < self.copy.least.max(1) || self.is_of_the_future(stamp) {
                continue;
            }
            let object = self.generation.key(layout.address(*from));
            self.found.uses.push((object, stamp));
            if let Some(to) = places.moved(index).filter(|_| stamp >= self.copy.step) {
                self.stamps.shadow.raise(layout.memory(to), stamp);
            }
        }
        true
    }
}
