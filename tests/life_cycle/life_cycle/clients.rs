//! Several clients of one agent at the same time: they are served side by side.

use ducktrack_tests::ducktrack_command;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::control::done;
use crate::tracked_jvm::{RunningJvm, TrackedJvm, jdks_in_turn};

/// Enough classes that giving them back takes longer than a second command needs to arrive.
const CLASSES: u32 = 1000;

#[test]
fn requests_that_are_never_finished_keep_nobody_waiting() {
    for jdk in jdks_in_turn(17, 3) {
        let place = tempfile::tempdir().expect("temporary folder");
        let output = place.path().join("out");
        let jvm = TrackedJvm::recording(&jdk, "", &output).start_program("ControlProbe", &[]);
        let socket = output.join("control");
        let unfinished: Vec<UnixStream> = (0..50)
            .map(|_| {
                let mut stream = UnixStream::connect(&socket).expect("the socket");
                stream.write_all(b"{\"command\": ").expect("half a request");
                stream
            })
            .collect();
        let begun = Instant::now();
        let status = done(&["info", "--state", &jvm.pid().to_string()]);
        let took = begun.elapsed();
        assert!(status.contains("is recording"), "{status}");
        assert!(took < Duration::from_secs(5), "status took {took:?}");
        drop(unfinished);
        done(&["stop", &jvm.pid().to_string()]);
        end(jvm);
    }
}

#[test]
fn stops_at_the_same_time_all_succeed() {
    for jdk in jdks_in_turn(17, 4) {
        let place = tempfile::tempdir().expect("temporary folder");
        let mut jvm = TrackedJvm::recording(&jdk, "", &place.path().join("out"))
            .start_program("ControlProbe", &[]);
        jvm.ask(&format!("load {CLASSES}"), "LOADED");
        let pid = jvm.pid().to_string();
        let stops: Vec<_> = (0..3)
            .map(|_| {
                let mut stop = ducktrack_command();
                stop.args(["stop", &pid]).stdout(Stdio::piped());
                stop.stderr(Stdio::piped()).spawn().expect("ducktrack")
            })
            .collect();
        for stop in stops {
            let output = stop.wait_with_output().expect("its end");
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{jdk}: {output:?}");
            assert!(text.contains("classes are as they were"), "{text}");
        }
        end(jvm);
    }
}

fn end(mut jvm: RunningJvm) {
    jvm.ask("end", "END");
    jvm.end_well();
}
