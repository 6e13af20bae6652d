//! How far the program has filled the young space since the last pause, as its threads tell now and then.
//!
//! ```text
//! |............free............|  lag  |........filled........|
//!                              ^ lowest                       end of the heap
//! ```
//!
//! G1 gives out free regions from the end of the heap on. So what lies well above the lowest top that any thread has had is filled, and hardly ever written again:
//! most objects are dead by then. That is a guess which nothing may depend on but time.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Thread};

use crate::address::Address;

/// No thread has told anything yet.
const NOWHERE: usize = usize::MAX;

/// The frontier, and the thread that waits for it to come by.
#[derive(Debug)]
pub struct AllocationFrontier {
    lowest: AtomicUsize,
    /// The waiting thread wants to know when the frontier is below this; 0: it does not wait.
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

    /// The top of a thread's allocation buffer, as it is since the last pause. A few instructions, unless a thread waits for just this.
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

    /// A pause is over: what was noted is past.
    pub(crate) fn begin_anew(&self) {
        self.lowest.store(NOWHERE, Ordering::SeqCst);
        self.wake();
    }

    /// Waits until the frontier is below an address. False: `goes_on` says that no one needs the answer any more, and the frontier began anew.
    /// For one thread, always the same.
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
    fn whoever_waits_is_woken_when_it_comes_by_or_begins_anew() {
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
