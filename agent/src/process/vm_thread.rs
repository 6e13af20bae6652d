//! The CPU time of the VM's own thread, which does the work of a safepoint. A stop takes longer than that if other processes have the processors.

use std::time::Duration;

/// The clock of another thread of this process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VmThread {
    clock: libc::clockid_t,
}

impl VmThread {
    /// The VM's thread, which HotSpot calls `VM Thread`.
    pub(crate) fn find() -> Option<Self> {
        let tasks = std::fs::read_dir("/proc/self/task").ok()?;
        let mut ids = tasks.filter_map(|task| task.ok()?.file_name().into_string().ok());
        let id = ids.find(|id| is_named(id, "VM Thread"))?;
        Some(Self {
            clock: clock_of(id.parse().ok()?),
        })
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

fn is_named(id: &str, name: &str) -> bool {
    let comm = std::fs::read_to_string(format!("/proc/self/task/{id}/comm"));
    comm.is_ok_and(|comm| comm.trim_end() == name)
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
        let own = VmThread {
            clock: clock_of(thread),
        };
        let before = own.cpu().expect("a clock");
        std::thread::sleep(Duration::from_millis(20));
        let slept = own.cpu().expect("a clock") - before;
        assert!(slept < Duration::from_millis(15), "{slept:?}");
        let start = std::time::Instant::now();
        while own.cpu().expect("a clock") - before < Duration::from_millis(20) {
            assert!(start.elapsed() < Duration::from_secs(60));
        }
        let gone = VmThread {
            clock: clock_of(0x3f_ffff),
        };
        assert_eq!(gone.cpu(), None);
    }
}
