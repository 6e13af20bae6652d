//! Finds out whether the process that wrote a trace is still running: same number, same start time, same boot of the machine.

use std::fs;
use std::path::Path;

use ducktrack_trace_format::{ProcessState, boot_id, process_state_and_start};

use crate::counter_file::MappedCounters;

/// Asks the operating system about the process of these counters.
pub(crate) fn process_state(counters: &MappedCounters) -> ProcessState {
    if counters.process_start == 0 || counters.boot_id == [0, 0] {
        return ProcessState::Unknown;
    }
    let boot_id = fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .ok()
        .and_then(|text| boot_id(&text));
    match boot_id {
        None => ProcessState::Unknown,
        // Either another machine, or this one after a reboot. Only after a reboot would the process be gone for
        // certain.
        Some(found) if found != counters.boot_id => ProcessState::Unknown,
        Some(_) => state_of(counters),
    }
}

fn state_of(counters: &MappedCounters) -> ProcessState {
    match is_it(Path::new("/proc").join(counters.pid.to_string()), counters)
        || runs_in_a_container(counters)
    {
        true => ProcessState::Running,
        false => ProcessState::Gone,
    }
}

fn is_it(process: impl AsRef<Path>, counters: &MappedCounters) -> bool {
    let Ok(stat) = fs::read_to_string(process.as_ref().join("stat")) else {
        return false;
    };
    match process_state_and_start(&stat) {
        // The process has ended, but its parent has not waited for it yet.
        Some(("Z" | "X", _)) | None => false,
        Some((_, start)) => start == counters.process_start,
    }
}

/// Whether the process has its number in a PID namespace below this one, where it has another number: the last of `NSpid`.
fn runs_in_a_container(counters: &MappedCounters) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else {
        return false;
    };
    let mut processes = processes.flatten().map(|entry| entry.path());
    processes
        .any(|process| is_it(&process, counters) && inner_number(&process) == Some(counters.pid))
}

/// The number that a process has in its own PID namespace.
fn inner_number(process: &Path) -> Option<u32> {
    let status = fs::read_to_string(process.join("status")).ok()?;
    let numbers = status
        .lines()
        .find_map(|line| line.strip_prefix("NSpid:"))?;
    numbers.split_whitespace().last()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> MappedCounters {
        let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
        let (_, start) = process_state_and_start(&stat).expect("fields");
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").expect("Linux");
        MappedCounters {
            pid: std::process::id(),
            process_start: start,
            boot_id: boot_id(&boot).expect("an id"),
            ..MappedCounters::default()
        }
    }

    #[test]
    fn the_number_inside_is_the_last() {
        assert_eq!(
            inner_number(Path::new("/proc/self")),
            Some(std::process::id())
        );
        assert_eq!(inner_number(Path::new("/proc/none")), None);
    }

    #[test]
    fn a_process_is_its_number_and_its_start() {
        let own = own();
        assert_eq!(process_state(&own), ProcessState::Running);
        let other_start = MappedCounters {
            process_start: own.process_start + 1,
            ..own.clone()
        };
        assert_eq!(process_state(&other_start), ProcessState::Gone);
        let other_machine = MappedCounters {
            boot_id: [1, 2],
            ..own.clone()
        };
        assert_eq!(process_state(&other_machine), ProcessState::Unknown);
        let without_process = MappedCounters {
            pid: u32::MAX,
            ..own
        };
        assert_eq!(process_state(&without_process), ProcessState::Gone);
        assert_eq!(
            process_state(&MappedCounters::default()),
            ProcessState::Unknown
        );
    }
}
