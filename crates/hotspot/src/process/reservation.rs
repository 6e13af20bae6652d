//! Reserves address space for counter blocks and buffers: not committed, and zero until written.
//!
//! `MAP_NORESERVE` anonymous memory costs nothing until a page is written, so a block can be large enough for any growth of the number of
//! sites. The default block should lie below 2 GB: then its address fits a signed 32-bit displacement, and the JIT folds it into the
//! instruction. On x86-64, `MAP_32BIT` gives such an address (between 1 GB and 2 GB). If it fails, or on other machines, addresses below 2
//! GB are tried one by one. Reserve early (`Agent_OnLoad`), before the heap takes the room.

use std::ptr::NonNull;

use crate::address::Address;
use crate::error::{Error, last_errno};
use crate::process::own_memory::{note_mapped, note_unmapped};
use crate::process::page_size::page_size;

/// End of the low range.
const TWO_GIGABYTES: usize = 1 << 31;
/// Step of the search below 2 GB.
const SEARCH_STEP: usize = 16 << 20;

/// A reserved range; unmapped on drop unless [`Reservation::keep`] is called.
#[derive(Debug)]
pub struct Reservation {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the range is owned; access to its contents is up to the user.
unsafe impl Send for Reservation {}
// SAFETY: this type itself never reads or writes the range.
unsafe impl Sync for Reservation {}

impl Reservation {
    /// Reserves `length` bytes anywhere.
    pub fn anywhere(length: usize) -> Result<Self, Error> {
        map(std::ptr::null_mut(), length, 0)
    }

    /// Reserves `length` bytes at exactly this address. Never replaces an existing mapping.
    pub fn at(address: Address, length: usize) -> Result<Self, Error> {
        let hint = address.pointer::<u8>().cast_mut();
        let found = map(hint.cast(), length, libc::MAP_FIXED_NOREPLACE)?;
        // Kernels before 4.17 treat the address as a hint.
        if found.address() == address {
            return Ok(found);
        }
        Err(Error::Reserve {
            length,
            errno: libc::EEXIST,
        })
    }

    /// Reserves `length` bytes that lie entirely below 2 GB.
    pub fn below_two_gigabytes(length: usize) -> Result<Self, Error> {
        #[cfg(target_arch = "x86_64")]
        if let Ok(found) = map(std::ptr::null_mut(), length, libc::MAP_32BIT)
            && found.is_low()
        {
            return Ok(found);
        }
        search_low(length)
    }

    /// Reserves below 2 GB if there is room, else anywhere; [`Reservation::is_low`] tells which.
    pub fn low_if_possible(length: usize) -> Result<Self, Error> {
        Self::below_two_gigabytes(length).or_else(|_| Self::anywhere(length))
    }

    /// The first byte.
    #[must_use]
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The first byte as a number.
    #[must_use]
    pub fn address(&self) -> Address {
        Address(self.start.as_ptr().expose_provenance())
    }

    /// Length in bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }

    /// Whether it ends at or below 2 GB.
    #[must_use]
    pub fn is_low(&self) -> bool {
        self.address()
            .0
            .checked_add(self.length)
            .is_some_and(|end| end <= TWO_GIGABYTES)
    }

    /// Keeps the range mapped permanently, because code of the program may hold its address as a constant.
    #[must_use]
    pub fn keep(self) -> NonNull<u8> {
        let start = self.start;
        std::mem::forget(self);
        start
    }

    /// The bytes of the range that are in memory now. Swapped-out pages do not count, so this is a cost, not a way to find out which pages
    /// were ever written.
    pub fn resident_bytes(&self) -> Result<usize, Error> {
        resident_bytes(self.address(), self.length)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        note_unmapped(self.address(), self.length);
        // SAFETY: the range came from mmap, is owned, and is not used after this. A failure would only leak address space.
        let _ = unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
    }
}

/// The bytes of `[start, start + length)` that are in memory now, in whole pages (`mincore`).
pub fn resident_bytes(start: Address, length: usize) -> Result<usize, Error> {
    let page = page_size();
    let first = Address(start.0 & !(page - 1));
    let span = start.0.saturating_add(length) - first.0;
    let mut pages = vec![0_u8; span.div_ceil(page)];
    // SAFETY: `mincore` only looks at page tables, and the vector has one byte per page.
    let status = unsafe {
        libc::mincore(
            first.pointer::<u8>().cast_mut().cast(),
            span,
            pages.as_mut_ptr().cast(),
        )
    };
    if status != 0 {
        return Err(Error::Unreadable {
            address: start,
            length,
            errno: last_errno(),
        });
    }
    Ok(pages.iter().filter(|&&flags| flags & 1 != 0).count() * page)
}

/// Tries addresses below 2 GB from the top down.
fn search_low(length: usize) -> Result<Reservation, Error> {
    let mut last = Error::Reserve {
        length,
        errno: libc::ENOMEM,
    };
    let mut candidate = TWO_GIGABYTES.saturating_sub(length) / SEARCH_STEP * SEARCH_STEP;
    while candidate >= SEARCH_STEP {
        let hint = Address(candidate).pointer::<u8>().cast_mut();
        match map(hint.cast(), length, libc::MAP_FIXED_NOREPLACE) {
            // Kernels before 4.17 treat the address as a hint.
            Ok(found) if found.is_low() => return Ok(found),
            Ok(_) => {}
            Err(error) => last = error,
        }
        candidate -= SEARCH_STEP;
    }
    Err(last)
}

fn map(hint: *mut libc::c_void, length: usize, flags: libc::c_int) -> Result<Reservation, Error> {
    let flags = flags | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: this creates a new anonymous mapping; no flag used here replaces an existing one.
    let start = unsafe {
        libc::mmap(
            hint,
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            flags,
            -1,
            0,
        )
    };
    if start == libc::MAP_FAILED {
        return Err(Error::Reserve {
            length,
            errno: last_errno(),
        });
    }
    let start = NonNull::new(start.cast::<u8>());
    let start = start.ok_or(Error::Reserve { length, errno: 0 })?;
    let found = Reservation { start, length };
    note_mapped(found.address(), length);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{Reservation, search_low};
    use crate::process::page_size::page_size;

    #[test]
    fn low_blocks_are_low_and_zero() {
        for block in [
            Reservation::below_two_gigabytes(1 << 20),
            search_low(1 << 20),
        ] {
            let block = block.expect("1 MB below 2 GB");
            assert!(block.is_low());
            // SAFETY: the test reserved this block, and the byte is its last.
            assert_eq!(unsafe { block.start().add((1 << 20) - 1).read() }, 0);
        }
    }

    #[test]
    fn too_much_is_an_error() {
        assert!(Reservation::below_two_gigabytes(3 << 30).is_err());
        assert!(Reservation::anywhere(usize::MAX / 2).is_err());
    }

    #[test]
    fn only_touched_pages_are_resident() {
        let length = 64 * page_size();
        let block = Reservation::anywhere(length).expect("64 pages");
        assert_eq!(block.resident_bytes(), Ok(0));
        // Two pages far apart.
        // SAFETY: the write stays inside the block.
        unsafe { block.start().write(1) };
        // SAFETY: the write stays inside the block.
        unsafe { block.start().add(40 * page_size()).write(1) };
        let resident = block.resident_bytes().expect("mapped");
        assert!(
            resident >= 2 * page_size() && resident <= length,
            "{resident}"
        );
    }
}
