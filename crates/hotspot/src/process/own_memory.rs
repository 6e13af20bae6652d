//! What this library has mapped, and how much of that is in memory by the word of the system.
//!
//! Everything that maps memory here or above tells its range. The kernel has a word for each page of a process
//! (`/proc/self/pagemap`): whether the page is there, and whether it is one of a file or the process's own. Pages
//! that were only read share the kernel's page of zeros: they are neither, and `VmRSS` does not have them either.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::address::Address;
use crate::process::page_size::page_size;

/// Ranges at most. The table never allocates: allocators stand on it.
const MOST: usize = 16 << 10;
/// Words of pages that are read at once.
const AT_ONCE: usize = 1024;

/// Bits of the kernel's word for a page.
const PRESENT: u64 = 1 << 63;
const OF_A_FILE: u64 = 1 << 61;
const OF_THIS_PROCESS_ALONE: u64 = 1 << 56;

static MAPPED: Mutex<MappedRanges> = Mutex::new(MappedRanges::new());

/// Nothing panics under it.
fn mapped() -> MutexGuard<'static, MappedRanges> {
    MAPPED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// This range is the library's from now on. It may be one that is known.
pub fn note_mapped(start: Address, length: usize) {
    mapped().set(&(start.0..start.0.saturating_add(length)), true);
}

/// This range is not the library's any more.
pub fn note_unmapped(start: Address, length: usize) {
    mapped().set(&(start.0..start.0.saturating_add(length)), false);
}

/// Bytes of all that is mapped, the library itself included, which are in memory.
/// `None`: the system does not say, or there are too many ranges to know them all.
#[must_use]
pub fn resident_of_own_memory() -> Option<u64> {
    let pages = File::open("/proc/self/pagemap").ok()?;
    let mut bytes = 0;
    let mut from = 0;
    // One after the other: the table is not locked while the kernel looks.
    while let Some(range) = next_mapped(from) {
        from = range.end;
        bytes += resident_in(&pages, range)?;
    }
    for segment in library_segments() {
        bytes += resident_in(&pages, segment)?;
    }
    (!mapped().is_short).then_some(bytes)
}

fn next_mapped(from: usize) -> Option<Range<usize>> {
    mapped().first_from(from)
}

/// Bytes in memory of the pages that a range touches.
fn resident_in(pages: &File, range: Range<usize>) -> Option<u64> {
    let page = page_size();
    let (mut next, end) = (range.start / page, range.end.div_ceil(page));
    let mut words = [0_u8; AT_ONCE * 8];
    let mut resident = 0;
    while next < end {
        let count = (end - next).min(AT_ONCE);
        let room = words.get_mut(..count * 8)?;
        pages.read_exact_at(room, next as u64 * 8).ok()?;
        let (words, _) = room.as_chunks::<8>();
        let words = words.iter().map(|word| u64::from_le_bytes(*word));
        resident += words.filter(|word| is_resident(*word)).count() as u64;
        next += count;
    }
    Some(resident * page as u64)
}

fn is_resident(word: u64) -> bool {
    word & PRESENT != 0 && word & (OF_A_FILE | OF_THIS_PROCESS_ALONE) != 0
}

/// What the loader has mapped of the file that this code is in.
fn library_segments() -> Vec<Range<usize>> {
    let mut segments = Vec::new();
    // SAFETY: the callback gets the pointer to `segments`, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(take_own_segments), (&raw mut segments).cast()) };
    segments
}

/// # Safety
/// Called by `dl_iterate_phdr`, with a pointer to a vector of ranges.
unsafe extern "C" fn take_own_segments(
    info: *mut libc::dl_phdr_info,
    size: usize,
    found: *mut libc::c_void,
) -> libc::c_int {
    if info.is_null() || size < size_of::<libc::dl_phdr_info>() {
        return 0;
    }
    // SAFETY: the loader's structure lives during the call, and is this long.
    let info = unsafe { &*info };
    // SAFETY: the loader passes the address and number of its program headers, which live during the call.
    let headers =
        unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let loaded = headers.iter();
    let loaded = loaded.filter(|header| header.p_type == libc::PT_LOAD);
    let segments = loaded.map(|header| {
        let start = (info.dlpi_addr + header.p_vaddr) as usize;
        start..start + header.p_memsz as usize
    });
    let mut segments: Vec<_> = segments.collect();
    let here = (&raw const MAPPED).addr();
    if segments.iter().any(|segment| segment.contains(&here)) {
        // SAFETY: `dl_iterate_phdr` passes on the pointer of the call below, a vector that nothing else uses during the call.
        let found = unsafe { &mut *found.cast::<Vec<Range<usize>>>() };
        found.append(&mut segments);
        return 1;
    }
    0
}

/// A set of addresses, as the boundaries of its ranges in ascending order:
/// from the first to the second, from the third to the fourth, and so on.
struct MappedRanges {
    /// The first `count` are in use.
    boundaries: [usize; 2 * MOST],
    count: usize,
    /// A range found no room.
    is_short: bool,
}

