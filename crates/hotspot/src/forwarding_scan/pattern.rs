//! The words of old copies of survivors: new addresses between two bounds.

use std::ops::Range;

use crate::address::Address;
use crate::collection_report::AddressRange;
use crate::lanes::ask_for;
use crate::object_header::forwarded_to;

/// Words that are compared at once.
const BLOCK: usize = 16;
const BLOCK_BYTES: usize = BLOCK * 8;
const LINE: usize = 64;
/// So far ahead memory is asked for, in bytes: the core by itself stops at the end of every page, and reads half as fast.
const AHEAD: usize = 4096;

/// A word that fits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) from: Address,
    /// The word after it, which is asked for later: then it would have to come from memory again.
    pub(super) second: u64,
    /// The address that it is.
    pub(super) to: Address,
}

/// Words with 011 in the low three bits whose others are an address between two bounds: `(word - base) & mask` is 0.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pattern {
    base: u64,
    mask: u64,
}

impl Pattern {
    /// New addresses between these bounds, and perhaps some beyond.
    pub(super) fn of(bounds: AddressRange) -> Self {
        let bytes = bounds.bytes().next_power_of_two();
        Self {
            base: bounds.start.0 as u64 | 3,
            mask: !(bytes as u64 - 1) | 7,
        }
    }

    /// All words of this memory that fit, ascending; after the last one before `top`, the end of what is used, is nothing.
    ///
    /// # Safety
    /// The memory, and from it to `top`, can be read and does not change; all are multiples of 8.
    pub(super) unsafe fn find(self, memory: Range<usize>, top: usize, found: &mut Vec<Candidate>) {
        let blocks = memory.end - memory.len() % BLOCK_BYTES;
        // SAFETY: passed on.
        unsafe {
            self.find_in_blocks(memory.start..blocks, top, found);
            let rest = self.fits(blocks, (memory.end - blocks) / 8);
            take(blocks, rest, top, found);
        }
    }

    /// In whole blocks, as this processor does it best.
    unsafe fn find_in_blocks(self, memory: Range<usize>, top: usize, found: &mut Vec<Candidate>) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: passed on; the processor has it.
            return unsafe { self.find_by_avx2(memory, top, found) };
        }
        for at in memory.step_by(BLOCK_BYTES) {
            // SAFETY: passed on.
            unsafe {
                ask_ahead(at);
                take(at, self.fits(at, BLOCK), top, found);
            }
        }
    }

    /// A bit for each word of a block, or of less.
    #[inline(always)]
    unsafe fn fits(self, at: usize, words: usize) -> u32 {
        let mut fits = 0;
        for number in 0..words {
            // SAFETY: passed on.
            let word: u64 = unsafe { Address(at + number * 8).read() };
            let is_one = word.wrapping_sub(self.base) & self.mask == 0;
            fits |= u32::from(is_one) << number;
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
            ask_ahead(at);
            let mut fits = 0;
            for number in (0..BLOCK).step_by(VECTOR) {
                // SAFETY: the block can be read.
                let words = unsafe { _mm256_loadu_si256(Address(at + number * 8).pointer()) };
                let rest = _mm256_and_si256(_mm256_sub_epi64(words, base), mask);
                let is_one = _mm256_cmpeq_epi64(rest, _mm256_setzero_si256());
                let bits = _mm256_movemask_pd(_mm256_castsi256_pd(is_one));
                fits |= bits.cast_unsigned() << number;
            }
            // SAFETY: `fits` names words of the block, which can be read.
            unsafe { take(at, fits, top, found) };
        }
    }
}

/// Takes the words at `at` that have a bit.
#[inline(always)]
unsafe fn take(at: usize, mut fits: u32, top: usize, found: &mut Vec<Candidate>) {
    while fits != 0 {
        let from = Address(at + fits.trailing_zeros() as usize * 8);
        fits &= fits - 1;
        // SAFETY: passed on.
        let to = forwarded_to(unsafe { from.read() });
        let second = match from.0 + 16 <= top {
            // SAFETY: it ends before `top`.
            true => unsafe { from.plus(8).read() },
            false => 0,
        };
        found.extend(to.map(|to| Candidate { from, second, to }));
    }
}

#[inline(always)]
fn ask_ahead(at: usize) {
    ask_for(at + AHEAD);
    ask_for(at + AHEAD + LINE);
}
