//! The CPU time of another thread of this process, like the VM's own thread, which does the
//! work of a safepoint. A stop takes longer than that if other processes have the processors.

use std::time::Duration;

/// The clock of another thread of this process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OtherThread {
    clock: libc::clockid_t,
}

impl OtherThread {
    /// The VM's thread, which HotSpot calls `VM Thread`.
    pub(crate) fn vm() -> Option<Self> {
        thread_ids()
            .find(|id| thread_name(*id).as_deref() == Some("VM Thread"))
            .map(Self::of)
    }

    pub(crate) fn of(id: libc::pid_t) -> Self {
        Self {
            clock: clock_of(id),
        }
    }

    /// The CPU time it has taken so far.
    pub(crate) fn cpu(self) -> Option<Duration> {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: the kernel writes `time` during the call only, and refuses the clock of a thread that is gone.
        if unsafe { libc::clock_gettime(self.clock, &raw mut time) } != 0 {
            return None;
        }
        let seconds = u64::try_from(time.tv_sec).ok()?;
        Some(Duration::new(seconds, u32::try_from(time.tv_nsec).ok()?))
    }
}

/// The threads of this process.
pub(crate) fn thread_ids() -> impl Iterator<Item = libc::pid_t> {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    tasks.filter_map(|task| task.ok()?.file_name().to_str()?.parse().ok())
}

/// The kernel's name of a thread: at most 15 bytes. `None`: it has ended.
pub(crate) fn thread_name(id: libc::pid_t) -> Option<String> {
    let comm = std::fs::read_to_string(format!("/proc/self/task/{id}/comm")).ok()?;
    Some(comm.trim_end().to_owned())
}

/// How the kernel numbers the CPU clock of a thread (`CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED`), as `pthread_getcpuclockid` does.
fn clock_of(thread: libc::pid_t) -> libc::clockid_t {
    !thread << 3 | 4 | 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_of_a_thread_is_its_own() {
        // SAFETY: the call has no arguments and cannot fail.
        let thread = unsafe { libc::gettid() };
        let own = OtherThread::of(thread);
        let before = own.cpu().expect("a clock");
        std::thread::sleep(Duration::from_millis(20));
        let slept = own.cpu().expect("a clock") - before;
        assert!(slept < Duration::from_millis(15), "{slept:?}");
        let start = std::time::Instant::now();
        while own.cpu().expect("a clock") - before < Duration::from_millis(20) {
            assert!(start.elapsed() < Duration::from_secs(60));
        }
        let gone = OtherThread::of(0x3f_ffff);
        assert_eq!(gone.cpu(), None);
    }
}
