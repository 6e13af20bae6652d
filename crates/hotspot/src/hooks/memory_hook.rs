//! Adds a look before the VM uncommits memory of the heap.
//!
//! At the very end of a collection, Parallel and Serial may shrink the young generation, and Parallel with `UseNUMA` redistributes eden
//! among the nodes, without reading the clock in between ([`super::pause_hook`]). The old copies with their new addresses would then be
//! gone at `GarbageCollectionFinish`. HotSpot uncommits memory, or discards its contents, with these calls (os_linux.cpp):
//!
//! ```text
//! mmap(start, bytes, PROT_NONE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE | MAP_ANONYMOUS, -1, 0)     os::pd_uncommit_memory
//! mmap(start, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0)        os::pd_free_memory, up to JDK 21
//! madvise(start, bytes, MADV_DONTNEED)                                                              os::pd_disclaim_memory, JDK 25
//! ```
//!
//! The words through which libjvm calls `mmap64` (or `mmap`) and `madvise` are replaced like the one for `clock_gettime`. Such a call on
//! the watched thread is one more look, before the memory goes. The second form also commits memory, so some looks are unnecessary. All
//! other calls cost one test.

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::error::Error;
use crate::hooks::import_slots::replace_import;
use crate::hooks::watched_thread::look_if_watched;
use crate::vm::libjvm::Libjvm;

/// The names under which libjvm imports `mmap`.
const MMAP: [&CStr; 2] = [c"mmap64", c"mmap"];
const MADVISE: &CStr = c"madvise";

type Mmap = unsafe extern "C" fn(
    *mut c_void,
    libc::size_t,
    c_int,
    c_int,
    c_int,
    libc::off_t,
) -> *mut c_void;

type Madvise = unsafe extern "C" fn(*mut c_void, libc::size_t, c_int) -> c_int;

/// The previous contents of the words. Null until they are replaced.
static ORIGINAL_MMAP: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
static ORIGINAL_MADVISE: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Replaces libjvm's words for both functions. A VM that imports one under another name gets no such look; memory lost that way is a fault
/// of that collection.
pub(crate) fn install(libjvm: &Libjvm) -> Result<(), Error> {
    for function in MMAP {
        if replace_import(libjvm, function, maps as Mmap as *mut (), &ORIGINAL_MMAP)? {
            break;
        }
    }
    let advises = advises as Madvise as *mut ();
    replace_import(libjvm, MADVISE, advises, &ORIGINAL_MADVISE)?;
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
    if flags & libc::MAP_FIXED != 0 {
        look_if_watched();
    }
    // SAFETY: the word held the address of a function of this type; it was stored here before any word was replaced.
    let original: Mmap =
        unsafe { std::mem::transmute::<*mut (), Mmap>(ORIGINAL_MMAP.load(Ordering::Relaxed)) };
    // SAFETY: libjvm calls this in place of the original function, with arguments that are valid for it.
    unsafe { original(start, length, protection, flags, file, offset) }
}

/// What libjvm calls instead of `madvise`.
unsafe extern "C" fn advises(start: *mut c_void, length: libc::size_t, advice: c_int) -> c_int {
    if advice == libc::MADV_DONTNEED {
        look_if_watched();
    }
    // SAFETY: the word held the address of a function of this type; it was stored here before any word was replaced.
    let original: Madvise = unsafe {
        std::mem::transmute::<*mut (), Madvise>(ORIGINAL_MADVISE.load(Ordering::Relaxed))
    };
    // SAFETY: libjvm calls this in place of the original function, with arguments that are valid for it.
    unsafe { original(start, length, advice) }
}
