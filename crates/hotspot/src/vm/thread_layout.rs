//! Locates the allocation counters in a native thread.
//!
//! `java.lang.Thread.eetop` holds the address of the native `JavaThread`. `gHotSpotVMStructs` gives these offsets:
//!
//! ```text
//! Thread + _tlab                       ThreadLocalAllocBuffer
//!          + _start, _top, _end        HeapWord*: [start, top) is allocated, [top, end) is free
//!          + _slow_allocations         unsigned: allocations outside the buffer (since the last collection)
//! Thread + _allocated_bytes            jlong: bytes of retired buffers and of allocations outside them
//! ```
//!
//! (`src/hotspot/share/runtime/thread.hpp`, `gc/shared/threadLocalAllocBuffer.hpp`.) The bytes a thread has allocated so far are
//! `_allocated_bytes` plus the used part of the current buffer: `Thread::cooked_allocated_bytes`, which
//! `com.sun.management.ThreadMXBean.getThreadAllocatedBytes` also reports.

use crate::address::Address;
use crate::error::Error;
use crate::vm::jvm_flags::JvmFlags;
use crate::vm::vm_structs::VmStructs;
use crate::vm::zgc_tables;

/// Offsets in a native thread, in bytes from `eetop`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadLayout {
    /// `_tlab._start`, 8 bytes.
    pub tlab_start: usize,
    /// `_tlab._top`, 8 bytes: the address of the thread's next object.
    pub tlab_top: usize,
    /// `_tlab._end`, 8 bytes.
    pub tlab_end: usize,
    /// `_tlab._slow_allocations`, 4 bytes.
    pub slow_allocations: usize,
    /// `_allocated_bytes`, 8 bytes.
    pub allocated_bytes: usize,
    /// `sizeof(JavaThread)`.
    pub java_thread_size: usize,
    /// Whether threads have TLABs (`UseTLAB`). If not, the three pointers are never set and hold arbitrary values.
    pub uses_tlab: bool,
    /// What is left of the three words of a TLAB: ZGC without generations colours them.
    pub address_bits: u64,
}

/// The TLAB of a thread. All zero if it has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tlab {
    /// First byte.
    pub start: Address,
    /// First free byte.
    pub top: Address,
    /// End of the usable part.
    pub end: Address,
}

impl Tlab {
    /// Bytes used; 0 if the three pointers are inconsistent because the owner is changing them.
    #[must_use]
    pub fn used_bytes(&self) -> u64 {
        if self.start < self.top && self.top <= self.end {
            self.top.above(self.start) as u64
        } else {
            0
        }
    }
}

impl ThreadLayout {
    /// Reads the offsets from the VM's tables, and its flags for `UseTLAB`.
    pub fn load(vm: &VmStructs) -> Result<Self, Error> {
        Self::load_with(vm, &JvmFlags::load(vm)?)
    }

    /// Like [`ThreadLayout::load`], with flags that were read before.
    pub fn load_with(vm: &VmStructs, flags: &JvmFlags) -> Result<Self, Error> {
        let tlab = vm.offset(&[("Thread", "_tlab")])?;
        let in_tlab = |field| {
            vm.offset(&[("ThreadLocalAllocBuffer", field)])
                .map(|offset| tlab + offset)
        };
        Ok(Self {
            tlab_start: in_tlab("_start")?,
            tlab_top: in_tlab("_top")?,
            tlab_end: in_tlab("_end")?,
            slow_allocations: in_tlab("_slow_allocations")?,
            allocated_bytes: vm.offset(&[("Thread", "_allocated_bytes")])?,
            java_thread_size: vm.type_size("JavaThread").ok_or(Error::MissingType {
                type_name: "JavaThread",
            })?,
            uses_tlab: flags.is_on("UseTLAB"),
            address_bits: zgc_tables::address_bits(vm, flags),
        })
    }

