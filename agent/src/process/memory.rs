//! The agent's allocator: large blocks do not come from malloc.
//!
//! ```text
//! below 8 KB      malloc
//! 8 KB and more   pages of the agent's own regions: best fit, neighbours merged; memory unused for a while is unmapped
//! in a pause      the same, from memory reserved for pauses ([`pauses`])
//! none left       the last reserve ([`last_reserve`]); from then on no new work is started ([`is_short`])
//! ```
//!
//! Most of the agent's large blocks are freed by a different thread than the one that allocated them: a thread's buffer by the pipeline,
//! the contents of trace blocks by the thread that writes files, survivors read by the VM thread by the pipeline. malloc has several
//! arenas, and a block returns to the arena it came from. So over hours each arena grows to the worst case of its threads, and the process
//! grows although the memory in use does not. (malloc returns little: freeing a mapped block of 32 MB lets it keep up to 64 MB in each
//! arena.) Here, memory freed by one thread is reused by any other, and the program's own malloc is not affected.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt;
use std::ptr::{null_mut, with_exposed_provenance_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ducktrack_hotspot::{Address, Reservation, note_mapped, note_unmapped, page_size};

use crate::process::address_space;

pub(crate) use free_ranges::Range;

use free_ranges::FreeRanges;
use last_reserve::LastReserve;
use lately::{RecentUse, Second};
use pauses::Pauses;

pub(crate) use pauses::{begin_pause, end_pause};
pub(crate) use upkeep::{MemorySecond, RecordingMemory, tell_at_end};

mod free_ranges;
mod last_reserve;
mod lately;
mod pauses;
mod upkeep;

/// The agent's global allocator.
#[global_allocator]
static MEMORY: Memory = Memory::new();

/// Bytes that the agent has obtained from the kernel.
pub(crate) fn of_system() -> usize {
    MEMORY.of_system()
}

/// The part of them in malloc's blocks.
pub(crate) fn of_malloc() -> usize {
    MEMORY.in_use().0
}

/// Blocks of at least this many bytes consist of pages.
const LARGE: usize = 8 << 10;
/// Alignment of large blocks. The kernel's pages may be larger.
const PAGE: usize = 4 << 10;
/// Step of the lengths of large blocks, with `LENGTHS` lengths between two powers of two. If every multiple of a page were a length, nearly
/// every block would leave a remainder that fits nothing: after half a minute there were thousands of them, and twice as much memory as in
/// use.
const STEP: usize = 2 * PAGE;
const LENGTHS: usize = 4;
/// Memory is unmapped in multiples of this, the largest page of any supported system.
const UNIT: usize = 64 << 10;
/// The length of every region is a multiple of this.
const REGION: usize = 1 << 20;
/// Memory kept beyond recent use: this, and a quarter of that use. With an eighth, several times as much was mapped and unmapped under load.
const SLACK: usize = 1 << 20;

/// The allocator.
struct Memory {
    /// Bytes in use in malloc's blocks.
    small: AtomicUsize,
    large: Mutex<Large>,
    pauses: Pauses,
    last: LastReserve,
}

/// Sets memory aside for an out-of-memory situation. Returns false if there is none.
pub(crate) fn set_last_reserve_aside() -> bool {
    MEMORY.last.set_aside()
}

/// Whether the kernel has refused memory: current work is finished, and no new work is started.
pub(crate) fn is_short() -> bool {
    MEMORY.last.is_open()
}

/// The regions of large blocks.
struct Large {
    free: FreeRanges<PAGE>,
    in_use: usize,
    lately: RecentUse,
}

/// The agent's memory in a finished second, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MemoryUse {
    small: usize,
    large: Second,
    /// The maximum in use in large blocks over the last seconds, including this one.
    lately: usize,
    /// Bytes obtained from the kernel for large blocks.
    regions: usize,
}

