//! The clock that records read: a word that a thread of the agent advances.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::helper_classes::record_helper::set_clock;
use crate::process::clock::unix_micros;

/// From one look at the time to the next. What two threads did is ordered to about that.
const STEP: Duration = Duration::from_micros(80);

/// The shortest that the kernel allows.
const SLICE: Duration = Duration::from_micros(100);

/// A clock that goes.
#[derive(Debug)]
pub(crate) struct RecordClock {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl RecordClock {
    /// Starts it.
    ///
    /// # Errors
    /// Why there is no thread for it: one sentence.
    pub(crate) fn start() -> Result<Self, String> {
        set_clock(unix_micros());
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name("ducktrack-clock".to_owned())
            .spawn(move || {
                be_punctual();
                come_first();
                while !stopped.load(Ordering::Relaxed) {
                    set_clock(unix_micros());
                    std::thread::sleep(STEP);
                }
            })
            .map_err(|error| format!("there is no thread for the clock: {error}"))?;
        Ok(Self {
            stop,
            thread: Some(thread),
        })
    }

    /// It stands still.
    pub(crate) fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It does nothing that could panic.
            let _ = thread.join();
        }
    }
}

/// This thread needs a core at once, for a microsecond in each step. A thread of real time gets that, where the process may have one; else a short slice (Linux 6.12
/// and later) makes its turn come sooner.
fn come_first() {
    let real_time = libc::sched_param { sched_priority: 1 };
    let policy = libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK;
    // SAFETY: the parameter is a variable of this function; thread 0 is this one.
    if unsafe { libc::sched_setscheduler(0, policy, &raw const real_time) } == 0 {
        return;
    }
    // SAFETY: plain numbers.
    let mut slice: libc::sched_attr = unsafe { std::mem::zeroed() };
    slice.size = size_of::<libc::sched_attr>() as u32;
    slice.sched_runtime = SLICE.as_nanos() as u64;
    // SAFETY: the kernel reads `size` bytes of a variable of this function. An older kernel refuses or ignores the slice, and the thread stays as it is.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const slice, 0) };
}

/// The kernel wakes a thread up to 50 microseconds late, unless it is asked not to; and the JVM's signals are for its own threads.
fn be_punctual() {
    // SAFETY: it sets a number of this thread alone.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1_usize) };
    // SAFETY: a set of signals is plain bytes, which are filled before they are read.
    let mut all: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set is a variable of this function.
    unsafe { libc::sigfillset(&raw mut all) };
    // SAFETY: the set is a variable of this function; the mask of this thread alone is changed.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut()) };
}
