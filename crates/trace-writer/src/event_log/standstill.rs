//! While the world stands still, the log's threads do too: the collector needs every core.
//!
//! They check this between two pieces of work, without holding a lock. Messages wait in the queue meanwhile, and handing them over never
//! blocks. A standstill whose end was not reported ends after [`LONGEST`]; a pause longer than that gets the threads back as well.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

const LONGEST: Duration = Duration::from_millis(100);

/// Whether the world stands still; shared by all threads of a log.
#[derive(Debug, Default)]
pub(crate) struct Standstill {
    on: AtomicBool,
    gate: Mutex<()>,
    over: Condvar,
}

impl Standstill {
    /// Begins a standstill. Costs next to nothing.
    pub(crate) fn begin(&self) {
        self.on.store(true, Ordering::Release);
    }

    /// Ends the standstill.
    pub(crate) fn end(&self) {
        if self.on.swap(false, Ordering::AcqRel) {
            let _gate = self.gate.lock();
            self.over.notify_all();
        }
    }

    /// Waits for the end of a standstill; returns immediately if there is none.
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
    fn threads_wait_until_the_standstill_is_over() {
        let standstill = Standstill::default();
        standstill.wait();
        standstill.begin();
        let (is_reported, start) = (AtomicBool::new(false), Instant::now());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                standstill.wait();
                is_reported.load(Ordering::Acquire) || start.elapsed() >= LONGEST
            });
            thread::sleep(Duration::from_millis(5));
            is_reported.store(true, Ordering::Release);
            standstill.end();
            assert!(waiting.join().expect("no panic"));
        });
        standstill.wait();
    }

    #[test]
    fn a_standstill_without_a_reported_end_ends_by_itself() {
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
