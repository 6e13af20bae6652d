//! An address in this process, as a number. Most VM addresses are only added to and compared.

use std::fmt;

/// Values for which every byte pattern is valid.
///
/// # Safety
/// Every bit pattern must be a valid value, and the type must have no padding.
pub unsafe trait Plain: Copy + Default {}

// SAFETY: every bit pattern is a valid u8.
unsafe impl Plain for u8 {}
// SAFETY: every bit pattern is a valid u16.
unsafe impl Plain for u16 {}
// SAFETY: every bit pattern is a valid u32.
unsafe impl Plain for u32 {}
// SAFETY: every bit pattern is a valid i32.
unsafe impl Plain for i32 {}
// SAFETY: every bit pattern is a valid u64.
unsafe impl Plain for u64 {}
// SAFETY: every bit pattern is a valid i64.
unsafe impl Plain for i64 {}
// SAFETY: every bit pattern is a valid f64.
unsafe impl Plain for f64 {}
// SAFETY: a transparent usize.
unsafe impl Plain for Address {}

/// An address in this process. Creating one is safe; reading through it is not.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Address(pub usize);

impl Address {
    /// Address zero.
    pub const NULL: Self = Self(0);

    /// The address of a pointer.
    #[must_use]
    pub fn of<T>(pointer: *const T) -> Self {
        Self(pointer.addr())
    }

    /// Whether it is zero.
    #[must_use]
    pub const fn is_null(self) -> bool {
        self.0 == 0
    }

    /// The address `bytes` bytes above.
    #[must_use]
    pub const fn plus(self, bytes: usize) -> Self {
        Self(self.0.wrapping_add(bytes))
    }

    /// The distance in bytes by which `self` is above `lower`; 0 if it is not above.
    #[must_use]
    pub const fn above(self, lower: Self) -> usize {
        self.0.saturating_sub(lower.0)
    }

    /// Whether it is a multiple of `alignment` (a power of two).
    #[must_use]
    pub const fn is_aligned(self, alignment: usize) -> bool {
        self.0 & (alignment - 1) == 0
    }

    /// As a pointer.
    #[must_use]
    pub const fn pointer<T>(self) -> *const T {
        std::ptr::with_exposed_provenance(self.0)
    }

    /// Reads a value, which may be unaligned.
    ///
    /// # Safety
    /// `size_of::<T>()` bytes at the address must be mapped and readable during the call.
    #[must_use]
    pub unsafe fn read<T: Plain>(self) -> T {
        // SAFETY: the caller vouches for the memory, and `Plain` makes every content a valid value. Volatile, because other threads of the
        // VM write these words without synchronization.
        if self.is_aligned(align_of::<T>()) {
            // SAFETY: the memory is readable, as the caller guarantees, and the address is aligned.
            unsafe { std::ptr::read_volatile(self.pointer::<T>()) }
        } else {
            // SAFETY: the memory is readable, as the caller guarantees; this read needs no alignment.
            unsafe { std::ptr::read_unaligned(self.pointer::<T>()) }
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl ducktrack_heap_facts::HeapAddress for Address {
    type Bytes = usize;

    fn bytes_above(self, lower: Self) -> usize {
        self.above(lower)
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn reads_what_is_there() {
        let words = [0x1122_3344_5566_7788_u64, 7];
        let address = Address::of(words.as_ptr());
        // SAFETY: the read stays inside the array.
        assert_eq!(unsafe { address.plus(8).read::<u64>() }, 7);
        // SAFETY: the read stays inside the array; it is unaligned.
        assert_eq!(unsafe { address.plus(1).read::<u32>() }, 0x4455_6677);
        assert_eq!(address.plus(8).above(address), 8);
        assert_eq!(address.above(address.plus(8)), 0);
    }
}
