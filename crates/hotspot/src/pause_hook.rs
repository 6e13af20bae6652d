//! The look inside the pause: the agent gets control whenever the VM thread asks for the time.
//!
//! HotSpot takes the time at every boundary of every phase of every collection, by `clock_gettime`, on the VM thread. libjvm calls it through
//! a word of its global offset table ([`crate::import_slots`]); here that word is replaced, once, by the address of a function that tells an observer and then
//! calls what was in the word before. So the world can be read between marking, forwarding and compaction.
//!
//! | who calls | what it costs |
//! |---|---|
//! | a thread, no thread is watched | one test of a word |
//! | another thread than the watched one | two |
//! | the watched thread (the VM thread) | a call of the observer |
//!
//! - The word is never put back: other code may have replaced it since, and the library with our function is never unloaded.
//! - Nothing unwinds out of the function: a panic of the observer ends watching for good ([`PauseHook::has_failed`]). `errno` is kept.
//! - Usually the VM thread is watched from `GarbageCollectionStart` on, which it posts itself; it can also be found by its name. Until it asks for the time
//!   for the first time, every thread that does pays a system call.
//! - The observer is not called again while it runs, or while its lock is held elsewhere.

use std::ffi::{CStr, c_int};
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::error::Error;
use crate::import_slots::replace_import;
use crate::libjvm::Libjvm;
use crate::memory_hook;
use crate::watched_thread::{self, PauseObserver};

/// The replaced function.
const FUNCTION: &CStr = c"clock_gettime";

/// The name HotSpot gives the thread that runs its operations.
const VM_THREAD: &str = "VM Thread";

type ClockGettime = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int;

/// What was in the word before. Null until the hook is installed.
static ORIGINAL: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
static INSTALLING: Mutex<bool> = Mutex::new(false);

/// The installed hook. There is one per process, because there is one libjvm.
#[derive(Debug, Clone, Copy)]
pub struct PauseHook(());

impl PauseHook {
    /// Replaces libjvm's words for `clock_gettime`. Once done, further calls change nothing.
    pub fn install(libjvm: &Libjvm) -> Result<Self, Error> {
        let mut installed = INSTALLING.lock().unwrap_or_else(|lock| lock.into_inner());
        if *installed {
            return Ok(Self(()));
        }
        let function = asks_for_time as ClockGettime as *mut ();
        if !replace_import(libjvm, FUNCTION, function, &ORIGINAL)? {
            return Err(Error::NotImported {
                function: FUNCTION.to_str().unwrap_or("a function"),
            });
        }
        memory_hook::install(libjvm)?;
        *installed = true;
        Ok(Self(()))
    }

    /// Sets who looks. Must not be called by the observer itself.
    pub fn observe(&self, observer: Box<dyn PauseObserver>) {
        watched_thread::observe(observer);
    }

    /// Watches the calling thread from now on: call it in `GarbageCollectionStart`, which the VM thread posts.
    pub fn watch_this_thread(&self) {
        watched_thread::watch_this();
    }

    /// Watches the VM thread from now on, at any time: for collections that the VM does not announce. The thread is found by its name. `false`: there is
    /// none of that name.
    pub fn watch_vm_thread(&self) -> bool {
        watched_thread::watch_named(VM_THREAD)
    }

    /// Watches no thread any more.
    pub fn rest(&self) {
        watched_thread::rest();
    }

    /// How often the observer was called.
    #[must_use]
    pub fn looks(&self) -> u64 {
        watched_thread::looks()
    }

    /// Did the observer panic? Then nothing is watched any more.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        watched_thread::has_failed()
    }
}

/// What libjvm calls instead of `clock_gettime`.
unsafe extern "C" fn asks_for_time(clock: libc::clockid_t, time: *mut libc::timespec) -> c_int {
    watched_thread::look_if_watched();
    // SAFETY: the word held the address of such a function when it was stored here, before any word was replaced.
    let original: ClockGettime =
        unsafe { std::mem::transmute::<*mut (), ClockGettime>(ORIGINAL.load(Ordering::Relaxed)) };
    // SAFETY: the caller's own arguments.
    unsafe { original(clock, time) }
}
