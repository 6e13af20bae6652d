//! A program that ends by an `OutOfMemoryError`: every command says so.

use std::process::Command;

use ducktrack_tests::{agent_library, checked, ducktrack_command};

use crate::probe::{Place, Process, jdks, programs};

/// The commands that read a recording, those of events apart.
const OF_COUNTS: [&[&str]; 3] = [&["report"], &["report", "--format", "json"], &["info"]];
const OF_EVENTS: [&[&str]; 7] = [
    &["lifetimes", "--deaths"],
    &["heap"],
    &["leaks"],
    &["lifetimes"],
    &["timeline"],
    &["cost"],
    &["lifetimes", "--format", "html"],
];
const SAID: &str = "OutOfMemoryError: Java heap space";

fn recorded(jdk: &ducktrack_tests::Jdk, mode: &str) -> Place {
    let place = Place::new();
    let mut command = jdk.tool("java");
    command
        .args(["-Xmx16m", "-XX:-UsePerfData", "-XX:-UseGCOverheadLimit"])
        .arg("-XX:+UseSerialGC")
        .arg(format!(
            "-agentpath:{}={mode},summary=off,output={}",
            agent_library().expect("the agent").display(),
            place.output().display()
        ))
        .arg("-cp")
        .arg(programs().expect("asked before"))
        .args(["FullHeap", "uncaught"])
        .arg(place.published_file());
    let errors = Process::start(&mut command).end();
    assert!(errors.contains("OutOfMemoryError"), "{errors}");
    place
}

fn said(place: &Place, words: &[&str]) -> String {
    let mut command = Command::new(ducktrack_command().expect("the command"));
    let output = command.arg(words[0]).arg(place.output()).args(&words[1..]);
    let output = output.output().expect("ducktrack");
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn every_command_names_the_error() {
    for jdk in jdks().into_iter().filter(|jdk| jdk.version >= 17) {
        let (counted, traced) = (recorded(&jdk, "mode=count"), recorded(&jdk, "mode=trace"));
        for words in OF_COUNTS {
            let text = said(&counted, words);
            assert!(text.contains(SAID), "JDK {} {words:?}: {text}", jdk.version);
        }
        for words in OF_COUNTS.iter().chain(&OF_EVENTS) {
            let text = said(&traced, words);
            assert!(text.contains(SAID), "JDK {} {words:?}: {text}", jdk.version);
        }
        let other = counted.output().display().to_string();
        let diff = said(&counted, &["diff", &other]);
        assert!(diff.contains(SAID), "JDK {}: {diff}", jdk.version);
    }
    checked("commands that name an OutOfMemoryError");
}