impl MappedRanges {
    const fn new() -> Self {
        Self {
            boundaries: [0; 2 * MOST],
            count: 0,
            is_short: false,
        }
    }

    fn boundaries(&self) -> &[usize] {
        self.boundaries.get(..self.count).unwrap_or_default()
    }

    /// The first range from an address on, or the rest of one.
    fn first_from(&self, address: usize) -> Option<Range<usize>> {
        let (ranges, _) = self.boundaries().as_chunks::<2>();
        let mut ranges = ranges.iter().skip_while(|[_, end]| *end <= address);
        ranges.next().map(|[start, end]| *start.max(&address)..*end)
    }

    /// Puts a range into the set, or takes it out.
    fn set(&mut self, range: &Range<usize>, is_in: bool) {
        if range.is_empty() {
            return;
        }
        let boundaries = self.boundaries();
        let first = boundaries.partition_point(|boundary| *boundary < range.start);
        let last = boundaries.partition_point(|boundary| *boundary <= range.end);
        // After an odd number of boundaries an address is in the set.
        let is_odd = |number: usize| number % 2 == 1;
        let before = (is_odd(first) != is_in).then_some(range.start);
        let after = (is_odd(last) != is_in).then_some(range.end);
        let new = before.iter().chain(&after);
        let place = first + new.clone().count();
        let count = self.count - last + place;
        if count > self.boundaries.len() {
            self.is_short = true;
            return;
        }
        self.boundaries.copy_within(last..self.count, place);
        for (boundary, new) in self.boundaries.iter_mut().skip(first).zip(new) {
            *boundary = *new;
        }
        self.count = count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::reservation::Reservation;

    #[test]
    fn ranges_join_and_part() {
        let mut set = MappedRanges::new();
        let steps: [(Range<usize>, bool, &[usize]); 8] = [
            (10..20, true, &[10, 20]),
            (30..40, true, &[10, 20, 30, 40]),
            (20..30, true, &[10, 40]),
            (15..18, false, &[10, 15, 18, 40]),
            (12..13, true, &[10, 15, 18, 40]),
            (0..12, false, &[12, 15, 18, 40]),
            (15..18, true, &[12, 40]),
            (0..50, false, &[]),
        ];
        for (range, is_in, expected) in steps {
            set.set(&range, is_in);
            assert_eq!(set.boundaries(), expected, "after {range:?} {is_in}");
        }
        assert_eq!(set.first_from(0), None);
        set.set(&(8..16), true);
        assert_eq!(set.first_from(0), Some(8..16));
        assert_eq!(set.first_from(10), Some(10..16));
        assert_eq!(set.first_from(16), None);
    }

    #[test]
    fn one_range_too_many_is_known_to_be() {
        let mut set = MappedRanges::new();
        for number in 0..MOST {
            set.set(&(number * 2..number * 2 + 1), true);
        }
        assert!(!set.is_short);
        set.set(&(9 * MOST..10 * MOST), true);
        assert!(set.is_short);
    }

    /// What the kernel says of a mapping by itself.
    fn rss(start: Address) -> u64 {
        let text = std::fs::read_to_string("/proc/self/smaps").expect("smaps");
        let from = text.find(&format!("{:x}-", start.0)).expect("the mapping");
        let line = text[from..].lines().find(|line| line.starts_with("Rss:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
        kilobytes
            .and_then(|text| text.parse::<u64>().ok())
            .expect("a number")
            << 10
    }

    #[test]
    fn pages_that_were_written_are_resident_and_those_that_were_read_are_not() {
        let page = page_size();
        let length = 64 * page;
        // Alone between two pages of another kind, so that the kernel lists it by itself.
        let room = Reservation::anywhere(length + 2 * page).expect("address space");
        let block = Address(room.address().0 + page);
        for edge in [room.address(), block.plus(length)] {
            // SAFETY: a page at an end of this test's own memory.
            let sealed = unsafe {
                libc::mprotect(
                    edge.pointer::<u8>().cast_mut().cast(),
                    page,
                    libc::PROT_NONE,
                )
            };
            assert_eq!(sealed, 0);
        }
        let word = |number: usize| block.plus(number * page).pointer::<u64>().cast_mut();
        for number in [0, 1, 40] {
            // SAFETY: the byte lies inside the block, which this test mapped.
            unsafe { word(number).write_volatile(1) };
        }
        for number in 50..60 {
            // SAFETY: the byte lies inside the block, which this test mapped.
            assert_eq!(unsafe { word(number).read_volatile() }, 0);
        }
        let pages = File::open("/proc/self/pagemap").expect("the kernel's words");
        let found = resident_in(&pages, block.0..block.0 + length);
        assert_eq!(found, Some(rss(block)));
        assert!(found >= Some(3 * page as u64));
        let all = resident_of_own_memory().expect("known");
        assert!(Some(all) > found, "the library's own pages are more");
    }
}
