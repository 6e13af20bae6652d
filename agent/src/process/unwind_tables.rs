//! Where the tables for unwinding are: `_dl_find_object`, for C libraries that do not have it (glibc before 2.35, musl).
//!
//! The unwinder that is linked into the library asks for it. Where the C library has
//! the function, the dynamic linker takes that one, because it looks there first.

use std::ffi::{c_int, c_ulonglong, c_void};
use std::mem;
use std::ptr;

use libc::{dl_iterate_phdr, dl_phdr_info};

/// `struct dl_find_object` of `<dlfcn.h>`, 64 bits.
#[repr(C)]
struct FoundObject {
    flags: c_ulonglong,
    map_start: *mut c_void,
    map_end: *mut c_void,
    link_map: *mut c_void,
    eh_frame: *mut c_void,
    reserved: [c_ulonglong; 7],
}

struct Search {
    address: usize,
    found: Option<(usize, usize, usize)>,
}

/// Finds the mapped object that has an address. Returns 0 and fills `result`, or -1.
///
/// # Safety
/// `result` must be writable.
#[unsafe(no_mangle)]
unsafe extern "C" fn _dl_find_object(address: *mut c_void, result: *mut FoundObject) -> c_int {
    let mut search = Search {
        address: address.addr(),
        found: None,
    };
    // SAFETY: the callback takes the data as the type that it is given here, and keeps nothing.
    unsafe { dl_iterate_phdr(Some(look), ptr::from_mut(&mut search).cast()) };
    let Some((start, end, eh_frame)) = search.found else {
        return -1;
    };
    // SAFETY: the caller promises a writable result; all of its fields may be zero.
    unsafe {
        result.write(mem::zeroed());
        (*result).map_start = ptr::without_provenance_mut(start);
        (*result).map_end = ptr::without_provenance_mut(end);
        (*result).eh_frame = ptr::with_exposed_provenance_mut(eh_frame);
    }
    0
}

/// Looks at one object; 1 ends the search.
unsafe extern "C" fn look(info: *mut dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
    // SAFETY: the C library gives a valid object, and the data is the search above.
    let (info, search) = unsafe { (&*info, &mut *data.cast::<Search>()) };
    // SAFETY: an object has this many program headers.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let base = info.dlpi_addr as usize;
    let range = |header: &libc::Elf64_Phdr| {
        let start = base.wrapping_add(header.p_vaddr as usize);
        (start, start.wrapping_add(header.p_memsz as usize))
    };
    let mut loads = headers
        .iter()
        .filter(|header| header.p_type == libc::PT_LOAD);
    let has = |header: &&libc::Elf64_Phdr| {
        let (start, end) = range(header);
        (start..end).contains(&search.address)
    };
    let Some((start, end)) = loads.find(has).map(range) else {
        return 0;
    };
    let mut frames = headers.iter();
    let frames = frames.find(|header| header.p_type == libc::PT_GNU_EH_FRAME);
    search.found = frames.map(|header| (start, end, range(header).0));
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_this_program_has_tables() {
        let here = an_address_of_this_program_has_tables as *const () as usize;
        // SAFETY: all fields may be zero.
        let mut found: FoundObject = unsafe { mem::zeroed() };
        // SAFETY: the result is writable.
        let code = unsafe { _dl_find_object(ptr::without_provenance_mut(here), &mut found) };
        assert_eq!(code, 0);
        assert!((found.map_start.addr()..found.map_end.addr()).contains(&here));
        assert!(!found.eh_frame.is_null());
        // SAFETY: as above.
        let code = unsafe { _dl_find_object(ptr::without_provenance_mut(8), &mut found) };
        assert_eq!(code, -1);
    }
}
