//! While the world stands still, the threads of the log do as well: the collector wants every core.
//!
//! They look here between two pieces of work, holding nothing. What comes meanwhile waits in the queue, where handing over never blocks. A standstill whose
//! end was not reported is over after [`LONGEST`]; then a long pause has them back, too.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

const LONGEST: Duration = Duration::from_millis(100);

/// Shared by all threads of a log.
#[derive(Debug, Default)]
pub(crate) struct Standstill {
    on: AtomicBool,
    gate: Mutex<()>,
    over: Condvar,
}

impl Standstill {
    /// It begins. Costs nothing.
    pub(crate) fn begin(&self) {
        self.on.store(true, Ordering::Release);
    }

    /// It is over.
    pub(crate) fn end(&self) {
        if self.on.swap(false, Ordering::AcqRel) {
            let _gate = self.gate.lock();
            self.over.notify_all();
        }
    }

    /// Returns at once, or when it is over.
    pub(crate) fn wait(&self) {
        if !self.on.load(Ordering::Acquire) {
            return;
        }
        let mut gate = self.gate.lock();
        while self.on.load(Ordering::Acquire) {
            if self.over.wait_for(&mut gate, LONGEST).timed_out() {
                self.on.store(false, Ordering::Release);
                self.over.notify_all();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, Standstill};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    #[test]
    fn who_comes_meanwhile_waits_until_it_is_over() {
        let standstill = Standstill::default();
        standstill.wait();
        standstill.begin();
        let (told, start) = (AtomicBool::new(false), Instant::now());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                standstill.wait();
                told.load(Ordering::Acquire) || start.elapsed() >= LONGEST
            });
            thread::sleep(Duration::from_millis(5));
            told.store(true, Ordering::Release);
            standstill.end();
            assert!(waiting.join().expect("no panic"));
        });
        standstill.wait();
    }

    #[test]
    fn an_end_that_nobody_tells_comes_by_itself() {
        let standstill = Standstill::default();
        standstill.begin();
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| standstill.wait());
            }
        });
        standstill.end();
    }
}
