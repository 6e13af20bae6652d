//! The resident memory of a process over its life.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Samples while the process runs.
pub(crate) struct MemoryWatch {
    ended: Arc<AtomicBool>,
    sampler: JoinHandle<Vec<u64>>,
}

/// Bytes, sample by sample.
pub(crate) struct Memory {
    samples: Vec<u64>,
}

impl MemoryWatch {
    pub(crate) fn start(pid: u32) -> Self {
        let ended = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&ended);
        let sampler = std::thread::spawn(move || {
            let mut samples = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                samples.extend(resident_bytes(pid));
                std::thread::sleep(Duration::from_millis(100));
            }
            samples
        });
        Self { ended, sampler }
    }

    pub(crate) fn finish(self) -> Memory {
        self.ended.store(true, Ordering::Relaxed);
        Memory {
            samples: self.sampler.join().expect("sampler"),
        }
    }
}

impl Memory {
    /// The median of the second quarter of the run: everything has been used once.
    pub(crate) fn early(&self) -> u64 {
        self.median_of_quarter(1)
    }

    /// The median of the last quarter.
    pub(crate) fn late(&self) -> u64 {
        self.median_of_quarter(3)
    }

    /// Those of all quarters.
    pub(crate) fn medians(&self) -> [u64; 4] {
        [0, 1, 2, 3].map(|quarter| self.median_of_quarter(quarter))
    }

    pub(crate) fn growth(&self) -> u64 {
        self.late().saturating_sub(self.early())
    }

    fn median_of_quarter(&self, quarter: usize) -> u64 {
        let length = self.samples.len() / 4;
        let mut part = self.samples[quarter * length..(quarter + 1) * length].to_vec();
        part.sort_unstable();
        part[part.len() / 2]
    }
}

fn resident_bytes(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}
