//! The memory that the agent reports as its own, beside the kernel's figures of the JVM's mappings (`/proc/PID/smaps`).
//!
//! From outside, some mappings are the agent's for certain: its library, files of the output directory, and
//! blocks of counters (private, no room reserved for them, no huge pages). Its other memory is among mappings for
//! which no room is reserved, as malloc's arenas are, and in malloc. So the figure lies between the two sums.

use std::path::Path;

use ducktrack_tests::{agent_library, checked};

use crate::control::done;
use crate::tracked_jvm::{TrackedJvm, jdks_in_turn};

/// Between one look and the other, and for small blocks among the program's.
const SLACK: u64 = 4 << 20;

/// A mapping by the kernel.
struct Mapping {
    path: String,
    resident: u64,
    flags: String,
}

fn mappings(pid: u32) -> Vec<Mapping> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps")).expect("smaps");
    let mut found: Vec<Mapping> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.as_slice(), found.last_mut()) {
            (["Rss:", kilobytes, _], Some(last)) => {
                last.resident = kilobytes.parse::<u64>().expect(line) << 10;
            }
            (["VmFlags:", flags @ ..], Some(last)) => last.flags = flags.join(" "),
            ([range, _, _, _, _, path @ ..], _) if range.contains('-') => found.push(Mapping {
                path: path.join(" "),
                resident: 0,
                flags: String::new(),
            }),
            _ => {}
        }
    }
    found
}

impl Mapping {
    fn has(&self, flags: &[&str]) -> bool {
        let mut flags = flags.iter();
        flags.all(|flag| self.flags.split(' ').any(|word| word == *flag))
    }

    fn is_of(&self, output: &Path) -> bool {
        let path = Path::new(&self.path);
        path.starts_with(output) || path == agent_library()
    }
}

fn sum(mappings: &[Mapping], is_meant: impl Fn(&Mapping) -> bool) -> u64 {
    let meant = mappings.iter().filter(|mapping| is_meant(mapping));
    meant.map(|mapping| mapping.resident).sum()
}

#[test]
fn the_memory_that_is_told_is_what_the_kernel_says() {
    for jdk in jdks_in_turn(17, 20) {
        for mode in ["mode=count", "mode=count,memory=mapped:off", "mode=trace"] {
            let place = tempfile::tempdir().expect("temporary folder");
            let output = place.path().join("out");
            let mut jvm =
                TrackedJvm::recording(&jdk, mode, &output).start_program("ControlProbe", &[]);
            jvm.ask("work 1000000", "DONE");
            jvm.ask("thread 1000", "DONE");
            let status = done(&["info", "--state", "--format=json", &jvm.pid().to_string()]);
            let status: serde_json::Value = serde_json::from_str(&status).expect(&status);
            let told = status["memory_bytes"].as_u64().expect("a number");
            let all = mappings(jvm.pid());
            let certain = |mapping: &Mapping| {
                mapping.is_of(&output)
                    || mapping.path.is_empty() && mapping.has(&["nr", "nh", "wr"])
            };
            let possible = |mapping: &Mapping| {
                mapping.is_of(&output) || mapping.path.is_empty() && mapping.has(&["nr", "wr"])
            };
            let (least, most) = (sum(&all, certain), sum(&all, possible));
            let what = format!("{jdk} {mode}: {told} bytes told, {least} to {most} by the kernel");
            assert!(least > 1 << 20, "{what}");
            assert!(told + SLACK >= least && told <= most + SLACK, "{what}");
            checked(&what);
            jvm.ask("end", "END");
            jvm.end_well();
        }
    }
}
