//! The agent's own work in the pauses of a concurrent collector, measured by what other programs of the machine do not change:
//! CPU time, page faults, and how often the VM thread had to wait. `scripts/bench concurrent` shows it beside the pauses.

use std::fmt;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::process::thread_clock::thread_cpu;

/// The agent's work in each pause so far.
#[derive(Debug)]
pub(super) struct HookWork {
    /// Locked by the VM thread in pauses, and once at the end: a pause does not wait for that.
    pauses: Mutex<Vec<Work>>,
}

impl Default for HookWork {
    fn default() -> Self {
        Self {
            pauses: Mutex::new(Vec::with_capacity(MOST)),
        }
    }
}

/// The cost of a stretch of work.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    cpu: Duration,
    wall: Duration,
    faults: u64,
    waits: u64,
}

/// A stretch of work that goes on.
#[derive(Debug)]
pub(super) struct UnderWay {
    cpu: Duration,
    wall: Instant,
    counts: (u64, u64),
}

/// Enough for percentiles.
const MOST: usize = 100_000;

impl UnderWay {
    /// Work of the current thread begins.
    pub(super) fn begin() -> Self {
        Self {
            counts: faults_and_waits(),
            wall: Instant::now(),
            cpu: thread_cpu(),
        }
    }

    fn end(self) -> Work {
        let (cpu, wall) = (thread_cpu(), self.wall.elapsed());
        let (faults, waits) = faults_and_waits();
        Work {
            cpu: cpu.saturating_sub(self.cpu),
            wall,
            faults: faults - self.counts.0,
            waits: waits - self.counts.1,
        }
    }
}

impl HookWork {
    /// The work at the start of a pause is over.
    pub(super) fn begins(&self, work: UnderWay) {
        let work = work.end();
        if let Some(mut pauses) = self.pauses.try_lock()
            && pauses.len() < MOST
        {
            pauses.push(work);
        }
    }

    /// The work at its end is over.
    pub(super) fn ends(&self, work: UnderWay) {
        let work = work.end();
        if let Some(pause) = self
            .pauses
            .try_lock()
            .as_mut()
            .and_then(|all| all.last_mut())
        {
            pause.cpu += work.cpu;
            pause.wall += work.wall;
            pause.faults += work.faults;
            pause.waits += work.waits;
        }
    }
}

impl fmt::Display for HookWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pauses = self.pauses.lock();
        let (cpu, wall) = (
            sorted(&pauses, |one| one.cpu),
            sorted(&pauses, |one| one.wall),
        );
        let faulting = pauses.iter().filter(|one| one.faults > 0).count();
        let waiting = pauses.iter().filter(|one| one.waits > 0).count();
        write!(
            f,
            "in {} pauses of the collector, the agent's CPU time was {}, its time {}; page faults in {faulting} pauses, waits in {waiting}",
            pauses.len(),
            Percentiles(&cpu),
            Percentiles(&wall),
        )
    }
}

/// Sorted times in milliseconds.
struct Percentiles<'a>(&'a [Duration]);

impl fmt::Display for Percentiles<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |percent: usize| {
            let index = (self.0.len() * percent / 100).min(self.0.len().saturating_sub(1));
            self.0.get(index).copied().unwrap_or_default().as_secs_f64() * 1e3
        };
        let (median, late, longest) = (at(50), at(99), at(100));
        write!(
            f,
            "{median:.3} ms at the median, {late:.3} at the 99th percentile, {longest:.3} at the longest"
        )
    }
}

fn sorted(pauses: &[Work], of: impl Fn(&Work) -> Duration) -> Vec<Duration> {
    let mut times: Vec<Duration> = pauses.iter().map(of).collect();
    times.sort_unstable();
    times
}

/// Page faults of the current thread, and how often it gave its core away to wait.
fn faults_and_waits() -> (u64, u64) {
    // SAFETY: `rusage` consists of plain numbers, so all zeros is valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes `usage` during the call only.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    let number = |count: libc::c_long| u64::try_from(count).unwrap_or(0);
    (
        number(usage.ru_minflt) + number(usage.ru_majflt),
        number(usage.ru_nvcsw),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_time_without_cpu() {
        let work = HookWork::default();
        work.begins(UnderWay::begin());
        let under_way = UnderWay::begin();
        std::thread::sleep(Duration::from_millis(30));
        work.ends(under_way);
        let said = work.to_string();
        assert!(said.starts_with("in 1 pauses"), "{said}");
        assert!(said.contains("waits in 1"), "{said}");
        let pause = work.pauses.lock()[0];
        assert!(pause.wall >= Duration::from_millis(30), "{pause:?}");
        assert!(pause.cpu < Duration::from_millis(10), "{pause:?}");
    }
}
