//! Reads the VM's memory of classes: safely at first, then directly.
//!
//! While the world is stopped, every Klass pointer in the chain of classes is valid. Still, the first classes are read safely
//! ([`ConfirmedPages`]), so that offsets that are wrong for this VM show as an error instead of a crash. Checking the pages of all classes
//! would take a third of the first pause's class reading.

use crate::address::{Address, Plain};
use crate::error::Error;
use crate::process::confirmed_pages::ConfirmedPages;

/// Number of classes that are read safely.
pub(super) const CAREFUL: u32 = 200;
/// Upper bound on the fields of a class. A class file has no more; the VM adds a few.
const MOST_FIELDS: usize = (1 << 16) + 64;

/// A reader of class memory.
pub(super) struct ClassMemory<'p> {
    pub(super) careful: bool,
    pub(super) pages: &'p mut ConfirmedPages,
}

impl ClassMemory<'_> {
    /// # Safety
    /// There must be a value of a class of the chain at `address`, unless reading is careful.
    pub(super) unsafe fn value<T: Plain>(&mut self, address: Address) -> Result<T, Error> {
        // An unset pointer is null; the first pages are never mapped.
        if self.careful || address.0 < 1 << 16 {
            return self.pages.read(address);
        }
        // SAFETY: the caller vouches for the value.
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

    /// The text of a symbol, with the offsets of its length and body.
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

    /// The elements of the `Array` that the pointer at `place` points to.
    ///
    /// # Safety
    /// As for [`ClassMemory::value`].
    pub(super) unsafe fn array(
        &mut self,
        place: Address,
        data: usize,
        each: usize,
    ) -> Result<Vec<u8>, Error> {
        // SAFETY: the caller vouches for the pointer, and so for its array.
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
