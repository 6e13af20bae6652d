//! The thread whose calls of libjvm's imports trigger looks at the pause, and the observer. The hooks are [`super::pause_hook`] and
//! [`super::memory_hook`].

use std::cell::Cell;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};

/// An observer of a pause.
pub trait PauseObserver: Send {
    /// Called on the watched thread each time the VM reads the clock there. The VM may be in the middle of anything: do not call it, and
    /// read its memory safely.
    fn look(&mut self);
}

/// `pthread_self()` of the watched thread, or one of the two values below, which no thread has.
static WATCHED: AtomicUsize = AtomicUsize::new(NO_THREAD);
const NO_THREAD: usize = 0;
/// The thread whose number is in [`SOUGHT`] becomes the watched one when it first reads the clock.
const BY_NUMBER: usize = 1;
/// The kernel's id of the thread to watch.
static SOUGHT: AtomicI32 = AtomicI32::new(0);
static LOOKS: AtomicU64 = AtomicU64::new(0);
static FAILED: AtomicBool = AtomicBool::new(false);
static OBSERVER: Mutex<Option<Box<dyn PauseObserver>>> = Mutex::new(None);

/// Sets the observer. Must not be called by the observer itself.
pub(crate) fn observe(observer: Box<dyn PauseObserver>) {
    *OBSERVER.lock().unwrap_or_else(|lock| lock.into_inner()) = Some(observer);
}

/// Watches the calling thread from now on.
pub(crate) fn watch_this() {
    if !has_failed() {
        WATCHED.store(this_thread(), Ordering::Release);
    }
}

/// Watches the thread with this name from now on. Returns `false` if there is none.
pub(crate) fn watch_named(name: &str) -> bool {
    let Some(number) = thread_named(name) else {
        return false;
    };
    if !has_failed() {
        SOUGHT.store(number, Ordering::Relaxed);
        // If a thread is already watched, it is this one.
        let _ = WATCHED.compare_exchange(NO_THREAD, BY_NUMBER, Ordering::AcqRel, Ordering::Relaxed);
    }
    true
}

/// Stops watching.
pub(crate) fn rest() {
    WATCHED.store(NO_THREAD, Ordering::Release);
}

/// The number of calls of the observer.
pub(crate) fn looks() -> u64 {
    LOOKS.load(Ordering::Relaxed)
}

/// Whether the observer panicked, which ends watching.
pub(crate) fn has_failed() -> bool {
    FAILED.load(Ordering::Relaxed)
}

/// Calls the observer if the calling thread is the watched one.
pub(crate) fn look_if_watched() {
    let watched = WATCHED.load(Ordering::Relaxed);
    if watched != NO_THREAD && (watched == this_thread() || watched == BY_NUMBER && is_sought()) {
        look();
    }
}

/// Whether this is the thread to watch. From then on it is identified by its handle, which is faster to compare.
#[cold]
fn is_sought() -> bool {
    let found = this_number() == SOUGHT.load(Ordering::Relaxed);
    if found {
        WATCHED.store(this_thread(), Ordering::Release);
    }
    found
}

/// The kernel's id of the calling thread. By the system call: `gettid` is a
/// function since glibc 2.30 only, and an older one would not load the agent.
pub(crate) fn this_number() -> i32 {
    // SAFETY: the call has no arguments and cannot fail.
    let number = unsafe { libc::syscall(libc::SYS_gettid) };
    // Ids of threads are below 2^22.
    number as i32
}

/// The kernel's id of the thread of this process with this name.
pub(crate) fn thread_named(wanted: &str) -> Option<i32> {
    threads_of_process(|number, name| (name == wanted).then_some(number))
        .into_iter()
        .next()
}

/// What `take` makes of the kernel's id and the name of each thread of this process.
pub(crate) fn threads_of_process<T>(mut take: impl FnMut(i32, &str) -> Option<T>) -> Vec<T> {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let of_thread = |thread: std::fs::DirEntry| {
        let name = std::fs::read_to_string(thread.path().join("comm")).ok()?;
        take(thread.file_name().to_str()?.parse().ok()?, name.trim_end())
    };
    threads.flatten().filter_map(of_thread).collect()
}

/// Calls the observer, unless it is already running.
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
        WATCHED.store(NO_THREAD, Ordering::Release);
        // The payload's destructor might panic as well.
        std::mem::forget(payload);
    }
    if let (Some(errno), Some(kept)) = (errno, kept) {
        errno.set(kept);
    }
}

pub(crate) fn errno_place() -> Option<&'static Cell<c_int>> {
    // SAFETY: the thread's own errno lives as long as the thread, and only this thread uses it.
    unsafe { libc::__errno_location().cast::<Cell<c_int>>().as_ref() }
}

pub(crate) fn this_thread() -> usize {
    // SAFETY: `pthread_self` has no preconditions.
    let thread = unsafe { libc::pthread_self() };
    usize::try_from(thread).unwrap_or(0)
}
