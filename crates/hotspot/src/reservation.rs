//! Address space for counter blocks and buffers: reserved, not committed, zero until touched.
//!
//! `MAP_NORESERVE` anonymous memory costs nothing until a page is written, so a block can be as large as the number of sites may grow.
//! The default block should lie below 2 GB: then its address fits a signed 32-bit displacement, and the JIT folds it into the instruction.
//! `MAP_32BIT` gives that on x86-64 (the range 1 GB to 2 GB); it can fail, and other machines do not have it: then addresses
//! below 2 GB are tried one after the other. Reserve early (`Agent_OnLoad`), before the heap takes the room.

use std::ptr::NonNull;

use crate::address::Address;
use crate::error::{Error, last_errno};

/// First address above the low range.
const TWO_GIGABYTES: usize = 1 << 31;
/// Step of the search below 2 GB.
const SEARCH_STEP: usize = 16 << 20;

/// A reserved range; given back on drop unless [`Reservation::keep`] is called.
#[derive(Debug)]
pub struct Reservation {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the range is owned; what is stored in it is up to its user.
unsafe impl Send for Reservation {}
// SAFETY: this type itself never reads or writes the range.
unsafe impl Sync for Reservation {}

impl Reservation {
    /// Reserves `length` bytes wherever there is room.
    pub fn anywhere(length: usize) -> Result<Self, Error> {
        map(std::ptr::null_mut(), length, 0)
    }

    /// Reserves `length` bytes at this address and nowhere else; what is mapped there already is left alone.
    pub fn at(address: Address, length: usize) -> Result<Self, Error> {
        let hint = address.pointer::<u8>().cast_mut();
        let found = map(hint.cast(), length, libc::MAP_FIXED_NOREPLACE)?;
        // A kernel before 4.17 takes the address as a mere hint.
        if found.address() == address {
            return Ok(found);
        }
        Err(Error::Reserve {
            length,
            errno: libc::EEXIST,
        })
    }

    /// Reserves `length` bytes that lie wholly below 2 GB.
    pub fn below_two_gigabytes(length: usize) -> Result<Self, Error> {
        #[cfg(target_arch = "x86_64")]
        if let Ok(found) = map(std::ptr::null_mut(), length, libc::MAP_32BIT)
            && found.is_low()
        {
            return Ok(found);
        }
        search_low(length)
    }

    /// Below 2 GB if there is room, else anywhere; [`Reservation::is_low`] tells which.
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

    /// Does it end at or below 2 GB?
    #[must_use]
    pub fn is_low(&self) -> bool {
        self.address()
            .0
            .checked_add(self.length)
            .is_some_and(|end| end <= TWO_GIGABYTES)
    }

    /// Never gives the range back: code of the program may hold its address as a constant.
    #[must_use]
    pub fn keep(self) -> NonNull<u8> {
        let start = self.start;
        std::mem::forget(self);
        start
    }

    /// How many bytes of the range are in memory now. Pages that were swapped out do not count, so this is a cost, not a way
    /// to find out which pages were ever written.
    pub fn resident_bytes(&self) -> Result<usize, Error> {
        resident_bytes(self.address(), self.length)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // SAFETY: the range came from mmap, is owned, and is not used after this. A failure would only leak address space.
        let _ = unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
    }
}

/// How many bytes of `[start, start + length)` are in memory now, in whole pages (`mincore`).
pub fn resident_bytes(start: Address, length: usize) -> Result<usize, Error> {
    let page = page_size();
    let first = Address(start.0 & !(page - 1));
    let span = start.0.saturating_add(length) - first.0;
    let mut pages = vec![0_u8; span.div_ceil(page)];
    // SAFETY: mincore only looks at the page tables; the vector has one byte per page.
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

/// The page size of the system.
#[must_use]
pub fn page_size() -> usize {
    // SAFETY: sysconf has no preconditions.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Tries the addresses below 2 GB from the top down.
fn search_low(length: usize) -> Result<Reservation, Error> {
    let mut last = Error::Reserve {
        length,
        errno: libc::ENOMEM,
    };
    let mut candidate = TWO_GIGABYTES.saturating_sub(length) / SEARCH_STEP * SEARCH_STEP;
    while candidate >= SEARCH_STEP {
        let hint = Address(candidate).pointer::<u8>().cast_mut();
        match map(hint.cast(), length, libc::MAP_FIXED_NOREPLACE) {
            // A kernel before 4.17 takes the address as a mere hint.
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
    // SAFETY: a fresh anonymous mapping; no flag used here replaces an existing one.
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
    NonNull::new(start.cast::<u8>())
        .map(|start| Reservation { start, length })
        .ok_or(Error::Reserve { length, errno: 0 })
}

#[cfg(test)]
mod tests {
    use super::{Reservation, page_size, search_low};

    #[test]
    fn low_blocks_are_low_and_zero() {
        for block in [
            Reservation::below_two_gigabytes(1 << 20),
            search_low(1 << 20),
        ] {
            let block = block.expect("1 MB below 2 GB");
            assert!(block.is_low());
            // SAFETY: the block is ours.
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
        // SAFETY: inside the block.
        unsafe { block.start().write(1) };
        // SAFETY: inside the block.
        unsafe { block.start().add(40 * page_size()).write(1) };
        let resident = block.resident_bytes().expect("mapped");
        assert!(
            resident >= 2 * page_size() && resident <= length,
            "{resident}"
        );
    }
}