    /// The TLAB of a thread; all zero if threads have none. For another running thread, the three words may be inconsistent.
    ///
    /// # Safety
    /// `thread` must be the address of a live native thread (a non-zero `eetop` of a thread that cannot end meanwhile).
    #[must_use]
    pub unsafe fn tlab(&self, thread: Address) -> Tlab {
        if !self.uses_tlab {
            return Tlab::default();
        }
        // SAFETY: the caller vouches for the thread; the offset lies inside it.
        let start: Address = unsafe { thread.plus(self.tlab_start).read() };
        // SAFETY: the caller vouches for the thread; the offset lies inside it.
        let top: Address = unsafe { thread.plus(self.tlab_top).read() };
        // SAFETY: the caller vouches for the thread; the offset lies inside it.
        let end: Address = unsafe { thread.plus(self.tlab_end).read() };
        let address = |coloured: Address| Address(coloured.0 & self.address_bits as usize);
        Tlab {
            start: address(start),
            top: address(top),
            end: address(end),
        }
    }

    /// Bytes that the thread has allocated since it started; exact if called on the thread itself.
    ///
    /// Works like `Thread::cooked_allocated_bytes`: `_allocated_bytes`, plus the used part of the buffer if its pointers are consistent.
    /// HotSpot bounds that part by the maximum buffer size, which its tables do not give. Here the bound is the end of the buffer, which is
    /// tighter. For another thread the sum may be off by one buffer in either direction while that thread changes buffers.
    ///
    /// # Safety
    /// As for [`ThreadLayout::tlab`].
    #[must_use]
    pub unsafe fn cooked_allocated_bytes(&self, thread: Address) -> u64 {
        // SAFETY: the caller vouches for the thread.
        let retired: u64 = unsafe { thread.plus(self.allocated_bytes).read() };
        // The buffer is read after the sum, so a buffer retired in between is missed rather than counted twice.
        std::sync::atomic::fence(std::sync::atomic::Ordering::Acquire);
        // SAFETY: the caller upholds the same contract.
        retired.wrapping_add(unsafe { self.tlab(thread) }.used_bytes())
    }

    /// The number of allocations outside the TLAB since the VM last reset the count (at collections).
    ///
    /// # Safety
    /// As for [`ThreadLayout::tlab`].
    #[must_use]
    pub unsafe fn slow_allocation_count(&self, thread: Address) -> u32 {
        // SAFETY: the caller vouches for the thread.
        unsafe { thread.plus(self.slow_allocations).read() }
    }
}

#[cfg(test)]
mod tests {
    use super::{ThreadLayout, Tlab};
    use crate::address::Address;

    const LAYOUT: ThreadLayout = ThreadLayout {
        tlab_start: 0,
        tlab_top: 8,
        tlab_end: 16,
        slow_allocations: 24,
        allocated_bytes: 32,
        java_thread_size: 40,
        uses_tlab: true,
        address_bits: u64::MAX,
    };

    fn cooked(words: [u64; 5]) -> u64 {
        // SAFETY: the layout lies inside the array.
        unsafe { LAYOUT.cooked_allocated_bytes(Address::of(words.as_ptr())) }
    }

    #[test]
    fn used_part_of_the_buffer_is_added() {
        assert_eq!(cooked([0x1000, 0x1030, 0x2000, 7, 1_000]), 1_048);
        let words = [0_u64, 0, 0, 0xFFFF_FFFF_0000_0007, 0];
        // SAFETY: the layout lies inside the array.
        let count = unsafe { LAYOUT.slow_allocation_count(Address::of(words.as_ptr())) };
        assert_eq!(count, 7);
    }

    #[test]
    fn without_buffers_the_pointers_are_not_looked_at() {
        let words = [0x1000_u64, 0x1030, 0x2000, 7, 1_000];
        let layout = ThreadLayout {
            uses_tlab: false,
            ..LAYOUT
        };
        // SAFETY: the layout lies inside the array.
        let bytes = unsafe { layout.cooked_allocated_bytes(Address::of(words.as_ptr())) };
        assert_eq!(bytes, 1_000);
    }

    #[test]
    fn pointers_that_do_not_belong_together_add_nothing() {
        assert_eq!(cooked([0, 0, 0, 0, 1_000]), 1_000);
        assert_eq!(cooked([0x1000, 0x0FF0, 0x2000, 0, 1_000]), 1_000);
        assert_eq!(cooked([0x1000, 0x9000, 0x2000, 0, 1_000]), 1_000);
        let full = Tlab {
            start: Address(0x1000),
            top: Address(0x2000),
            end: Address(0x2000),
        };
        assert_eq!(full.used_bytes(), 0x1000);
    }
}
