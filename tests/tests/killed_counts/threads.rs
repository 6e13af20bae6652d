//! Threads that come and go, and more of them than the mapped memory has room for.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use ducktrack_tests::{checked, is_full_run};

use crate::probe::{MARKED, Place, jdks};

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
fn check_threads(agent: &str) {
    const THREADS: i64 = 5;
    for jdk in jdks() {
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
            "Java {} {agent}: published {published}, the report has {counted} {errors}",
            jdk.version
        );
    }
}

#[test]
fn threads_that_have_ended_are_in_the_counts() {
    check_threads("");
}

/// Room for twenty blocks: those of threads that have ended go to others again and again.
#[test]
fn blocks_that_change_their_threads_lose_nothing() {
    check_threads(",mapped-memory=4m");
}

/// Thousands of threads that live at the same time: the file stays within its bound, on a disk and in memory, those that are not in it count on and are
/// named, and what they take is bounded, too.
#[test]
fn thousands_of_threads_take_no_more_than_they_may() {
    const OBJECTS: i64 = 1_000;
    const BOUND: u64 = 8 << 20;
    /// Of a thread that is not in the file: a page for its header, those of its counters, and of its keyed entries.
    const KB_OF_THREAD: u64 = 64;
    let threads: u64 = if is_full_run() { 10_000 } else { 1_000 };
    let Some(jdk) = jdks().into_iter().find(|jdk| jdk.version == 17) else {
        return;
    };
    for parent in [std::env::temp_dir().as_path(), Path::new("/dev/shm")] {
        let run = |agent: &str| {
            let place = Place::within(parent);
            let file = place.published_file().display().to_string();
            let words = ["many", &file, &threads.to_string()];
            let mut process = place.start(&jdk, agent, &[], &words);
            process.wait_until(|| place.published(0) > 0);
            let resident = resident_kilobytes(process.child.id());
            process.signal("KILL");
            let errors = process.end();
            (place, resident, errors)
        };
        let (_, without_counters, _) = run(",include=nothing.of.this.Name");
        let (place, resident, errors) = run(",mapped-memory=8m");
        let report = place.report();
        let in_file = marked(&place) / OBJECTS;
        let private = i64::try_from(report.run.private_threads.len()).expect("few");
        let all = i64::try_from(threads).expect("few");
        assert!(in_file > 20 && private > all / 2, "{in_file} {private}");
        // Each thread is in the file, or named; the VM's and the main thread are besides.
        assert!(
            (all..all + 40).contains(&(in_file + private)),
            "{in_file} {private} {errors}"
        );
        let file = std::fs::metadata(place.output().join("counters.mapped")).expect("the file");
        assert!(
            file.blocks() * 512 <= BOUND + (256 << 10),
            "{}",
            file.blocks()
        );
        let more = resident.saturating_sub(without_counters);
        assert!(more < threads * KB_OF_THREAD + (32 << 10), "{more} KB");
        checked(&format!(
            "{threads} threads, output in {}: {in_file} in the file of {} KB, {private} named, {more} KB resident more than without counters",
            parent.display(),
            file.blocks() / 2
        ));
    }
}

fn resident_kilobytes(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let digits = line.and_then(|line| line.split_whitespace().next());
    digits
        .and_then(|digits| digits.parse().ok())
        .expect("VmRSS")
}

#[test]
fn what_does_not_fit_is_private_and_named() {
    for jdk in jdks().into_iter().take(2) {
        let place = Place::new();
        let mut process = place.start_count(&jdk, ",mapped-memory=2m", 40);
        process.wait_until(|| place.published(39) > 0);
        process.signal("KILL");
        process.end();
        let report = place.report();
        assert_eq!(report.run.values, "counters");
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
