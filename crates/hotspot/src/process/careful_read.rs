//! Safely reads memory that may be unmapped.
//!
//! A pointer that may be invalid (a Klass pointer from a dead object, a region that was uncommitted) must not be dereferenced: a fault
//! would kill the program's JVM. `process_vm_readv` on our own process copies what is mapped and reports the rest as an error. If the
//! system forbids that call (a strict seccomp filter), `/proc/self/mem` does the same.

use std::fs::File;
use std::os::unix::fs::FileExt;

use crate::address::{Address, Plain};
use crate::error::{Error, last_errno};

/// Copies the bytes at `address` into `buffer`; fails if not all of them are readable.
pub fn read_bytes(address: Address, buffer: &mut [u8]) -> Result<(), Error> {
    if buffer.is_empty() {
        return Ok(());
    }
    let local = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    let remote = libc::iovec {
        iov_base: address.pointer::<u8>().cast_mut().cast(),
        iov_len: buffer.len(),
    };
    // SAFETY: `local` describes our own buffer; the kernel checks every page of `remote`.
    let copied = unsafe {
        libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0)
    };
    if usize::try_from(copied) == Ok(buffer.len()) {
        return Ok(());
    }
    let errno = if copied < 0 { last_errno() } else { 0 };
    if matches!(errno, libc::ENOSYS | libc::EPERM) && read_own_memory_file(address, buffer) {
        return Ok(());
    }
    Err(Error::Unreadable {
        address,
        length: buffer.len(),
        errno,
    })
}

/// The number of leading addresses at which a byte is readable, with one system call for many addresses.
pub(crate) fn readable(addresses: &[Address]) -> usize {
    let mut known = 0;
    for some in addresses.chunks(QUESTION) {
        let here = readable_at_once(some);
        known += here;
        if here < some.len() {
            break;
        }
    }
    known
}

/// Longest list that the system call accepts (`IOV_MAX`).
const QUESTION: usize = 1024;

fn readable_at_once(addresses: &[Address]) -> usize {
    let mut bytes = vec![0_u8; addresses.len()];
    copied_at_once(addresses, 1, &mut bytes).unwrap_or_else(|| {
        let one_by_one = addresses.iter();
        one_by_one
            .take_while(|&&address| read_value::<u8>(address).is_ok())
            .count()
    })
}

/// Copies `length` bytes from each of the addresses, one after the other, up to the first
/// that cannot be read; gives the number of bytes. `None`: the kernel does not answer.
fn copied_at_once(addresses: &[Address], length: usize, bytes: &mut [u8]) -> Option<usize> {
    let local = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: bytes.len(),
    };
    let remote = |address: &Address| libc::iovec {
        iov_base: address.pointer::<u8>().cast_mut().cast(),
        iov_len: length,
    };
    let remote: Vec<libc::iovec> = addresses.iter().map(remote).collect();
    let count = libc::c_ulong::try_from(remote.len()).ok()?;
    // SAFETY: `local` describes our own buffer; the kernel checks every page of `remote`, and stops at the first unreadable one.
    let copied = unsafe {
        libc::process_vm_readv(
            libc::getpid(),
            &raw const local,
            1,
            remote.as_ptr(),
            count,
            0,
        )
    };
    usize::try_from(copied).ok()
}

/// The fallback without the system call.
fn read_own_memory_file(address: Address, buffer: &mut [u8]) -> bool {
    let Ok(offset) = u64::try_from(address.0) else {
        return false;
    };
    File::open("/proc/self/mem").is_ok_and(|memory| memory.read_exact_at(buffer, offset).is_ok())
}

/// Copies `length` bytes from each of the addresses, one after the other into
/// one buffer, with one system call for many. `None`: not all can be read.
pub(crate) fn read_each(addresses: &[Address], length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0_u8; addresses.len() * length];
    for (some, part) in addresses
        .chunks(QUESTION)
        .zip(bytes.chunks_mut((QUESTION * length).max(1)))
    {
        read_at_once(some, length, part)?;
    }
    Some(bytes)
}

