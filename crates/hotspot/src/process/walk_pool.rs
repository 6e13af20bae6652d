//! A pool of threads that help to walk the heap during a pause.
//!
//! During a pause the program's threads are stopped, so their cores are free. The threads of the pool are created once and wait. The VM
//! thread posts work that any thread can take parts of, and takes parts itself. It does not wait for threads that have not joined when all
//! parts are taken, so on a machine without a free core the VM thread does everything alone.
//!
//! They are native threads unknown to the VM, with all signals blocked.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;

use crate::process::own_thread::block_signals;

/// Upper bound on helper threads: with more, memory bandwidth is the limit.
const MOST_THREADS: usize = 7;

/// Work on less memory than this is done by one thread.
const LEAST_SHARED: usize = 8 << 20;

/// The pool.
pub(crate) struct WalkPool {
    shared: Arc<PoolState>,
    threads: usize,
}

#[derive(Default)]
struct PoolState {
    state: Mutex<State>,
    /// Signalled when there is work, or when the pool ends.
    called: Condvar,
    /// Signalled when a thread has left the work.
    left: Condvar,
}

#[derive(Default)]
struct State {
    work: Option<Work>,
    /// Counts the pieces of work, so that no thread joins the same one twice.
    number: u64,
    /// Threads that are running the work.
    inside: usize,
    ended: bool,
    /// A helper panicked in the current piece of work.
    failed: bool,
}

/// The closure that every thread runs. The reference stays valid: [`WalkPool::run`] removes it and waits for its users before it returns.
#[derive(Clone, Copy)]
struct Work(&'static (dyn Fn() + Sync));

impl WalkPool {
    /// Starts one thread for each core except the VM thread's. Continues with fewer if a thread cannot be created.
    pub(crate) fn new() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let shared = Arc::new(PoolState::default());
        let mut threads = 1;
        for _ in 1..cores.min(MOST_THREADS + 1) {
            let shared = Arc::clone(&shared);
            let helper = thread::Builder::new()
                .name("ducktrack-walk".to_owned())
                .stack_size(256 << 10);
            if helper.spawn(move || help(&shared)).is_err() {
                break;
            }
            threads += 1;
        }
        Self { shared, threads }
    }

    /// Threads that can work at once, this one included.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Runs `work` on this thread and on those that join, until all have returned. Returns whether none of them panicked.
    pub(crate) fn run(&self, work: &(dyn Fn() + Sync)) -> bool {
        // SAFETY: only the lifetime changes. Before this function returns,
        // `finish` removes the reference and waits for every thread that uses it.
        let shared_work: &'static (dyn Fn() + Sync) = unsafe { std::mem::transmute(work) };
        {
            let mut state = self.shared.lock();
            state.work = Some(Work(shared_work));
            state.number += 1;
            state.failed = false;
        }
        self.shared.called.notify_all();
        let outcome = catch_unwind(AssertUnwindSafe(work));
        self.finish() && outcome.is_ok()
    }

    /// Runs a worker on every item, with one worker per thread. Returns the
    /// results in the order of the items, or `None` if a worker panicked.
    pub(crate) fn map<T: Sync, R: Send, W: FnMut(&T) -> R>(
        &self,
        items: &[T],
        new_worker: impl Fn() -> W + Sync,
    ) -> Option<Vec<R>> {
        let next = AtomicUsize::new(0);
        let all = Mutex::new(Vec::with_capacity(items.len()));
        let whole = self.run(&|| {
            let mut worker = new_worker();
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(number) else {
                    break;
                };
                done.push((number, worker(item)));
            }
            all.lock()
                .unwrap_or_else(|lock| lock.into_inner())
                .append(&mut done);
        });
        let mut all = all.into_inner().unwrap_or_else(|lock| lock.into_inner());
        all.sort_unstable_by_key(|(number, _)| *number);
        whole.then(|| all.into_iter().map(|(_, result)| result).collect())
    }

    /// Like [`WalkPool::map`], for work on this many bytes. Uses the pool only if the work is large: a helper can lose its core to a JIT
    /// thread and prolong the pause.
    pub(crate) fn map_bytes<T: Sync, R: Send, W: FnMut(&T) -> R>(
        &self,
        bytes: usize,
        items: &[T],
        new_worker: impl Fn() -> W + Sync,
    ) -> Option<Vec<R>> {
        if bytes >= LEAST_SHARED {
            return self.map(items, new_worker);
        }
        let alone = AssertUnwindSafe(|| items.iter().map(new_worker()).collect());
        catch_unwind(alone).ok()
    }

    /// Removes the work, and waits for the threads that are running it.
    fn finish(&self) -> bool {
        let mut state = self.shared.lock();
        state.work = None;
        while state.inside != 0 {
            state = self
                .shared
                .left
                .wait(state)
                .unwrap_or_else(|lock| lock.into_inner());
        }
        !state.failed
    }
}

impl Drop for WalkPool {
    fn drop(&mut self) {
        self.shared.lock().ended = true;
        self.shared.called.notify_all();
    }
}

impl fmt::Debug for WalkPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WalkPool").finish_non_exhaustive()
    }
}

impl PoolState {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|lock| lock.into_inner())
    }
}

/// The main loop of a helper.
fn help(shared: &PoolState) {
    block_signals();
    let mut done = 0;
    let mut state = shared.lock();
    while !state.ended {
        let Some(work) = state.work.filter(|_| state.number != done) else {
            state = shared
                .called
                .wait(state)
                .unwrap_or_else(|lock| lock.into_inner());
            continue;
        };
        done = state.number;
        state.inside += 1;
        drop(state);
        let outcome = catch_unwind(AssertUnwindSafe(work.0));
        state = shared.lock();
        state.inside -= 1;
        state.failed |= outcome.is_err();
        shared.left.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::WalkPool;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn every_part_is_done_once() {
        let pool = WalkPool::new();
        for round in 0..200 {
            let (next, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let whole = pool.run(&|| {
                loop {
                    let part = next.fetch_add(1, Ordering::Relaxed);
                    if part >= round {
                        return;
                    }
                    sum.fetch_add(part + 1, Ordering::Relaxed);
                }
            });
            assert!(whole);
            assert_eq!(sum.into_inner(), round * (round + 1) / 2);
        }
    }

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let pool = WalkPool::new();
        let items: Vec<usize> = (0..1000).collect();
        let squares = pool.map(&items, || |item: &usize| item * item);
        let squares = squares.expect("no panic");
        assert!(squares.iter().enumerate().all(|(at, &is)| is == at * at));
    }

    #[test]
    fn panics_are_reported() {
        let pool = WalkPool::new();
        assert!(!pool.run(&|| panic!("expected by this test")));
        assert!(pool.run(&|| {}));
    }
}
