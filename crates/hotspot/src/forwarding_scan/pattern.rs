//! The words of old copies of survivors: new addresses between two bounds.

use crate::address::Address;
use crate::collection_report::AddressRange;
use crate::lanes::ask_for;

/// Words that are compared at once.
const BLOCK: usize = 16;
pub(super) const BLOCK_BYTES: usize = BLOCK * 8;
const LINE: usize = 64;
/// So far ahead memory is asked for, in bytes: the core by itself stops at the end of every page, and reads half as fast.
const AHEAD: usize = 4096;

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

    #[inline(always)]
    pub(super) fn fits(self, word: u64) -> bool {
        word.wrapping_sub(self.base) & self.mask == 0
    }

    /// The first block, from `at` on and wholly before `stop`, with a word that fits; where the blocks end, if there is none.
    ///
    /// # Safety
    /// The memory can be read and does not change; `at` is a multiple of 8.
    #[inline(always)]
    unsafe fn block(self, mut at: usize, stop: usize) -> usize {
        while at + BLOCK_BYTES <= stop {
            ask_for(at + AHEAD);
            ask_for(at + AHEAD + LINE);
            // SAFETY: the caller vouches for the memory. Not volatile, as nothing writes there: a volatile read is one word at a time.
            let block: [u64; BLOCK] = unsafe { std::ptr::read(Address(at).pointer()) };
            let mut fits = false;
            for word in block {
                fits |= self.fits(word);
            }
            if fits {
                break;
            }
            at += BLOCK_BYTES;
        }
        at
    }

    /// The same with vectors of four words.
    ///
    /// # Safety
    /// As for [`Pattern::block`], and the processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn block_by_avx2(self, at: usize, stop: usize) -> usize {
        // SAFETY: passed on.
        unsafe { self.block(at, stop) }
    }

    /// [`Pattern::block`] as this processor does it best.
    ///
    /// # Safety
    /// As there.
    pub(super) unsafe fn next_block(self, at: usize, stop: usize) -> usize {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: passed on; the processor has it.
            return unsafe { self.block_by_avx2(at, stop) };
        }
        // SAFETY: passed on.
        unsafe { self.block(at, stop) }
    }
}
