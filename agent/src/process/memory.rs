//! The agent's memory: what is large does not come from malloc.
//!
//! ```text
//! below 8 KB      malloc
//! 8 KB and more   pages of regions of the agent's own: best fit, neighbours joined; what nothing needed lately goes back to the system
//! in a pause      the same, of memory that was kept for it ([`pauses`])
//! none left       what was set aside for the end ([`last_reserve`]); from then on nothing new is begun ([`is_short`])
//! ```
//!
//! Almost everything large that the agent makes is freed by another thread than made it: a thread's buffer by the pipeline, the contents of blocks by
//! the thread that writes files, the survivors that the VM's thread reads by the pipeline. malloc has an arena for each of some threads, and a block goes back to the
//! arena that it came from. So each arena comes to have what its threads had at their worst moment, one after the other over hours, and the process
//! grows although what is in use does not. (It gives little back: a mapped block of 32 MB that was freed lets malloc keep up to 64 MB in each.)
//! Here what one thread frees is what the next one takes, whichever it is, and the program's own malloc is left alone.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt;
use std::ptr::{null_mut, with_exposed_provenance_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ducktrack_hotspot::{Address, Reservation, note_mapped, note_unmapped, page_size};

use crate::process::address_space;

use free_ranges::{FreeRanges, Range};
use last_reserve::LastReserve;
use lately::{Lately, Second};
use pauses::Pauses;

pub(crate) use pauses::{begin_pause, end_pause};
pub(crate) use upkeep::{MemorySecond, RecordingMemory, tell_at_end};

mod free_ranges;
mod last_reserve;
mod lately;
mod pauses;
mod upkeep;

/// All memory of the agent comes from here. The language wants it to be a static.
#[global_allocator]
static MEMORY: Memory = Memory::new();

/// Bytes that the agent has of the system.
pub(crate) fn of_system() -> usize {
    MEMORY.of_system()
}

/// Bytes of them that malloc has given.
pub(crate) fn of_malloc() -> usize {
    MEMORY.in_use().0
}

/// Blocks of this many bytes and more are pages.
const LARGE: usize = 8 << 10;
/// Large blocks begin at a multiple of this. The system's pages may be larger.
const PAGE: usize = 4 << 10;
/// Large blocks are as long as a multiple of this, and there are this many lengths from a power of two to the next. With as many as there are pages, nearly every
/// block left a rest that fitted none: after half a minute of work there were thousands of them, and twice as much memory as was in use.
const STEP: usize = 2 * PAGE;
const LENGTHS: usize = 4;
/// What goes back to the system is a multiple of the largest page that a system has.
const UNIT: usize = 64 << 10;
/// A region is so long, or a multiple.
const REGION: usize = 1 << 20;
/// What there may be more than was in use lately: this, and a quarter. With an eighth, several times as much came and went under load.
const SLACK: usize = 1 << 20;

/// The allocator.
struct Memory {
    /// Bytes in use in blocks of malloc's.
    small: AtomicUsize,
    large: Mutex<Large>,
    pauses: Pauses,
    last: LastReserve,
}

/// Sets memory aside for the moment in which there is none left. False: there is none now.
pub(crate) fn set_last_reserve_aside() -> bool {
    MEMORY.last.set_aside()
}

/// The system has refused memory: what is under way is finished, and nothing new begun.
pub(crate) fn is_short() -> bool {
    MEMORY.last.is_open()
}

/// The regions.
struct Large {
    free: FreeRanges<PAGE>,
    in_use: usize,
    lately: Lately,
}

/// Bytes of the agent's memory in a second that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MemoryUse {
    small: usize,
    large: Second,
    /// The most that was in use in large blocks in the last seconds, this one included.
    lately: usize,
    /// What the agent has of the system for large blocks.
    regions: usize,
}

/// The test of a long run reads this.
impl fmt::Display for MemoryUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "memory in bytes: small {}, large {} to {} (lately {}), regions {}",
            self.small, self.large.least, self.large.most, self.lately, self.regions
        )
    }
}

impl Large {
    fn take(&mut self, length: usize) -> Option<usize> {
        let start = self.free.take(length)?;
        self.use_more(length);
        Some(start)
    }

    /// The bytes after a block.
    fn take_at(&mut self, start: usize, length: usize) -> bool {
        let is_free = self.free.take_at(start, length);
        if is_free {
            self.use_more(length);
        }
        is_free
    }

    fn use_more(&mut self, length: usize) {
        self.in_use += length;
        self.lately.note(self.in_use);
    }

