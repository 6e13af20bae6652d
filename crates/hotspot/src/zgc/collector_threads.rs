//! The CPU time of ZGC's workers, which mark and move objects: what a cycle costs, since its pauses say
//! nothing. What threads of the program move themselves is not in it, nor the little that drivers do.
//!
//! Workers are known by their names, and their clocks by the kernel's numbers of them. New workers are looked for away from the
//! drivers, because that reads a file for each thread of the process; a worker that is found late brings all that it has used so far.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::hooks::watched_thread::threads_of_process;
use crate::zgc::cycle_report::CycleKind;

/// Beginnings of names, and whether the thread works for the old generation alone. The kernel keeps 15 bytes of a name.
const NAMES: [(&str, Part); 4] = [
    ("ZWorkerYoung", Part::Young),
    ("ZWorkerOld", Part::Old),
    ("ZWorker", Part::Young),
    ("XWorker", Part::Young),
];

/// The generation for which a thread works; without generations, all work for the young one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Young,
    Old,
}

impl Part {
    fn of_thread(name: &str) -> Option<Self> {
        let found = NAMES.iter().find(|(start, _)| name.starts_with(start));
        found.map(|(_, part)| *part)
    }

    fn of_cycle(kind: CycleKind) -> Self {
        match kind {
            CycleKind::Whole | CycleKind::Young => Self::Young,
            CycleKind::Old => Self::Old,
        }
    }
}

#[derive(Debug)]
struct CollectorThread {
    number: i32,
    part: Part,
    /// Its CPU time when it was last read.
    nanos: u64,
}

/// The threads that were found so far.
#[derive(Debug, Default)]
pub(crate) struct CollectorThreads {
    threads: Mutex<Vec<CollectorThread>>,
}

impl CollectorThreads {
    /// Looks for threads that are new. Not on a driver.
    pub(crate) fn find(&self) {
        let found = threads_of_process(|number, name| Some((number, Part::of_thread(name)?)));
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for (number, part) in found {
            if threads.iter().all(|known| known.number != number) {
                threads.push(CollectorThread {
                    number,
                    part,
                    nanos: 0,
                });
            }
        }
    }

    /// CPU time (nanoseconds) of the threads that work for such a cycle, since the last time.
    pub(crate) fn used(&self, kind: CycleKind) -> u64 {
        let part = Part::of_cycle(kind);
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let of_part = threads.iter_mut().filter(|thread| thread.part == part);
        of_part
            .map(|thread| {
                let before = thread.nanos;
                // A thread that ended keeps what it had.
                thread.nanos = cpu_nanos(thread.number).unwrap_or(before);
                thread.nanos.saturating_sub(before)
            })
            .sum()
    }
}

/// The CPU time of a thread of this process.
fn cpu_nanos(number: i32) -> Option<u64> {
    // The kernel's clock of a thread (`CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED`).
    clock_nanos((!number << 3) | 6)
}

/// CPU time of this thread.
pub(crate) fn thread_cpu() -> Duration {
    Duration::from_nanos(clock_nanos(libc::CLOCK_THREAD_CPUTIME_ID).unwrap_or(0))
}

fn clock_nanos(clock: libc::clockid_t) -> Option<u64> {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is ours; a clock that does not exist is an error.
    let outcome = unsafe { libc::clock_gettime(clock, &raw mut time) };
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let nanos = u64::try_from(time.tv_nsec).ok()?;
    (outcome == 0).then(|| seconds * 1_000_000_000 + nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_known_by_what_they_work_for() {
        for (name, part) in [
            ("ZWorkerYoung#0", Some(Part::Young)),
            ("ZWorkerOld#1", Some(Part::Old)),
            ("ZDriverMajor", None),
            ("XWorker#3", Some(Part::Young)),
            ("ZDirector", None),
            ("main", None),
        ] {
            assert_eq!(Part::of_thread(name), part, "{name}");
        }
    }

    fn own() -> u64 {
        u64::try_from(thread_cpu().as_nanos()).expect("nanoseconds")
    }

    #[test]
    fn the_clock_of_a_thread_is_its_own() {
        let (said, is_said) = std::sync::mpsc::channel();
        let (enough, is_enough) = std::sync::mpsc::channel::<()>();
        let busy = std::thread::spawn(move || {
            let mut sum = 0_u64;
            while own() < 20_000_000 {
                sum = std::hint::black_box(sum.wrapping_mul(31).wrapping_add(1));
            }
            // SAFETY: `gettid` has no preconditions.
            let _ = said.send((unsafe { libc::gettid() }, own()));
            let _ = is_enough.recv();
        });
        let (number, own) = is_said.recv().expect("the thread");
        let seen = cpu_nanos(number).expect("its clock");
        assert!((own..own + 10_000_000).contains(&seen), "{own} {seen}");
        drop(enough);
        busy.join().expect("the thread");
        // The kernel frees the number shortly after the join.
        let gone = (0..1000).any(|_| {
            std::thread::sleep(Duration::from_millis(1));
            cpu_nanos(number).is_none()
        });
        assert!(gone);
    }
}
