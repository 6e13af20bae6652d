//! Decodes new addresses from mark words, as full collections write them.
//!
//! | JDK | mark word of an object that will move |
//! |---|---|
//! | up to 23 | new address, low two bits 11 |
//! | from 24 | `(new address - heap start) / 8 << 2`, low two bits 11; with compact headers in the low 42 bits only |
//!
//! An object that stays has an ordinary mark word (`src/hotspot/share/gc/shared/fullGCForwarding.inline.hpp`). Example for JDK 25 with the
//! heap at 0xF000_0000: mark word 0x2003 leads to 0xF000_0000 + (0x2003 >> 2) * 8 = 0xF000_4000.

use crate::address::Address;
use crate::collection::report::MovesFault;
use crate::collection::survivor::Survivor;
use crate::error::Error;
use crate::heap::object_header::ObjectHeader;
use crate::vm::collector::Collector;
use crate::vm::vm_structs::VmStructs;

const FORWARDED: u64 = 0b11;
/// Bits of a compact header below the class.
const COMPACT_BITS: u64 = (1 << 42) - 1;
/// The first JDK that stores offsets instead of addresses.
const FIRST_WITH_OFFSETS: i32 = 24;
/// The first JDK whose Parallel collector stores new addresses.
const FIRST_PARALLEL: i32 = 23;

/// How this VM encodes new addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Forwarding {
    /// As addresses.
    Address,
    /// As offsets from the start of the heap, in these bits.
    Offset { heap: Address, bits: u64 },
}

impl Forwarding {
    /// `None` for a collector that does not store them.
    pub(super) fn of(
        vm: &VmStructs,
        collector: Collector,
        heap: (Address, usize),
        header: &ObjectHeader,
    ) -> Result<Option<Self>, Error> {
        let version = vm.address(&[("Abstract_VM_Version", "_vm_major_version")])?;
        let version: i32 = vm.libjvm().read(version)?;
        if collector == Collector::Parallel && version < FIRST_PARALLEL {
            return Ok(None);
        }
        Ok(Some(if version < FIRST_WITH_OFFSETS {
            Self::Address
        } else {
            let bits = if header.class_is_in_mark() {
                COMPACT_BITS
            } else {
                u64::MAX
            };
            Self::Offset { heap: heap.0, bits }
        }))
    }

    /// The new address in a mark word; `None` if the object stays.
    #[inline]
    pub(super) fn target(self, mark: u64) -> Option<Address> {
        if mark & FORWARDED != FORWARDED {
            return None;
        }
        match self {
            Self::Address => usize::try_from(mark & !FORWARDED).ok().map(Address),
            Self::Offset { heap, bits } => {
                let words = usize::try_from((mark & bits) >> 2).ok()?;
                Some(heap.plus(words.wrapping_mul(8)))
            }
        }
    }

    /// Reads the new address of every survivor.
    ///
    /// # Safety
    /// The world must be stopped, and every survivor must still be at `from`, in committed memory.
    pub(super) unsafe fn read_all(
        self,
        survivors: &mut [Survivor],
        heap: (Address, usize),
    ) -> Result<(), MovesFault> {
        for survivor in survivors {
            // SAFETY: the caller vouches for the object.
            let mark: u64 = unsafe { survivor.from.read() };
            let Some(to) = self.target(mark) else {
                continue;
            };
            let inside = to >= heap.0 && to.is_aligned(8) && to.above(heap.0) < heap.1;
            if !inside {
                return Err(MovesFault::Destination {
                    from: survivor.from,
                    to,
                    found: "no place for it",
                });
            }
            survivor.to = to;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{COMPACT_BITS, Forwarding};
    use crate::address::Address;

    #[test]
    fn addresses_and_offsets() {
        assert_eq!(
            Forwarding::Address.target(0xF000_4003),
            Some(Address(0xF000_4000))
        );
        assert_eq!(Forwarding::Address.target(1), None);
        let offset = |bits| Forwarding::Offset {
            heap: Address(0xF000_0000),
            bits,
        };
        assert_eq!(offset(u64::MAX).target(0x2003), Some(Address(0xF000_4000)));
        assert_eq!(offset(u64::MAX).target(3), Some(Address(0xF000_0000)));
        let compact = offset(COMPACT_BITS);
        assert_eq!(
            compact.target(0x1234 << 42 | 0x2003),
            Some(Address(0xF000_4000))
        );
        assert_eq!(compact.target(0x1234 << 42 | 1), None);
    }
}