    fn use_less(&mut self, length: usize) {
        self.in_use -= length;
        self.lately.note(self.in_use);
    }

    /// False: there is no room to keep it.
    fn give(&mut self, range: Range) -> bool {
        self.use_less(range.length);
        self.free.put(range)
    }

    /// A part of what is kept although nothing needed it lately; this many bytes are kept for pauses.
    fn take_surplus(&mut self, for_pauses: usize) -> Option<Range> {
        let lately = self.lately.most();
        let allowed = lately + lately / 4 + SLACK;
        let all = self.in_use + self.free.bytes() + for_pauses;
        let surplus = all.saturating_sub(allowed);
        self.free.take_units(UNIT, surplus)
    }
}

impl Memory {
    const fn new() -> Self {
        Self {
            small: AtomicUsize::new(0),
            large: Mutex::new(Large {
                free: FreeRanges::new(),
                in_use: 0,
                lately: Lately::new(),
            }),
            pauses: Pauses::new(),
            last: LastReserve::new(),
        }
    }

    /// A second is over; what it was.
    fn end_second(&self) -> MemoryUse {
        let small = self.small.load(Ordering::Relaxed);
        let mut large = self.lock();
        let (in_use, lately) = (large.in_use, large.lately.most());
        MemoryUse {
            small,
            large: large.lately.end_second(in_use),
            lately,
            regions: in_use + large.free.bytes() + self.pauses.bytes(),
        }
    }

    /// What the agent has of the system: in use, or kept.
    fn of_system(&self) -> usize {
        let small = self.small.load(Ordering::Relaxed);
        let large = self.lock();
        small + large.in_use + large.free.bytes() + self.pauses.bytes()
    }

    /// In use now, in small and in large blocks.
    fn in_use(&self) -> (usize, usize) {
        (self.small.load(Ordering::Relaxed), self.lock().in_use)
    }

    /// Gives the system what is kept in vain. Not for a thread that anybody waits for.
    fn give_back(&self) {
        // The reserve is among what is free, and the system would not give it again.
        while !self.last.is_open() {
            let for_pauses = self.pauses.bytes();
            let surplus = self.lock().take_surplus(for_pauses);
            let Some(range) = surplus else { return };
            if !unmap(range) {
                // There is room: it was there before.
                self.lock().free.put(range);
                return;
            }
        }
    }

    /// Nothing panics under it. Not parking_lot's: a thread that waits for one of those may have to allocate.
    fn lock(&self) -> MutexGuard<'_, Large> {
        self.large.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A block, and whether it is new from the system. `None`: there is no memory.
    fn take(&self, length: usize) -> Option<(usize, bool)> {
        let found = self.take_for_pause(length);
        match found.or_else(|| self.lock().take(length)) {
            Some(start) => Some((start, false)),
            None => match self.take_new(length) {
                Some(start) => Some((start, true)),
                None => self.take_last(length).map(|start| (start, false)),
            },
        }
    }

    /// The system gives no more.
    #[cold]
    fn take_last(&self, length: usize) -> Option<usize> {
        let pages = self.last.open_pages();
        let mut large = self.lock();
        if let Some(pages) = pages {
            // If there is no room for it in the table, it is lost.
            large.free.put(pages);
        }
        large.take(length)
    }

    /// A small block that malloc did not give.
    #[cold]
    fn take_last_small(&self, layout: Layout) -> *mut u8 {
        let block = self.last.small(layout.size(), layout.align());
        block.map_or(null_mut(), with_exposed_provenance_mut)
    }

    /// The beginning of a new region.
    #[cold]
    fn take_new(&self, length: usize) -> Option<usize> {
        let all = length.checked_next_multiple_of(REGION)?;
        if !address_space::has_room_for(all) {
            return None;
        }
        let region = Reservation::anywhere(all).ok()?;
        let start = region.keep().as_ptr().expose_provenance();
        let mut large = self.lock();
        large.use_more(length);
        let rest = Range {
            start: start + length,
            length: all - length,
        };
        let is_kept = rest.length == 0 || large.free.put(rest);
        drop(large);
        // The table is full: what the system does not take back either is lost.
        let _ = is_kept || unmap(rest);
        Some(start)
    }

    /// A block is not in use any more.
    fn give(&self, range: Range) {
        if !self.give_for_pause(range) {
            self.give_to_all(range);
        }
    }

    fn give_to_all(&self, range: Range) {
        let is_kept = self.lock().give(range);
        // As above.
        let _ = is_kept || unmap(range);
    }

