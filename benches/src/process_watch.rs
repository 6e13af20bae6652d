//! Reads kernel data about a process: peak memory, and CPU time of ended children.

use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Watches one process until stopped: its peak memory, and whether it exceeded its time limit (then it is killed).
///
/// `VmHWM` in `/proc/PID/status` is the kernel's own high-water mark, so only growth after the last sample before the
/// end is missed. Samples are 20 ms apart.
pub(crate) struct ProcessWatch {
    stop: Arc<AtomicBool>,
    peak_bytes: Arc<AtomicU64>,
    timed_out: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// What the watch observed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watched {
    pub(crate) peak_bytes: Option<f64>,
    pub(crate) timed_out: bool,
}

impl ProcessWatch {
    pub(crate) fn start(pid: u32, limit: Duration) -> ProcessWatch {
        let stop = Arc::new(AtomicBool::new(false));
        let peak_bytes = Arc::new(AtomicU64::new(0));
        let timed_out = Arc::new(AtomicBool::new(false));
        let (stopped, peak, late) = (stop.clone(), peak_bytes.clone(), timed_out.clone());
        let thread = thread::spawn(move || {
            let started = Instant::now();
            while !stopped.load(Ordering::Relaxed) {
                if let Some(bytes) = high_water_mark(pid) {
                    peak.fetch_max(bytes, Ordering::Relaxed);
                }
                if started.elapsed() > limit && !late.swap(true, Ordering::Relaxed) {
                    end_process(pid);
                }
                thread::sleep(Duration::from_millis(20));
            }
        });
        ProcessWatch {
            stop,
            peak_bytes,
            timed_out,
            thread,
        }
    }

    pub(crate) fn finish(self) -> Watched {
        self.stop.store(true, Ordering::Relaxed);
        // If the watching thread panicked, the values seen before are kept.
        let _ = self.thread.join();
        let peak = self.peak_bytes.load(Ordering::Relaxed);
        Watched {
            peak_bytes: (peak > 0).then_some(peak as f64),
            timed_out: self.timed_out.load(Ordering::Relaxed),
        }
    }
}

/// `kill -9 PID`: the process is our own child and has not been waited for, so its id cannot have been reused.
fn end_process(pid: u32) {
    let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
}

fn high_water_mark(pid: u32) -> Option<u64> {
    parse_high_water_mark(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?)
}

fn parse_high_water_mark(status: &str) -> Option<u64> {
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// User and system time of all children of this process that have been waited for, in milliseconds.
///
/// The difference over one child's life is that child's time: exact, in steps of 10 ms, if children run one at a time.
pub(crate) fn ended_children_cpu_ms() -> Option<f64> {
    parse_children_cpu_ms(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// Fields 16 and 17 of proc(5)'s `stat`, in clock ticks, which user space always sees as 100 a second on Linux.
fn parse_children_cpu_ms(stat: &str) -> Option<f64> {
    let after_name = stat.rsplit_once(')')?.1;
    let mut fields = after_name.split_whitespace().skip(13);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) * 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_lines_are_read() {
        assert_eq!(
            parse_high_water_mark("Name:\tjava\nVmHWM:\t  2048 kB\nVmRSS:\t 10 kB\n"),
            Some(2048 * 1024)
        );
        assert_eq!(parse_high_water_mark("Name:\tkthreadd\n"), None);
        let stat = "42 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 150 25 20 0 9 0 1 2 3";
        assert_eq!(parse_children_cpu_ms(stat), Some(1750.0));
    }

    #[test]
    fn a_process_that_takes_too_long_is_ended_and_said_so() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let watch = ProcessWatch::start(child.id(), Duration::from_millis(60));
        let status = child.wait().unwrap();
        let watched = watch.finish();
        assert!(!status.success() && watched.timed_out);
        assert!(watched.peak_bytes.is_some());
    }

    #[test]
    fn a_childs_cpu_time_is_seen_after_its_end() {
        let before = ended_children_cpu_ms().unwrap();
        let loops = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        assert!(
            Command::new("sh")
                .args(["-c", loops])
                .status()
                .unwrap()
                .success()
        );
        assert!(ended_children_cpu_ms().unwrap() > before);
    }
}
