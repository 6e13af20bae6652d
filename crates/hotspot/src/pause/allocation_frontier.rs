//! Tracks how far the program has filled the young space since the last pause, from occasional reports of its threads.
//!
//! ```text
//! |............free............|  lag  |........filled........|
//!                              ^ lowest                       end of the heap
//! ```
//!
//! G1 hands out free regions from the end of the heap down. So memory well above the lowest TLAB top of any thread is filled and will
//! hardly be written again, as most objects in it are dead by then. This is a guess that only performance may depend on.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Thread};

use crate::address::Address;

/// No thread has reported yet.
const NOWHERE: usize = usize::MAX;

/// The frontier, and the thread that waits for it to pass an address.
#[derive(Debug)]
pub struct AllocationFrontier {
    lowest: AtomicUsize,
    /// The waiting thread wants to be woken when the frontier is below this; 0 if it does not wait.
    wanted: AtomicUsize,
    waiting: OnceLock<Thread>,
}

impl AllocationFrontier {
    pub(crate) fn new() -> Self {
        Self {
            lowest: AtomicUsize::new(NOWHERE),
            wanted: AtomicUsize::new(0),
            waiting: OnceLock::new(),
        }
    }

    /// Reports the top of a thread's TLAB, as it is since the last pause. Takes a few instructions, unless a thread waits for this address.
    pub fn note(&self, top: Address) {
        let top = top.0;
        if top == 0 || top >= self.lowest.load(Ordering::Relaxed) {
            return;
        }
        self.lowest.fetch_min(top, Ordering::SeqCst);
        if top < self.wanted.load(Ordering::SeqCst) {
            self.wake();
        }
    }

    /// Forgets all reports, because a pause is over.
    pub(crate) fn begin_anew(&self) {
        self.lowest.store(NOWHERE, Ordering::SeqCst);
        self.wake();
    }

    /// Waits until the frontier is below an address. Returns false if `goes_on` returns false after the frontier was reset. Always called
    /// by the same thread.
    pub(crate) fn wait_below(&self, address: Address, goes_on: impl Fn() -> bool) -> bool {
        self.waiting.get_or_init(thread::current);
        loop {
            self.wanted.store(address.0, Ordering::SeqCst);
            if !goes_on() {
                return false;
            }
            if self.lowest.load(Ordering::SeqCst) < address.0 {
                return true;
            }
            thread::park();
        }
    }

    fn wake(&self) {
        self.wanted.store(0, Ordering::SeqCst);
        if let Some(thread) = self.waiting.get() {
            thread.unpark();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn waiting_thread_is_woken_when_the_frontier_passes_or_resets() {
        let (frontier, goes_on) = (AllocationFrontier::new(), AtomicBool::new(true));
        thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let wait = |address| {
                    frontier.wait_below(Address(address), || goes_on.load(Ordering::SeqCst))
                };
                (wait(0x5000), wait(0x3000), wait(0x1000))
            });
            for top in [0, 0x9000, 0x4000, 0x8000, 0x2000] {
                frontier.note(Address(top));
            }
            while frontier.wanted.load(Ordering::SeqCst) != 0x1000 {
                thread::yield_now();
            }
            goes_on.store(false, Ordering::SeqCst);
            frontier.begin_anew();
            assert_eq!(waiting.join().expect("no panic"), (true, true, false));
        });
    }
}
