//! A program that ends by an `OutOfMemoryError`: every command says so.

use ducktrack_tests::{agent_argument, checked, matrix_jdks};

use crate::probe::{Place, Process, programs};

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
    let mut command = jdk.java(programs());
    command
        .args(["-Xmx16m", "-XX:-UsePerfData", "-XX:-UseGCOverheadLimit"])
        .arg("-XX:+UseSerialGC")
        .arg(agent_argument(mode, &place.output()))
        .args(["FullHeap", "uncaught"])
        .arg(place.published_file());
    let errors = Process::start(&mut command).end();
    assert!(errors.contains("OutOfMemoryError"), "{errors}");
    place
}

fn said(place: &Place, words: &[&str]) -> String {
    place.command(words[0], &words[1..])
}

#[test]
fn every_command_names_the_error() {
    for jdk in matrix_jdks().into_iter().filter(|jdk| jdk.version >= 17) {
        let (counted, traced) = (recorded(&jdk, "mode=count"), recorded(&jdk, "mode=trace"));
        for words in OF_COUNTS {
            let text = said(&counted, words);
            assert!(text.contains(SAID), "{jdk} {words:?}: {text}");
        }
        for words in OF_COUNTS.iter().chain(&OF_EVENTS) {
            let text = said(&traced, words);
            assert!(text.contains(SAID), "{jdk} {words:?}: {text}");
        }
        let other = counted.output().display().to_string();
        let diff = said(&counted, &["diff", &other]);
        assert!(diff.contains(SAID), "{jdk}: {diff}");
    }
    checked("commands that name an OutOfMemoryError");
}
