//! The loaded `libjvm.so`: its segments and exported symbols.
//!
//! An agent is opened with `dlopen(RTLD_LOCAL)`, and so is libjvm by the `java` launcher, so `dlsym(RTLD_DEFAULT)` may or may not see the
//! VM's symbols. If it does not, the library is found among the loaded objects and opened once more with `RTLD_NOLOAD`, which gives a
//! handle to what is already there and loads nothing.

use std::ffi::{CStr, CString, c_int, c_void};
use std::slice;

use crate::address::{Address, Plain};
use crate::careful_read::{read_c_string, read_value};
use crate::error::Error;

/// One loaded, readable segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// First byte.
    pub start: Address,
    /// Length in memory.
    pub length: usize,
    /// How many of its bytes came from the file (the rest is zero-initialized data).
    pub file_length: usize,
    /// Is the segment one of data (writable, at least until relocation is done)?
    pub writable: bool,
}

impl Segment {
    /// Does `length` bytes at `address` lie inside?
    #[must_use]
    pub fn contains(&self, address: Address, length: usize) -> bool {
        let offset = address.above(self.start);
        address >= self.start && offset <= self.length && length <= self.length - offset
    }
}

/// The loaded libjvm. It is never unloaded while the process lives, so its memory is `'static`.
///
/// What lies inside its segments is read directly; everything else with care ([`read_value`]).
#[derive(Debug, Clone, Default)]
pub struct Libjvm {
    path: CString,
    /// What the loader added to every address of the file.
    base: Address,
    /// The dynamic section; null when there is none.
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

    /// What the loader added to every address of the file.
    pub(crate) fn base(&self) -> Address {
        self.base
    }

    /// Its dynamic section; null when it has none.
    pub(crate) fn dynamic(&self) -> Address {
        self.dynamic
    }

    /// Do `length` bytes at `address` belong to libjvm?
    #[must_use]
    pub fn contains(&self, address: Address, length: usize) -> bool {
        self.segments
            .iter()
            .any(|segment| segment.contains(address, length))
    }

    /// Reads a value: directly from libjvm's own memory, with care from anywhere else.
    pub fn read<T: Plain>(&self, address: Address) -> Result<T, Error> {
        if self.contains(address, size_of::<T>()) {
            // SAFETY: inside a readable segment of libjvm, which stays loaded.
            Ok(unsafe { address.read() })
        } else {
            read_value(address)
        }
    }

    /// Reads a C string of at most `limit` bytes; `None` when it is not readable or has no end.
    #[must_use]
    pub fn read_text(&self, address: Address, limit: usize) -> Option<String> {
        let bytes = match self
            .segments
            .iter()
            .find(|segment| segment.contains(address, 1))
        {
            Some(segment) => {
                let room = limit.min(segment.length - address.above(segment.start));
                // SAFETY: `room` bytes lie inside a readable segment of libjvm, which stays loaded. Texts are constants.
                let bytes = unsafe { slice::from_raw_parts(address.pointer::<u8>(), room) };
                CStr::from_bytes_until_nul(bytes).ok()?.to_bytes().to_vec()
            }
            None => read_c_string(address, limit)?,
        };
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The address of an exported symbol.
    pub fn symbol(&self, name: &'static CStr) -> Result<Address, Error> {
        // SAFETY: the name ends with a zero.
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
        // SAFETY: the path ends with a zero; NOLOAD only looks the object up.
        let handle =
            unsafe { libc::dlopen(self.path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if handle.is_null() {
            return std::ptr::null_mut();
        }
        // SAFETY: a valid handle and a name that ends with a zero.
        let address = unsafe { libc::dlsym(handle, name.as_ptr()) };
        // SAFETY: drops the count dlopen added; the launcher's own count keeps the library loaded.
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

/// Called for each loaded object; stores libjvm when it meets it and stops.
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
    // SAFETY: the loader's names end with a zero.
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

/// The segment a program header describes, if it is loaded and readable.
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

/// Where an address of the file is in memory; null when the two make no address.
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