    /// A block has another length from now on; false: it cannot have it where it is.
    fn resize(&self, start: usize, before: usize, after: usize) -> bool {
        if after > before {
            return self.lock().take_at(start + before, after - before);
        }
        if after < before {
            self.give(Range {
                start: start + after,
                length: before - after,
            });
        }
        true
    }
}

/// The length of its block, if it is large: less than a quarter more, or than a step.
fn large(size: usize, align: usize) -> Option<usize> {
    let step = || (size.next_power_of_two() / 2 / LENGTHS).max(STEP);
    (size >= LARGE && align <= PAGE).then(|| size.next_multiple_of(step()))
}

// SAFETY: a block is either malloc's, or a range that was taken from the table of free ranges, which has only mapped memory that is not in use; which of both
// it is follows from its layout alone. Nothing here unwinds.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(length) = large(layout.size(), layout.align()) else {
            self.small.fetch_add(layout.size(), Ordering::Relaxed);
            // SAFETY: the same contract.
            let block = unsafe { System.alloc(layout) };
            return match block.is_null() {
                false => block,
                true => self.take_last_small(layout),
            };
        };
        let block = self.take(length);
        block.map_or(null_mut(), |(start, _)| with_exposed_provenance_mut(start))
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some(length) = large(layout.size(), layout.align()) else {
            self.small.fetch_add(layout.size(), Ordering::Relaxed);
            // SAFETY: the same contract.
            let block = unsafe { System.alloc_zeroed(layout) };
            return match block.is_null() {
                false => block,
                // It is used once, and new from the system.
                true => self.take_last_small(layout),
            };
        };
        let Some((start, is_new)) = self.take(length) else {
            return null_mut();
        };
        let block: *mut u8 = with_exposed_provenance_mut(start);
        if !is_new {
            // SAFETY: the block has at least this many bytes, and this call owns it.
            unsafe { block.write_bytes(0, layout.size()) };
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match large(layout.size(), layout.align()) {
            Some(length) => self.give(Range {
                start: block.expose_provenance(),
                length,
            }),
            None => {
                self.small.fetch_sub(layout.size(), Ordering::Relaxed);
                if !self.last.has_small(block.addr()) {
                    // SAFETY: the same contract, and the block is malloc's: it is none of the reserve's.
                    unsafe { System.dealloc(block, layout) };
                }
            }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let before = large(layout.size(), layout.align());
        let after = large(size, layout.align());
        match (before, after) {
            (None, None) if !self.last.has_small(block.addr()) => {
                // SAFETY: the same contract, and the block is malloc's: it is none of the reserve's.
                let moved = unsafe { System.realloc(block, layout, size) };
                if !moved.is_null() {
                    self.small.fetch_add(size, Ordering::Relaxed);
                    self.small.fetch_sub(layout.size(), Ordering::Relaxed);
                    return moved;
                }
            }
            (Some(before), Some(after))
                if self.resize(block.expose_provenance(), before, after) =>
            {
                return block;
            }
            _ => {}
        }
        // SAFETY: the caller promises that the size is no more than a layout allows.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the size is not 0, as the caller promises.
        let moved = unsafe { self.alloc(wanted) };
        if !moved.is_null() {
            // SAFETY: both blocks have this many bytes, and they are different ones.
            unsafe { moved.copy_from_nonoverlapping(block, layout.size().min(size)) };
            // SAFETY: the caller gives the block up.
            unsafe { self.dealloc(block, layout) };
        }
        moved
    }
}

/// Has the system give its pages now. What is there is lost, or not.
fn populate(range: Range) {
    let start = with_exposed_provenance_mut::<u8>(range.start);
    // SAFETY: the caller took the range and it is not used yet. Where the system does not know this advice (before Linux 5.14), pages come when they are written.
    let _ = unsafe { libc::madvise(start.cast(), range.length, libc::MADV_POPULATE_WRITE) };
}

/// Gives whole pages of the system's back. What there is of others at both ends is lost.
fn unmap(range: Range) -> bool {
    let page = page_size();
    let start = range.start.next_multiple_of(page);
    let end = range.end() / page * page;
    if start >= end {
        return false;
    }
    // Before another thread can be given these addresses.
    note_unmapped(Address(start), end - start);
    // SAFETY: the range is of regions that were mapped here, and it is not in use: it is neither a block nor in the table of what is free.
    let is_unmapped = unsafe { libc::munmap(with_exposed_provenance_mut(start), end - start) == 0 };
    if !is_unmapped {
        note_mapped(Address(start), end - start);
    }
    is_unmapped
}

#[cfg(test)]
mod tests;
