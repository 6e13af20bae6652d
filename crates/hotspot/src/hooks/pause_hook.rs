//! Runs the agent's code inside a pause, whenever the VM thread reads the clock.
//!
//! HotSpot reads the clock at every phase boundary of every collection, with `clock_gettime`, on the VM thread. libjvm calls it through a
//! word of its global offset table ([`super::import_slots`]). That word is replaced once by the address of a function that calls an
//! observer and then the previous function. So the world can be inspected between marking, forwarding and compaction.
//!
//! | caller | cost |
//! |---|---|
//! | any thread, while no thread is watched | one test of a word |
//! | a thread that is not watched | two tests |
//! | the watched thread (the VM thread) | one call of the observer |
//!
//! - The word is never restored: other code may have replaced it since, and the library with our function is never unloaded.
//! - Nothing unwinds out of the function: a panic of the observer permanently
//!   ends watching ([`PauseHook::has_failed`]). `errno` is preserved.
//! - Usually the VM thread is watched from `GarbageCollectionStart` on, an event that it posts itself. It can also be found by name; then,
//!   until it first reads the clock, every thread that does so pays a system call.
//! - The observer is not called again while it runs, or while its lock is held elsewhere.

use std::ffi::{CStr, c_int};
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::error::Error;
use crate::hooks::driver_threads;
use crate::hooks::import_slots::replace_import;
use crate::hooks::memory_hook;
use crate::hooks::watched_thread::{self, PauseObserver};
use crate::vm::libjvm::Libjvm;

/// The replaced function.
const FUNCTION: &CStr = c"clock_gettime";

/// The name of the thread on which HotSpot runs VM operations.
const VM_THREAD: &str = "VM Thread";

type ClockGettime = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int;

/// The previous contents of the word. Null until the hook is installed.
static ORIGINAL: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
static INSTALLING: Mutex<bool> = Mutex::new(false);

/// The installed hook. There is one per process, because there is one libjvm.
#[derive(Debug, Clone, Copy)]
pub struct PauseHook(());

impl PauseHook {
    /// Replaces libjvm's words for `clock_gettime`. Further calls do nothing.
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

    /// Sets the observer. Must not be called by the observer itself.
    pub fn observe(&self, observer: Box<dyn PauseObserver>) {
        watched_thread::observe(observer);
    }

    /// Watches the calling thread from now on. Call in `GarbageCollectionStart`, which the VM thread posts.
    pub fn watch_this_thread(&self) {
        watched_thread::watch_this();
    }

    /// Watches the VM thread from now on, at any time, for collections that
    /// the VM does not announce. Returns `false` if no thread has its name.
    pub fn watch_vm_thread(&self) -> bool {
        watched_thread::watch_named(VM_THREAD)
    }

    /// Stops watching.
    pub fn rest(&self) {
        watched_thread::rest();
    }

    /// The number of calls of the observer.
    #[must_use]
    pub fn looks(&self) -> u64 {
        watched_thread::looks()
    }

    /// Whether the observer panicked, which ends watching.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        watched_thread::has_failed()
    }
}

/// What libjvm calls instead of `clock_gettime`.
unsafe extern "C" fn asks_for_time(clock: libc::clockid_t, time: *mut libc::timespec) -> c_int {
    watched_thread::look_if_watched();
    driver_threads::look_if_driver();
    // SAFETY: the word held the address of a function of this type; it was stored here before any word was replaced.
    let original: ClockGettime =
        unsafe { std::mem::transmute::<*mut (), ClockGettime>(ORIGINAL.load(Ordering::Relaxed)) };
    // SAFETY: libjvm calls this in place of the original function, with arguments that are valid for it.
    unsafe { original(clock, time) }
}
