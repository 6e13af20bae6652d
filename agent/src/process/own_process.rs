//! Identifies this process, so that a reader can tell later whether it still runs; its pid alone may belong to another process by then.

use ducktrack_trace_format::{boot_id, process_state_and_start};

/// The identity of a process on a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OwnProcess {
    pub(crate) pid: u32,
    /// Clock ticks from the machine's boot to the process's start; 0 if unknown.
    pub(crate) start_ticks: u64,
    /// The machine's boot id, in two halves; zeros if unknown.
    pub(crate) boot_id: [u64; 2],
}

impl OwnProcess {
    pub(crate) fn read() -> Self {
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        Self {
            pid: std::process::id(),
            start_ticks: process_state_and_start(&stat).map_or(0, |(_, start)| start),
            boot_id: boot_id(&boot).unwrap_or_default(),
        }
    }
}
