//! Threads that come and go, and more of them than the mapped memory has room for.

use ducktrack_reports::ValuesOf;
use ducktrack_tests::{jdks_in_turn, matrix_jdks};

use crate::probe::{MARKED, Place};

/// Objects of the marked type in the report.
fn marked(place: &Place) -> i64 {
    let report = place.report();
    let sites = report
        .sites
        .iter()
        .filter(|site| site.ty.as_deref() == Some(MARKED));
    sites.map(|site| site.count).sum()
}

/// Threads with 26 sorts of names come and go; whatever block they had, the objects of those that ended are there.
fn check_threads(agent: &str, turn: usize) {
    const THREADS: i64 = 5;
    for jdk in jdks_in_turn("threads that come and go", &matrix_jdks(), turn) {
        let place = Place::new();
        let file = place.published_file().display().to_string();
        let mut process = place.start(&jdk, agent, &[], &["hand", &file, &THREADS.to_string()]);
        process.wait_until(|| place.published(0) >= 400_000);
        process.signal("KILL");
        let errors = process.end();
        let (published, counted) = (place.published(0), marked(&place));
        // At most a round of threads is under way.
        let range = published..=published + THREADS * 1_000;
        assert!(
            range.contains(&counted),
            "{jdk} {agent}: published {published}, the report has {counted} {errors}"
        );
    }
}

#[test]
fn threads_that_have_ended_are_in_the_counts() {
    check_threads("", 0);
}

/// Room for twenty blocks: those of threads that have ended go to others again and again.
#[test]
fn blocks_that_change_their_threads_lose_nothing() {
    check_threads("memory=mapped:4m", 2);
}

#[test]
fn what_does_not_fit_is_private_and_named() {
    for jdk in jdks_in_turn("threads that do not fit", &matrix_jdks(), 3) {
        let place = Place::new();
        let mut process = place.start_count(&jdk, "memory=mapped:2m", 40);
        process.wait_until(|| place.published(39) > 0);
        process.signal("KILL");
        process.end();
        let report = place.report();
        assert_eq!(report.run.values, ValuesOf::Counters);
        let private = report.run.private_threads.len();
        assert!(
            (20..60).contains(&private),
            "{:?}",
            report.run.private_threads
        );
        assert!(
            place
                .command("info", &[])
                .contains("were in private memory")
        );
        // The file is no longer than it may be, but for its header.
        let file = std::fs::metadata(place.output().join("counters.mapped")).expect("the file");
        assert!(file.len() <= (2 << 20) + (128 << 10), "{}", file.len());
    }
}
