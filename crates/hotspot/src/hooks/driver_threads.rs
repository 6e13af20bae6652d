//! The threads on which a concurrent collector runs its phases, and who looks whenever one of them reads the clock.
//!
//! A driver is known by its name. The kernel's number of a thread is asked for only while a driver is
//! sought that was not met yet: until then each thread that reads the clock pays a system call, later only
//! two comparisons. The observer runs on the driver, beside the program; two drivers may run it at once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::hooks::watched_thread::{errno_place, this_number, this_thread, thread_named};

/// An observer of drivers.
pub(crate) trait DriverObserver: Send + Sync {
    /// The driver with this index reads the clock. The VM may be in the middle of anything: do not call it.
    fn look(&self, driver: usize);
}

/// Most drivers of a collector.
const MOST: usize = 2;
const NOBODY: usize = 0;

/// `pthread_self()` of each driver that was met.
static MET: [AtomicUsize; MOST] = [const { AtomicUsize::new(NOBODY) }; MOST];
/// The kernel's number of each driver; 0: it is not sought.
static SOUGHT: [AtomicI32; MOST] = [const { AtomicI32::new(0) }; MOST];
/// Drivers that are sought and were not met yet.
static UNMET: AtomicU32 = AtomicU32::new(0);
static ANY: AtomicBool = AtomicBool::new(false);
static FAILED: AtomicBool = AtomicBool::new(false);
static OBSERVER: RwLock<Option<Arc<dyn DriverObserver>>> = RwLock::new(None);

/// Looks for drivers with these names from now on. False if one of them does not exist.
pub(crate) fn observe(names: &[&str], observer: Arc<dyn DriverObserver>) -> bool {
    rest();
    *OBSERVER.write().unwrap_or_else(PoisonError::into_inner) = Some(observer);
    let mut unmet = 0;
    for (index, name) in names.iter().enumerate().take(MOST) {
        let Some(number) = thread_named(name) else {
            rest();
            return false;
        };
        if let (Some(sought), Some(met)) = (SOUGHT.get(index), MET.get(index)) {
            met.store(NOBODY, Ordering::Relaxed);
            sought.store(number, Ordering::Relaxed);
            unmet += 1;
        }
    }
    UNMET.store(unmet, Ordering::Release);
    true
}

/// Drivers are looked for in earnest: one of them is about to read the clock.
pub(crate) fn expect() {
    ANY.store(true, Ordering::Release);
}

/// Stops observing, and waits for a look that is under way.
pub(crate) fn rest() {
    ANY.store(false, Ordering::Release);
    UNMET.store(0, Ordering::Release);
    for met in &MET {
        met.store(NOBODY, Ordering::Release);
    }
    *OBSERVER.write().unwrap_or_else(PoisonError::into_inner) = None;
}

/// Whether the observer panicked, which ends observing.
pub(crate) fn has_failed() -> bool {
    FAILED.load(Ordering::Relaxed)
}

/// Calls the observer if the calling thread is a driver.
#[inline]
pub(crate) fn look_if_driver() {
    if ANY.load(Ordering::Relaxed) {
        look_if_met();
    }
}

#[cold]
fn look_if_met() {
    let this = this_thread();
    let met = MET
        .iter()
        .position(|met| met.load(Ordering::Relaxed) == this);
    let driver = match met {
        Some(driver) => Some(driver),
        None if UNMET.load(Ordering::Relaxed) > 0 => meet(this),
        None => None,
    };
    if let Some(driver) = driver.filter(|_| !has_failed()) {
        look(driver);
    }
}

/// Whether this is a driver that was not met yet.
fn meet(this: usize) -> Option<usize> {
    let number = this_number();
    let driver = SOUGHT
        .iter()
        .position(|sought| sought.load(Ordering::Relaxed) == number)?;
    let met = MET.get(driver)?;
    if met.swap(this, Ordering::AcqRel) == NOBODY {
        UNMET.fetch_sub(1, Ordering::AcqRel);
    }
    Some(driver)
}

fn look(driver: usize) {
    let errno = errno_place();
    let kept = errno.map(std::cell::Cell::get);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // Held for the time of the look, so that `rest` can wait for it.
        if let Ok(observer) = OBSERVER.try_read()
            && let Some(observer) = observer.as_ref()
        {
            observer.look(driver);
        }
    }));
    if let Err(payload) = outcome {
        FAILED.store(true, Ordering::Relaxed);
        // The payload's destructor might panic as well.
        std::mem::forget(payload);
    }
    if let (Some(errno), Some(kept)) = (errno, kept) {
        errno.set(kept);
    }
}
