//! A look before the VM gives memory of the heap back.
//!
//! Parallel and Serial may make the young generation smaller at the very end of a collection, without asking for the time in between
//! ([`crate::pause_hook`]): the old copies, with the new addresses in them, would be gone at `GarbageCollectionFinish`. HotSpot gives memory back by
//!
//! ```text
//! mmap(start, bytes, PROT_NONE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE | MAP_ANONYMOUS, -1, 0)     os::pd_uncommit_memory, os_linux.cpp
//! ```
//!
//! libjvm's word for `mmap64` (`mmap` where it is the same) is replaced as the one for `clock_gettime` is; such a call of the watched thread is one more look, before
//! the memory goes. All other calls cost a test.

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::error::Error;
use crate::import_slots::replace_import;
use crate::libjvm::Libjvm;
use crate::pause_hook::look_if_watched;

/// The names under which libjvm imports it.
const FUNCTIONS: [&CStr; 2] = [c"mmap64", c"mmap"];

type Mmap = unsafe extern "C" fn(
    *mut c_void,
    libc::size_t,
    c_int,
    c_int,
    c_int,
    libc::off_t,
) -> *mut c_void;

/// What was in the words before. Null until they are replaced.
static ORIGINAL: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Replaces libjvm's words for `mmap`. A VM that imports it under another name gets no such look: what is gone is then a fault of that collection.
pub(crate) fn install(libjvm: &Libjvm) -> Result<(), Error> {
    for function in FUNCTIONS {
        if replace_import(libjvm, function, maps as Mmap as *mut (), &ORIGINAL)? {
            break;
        }
    }
    Ok(())
}

/// What libjvm calls instead of `mmap`.
unsafe extern "C" fn maps(
    start: *mut c_void,
    length: libc::size_t,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: libc::off_t,
) -> *mut c_void {
    if protection == libc::PROT_NONE && flags & libc::MAP_FIXED != 0 {
        look_if_watched();
    }
    // SAFETY: the word held the address of such a function when it was stored here, before any word was replaced.
    let original: Mmap =
        unsafe { std::mem::transmute::<*mut (), Mmap>(ORIGINAL.load(Ordering::Relaxed)) };
    // SAFETY: the caller's own arguments.
    unsafe { original(start, length, protection, flags, file, offset) }
}
