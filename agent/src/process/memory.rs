//! The agent's allocator: large blocks do not come from malloc.
//!
//! ```text
//! below 128 KB       malloc
//! 128 KB and more    pages of their own, unmapped as soon as the block is freed
//! none left          the last reserve ([`last_reserve`]); from then on no new work is started ([`is_short`])
//! ```
//!
//! malloc keeps what is freed: once a mapped block of 32 MB was freed, it lets each of its arenas keep up to 64 MB. Most of the
//! agent's large blocks are freed by another thread than the one that allocated them, and bursts of them come with each collection.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{null_mut, with_exposed_provenance_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

use ducktrack_hotspot::{Address, Reservation, note_mapped, note_unmapped, page_size};

use crate::process::address_space;

use last_reserve::LastReserve;

pub(crate) use upkeep::{MemorySecond, tell_at_end};

mod last_reserve;
mod upkeep;

/// The agent's global allocator.
#[global_allocator]
static MEMORY: Memory = Memory::new();

/// Bytes that the agent has allocated.
pub(crate) fn in_use() -> usize {
    let (small, large) = MEMORY.in_use();
    small + large
}

/// Gives back what malloc has free: after 15 recordings of a service, 75 MB in the arenas of the threads that had rewritten classes.
/// musl has no such function, and no arenas.
pub(crate) fn give_back_free() {
    // SAFETY: the name ends with a zero byte.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"malloc_trim".as_ptr()) };
    if found.is_null() {
        return;
    }
    // SAFETY: glibc's function has this type, and needs nothing of its caller.
    let trim: extern "C" fn(libc::size_t) -> libc::c_int = unsafe { core::mem::transmute(found) };
    trim(0);
}

/// The part of them in malloc's blocks.
pub(crate) fn of_malloc() -> usize {
    in_use() - MEMORY.mapped.load(Ordering::Relaxed)
}

/// Sets memory aside for an out-of-memory situation. Returns false if there is none.
pub(crate) fn set_last_reserve_aside() -> bool {
    MEMORY.last.set_aside()
}

/// Whether the kernel has refused memory: current work is finished, and no new work is started.
pub(crate) fn is_short() -> bool {
    MEMORY.last.is_open()
}

/// Blocks of at least this many bytes have pages of their own.
const MAPPED: usize = 128 << 10;
/// Blocks of at least this many bytes come and go with events and collections; smaller ones are names, sites and classes.
const LARGE: usize = 8 << 10;
/// The most that a mapping is aligned to on every system.
const PAGE: usize = 4 << 10;

/// The allocator.
struct Memory {
    /// Bytes in use in small blocks of malloc, in its large blocks, and in blocks of pages.
    small: AtomicUsize,
    large: AtomicUsize,
    mapped: AtomicUsize,
    last: LastReserve,
}

/// Bytes of the pages of a block, if it has its own.
fn pages(layout: Layout) -> Option<usize> {
    (layout.size() >= MAPPED && layout.align() <= PAGE)
        .then(|| layout.size().next_multiple_of(page_size()))
}

impl Memory {
    const fn new() -> Self {
        Self {
            small: AtomicUsize::new(0),
            large: AtomicUsize::new(0),
            mapped: AtomicUsize::new(0),
            last: LastReserve::new(),
        }
    }

    /// Bytes in use now, in small and in large blocks.
    fn in_use(&self) -> (usize, usize) {
        let bytes = |of: &AtomicUsize| of.load(Ordering::Relaxed);
        (bytes(&self.small), bytes(&self.large) + bytes(&self.mapped))
    }

    /// The counter of malloc's blocks of this size.
    fn in_malloc(&self, size: usize) -> &AtomicUsize {
        match size < LARGE {
            true => &self.small,
            false => &self.large,
        }
    }

    /// New pages, all zero; null if there are none.
    fn map(&self, length: usize) -> *mut u8 {
        let region = address_space::has_room_for(length).then(|| Reservation::anywhere(length));
        match region {
            Some(Ok(region)) => {
                self.mapped.fetch_add(length, Ordering::Relaxed);
                region.keep().as_ptr()
            }
            _ => null_mut(),
        }
    }

