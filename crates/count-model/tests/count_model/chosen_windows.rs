//! A model of some windows only has the differences between the values at their marks.

use ducktrack_count_model::{CountModel, CountModelBuilder, Tally, WindowChoice};
use ducktrack_trace_format::{CounterRole, Record, Run, Snapshot, Unit};

use crate::record_builder::{class, counter, counts, key, method, site, size, snapshot, thread};

/// Site 1 of 24 bytes by a counter, site 2 by key. Seconds, cause, count of site 1, count of site 2; one thread comes later.
const MOMENTS: [(u64, &str, u64, u64); 6] = [
    (10, "mark request", 100, 10),
    (11, "mark idle", 150, 12),
    (13, "interval", 155, 12),
    (20, "mark request", 160, 12),
    (22, "mark request", 200, 12),
    (30, "exit", 1_000, 99),
];

fn records() -> Vec<Record> {
    let mut records = vec![
        Record::Run(Run {
            start_unix_millis: 1_000,
            ..Run::default()
        }),
        class(1, "Main", "app"),
        method(1, 1, "run"),
        site(1, 1, 4, Some("LNode;")),
        site(2, 1, 9, Some("[B")),
        counter(1, CounterRole::Increment, &[(1, 1, Unit::Count)]),
        size(1, 24),
        thread(1, "main", false),
        thread(2, "late", false),
    ];
    for (sequence, (second, cause, first, second_site)) in (0..).zip(MOMENTS) {
        let mut threads = vec![counts(
            1,
            &[(1, first)],
            &[key(2, None, None, second_site, 100 * second_site)],
        )];
        if second >= 20 {
            threads.push(counts(2, &[(1, 2)], &[]));
        }
        records.push(Record::Snapshot(Snapshot {
            cause: cause.into(),
            unix_millis: 1_000 * second,
            vm_allocated_bytes: Some(50 * first),
            ..snapshot(sequence, threads)
        }));
    }
    records
}

fn model(choice: WindowChoice) -> CountModel {
    let mut builder = CountModelBuilder::of_windows(choice);
    records()
        .into_iter()
        .for_each(|record| builder.fold(record));
    builder.finish()
}

fn between(from: Option<&str>, until: Option<&str>) -> CountModel {
    model(WindowChoice::Between {
        from: from.map(str::to_owned),
        until: until.map(str::to_owned),
    })
}

/// Objects of both sites, windows, and their milliseconds.
fn facts(model: &CountModel) -> (i64, i64, u64, u64) {
    let chosen = model.chosen_windows.as_ref().expect("asked for");
    let count = |at: usize| model.sites[at].total.count;
    (count(0), count(1), chosen.windows, chosen.millis)
}

#[test]
fn windows_of_one_name_are_added_up() {
    let requests = model(WindowChoice::Named("request".to_owned()));
    // From 10 to 11, from 20 to 22, and from 22 to the end.
    assert_eq!(facts(&requests), (50 + 40 + 800, 2 + 87, 3, 11_000));
    assert_eq!(
        requests.sites[1].total,
        Tally {
            count: 89,
            bytes: 8_900
        }
    );
    assert_eq!(requests.completeness.vm_bytes, Some(50 * 890));
    assert_eq!(facts(&model(WindowChoice::Named("no".to_owned()))).2, 0);
}

#[test]
fn from_one_mark_until_another() {
    assert_eq!(
        facts(&between(Some("idle"), Some("request"))),
        (10 + 2, 0, 1, 9_000)
    );
    assert_eq!(facts(&between(None, Some("request"))), (100, 10, 1, 9_000));
    assert_eq!(
        facts(&between(Some("idle"), None)),
        (850 + 2, 87, 1, 19_000)
    );
    let open = between(Some("idle"), Some("nothing"));
    assert!(open.chosen_windows.as_ref().expect("asked for").is_open);
    assert_eq!(facts(&open).0, 852);
}

#[test]
fn the_list_of_windows_is_that_of_the_whole_run() {
    let whole: i64 = model(WindowChoice::Named("idle".to_owned()))
        .windows
        .iter()
        .map(|window| window.made.count)
        .sum();
    assert_eq!(whole, 1_000 + 99 + 2);
}
