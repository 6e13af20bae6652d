//! The thread in whose calls of libjvm's imports the agent looks at the pause, and who looks. The hooks are [`crate::pause_hook`] and
//! [`crate::memory_hook`].

use std::cell::Cell;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};

/// A listener in the pause.
pub trait PauseObserver: Send {
    /// Called on the watched thread each time the VM asks for the time there. It may be in the middle of anything: call nothing of the VM, and read its
    /// memory with care.
    fn look(&mut self);
}

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

/// Sets who looks. Must not be called by the observer itself.
pub(crate) fn observe(observer: Box<dyn PauseObserver>) {
    *OBSERVER.lock().unwrap_or_else(|lock| lock.into_inner()) = Some(observer);
}

/// Watches the calling thread from now on.
pub(crate) fn watch_this() {
    if !has_failed() {
        WATCHED.store(this_thread(), Ordering::Release);
    }
}

/// Watches the thread with this name from now on. `false`: there is none.
pub(crate) fn watch_named(name: &str) -> bool {
    let Some(number) = thread_named(name) else {
        return false;
    };
    if !has_failed() {
        SOUGHT.store(number, Ordering::Relaxed);
        // A thread that is watched already is the one.
        let _ = WATCHED.compare_exchange(NOBODY, STRANGER, Ordering::AcqRel, Ordering::Relaxed);
    }
    true
}

/// Watches no thread any more.
pub(crate) fn rest() {
    WATCHED.store(NOBODY, Ordering::Release);
}

/// How often the observer was called.
pub(crate) fn looks() -> u64 {
    LOOKS.load(Ordering::Relaxed)
}

/// Did the observer panic? Then nothing is watched any more.
pub(crate) fn has_failed() -> bool {
    FAILED.load(Ordering::Relaxed)
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
