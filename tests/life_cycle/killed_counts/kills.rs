//! `kill -9`, abort and a fault at random moments: the report has every object but the one under way.

use std::path::Path;

use ducktrack_reports::ValuesOf;
use ducktrack_tests::{Jdk, Turns, checked, is_full_run, jdks_in_turn, matrix_jdks};

use crate::probe::{Place, Process};

const THREADS: usize = 2;
/// Signals that end a JVM without a last word of the agent.
const SIGNALS: [&str; 3] = ["KILL", "ABRT", "SEGV"];
/// Objects of the first thread after which it may be killed, at most.
const LATEST: u64 = 3_000_000;

/// On each JDK, at moments of its own.
fn kills() -> u64 {
    if is_full_run() { 200 } else { 6 }
}

/// A number below `end` that differs from one kill to the next.
fn random(kill: u64, end: u64) -> u64 {
    // splitmix64
    let mut mixed = kill.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed ^ (mixed >> 31)) % end
}

/// Early moments, when everything is interpreted, are as likely as late ones.
fn moment(kill: u64) -> i64 {
    let most = LATEST >> (2 * random(kill, 9));
    i64::try_from(1 + random(kill + 1000, most)).expect("small")
}

fn kill_at(place: &Place, process: &mut Process, kill: u64) {
    let moment = moment(kill);
    process.wait_until(|| place.published(0) >= moment);
    let signal = SIGNALS[usize::try_from(kill).expect("small") % SIGNALS.len()];
    process.signal(signal);
}

/// Kills a program; every thread's objects in the report differ from what it published by the one under way, or not at all.
fn check_kill(jdk: &Jdk, parent: &Path, agent: &str, kill: u64) -> i64 {
    let place = Place::within(parent);
    let mut process = place.start_count(jdk, agent, THREADS);
    kill_at(&place, &mut process, kill);
    let errors = process.end();
    let report = place.report();
    let context = format!("{jdk}, kill {kill}: {errors}");
    assert_eq!(
        (report.run.state.as_str(), report.run.values),
        ("killed", ValuesOf::Counters),
        "{context}"
    );
    let mut total = 0;
    for (thread, name) in ["worker-a", "worker-b"].into_iter().enumerate() {
        let (published, counted) = (place.published(thread), place.made(name));
        assert!(
            (published - 1..=published + 1).contains(&counted),
            "{context} {name} published {published}, the report has {counted}"
        );
        total += published;
    }
    // A size for everything: no object whose bytes are not known.
    assert_eq!(report.completeness.size_unknown_objects, 0, "{context}");
    let names: Vec<&str> = report
        .damage
        .iter()
        .map(|found| found.name.as_str())
        .collect();
    assert_eq!(names, ["no-end"], "{context}");
    assert!(report.run.private_threads.is_empty(), "{context}");
    total
}

#[test]
fn every_object_but_the_one_under_way_survives() {
    let mut turns = Turns::new();
    let halves = [0..kills() / 2, kills() / 2..kills()];
    for (number, jdk) in (0..).zip(matrix_jdks()) {
        let temporary = std::env::temp_dir();
        let turn = usize::try_from(number).expect("small");
        let taken = turns.take(&halves, turn).iter().cloned().flatten();
        let totals: Vec<i64> = taken
            .map(|kill| check_kill(&jdk, &temporary, "", number * kills() + kill))
            .collect();
        checked(&format!(
            "{jdk}: {} kills, {} objects published, each thread's count off by one at most",
            totals.len(),
            totals.iter().sum::<i64>()
        ));
    }
    turns.announce("kills at any moment, by halves of them");
}

#[test]
fn a_tmpfs_and_counters_by_site_do_as_well() {
    let jdks = (0..).zip(jdks_in_turn(
        "kills with counters by site",
        &matrix_jdks(),
        1,
    ));
    for (number, jdk) in jdks {
        let tmpfs = Path::new("/dev/shm");
        for kill in number..number + kills() / 6 {
            check_kill(&jdk, tmpfs, "counters=site", kill);
        }
    }
}

#[test]
fn without_mapped_memory_the_report_says_what_a_kill_has_lost() {
    for jdk in matrix_jdks().into_iter().take(1) {
        let place = Place::new();
        let mut process = place.start_count(&jdk, "memory=mapped:off", THREADS);
        kill_at(&place, &mut process, 0);
        process.end();
        let report = place.report();
        assert_eq!(
            (report.run.values, report.totals.count),
            (ValuesOf::Nothing, 0)
        );
    }
}

#[test]
fn a_program_that_runs_is_read_as_it_stands() {
    for jdk in jdks_in_turn("programs that run", &matrix_jdks(), 2) {
        let place = Place::new();
        let mut process = place.start_count(&jdk, "", THREADS);
        process.wait_until(|| place.published(0) > 10_000);
        assert_eq!(place.report().run.state, "running");
        let before = place.published(0);
        let counted = place.made("worker-a");
        let after = place.published(0);
        assert!(
            (before - 1..=after + 1).contains(&counted),
            "{before} <= {counted} <= {after}"
        );
        assert!(place.command("info", &[]).contains("the JVM runs"));
        process.signal("KILL");
        process.end();
        assert!(place.command("info", &[]).contains("the JVM was killed"));
    }
}
