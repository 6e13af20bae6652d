//! The disk is full from the start, or fills up later. The program ends
//! as it does without the agent, and `info` says how the recording ended.
//!
//! The disk is a small tmpfs in a mount namespace of its own, in which `info` runs, too.

use std::path::Path;
use std::process::{Command, Output};

use ducktrack_tests::{Jdk, Turns, agent_argument, checked, ducktrack_command, skipped};

use crate::tracked_jvm::{jdks, programs};

/// Mounts a disk of a size, runs the program, and then `info` on what it left.
const SCRIPT: &str = "mount -t tmpfs -o size=$1 none \"$2\" || exit 77; shift 2; info=$1; shift; \"$@\"; echo \"code $?\"; exec \"$info\" info \"$OUT\"";
const NO_MOUNT: i32 = 77;

fn run(jdk: &Jdk, disk: &Path, size: &str, options: &str) -> Option<String> {
    let out = disk.join("out");
    let java = jdk.java(programs());
    let agent = agent_argument(options, &out);
    let done: Output = Command::new("unshare")
        .args(["--mount", "sh", "-c", SCRIPT, "sh", size])
        .arg(disk)
        .arg(ducktrack_command().get_program())
        .arg(java.get_program())
        .args(java.get_args())
        .args(["-Xmx64m", "-XX:-UsePerfData", &agent])
        .args(["LifeCycleProbe", "return"])
        .env("OUT", &out)
        .output()
        .ok()?;
    if done.status.code() == Some(NO_MOUNT) || done.stdout.is_empty() {
        return None;
    }
    Some(String::from_utf8_lossy(&done.stdout).into_owned())
}

#[test]
fn the_program_ends_as_ever_and_info_says_that_the_disk_was_full() {
    let (mut runs, mut turns) = (0, Turns::new());
    for (number, jdk) in jdks(17).into_iter().enumerate() {
        for (at, mode) in ["mode=count", "mode=trace,compress=off"]
            .into_iter()
            .enumerate()
        {
            for size in turns.take(&["384k", "1m"], number + at) {
                let place = tempfile::tempdir().expect("temporary folder");
                let options = format!("{mode},interval=0.3");
                let Some(said) = run(&jdk, place.path(), size, &options) else {
                    skipped("life cycle: no small disk can be mounted");
                    return;
                };
                let what = format!("{jdk} {mode} {size}: {said}");
                assert!(said.starts_with("DONE\ncode 0\n"), "{what}");
                assert!(
                    said.contains(
                        "no end: the JVM ended, and the trace could not be written to its end"
                    ),
                    "{what}"
                );
                assert!(said.contains("no end: the disk was full"), "{what}");
                assert!(!said.contains("whole: nothing is missing"), "{what}");
                assert!(!said.contains("every event is here"), "{what}");
                runs += 1;
            }
        }
        let place = tempfile::tempdir().expect("temporary folder");
        let said = run(&jdk, place.path(), "64m", "mode=trace").expect("mounted before");
        assert!(said.contains("ended: exit"), "{said}");
        assert!(said.contains("whole: nothing is missing"), "{said}");
    }
    turns.announce("full disks");
    checked(&format!("{runs} runs on full disks, each said so by info"));
}