    /// The same pages as a block of another length, which may lie elsewhere; null if there is no room. Nothing is copied.
    fn remap(&self, block: *mut u8, before: usize, after: usize) -> *mut u8 {
        if !address_space::has_room_for(after.saturating_sub(before)) {
            return null_mut();
        }
        let start = Address(block.expose_provenance());
        // Before another thread can be given these addresses.
        note_unmapped(start, before);
        // SAFETY: the caller gives the block up, so no one refers to it; it is a mapping of this length.
        let moved = unsafe { libc::mremap(block.cast(), before, after, libc::MREMAP_MAYMOVE) };
        if moved == libc::MAP_FAILED {
            note_mapped(start, before);
            return null_mut();
        }
        note_mapped(Address(moved.expose_provenance()), after);
        self.mapped.fetch_add(after, Ordering::Relaxed);
        self.mapped.fetch_sub(before, Ordering::Relaxed);
        moved.cast()
    }

    /// A block after the kernel has refused memory: all zero, because each is used once. Null if the reserve is used up.
    #[cold]
    fn take_last(&self, layout: Layout) -> *mut u8 {
        let block = self.last.take(layout.size(), layout.align());
        block.map_or(null_mut(), with_exposed_provenance_mut)
    }

    /// A block of pages or from the reserve. `from_malloc`: what malloc gave for a small one.
    fn block(&self, layout: Layout, from_malloc: impl FnOnce() -> *mut u8) -> *mut u8 {
        let block = match pages(layout) {
            Some(length) => self.map(length),
            None => {
                let block = from_malloc();
                if !block.is_null() {
                    self.in_malloc(layout.size())
                        .fetch_add(layout.size(), Ordering::Relaxed);
                }
                block
            }
        };
        match block.is_null() {
            false => block,
            true => self.take_last(layout),
        }
    }
}

// SAFETY: a block is malloc's, or a mapping of its own, or part of the reserve, which gives each byte once. Its layout and its address tell
// which. Nothing here unwinds.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the same contract.
        self.block(layout, || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the same contract.
        self.block(layout, || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if self.last.has(block.addr()) {
            return;
        }
        match pages(layout) {
            Some(length) => {
                self.mapped.fetch_sub(length, Ordering::Relaxed);
                unmap(block, length);
            }
            None => {
                self.in_malloc(layout.size())
                    .fetch_sub(layout.size(), Ordering::Relaxed);
                // SAFETY: the caller upholds the same contract, and the block is malloc's, not the reserve's.
                unsafe { System.dealloc(block, layout) };
            }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller guarantees that the size is valid for a layout.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let (before, after) = (pages(layout), pages(wanted));
        if let (Some(before), Some(after)) = (before, after) {
            let moved = match before == after {
                true => block,
                false => self.remap(block, before, after),
            };
            if !moved.is_null() {
                return moved;
            }
        }
        if (before, after) == (None, None) && !self.last.has(block.addr()) {
            // SAFETY: the caller upholds the same contract, and the block is malloc's, not the reserve's.
            let moved = unsafe { System.realloc(block, layout, size) };
            if !moved.is_null() {
                self.in_malloc(size).fetch_add(size, Ordering::Relaxed);
                self.in_malloc(layout.size())
                    .fetch_sub(layout.size(), Ordering::Relaxed);
                return moved;
            }
        }
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

/// Makes the kernel provide the pages of a mapped range now. Their contents stay.
pub(crate) fn populate(start: usize, length: usize) {
    let start = with_exposed_provenance_mut::<u8>(start);
    // SAFETY: the range is mapped, and no byte of it changes. If the kernel does not know this advice (before Linux 5.14), pages are
    // provided on first write.
    let _ = unsafe { libc::madvise(start.cast(), length, libc::MADV_POPULATE_WRITE) };
}

/// Unmaps a block of pages. If the kernel does not take it, it is lost.
fn unmap(block: *mut u8, length: usize) {
    let address = Address(block.expose_provenance());
    // Before another thread can be given these addresses.
    note_unmapped(address, length);
    // SAFETY: the caller frees the block, so no one refers to it; it is one mapping of this length, which holds nothing else.
    let is_unmapped = unsafe { libc::munmap(block.cast(), length) == 0 };
    if !is_unmapped {
        note_mapped(address, length);
    }
}

#[cfg(test)]
mod tests;
