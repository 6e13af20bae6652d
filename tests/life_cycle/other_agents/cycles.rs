//! The service under attach and stop, again and again: every answer is the bare service's, also
//! those during the attach and the stop, and no descriptor is left. Its resident memory is told.
//!
//! Its handlers are first used while the agent records: Spring then reads the names of their parameters from classes that were exchanged.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use ducktrack_tests::{
    Jdk, agent_library, checked, ducktrack_command, is_full_run, jdks_in_turn, matrix_jdks,
    printed_by,
};

use crate::conversation::{Conversation, greeting};
use crate::service::Service;
use crate::{OLDEST_JAVA, QUICK};

/// Descriptors that the service opens late, whoever attaches.
const OF_THE_SERVICE: usize = 4;

/// What a process has.
#[derive(Clone, Copy)]
struct Holdings {
    descriptors: usize,
    kilobytes: u64,
}

impl fmt::Display for Holdings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} descriptors and {} kB",
            self.descriptors, self.kilobytes
        )
    }
}

impl Holdings {
    fn of(pid: u32) -> Self {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("its status");
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = resident.and_then(|text| text.split_whitespace().next()?.parse().ok());
        let descriptors = std::fs::read_dir(format!("/proc/{pid}/fd")).expect("its descriptors");
        Self {
            descriptors: descriptors.count(),
            kilobytes: kilobytes.expect("its memory"),
        }
    }
}

fn ducktrack(words: &[&str]) {
    printed_by(ducktrack_command().args(words));
}

fn attach(pid: &str, output: &Path) {
    let library = agent_library();
    let (library, output) = (library.display().to_string(), output.display().to_string());
    ducktrack(&[
        "attach",
        pid,
        "--library",
        &library,
        "--output",
        &output,
        "--summary=off",
    ]);
}

/// Runs `body` while a client asks the service again and again: each answer must be the `expected` one.
fn while_asked(port: u16, expected: &str, body: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let work = scope.spawn(body);
        while !work.is_finished() {
            assert_eq!(greeting(port), expected);
            // The service has the processors for itself most of the time, as under a client that reads its answers.
            std::thread::sleep(Duration::from_millis(20));
        }
        work.join().expect("attached or stopped");
    });
}

fn check(jdk: &Jdk, cycles: usize) {
    let bare = Service::start(jdk, &[QUICK.to_owned()], false);
    let greeted = greeting(bare.port());
    let expected = bare.converse();
    let place = tempfile::tempdir().expect("temporary folder");
    // A heap of one size: only what the agent leaves behind can grow.
    let heap = ["-Xms256m", "-XX:+AlwaysPreTouch"].map(str::to_owned);
    let service = Service::start(jdk, &heap, false);
    let (pid, port) = (service.pid(), service.port());
    let mut seen = Vec::new();
    for cycle in 0..cycles {
        let output = place.path().join("run");
        let arrive = || attach(&pid.to_string(), &output);
        match cycle {
            0 => arrive(),
            _ => while_asked(port, &greeted, arrive),
        }
        let what = |state: &str| format!("{jdk}, cycle {cycle}, {state}");
        Conversation::with(port).compare(&expected, &what("recorded"));
        while_asked(port, &greeted, || ducktrack(&["stop", &pid.to_string()]));
        Conversation::with(port).compare(&expected, &what("stopped"));
        std::fs::remove_dir_all(&output).expect("its recording");
        seen.push(Holdings::of(pid));
    }
    let (first, last) = (seen[0], seen[seen.len() - 1]);
    assert!(
        last.descriptors <= first.descriptors + OF_THE_SERVICE,
        "{jdk}: {first}, then {last}"
    );
    checked(&format!(
        "{jdk}: every answer in {cycles} cycles of attach and stop; {first} after the first, {last} after the last"
    ));
    service.converse().compare(&expected, "in the end");
}

#[test]
fn every_answer_under_attach_and_stop_is_that_of_the_bare_service() {
    let cycles = if is_full_run() { 20 } else { 2 };
    let mut jdks = matrix_jdks();
    jdks.retain(|jdk| jdk.version >= OLDEST_JAVA);
    // JDK 17: before JDK 20 the VM loses what Spring asks for.
    for jdk in jdks_in_turn("attach and stop of a Spring service", &jdks, 0) {
        check(&jdk, cycles);
    }
}
