//! Finds the loaded `libjvm.so`, its segments and exported symbols.
//!
//! The JVM opens an agent with `dlopen(RTLD_LOCAL)`, and the `java` launcher does the same with libjvm, so `dlsym(RTLD_DEFAULT)` may not
//! see the VM's symbols. In that case the library is found among the loaded objects and opened again with `RTLD_NOLOAD`, which returns a
//! handle to it and loads nothing.

use std::ffi::{CStr, CString, c_int, c_void};
use std::slice;

use crate::address::{Address, Plain};
use crate::error::Error;
use crate::process::careful_read::{read_c_string, read_value};

/// A loaded, readable segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// First byte.
    pub start: Address,
    /// Length in memory.
    pub length: usize,
    /// Bytes that came from the file (the rest is zero-initialized data).
    pub file_length: usize,
    /// Whether this is a data segment (writable, at least until relocation is done).
    pub writable: bool,
}

impl Segment {
    /// Whether `length` bytes at `address` lie inside.
    #[must_use]
    pub fn contains(&self, address: Address, length: usize) -> bool {
        let offset = address.above(self.start);
        address >= self.start && offset <= self.length && length <= self.length - offset
    }
}

/// The loaded libjvm. It is never unloaded while the process lives, so its memory is `'static`.
///
/// Memory inside its segments is read directly, all other memory safely ([`read_value`]).
#[derive(Debug, Clone, Default)]
pub struct Libjvm {
    path: CString,
    /// The load bias: the difference between addresses in memory and in the file.
    base: Address,
    /// The dynamic section; null if there is none.
    dynamic: Address,
    segments: Vec<Segment>,
}

impl Libjvm {
    /// Finds libjvm among the loaded objects.
    pub fn find() -> Result<Self, Error> {
        let mut found: Option<Self> = None;
        // SAFETY: the callback gets the pointer to `found`, which outlives the call.
        unsafe { libc::dl_iterate_phdr(Some(inspect_object), (&raw mut found).cast()) };
        found.ok_or(Error::LibjvmNotLoaded)
    }

    /// The path it was loaded from.
    #[must_use]
    pub fn path(&self) -> &CStr {
        &self.path
    }

    /// Its loaded, readable segments.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The load bias.
    pub(crate) fn base(&self) -> Address {
        self.base
    }

    /// The dynamic section; null if there is none.
    pub(crate) fn dynamic(&self) -> Address {
        self.dynamic
    }

    /// Whether `length` bytes at `address` belong to libjvm.
    #[must_use]
    pub fn contains(&self, address: Address, length: usize) -> bool {
        self.segments
            .iter()
            .any(|segment| segment.contains(address, length))
    }

    /// Reads a value: directly from libjvm's own memory, safely from elsewhere.
    pub fn read<T: Plain>(&self, address: Address) -> Result<T, Error> {
        if self.contains(address, size_of::<T>()) {
            // SAFETY: the value lies in a readable segment of libjvm, which remains loaded.
            Ok(unsafe { address.read() })
        } else {
            read_value(address)
        }
    }

