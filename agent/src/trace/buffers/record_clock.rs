//! The clock that records read: a word that a thread of the agent advances, and the word that says who wrote last.
//!
//! A record has the clock's value at the moment at which its thread looked at it, and two records of different threads are ordered by these
//! values. So the clock must go on often while two threads write: each [`STEP`]. While only one writes, nothing has to be ordered, and the
//! clock rests: it goes on each [`REST`], because each time that the thread wakes takes about 20 microseconds of CPU on a virtual machine.
//!
//! The first record of a thread after each step is written by way of `DuckTrackEventBuffer.ready`, because the
//! clock is not what the thread has written last. There the thread reads the clock's value C, then looks who
//! wrote last, and then writes C. If the last writer is another thread, it calls [`become_writer`] in between: it
//! puts itself into the word, ends the step if that is older than [`STEP`], and wakes the clock if that rests.
//!
//! Why no order is lost: let two threads write records with one value C.
//!
//! - Both have read C first and the last writer after that. A thread goes on without a call only if it has found
//!   its own block there, and only the thread itself writes that. Both words are read and written in one order
//!   that all threads see (`SeqCst`). So at least one of the two has written its block there since it has read C.
//! - If C was older than [`STEP`] then, that thread has ended the step before it wrote its
//!   first record. Records that it or the other one begins after that have a higher value.
//! - If C was younger, C is from now on a step like those of two writers: the clock has not gone to rest (it
//!   says so *before* it begins a step of rest, so it goes on after [`STEP`]), or the thread has seen that
//!   it rests and has woken it. One that is woken sees that the writer has changed, and goes on at once.
//! - If the clock goes to rest just as the writer changes, the thread may have missed it. Then it put itself into the word before the step
//!   of rest began, so it was the last writer when that step began, and the next other thread changes the word and finds the clock at rest.
//!
//! So a step in which two threads write takes as long as without rests: [`STEP`] and the time that the clock's thread needs to get a core.
//! It does not matter when the clock goes to rest; [`CALM`] is only chosen so that two threads that take turns do not wake it each time.
//!
//! - **A thread stops anywhere** (a safepoint, no core, `-Xint`): it may write an old C, then the clock is not what it has
//!   written, and its record begins anew. It has put itself into the word later than it has read C, however long that took.
//! - **The stack ends in the call**: the VM throws before anything has changed, and
//!   the record is missing, which is counted. The next one of the thread calls again.
//! - **A block gets a new thread**: it is not the writer that the old thread was ([`forget_writer`]).
//! - **Virtual threads** write into the block of their carrier, and are ordered as carriers are.
//! - **Threads without a block** write no records, and are no writers.
//! - **Pieces begin at the time of their own**: the clock is no further than [`STEP`] behind it
//!   ([`keep_up`]), so that a writer at rest stays in order with threads that only allocate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{JoinHandle, Thread};
use std::time::Duration;

use parking_lot::RwLock;

use crate::process::clock::unix_micros;

/// From one look at the time to the next while two threads write. Their records are ordered to about that.
const STEP: Duration = Duration::from_micros(80);
const STEP_MICROS: u64 = STEP.as_micros() as u64;

/// The same while one thread writes, or none. Wall-clock times of records are exact to about that.
const REST: Duration = Duration::from_millis(1);

/// The clock rests when the writer has not changed for so long.
const CALM_MICROS: u64 = 2_000;

/// The shortest that the kernel allows.
const SLICE: Duration = Duration::from_micros(100);

/// On cache lines of its own: two, because processors fetch them in pairs.
#[repr(align(128))]
struct Apart<T>(T);

/// The state that changes when another thread writes.
struct Writer {
    /// The block of the thread that wrote last; 0: none. Java code reads it.
    last: AtomicU64,
    /// When that changed, microseconds since 1970.
    changed: AtomicU64,
    /// The clock rests, from before the first step of rest on.
    rests: AtomicBool,
}

/// Microseconds since 1970, which records read; 0: there is no clock.
static CLOCK: Apart<AtomicU64> = Apart(AtomicU64::new(0));
static WRITER: Apart<Writer> = Apart(Writer {
    last: AtomicU64::new(0),
    changed: AtomicU64::new(0),
    rests: AtomicBool::new(false),
});
/// Who must be woken.
static THREAD: RwLock<Option<Thread>> = RwLock::new(None);

