//! A look before the VM gives memory of the heap back.
//!
//! At the very end of a collection Parallel and Serial may make the young generation smaller, and Parallel with `UseNUMA` cuts eden anew among the nodes, without asking
//! for the time in between ([`crate::pause_hook`]): the old copies, with the new addresses in them, would be gone at `GarbageCollectionFinish`. HotSpot gives memory
//! back, or lets the system forget what is in it, by (os_linux.cpp)
//!
//! ```text
//! mmap(start, bytes, PROT_NONE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE | MAP_ANONYMOUS, -1, 0)     os::pd_uncommit_memory
//! mmap(start, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0)        os::pd_free_memory, up to JDK 21
//! madvise(start, bytes, MADV_DONTNEED)                                                              os::pd_disclaim_memory, JDK 25
//! ```
//!
//! libjvm's words for `mmap64` (`mmap` where it is the same) and `madvise` are replaced as the one for `clock_gettime` is; such a call of the watched thread is one more
//! look, before the memory goes. The second form also commits memory, so some looks are for nothing. All other calls cost a test.

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::error::Error;
use crate::import_slots::replace_import;
use crate::libjvm::Libjvm;
use crate::watched_thread::look_if_watched;

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

/// What was in the words before. Null until they are replaced.
static ORIGINAL_MMAP: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
static ORIGINAL_MADVISE: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Replaces libjvm's words for both. A VM that imports one under another name gets no such look: what is gone is then a fault of that collection.
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
    // SAFETY: the word held the address of such a function when it was stored here, before any word was replaced.
    let original: Mmap =
        unsafe { std::mem::transmute::<*mut (), Mmap>(ORIGINAL_MMAP.load(Ordering::Relaxed)) };
    // SAFETY: the caller's own arguments.
    unsafe { original(start, length, protection, flags, file, offset) }
}

/// What libjvm calls instead of `madvise`.
unsafe extern "C" fn advises(start: *mut c_void, length: libc::size_t, advice: c_int) -> c_int {
    if advice == libc::MADV_DONTNEED {
        look_if_watched();
    }
    // SAFETY: as in `maps`.
    let original: Madvise = unsafe {
        std::mem::transmute::<*mut (), Madvise>(ORIGINAL_MADVISE.load(Ordering::Relaxed))
    };
    // SAFETY: the caller's own arguments.
    unsafe { original(start, length, advice) }
}
