//! Searches memory for forwarding words: new addresses between two bounds.

use std::ops::Range;

use crate::address::Address;
use crate::collection::evacuation::lanes::prefetch;
use crate::heap::address_range::AddressRange;
use crate::heap::object_header::forwarded_to;

/// Words compared at once.
const BLOCK: usize = 16;
const BLOCK_BYTES: usize = BLOCK * 8;
const LINE: usize = 64;
/// Prefetch distance in bytes. The hardware prefetcher stops at each page end; without this, reading takes twice as long.
const AHEAD: usize = 4096;

/// A word that matches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) from: Address,
    /// The word after it, read now while it is still in the cache.
    pub(super) second: u64,
    /// The new address in the word.
    pub(super) to: Address,
}

/// Matches words with 011 in the low three bits whose other bits are an address between two bounds: `(word - base) & mask` is 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pattern {
    base: u64,
    mask: u64,
}

impl Pattern {
    /// Matches new addresses between these bounds, and possibly some beyond.
    pub(super) fn of(bounds: AddressRange) -> Self {
        let bytes = bounds.bytes().next_power_of_two();
        Self {
            base: bounds.start.0 as u64 | 3,
            mask: !(bytes as u64 - 1) | 7,
        }
    }

    /// Finds all matching words of this memory, ascending. `top` is the end of the used memory; `second` is 0 for the last word before it.
    ///
    /// # Safety
    /// The memory, and from it to `top`, must be readable and must not change. All bounds must be multiples of 8.
    pub(super) unsafe fn find(self, memory: Range<usize>, top: usize, found: &mut Vec<Candidate>) {
        let blocks = memory.end - memory.len() % BLOCK_BYTES;
        // SAFETY: the caller upholds the same contract.
        unsafe {
            self.find_in_blocks(memory.start..blocks, top, found);
            let rest = self.fits(blocks, (memory.end - blocks) / 8);
            take(blocks, rest, top, found);
        }
    }

    /// Scans whole blocks, with the fastest instructions this processor has.
    unsafe fn find_in_blocks(self, memory: Range<usize>, top: usize, found: &mut Vec<Candidate>) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the caller upholds the same contract; the processor has AVX2.
            return unsafe { self.find_by_avx2(memory, top, found) };
        }
        for at in memory.step_by(BLOCK_BYTES) {
            // SAFETY: the caller upholds the same contract.
            unsafe {
                prefetch_ahead(at);
                take(at, self.fits(at, BLOCK), top, found);
            }
        }
    }

    /// One bit for each word that matches; at most a block.
    #[inline(always)]
    unsafe fn fits(self, at: usize, words: usize) -> u32 {
        let mut fits = 0;
        for number in 0..words {
            // SAFETY: the caller upholds the same contract.
            let word: u64 = unsafe { Address(at + number * 8).read() };
            let matches = word.wrapping_sub(self.base) & self.mask == 0;
            fits |= u32::from(matches) << number;
        }
        fits
    }

    /// The same with vectors of four words.
    ///
    /// # Safety
    /// As for [`Pattern::find`], and the processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn find_by_avx2(self, memory: Range<usize>, top: usize, found: &mut Vec<Candidate>) {
        use std::arch::x86_64::{
            _mm256_and_si256, _mm256_castsi256_pd, _mm256_cmpeq_epi64, _mm256_loadu_si256,
            _mm256_movemask_pd, _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_sub_epi64,
        };
        const VECTOR: usize = 4;
        let base = _mm256_set1_epi64x(self.base.cast_signed());
        let mask = _mm256_set1_epi64x(self.mask.cast_signed());
        for at in memory.step_by(BLOCK_BYTES) {
            prefetch_ahead(at);
            let mut fits = 0;
            for number in (0..BLOCK).step_by(VECTOR) {
                // SAFETY: the caller guarantees that all of `memory` is readable, and the block lies in it.
                let words = unsafe { _mm256_loadu_si256(Address(at + number * 8).pointer()) };
                let rest = _mm256_and_si256(_mm256_sub_epi64(words, base), mask);
                let matches = _mm256_cmpeq_epi64(rest, _mm256_setzero_si256());
                let bits = _mm256_movemask_pd(_mm256_castsi256_pd(matches));
                fits |= bits.cast_unsigned() << number;
            }
            // SAFETY: `fits` names words of the block, which can be read.
            unsafe { take(at, fits, top, found) };
        }
    }
}

/// Adds the words at `at` whose bit is set.
#[inline(always)]
unsafe fn take(at: usize, mut fits: u32, top: usize, found: &mut Vec<Candidate>) {
    while fits != 0 {
        let from = Address(at + fits.trailing_zeros() as usize * 8);
        fits &= fits - 1;
        // SAFETY: the caller upholds the same contract.
        let to = forwarded_to(unsafe { from.read() });
        let second = match from.0 + 16 <= top {
            // SAFETY: the caller guarantees that memory up to `top` is readable, and the word ends there or before.
            true => unsafe { from.plus(8).read() },
            false => 0,
        };
        found.extend(to.map(|to| Candidate { from, second, to }));
    }
}

#[inline(always)]
fn prefetch_ahead(at: usize) {
    prefetch(at + AHEAD);
    prefetch(at + AHEAD + LINE);
}