    /// Reads a C string of at most `limit` bytes; `None` if it is unreadable or not terminated.
    #[must_use]
    pub fn read_text(&self, address: Address, limit: usize) -> Option<String> {
        let bytes = match self
            .segments
            .iter()
            .find(|segment| segment.contains(address, 1))
        {
            Some(segment) => {
                let room = limit.min(segment.length - address.above(segment.start));
                // SAFETY: `room` bytes lie in a readable segment of libjvm, which remains loaded. Texts are constants.
                let bytes = unsafe { slice::from_raw_parts(address.pointer::<u8>(), room) };
                CStr::from_bytes_until_nul(bytes).ok()?.to_bytes().to_vec()
            }
            None => read_c_string(address, limit)?,
        };
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The address of an exported symbol.
    pub fn symbol(&self, name: &'static CStr) -> Result<Address, Error> {
        // SAFETY: the name is NUL-terminated.
        let global = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
        let address = if global.is_null() {
            self.symbol_of_handle(name)
        } else {
            global
        };
        if address.is_null() {
            return Err(Error::MissingSymbol {
                name: name.to_str().unwrap_or("?"),
            });
        }
        Ok(Address(address.expose_provenance()))
    }

    fn symbol_of_handle(&self, name: &CStr) -> *mut c_void {
        // SAFETY: the path is NUL-terminated; NOLOAD only looks up the object.
        let handle =
            unsafe { libc::dlopen(self.path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if handle.is_null() {
            return std::ptr::null_mut();
        }
        // SAFETY: the handle is valid, and the name is NUL-terminated.
        let address = unsafe { libc::dlsym(handle, name.as_ptr()) };
        // SAFETY: this drops the reference that `dlopen` added; the launcher's own reference keeps the library loaded.
        unsafe { libc::dlclose(handle) };
        address
    }
}

#[cfg(test)]
impl Libjvm {
    /// For tests: a library that consists of these bytes.
    pub(crate) fn made_up(constants: &'static [u8]) -> Self {
        Self {
            segments: vec![Segment {
                start: Address(constants.as_ptr().expose_provenance()),
                length: constants.len(),
                file_length: constants.len(),
                writable: false,
            }],
            ..Self::default()
        }
    }
}

/// Called for each loaded object. Stores libjvm and stops when it comes to it.
unsafe extern "C" fn inspect_object(
    info: *mut libc::dl_phdr_info,
    _size: usize,
    data: *mut c_void,
) -> c_int {
    // SAFETY: the loader passes a valid description.
    let info = unsafe { &*info };
    if info.dlpi_name.is_null() {
        return 0;
    }
    // SAFETY: the loader's names are NUL-terminated.
    let name = unsafe { CStr::from_ptr(info.dlpi_name) };
    if !name.to_bytes().ends_with(b"/libjvm.so") {
        return 0;
    }
    // SAFETY: the loader's table of program headers has `dlpi_phnum` entries.
    let headers = unsafe { slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let segments = headers
        .iter()
        .filter_map(|header| segment_of(info.dlpi_addr, header))
        .collect();
    let dynamic = headers
        .iter()
        .find(|header| header.p_type == libc::PT_DYNAMIC)
        .map_or(Address::NULL, |header| {
            loaded_at(info.dlpi_addr, header.p_vaddr)
        });
    // SAFETY: `data` is the `Option<Libjvm>` of `find`.
    unsafe {
        *data.cast::<Option<Libjvm>>() = Some(Libjvm {
            path: name.to_owned(),
            base: loaded_at(info.dlpi_addr, 0),
            dynamic,
            segments,
        })
    };
    1
}

/// The segment of a program header, if it is loaded and readable.
fn segment_of(base: libc::Elf64_Addr, header: &libc::Elf64_Phdr) -> Option<Segment> {
    if header.p_type != libc::PT_LOAD || header.p_flags & libc::PF_R == 0 {
        return None;
    }
    Some(Segment {
        start: loaded_at(base, header.p_vaddr),
        length: usize::try_from(header.p_memsz).ok()?,
        file_length: usize::try_from(header.p_filesz).ok()?,
        writable: header.p_flags & libc::PF_W != 0,
    })
}

/// The address in memory of an address in the file; null if the sum is not an address.
fn loaded_at(base: libc::Elf64_Addr, address: libc::Elf64_Addr) -> Address {
    usize::try_from(base.wrapping_add(address)).map_or(Address::NULL, Address)
}

#[cfg(test)]
mod tests {
    use super::{Libjvm, Segment};
    use crate::address::Address;
    use crate::error::Error;

    #[test]
    fn no_vm_in_this_process() {
        assert_eq!(Libjvm::find().err(), Some(Error::LibjvmNotLoaded));
    }

    #[test]
    fn segments_contain_whole_ranges_only() {
        let segment = Segment {
            start: Address(100),
            length: 10,
            file_length: 10,
            writable: false,
        };
        assert!(segment.contains(Address(100), 10) && segment.contains(Address(109), 1));
        assert!(!segment.contains(Address(99), 1) && !segment.contains(Address(105), 6));
        assert!(!segment.contains(Address(usize::MAX), 1));
    }
}