/// Where the clock is, for helper classes.
pub(crate) fn clock_word() -> &'static AtomicU64 {
    &CLOCK.0
}

/// Where the last writer is, for helper classes.
pub(crate) fn last_writer_word() -> &'static AtomicU64 {
    &WRITER.0.last
}

/// The current thread, which has this block, is about to write, and another one wrote last.
pub(crate) fn become_writer(block: u64) {
    let Writer {
        last,
        changed,
        rests,
    } = &WRITER.0;
    last.swap(block, Ordering::SeqCst);
    let now = unix_micros();
    changed.store(now, Ordering::SeqCst);
    keep_up(now);
    if rests.load(Ordering::SeqCst)
        && let Some(clock) = &*THREAD.read()
    {
        clock.unpark();
    }
}

/// A thread begins to write into this block. Called before it can.
pub(crate) fn forget_writer(block: u64) {
    // If another one wrote last, it stays.
    let _ = WRITER
        .0
        .last
        .compare_exchange(block, 0, Ordering::SeqCst, Ordering::SeqCst);
}

/// It is `now`: a step that is older than [`STEP`] ends.
pub(crate) fn keep_up(now: u64) {
    let seen = CLOCK.0.load(Ordering::SeqCst);
    if seen != 0 && now >= seen + STEP_MICROS {
        // Else another thread has ended it.
        let _ = CLOCK
            .0
            .compare_exchange(seen, now, Ordering::SeqCst, Ordering::SeqCst);
    }
}

/// The next step. The word is read first, so that it goes back only if the system's clock did.
fn go_on() {
    let seen = CLOCK.0.load(Ordering::SeqCst);
    // Else another thread has gone on.
    let _ = CLOCK
        .0
        .compare_exchange(seen, unix_micros(), Ordering::SeqCst, Ordering::SeqCst);
}

/// One step, and the wait for the next. That the clock rests is said before the step begins.
fn step_and_wait() {
    let Writer { changed, rests, .. } = &WRITER.0;
    let is_calm = unix_micros().saturating_sub(changed.load(Ordering::SeqCst)) >= CALM_MICROS;
    if rests.load(Ordering::Relaxed) != is_calm {
        rests.store(is_calm, Ordering::SeqCst);
    }
    go_on();
    if is_calm {
        std::thread::park_timeout(REST);
    } else {
        std::thread::sleep(STEP);
    }
}

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
        go_on();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name("ducktrack-clock".to_owned())
            .spawn(move || {
                be_punctual();
                come_first();
                *THREAD.write() = Some(std::thread::current());
                while !stopped.load(Ordering::Relaxed) {
                    step_and_wait();
                }
                *THREAD.write() = None;
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

/// This thread needs a core at once, for a microsecond in each step. A thread of real time gets that,
/// where the process may have one; else a short slice (Linux 6.12 and later) makes its turn come sooner.
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
    // SAFETY: the kernel reads `size` bytes of a variable of this function. An
    // older kernel refuses or ignores the slice, and the thread stays as it is.
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

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn wait_until(what: impl Fn() -> bool) {
        let start = Instant::now();
        while !what() {
            assert!(start.elapsed() < Duration::from_secs(20), "never");
            std::thread::sleep(Duration::from_micros(300));
        }
    }

    #[test]
    fn a_new_writer_ends_the_step_and_the_rest() {
        let mut clock = RecordClock::start().expect("a clock");
        let Writer {
            last,
            changed,
            rests,
        } = &WRITER.0;
        let time = || CLOCK.0.load(Ordering::SeqCst);
        wait_until(|| rests.load(Ordering::SeqCst));
        let before = unix_micros();
        become_writer(1);
        assert!(time() + STEP_MICROS > before, "the step was not ended");
        assert!(changed.load(Ordering::SeqCst) >= before);
        forget_writer(2);
        assert_eq!(last.load(Ordering::SeqCst), 1);
        forget_writer(1);
        assert_eq!(last.load(Ordering::SeqCst), 0);
        wait_until(|| unix_micros() > before + 10 * CALM_MICROS && rests.load(Ordering::SeqCst));
        let resting = time();
        wait_until(|| time() > resting);
        clock.stop();
        keep_up(unix_micros() + 1_000_000);
        let stopped = time();
        keep_up(stopped + STEP_MICROS - 1);
        assert_eq!(time(), stopped);
    }
}
