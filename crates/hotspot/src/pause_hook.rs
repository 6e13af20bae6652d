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
//! - The word is never put back: somebody else may have replaced it since, and the library with our function is never unloaded.
//! - Nothing unwinds out of the function: a panic of the observer ends watching for good ([`PauseHook::has_failed`]). `errno` is kept.
//! - Usually the VM thread is watched from `GarbageCollectionStart` on, which it posts itself; it can also be found by its name. Until it asks for the time
//!   for the first time, every thread that does pays a system call.
//! - The observer is not called again while it runs, or while its lock is held elsewhere.

use std::cell::Cell;
use std::ffi::{CStr, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use crate::error::Error;
use crate::import_slots::replace_import;
use crate::libjvm::Libjvm;
use crate::memory_hook;

/// The replaced function.
const FUNCTION: &CStr = c"clock_gettime";

/// The name HotSpot gives the thread that runs its operations.
const VM_THREAD: &str = "VM Thread";

type ClockGettime = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int;

/// Whoever wants to look.
pub trait PauseObserver: Send {
    /// Called on the watched thread each time the VM asks for the time there. It may be in the middle of anything: call nothing of the VM, and read its
    /// memory with care.
    fn look(&mut self);
}

/// What was in the word before. Null until the hook is installed.
static ORIGINAL: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
/// `pthread_self()` of the watched thread, or one of the two numbers below, which no thread has.
static WATCHED: AtomicUsize = AtomicUsize::new(NOBODY);
const NOBODY: usize = 0;
/// The thread whose number is in [`SOUGHT`]: it becomes the watched one when it asks for the time.
const STRANGER: usize = 1;
/// The system's number of the thread to watch.
static SOUGHT: AtomicI32 = AtomicI32::new(0);
static LOOKS: AtomicU64 = AtomicU64::new(0);
static FAILED: AtomicBool = AtomicBool::new(false);
static OBSERVER: Mutex<Option<Box<dyn PauseObserver>>> = Mutex::new(None);
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
        *OBSERVER.lock().unwrap_or_else(|lock| lock.into_inner()) = Some(observer);
    }

    /// Watches the calling thread from now on: call it in `GarbageCollectionStart`, which the VM thread posts.
    pub fn watch_this_thread(&self) {
        if !self.has_failed() {
            WATCHED.store(this_thread(), Ordering::Release);
        }
    }

    /// Watches the VM thread from now on, at any time: for collections that the VM does not announce. The thread is found by its name. `false`: there is
    /// none of that name.
    pub fn watch_vm_thread(&self) -> bool {
        let Some(number) = thread_named(VM_THREAD) else {
            return false;
        };
        if !self.has_failed() {
            SOUGHT.store(number, Ordering::Relaxed);
            // A thread that is watched already is the one.
            let _ = WATCHED.compare_exchange(NOBODY, STRANGER, Ordering::AcqRel, Ordering::Relaxed);
        }
        true
    }

    /// Watches no thread any more.
    pub fn rest(&self) {
        WATCHED.store(NOBODY, Ordering::Release);
    }

    /// How often the observer was called.
    #[must_use]
    pub fn looks(&self) -> u64 {
        LOOKS.load(Ordering::Relaxed)
    }

    /// Did the observer panic? Then nothing is watched any more.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        FAILED.load(Ordering::Relaxed)
    }
}

/// What libjvm calls instead of `clock_gettime`.
unsafe extern "C" fn asks_for_time(clock: libc::clockid_t, time: *mut libc::timespec) -> c_int {
    look_if_watched();
    // SAFETY: the word held the address of such a function when it was stored here, before any word was replaced.
    let original: ClockGettime =
        unsafe { std::mem::transmute::<*mut (), ClockGettime>(ORIGINAL.load(Ordering::Relaxed)) };
    // SAFETY: the caller's own arguments.
    unsafe { original(clock, time) }
}

/// One look, if the calling thread is the watched one.
pub(crate) fn look_if_watched() {
    let watched = WATCHED.load(Ordering::Relaxed);
    if watched != NOBODY && (watched == this_thread() || watched == STRANGER && is_sought()) {
        look();
    }
}

/// Is this the thread to watch? From then on it is known by its own handle, which is quicker to compare.
#[cold]
fn is_sought() -> bool {
    // SAFETY: no preconditions.
    let number = unsafe { libc::gettid() };
    let found = number == SOUGHT.load(Ordering::Relaxed);
    if found {
        WATCHED.store(this_thread(), Ordering::Release);
    }
    found
}

/// The number of the thread of this process with this name.
fn thread_named(name: &str) -> Option<i32> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    threads.flatten().find_map(|thread| {
        let found = std::fs::read_to_string(thread.path().join("comm")).ok()?;
        (found.trim_end() == name).then(|| thread.file_name().to_str()?.parse().ok())?
    })
}

/// Calls the observer, unless it is running.
#[cold]
fn look() {
    let errno = errno_place();
    let kept = errno.map(Cell::get);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        if let Ok(mut observer) = OBSERVER.try_lock()
            && let Some(observer) = observer.as_mut()
        {
            LOOKS.fetch_add(1, Ordering::Relaxed);
            observer.look();
        }
    }));
    if let Err(payload) = outcome {
        FAILED.store(true, Ordering::Relaxed);
        WATCHED.store(NOBODY, Ordering::Release);
        // Its destructor might panic as well.
        std::mem::forget(payload);
    }
    if let (Some(errno), Some(kept)) = (errno, kept) {
        errno.set(kept);
    }
}

fn errno_place() -> Option<&'static Cell<c_int>> {
    // SAFETY: the thread's own errno, which lives as long as the thread; only this thread uses it.
    unsafe { libc::__errno_location().cast::<Cell<c_int>>().as_ref() }
}

fn this_thread() -> usize {
    // SAFETY: no preconditions.
    let thread = unsafe { libc::pthread_self() };
    usize::try_from(thread).unwrap_or(0)
}