fn read_at_once(addresses: &[Address], length: usize, bytes: &mut [u8]) -> Option<()> {
    if copied_at_once(addresses, length, bytes) == Some(bytes.len()) {
        return Some(());
    }
    let parts = addresses.iter().zip(bytes.chunks_mut(length.max(1)));
    for (address, part) in parts {
        read_bytes(*address, part).ok()?;
    }
    Some(())
}

/// Reads one value.
pub fn read_value<T: Plain>(address: Address) -> Result<T, Error> {
    let mut value = T::default();
    // SAFETY: the slice covers exactly `value`; `Plain` allows any bytes to be stored there.
    let bytes =
        unsafe { std::slice::from_raw_parts_mut((&raw mut value).cast::<u8>(), size_of::<T>()) };
    read_bytes(address, bytes)?;
    Ok(value)
}

/// Reads a C string of at most `limit` bytes; `None` if it is unreadable or not terminated.
#[must_use]
pub fn read_c_string(address: Address, limit: usize) -> Option<Vec<u8>> {
    const PIECE: usize = 64;
    let mut text = Vec::new();
    while text.len() < limit {
        let mut piece = [0_u8; PIECE];
        // Never reads across a page boundary, because the string may end right before an unmapped page.
        let start = address.plus(text.len());
        let to_boundary = PIECE - start.0 % PIECE;
        let piece = piece.get_mut(..to_boundary)?;
        read_bytes(start, piece).ok()?;
        if let Some(end) = piece.iter().position(|&byte| byte == 0) {
            text.extend_from_slice(piece.get(..end)?);
            return (text.len() <= limit).then_some(text);
        }
        text.extend_from_slice(piece);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{read_bytes, read_c_string, read_each, read_own_memory_file, read_value, readable};
    use crate::address::Address;
    use crate::error::Error;
    use crate::process::reservation::Reservation;

    #[test]
    fn mapped_memory_is_copied() {
        let data = 0x0102_0304_u32;
        assert_eq!(read_value::<u32>(Address::of(&raw const data)), Ok(data));
        let mut copy = [0_u8; 4];
        assert!(read_own_memory_file(
            Address::of(&raw const data),
            &mut copy
        ));
        assert_eq!(u32::from_ne_bytes(copy), data);
    }

    #[test]
    fn unmapped_memory_is_an_error() {
        let reservation = Reservation::anywhere(1 << 16).expect("64 KB");
        let address = Address::of(reservation.start());
        assert_eq!(read_value::<u64>(address), Ok(0));
        drop(reservation);
        assert!(matches!(
            read_bytes(address, &mut [0; 8]),
            Err(Error::Unreadable { length: 8, .. })
        ));
        assert!(read_value::<u64>(Address(8)).is_err());
    }

    #[test]
    fn many_are_asked_for_at_once() {
        let bytes = vec![0_u8; 3000];
        let mut addresses: Vec<Address> = bytes
            .iter()
            .map(|byte| Address::of(std::ptr::from_ref(byte)))
            .collect();
        assert_eq!(readable(&addresses), 3000);
        assert_eq!(readable(&[]), 0);
        addresses[2500] = Address(8);
        assert_eq!(readable(&addresses), 2500);
        addresses[0] = Address(8);
        assert_eq!(readable(&addresses), 0);
    }

    #[test]
    fn each_place_is_copied() {
        let words: Vec<u64> = (0..3000).collect();
        let mut addresses: Vec<Address> =
            words.iter().rev().map(|word| Address::of(word)).collect();
        let bytes = read_each(&addresses, 8).expect("readable");
        let (copies, _) = bytes.as_chunks::<8>();
        let copies: Vec<u64> = copies
            .iter()
            .map(|copy| u64::from_le_bytes(*copy))
            .collect();
        assert!(copies.iter().eq(words.iter().rev()));
        addresses[2000] = Address(8);
        assert_eq!(read_each(&addresses, 8), None);
        assert_eq!(read_each(&[], 8), Some(Vec::new()));
    }

    #[test]
    fn strings_end() {
        let text = c"a string that is longer than one piece of sixty-four bytes, so that two reads are needed";
        let address = Address::of(text.as_ptr());
        assert_eq!(
            read_c_string(address, 200).as_deref(),
            Some(text.to_bytes())
        );
        assert_eq!(read_c_string(address, 10), None);
        assert_eq!(read_c_string(Address(16), 10), None);
    }
}
