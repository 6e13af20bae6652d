//! A JVM in namespaces of its own, as in a container: commands are given its process id outside, and its files are those that it sees.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use ducktrack_tests::{Finished, agent_library, ducktrack_command, skipped};

use crate::tracked_jvm::{TrackedJvm, jdks};

fn ducktrack(words: &[&str]) -> String {
    Finished::well(ducktrack_command().args(words)).text()
}

fn can_unshare() -> bool {
    let mut unshare = Command::new("unshare");
    unshare.args(["--pid", "--mount", "--fork", "--mount-proc"]);
    let mounted = unshare
        .args(["mount", "-t", "tmpfs", "none", "/var/tmp"])
        .output();
    mounted.is_ok_and(|output| output.status.success())
}

#[test]
fn commands_reach_a_jvm_in_a_container() {
    if !can_unshare() {
        skipped("life cycle: no namespaces of processes and mounts can be made here");
        return;
    }
    for jdk in jdks(17).into_iter().take(1) {
        let mut jvm = TrackedJvm::bare(&jdk).in_container().start(&["wait"]);
        let children = format!("/proc/{0}/task/{0}/children", jvm.pid());
        let pid = fs::read_to_string(children).expect("the JVM");
        let pid = pid.trim();
        let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the JVM");
        let inside = format!("NSpid:\t{pid}\t1\n");
        assert!(status.contains(&inside), "process 1 inside: {status}");
        let library = agent_library().display().to_string();
        let said = ducktrack(&[
            "attach",
            pid,
            "--summary=off",
            "--library",
            &library,
            "--output",
            "/var/tmp/run",
        ]);
        let outside = PathBuf::from(format!("/proc/{pid}/root/var/tmp/run"));
        assert!(said.contains(&outside.display().to_string()), "{said}");
        assert!(!PathBuf::from("/var/tmp/run/ducktrack.trace").exists());
        let here = outside.display().to_string();
        let status = ducktrack(&["info", "--state", pid]);
        assert!(status.contains("is recording"), "{status}");
        for known in [
            format!("process {pid} is"),
            format!("ducktrack report {here}"),
        ] {
            assert!(status.contains(&known), "{known}: {status}");
        }
        assert!(said.contains(&format!("ducktrack report {here}")), "{said}");
        let top = ducktrack(&["top", pid, "--once"]);
        assert!(top.contains("running"), "{top}");
        let report = ducktrack(&["report", pid]);
        assert!(report.contains("the JVM runs"), "{report}");
        ducktrack(&["snapshot", pid]);
        assert!(ducktrack(&["stop", pid]).contains("the recording has ended"));
        let report = ducktrack(&["report", "--full", &outside.display().to_string()]);
        assert!(report.contains("loaded into the running VM"), "{report}");
        jvm.go_on();
        jvm.end_well();
    }
}