/// The long-run test parses this.
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

    /// Takes the bytes after a block.
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

    /// Frees a range. Returns false if the table has no room for it.
    fn give(&mut self, range: Range) -> bool {
        self.use_less(range.length);
        self.free.put(range)
    }

    /// Takes part of the memory kept beyond recent use. `for_pauses`: bytes kept for pauses.
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
                lately: RecentUse::new(),
            }),
            pauses: Pauses::new(),
            last: LastReserve::new(),
        }
    }

    /// Ends a second; returns its figures.
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

    /// Bytes obtained from the kernel: in use, or kept.
    fn of_system(&self) -> usize {
        let small = self.small.load(Ordering::Relaxed);
        let large = self.lock();
        small + large.in_use + large.free.bytes() + self.pauses.bytes()
    }

    /// Bytes in use now, in small and in large blocks.
    fn in_use(&self) -> (usize, usize) {
        (self.small.load(Ordering::Relaxed), self.lock().in_use)
    }

    /// Unmaps surplus memory. Not for threads that others wait for.
    fn give_back(&self) {
        // Once the reserve is open, it is part of the free memory, and the kernel would not give it again.
        while !self.last.is_open() {
            let for_pauses = self.pauses.bytes();
            let surplus = self.lock().take_surplus(for_pauses);
            let Some(range) = surplus else { return };
            if !unmap(range) {
                // The table has room, because the range was in it before.
                self.lock().free.put(range);
                return;
            }
        }
    }

    /// Nothing panics while it is held. Not parking_lot's: a thread that waits for one of those may have to allocate.
    fn lock(&self) -> MutexGuard<'_, Large> {
        self.large.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a block; also returns whether it is new from the kernel. `None` if there is no memory.
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

    /// Takes a block after the kernel has refused memory.
    #[cold]
    fn take_last(&self, length: usize) -> Option<usize> {
        let pages = self.last.open_pages();
        let mut large = self.lock();
        if let Some(pages) = pages {
            // If the table has no room for it, the reserve is lost.
            large.free.put(pages);
        }
        large.take(length)
    }

    /// Takes a small block after malloc has failed.
    #[cold]
    fn take_last_small(&self, layout: Layout) -> *mut u8 {
        let block = self.last.small(layout.size(), layout.align());
        block.map_or(null_mut(), with_exposed_provenance_mut)
    }

    /// Takes a block from the beginning of a new region.
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
        // The table is full. If the kernel does not take the memory back either, it is lost.
        let _ = is_kept || unmap(rest);
        Some(start)
    }

    /// Frees a block.
    fn give(&self, range: Range) {
        if !self.give_for_pause(range) {
            self.give_to_all(range);
        }
    }

    fn give_to_all(&self, range: Range) {
        let is_kept = self.lock().give(range);
        // If the table is full and the memory cannot be unmapped, it is lost.
        let _ = is_kept || unmap(range);
    }

    /// Changes the length of a block in place. Returns false if that is impossible.
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

/// The length of the block for this size, if it is large: at most a quarter more, or one step.
fn large(size: usize, align: usize) -> Option<usize> {
    let step = || (size.next_power_of_two() / 2 / LENGTHS).max(STEP);
    (size >= LARGE && align <= PAGE).then(|| size.next_multiple_of(step()))
}

// SAFETY: a block is either malloc's, or a range taken from the table of free ranges, which holds only mapped memory that is not in use.
// The layout alone decides which. Nothing here unwinds.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(length) = large(layout.size(), layout.align()) else {
            self.small.fetch_add(layout.size(), Ordering::Relaxed);
            // SAFETY: the caller upholds the same contract.
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
            // SAFETY: the caller upholds the same contract.
            let block = unsafe { System.alloc_zeroed(layout) };
            return match block.is_null() {
                false => block,
                // The reserve is zero: each block is used once, and new from the kernel.
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
                    // SAFETY: the caller upholds the same contract, and the block is malloc's, not the reserve's.
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
                // SAFETY: the caller upholds the same contract, and the block is malloc's, not the reserve's.
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
        // SAFETY: the caller guarantees that the size is valid for a layout.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the caller guarantees that the size is not 0.
        let moved = unsafe { self.alloc(wanted) };
        if !moved.is_null() {
            // SAFETY: both blocks have this many bytes, and they do not overlap.
            unsafe { moved.copy_from_nonoverlapping(block, layout.size().min(size)) };
            // SAFETY: the caller gives up the block.
            unsafe { self.dealloc(block, layout) };
        }
        moved
    }
}

/// Makes the kernel provide the pages now. What is in them stays.
pub(crate) fn populate(range: Range) {
    let start = with_exposed_provenance_mut::<u8>(range.start);
    // SAFETY: the range is mapped, and no byte of it changes. If the kernel does not know this advice (before Linux 5.14), pages are
    // provided on first write.
    let _ = unsafe { libc::madvise(start.cast(), range.length, libc::MADV_POPULATE_WRITE) };
}

/// Unmaps the whole pages of the system in a range. Partial pages at the ends are lost.
fn unmap(range: Range) -> bool {
    let page = page_size();
    let start = range.start.next_multiple_of(page);
    let end = range.end() / page * page;
    if start >= end {
        return false;
    }
    // Before another thread can be given these addresses.
    note_unmapped(Address(start), end - start);
    // SAFETY: the range lies in regions that were mapped here and is not in use: it is neither part of a block nor in the table of free ranges.
    let is_unmapped = unsafe { libc::munmap(with_exposed_provenance_mut(start), end - start) == 0 };
    if !is_unmapped {
        note_mapped(Address(start), end - start);
    }
    is_unmapped
}

#[cfg(test)]
mod tests;
