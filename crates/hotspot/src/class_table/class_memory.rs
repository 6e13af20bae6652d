//! The VM's memory of classes: read with care at first, then as it is.
//!
//! What the chain of classes leads to is a class while the world is stopped. All the same, the first classes are read with care ([`ConfirmedPages`]): offsets that are wrong for
//! this VM show there, as an error instead of a fault. To ask the system for each page of all classes took a third of the first pause's look at them.

use crate::address::{Address, Plain};
use crate::confirmed_pages::ConfirmedPages;
use crate::error::Error;

/// Classes that are read with care.
pub(super) const CAREFUL: u32 = 200;
/// No class file has more fields; the VM adds a few.
const MOST_FIELDS: usize = (1 << 16) + 64;

/// Reads it.
pub(super) struct ClassMemory<'p> {
    pub(super) careful: bool,
    pub(super) pages: &'p mut ConfirmedPages,
}

impl ClassMemory<'_> {
    /// # Safety
    /// A value of a class of the chain must be there, unless reading is careful.
    pub(super) unsafe fn value<T: Plain>(&mut self, address: Address) -> Result<T, Error> {
        // Null is what is not set; the first pages are never mapped.
        if self.careful || address.0 < 1 << 16 {
            return self.pages.read(address);
        }
        // SAFETY: the caller vouches for it.
        Ok(unsafe { address.read() })
    }

    /// # Safety
    /// As for [`ClassMemory::value`].
    pub(super) unsafe fn bytes(
        &mut self,
        address: Address,
        length: usize,
    ) -> Result<Vec<u8>, Error> {
        if self.careful || address.0 < 1 << 16 {
            return self.pages.bytes(address, length);
        }
        // SAFETY: the caller vouches for the memory.
        Ok(unsafe { std::slice::from_raw_parts(address.pointer::<u8>(), length) }.to_vec())
    }

    /// The text of a symbol, whose length and body stand at these offsets.
    ///
    /// # Safety
    /// As for [`ClassMemory::value`].
    pub(super) unsafe fn text(
        &mut self,
        symbol: Address,
        length: usize,
        body: usize,
    ) -> Result<Vec<u8>, Error> {
        // SAFETY: the caller vouches for the symbol.
        unsafe {
            let length: u16 = self.value(symbol.plus(length))?;
            self.bytes(symbol.plus(body), usize::from(length))
        }
    }

    /// The elements of the `Array` that the pointer at `place` points at.
    ///
    /// # Safety
    /// As for [`ClassMemory::value`].
    pub(super) unsafe fn array(
        &mut self,
        place: Address,
        data: usize,
        each: usize,
    ) -> Result<Vec<u8>, Error> {
        // SAFETY: the caller vouches for the pointer, and with it for the array.
        unsafe {
            let array: Address = self.value(place)?;
            let length: i32 = self.value(array)?;
            let length = usize::try_from(length)
                .ok()
                .filter(|length| *length < MOST_FIELDS * 16)
                .ok_or(Error::Implausible {
                    what: "the length of the fields of a class",
                    value: u64::from(length.cast_unsigned()),
                })?;
            self.bytes(array.plus(data), length * each)
        }
    }
}
