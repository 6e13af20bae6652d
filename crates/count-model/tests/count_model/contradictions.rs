//! Contradictions are found and shown, never repaired silently.

use ducktrack_count_model::{CountModel, Inconsistency};
use ducktrack_trace_format::{CounterRole, Record, Run, Unit};

use crate::record_builder::{
    call, class, counter, counts, key, method, model, site, size, snapshot, thread,
};

const INCREMENT: CounterRole = CounterRole::Increment;

fn base() -> Vec<Record> {
    vec![
        class(1, "Main", "app"),
        method(1, 1, "run"),
        site(1, 1, 4, Some("LNode;")),
        size(1, 24),
        counter(1, INCREMENT, &[(1, 1, Unit::Count)]),
        counter(2, INCREMENT, &[(1, -3, Unit::Count)]),
        thread(1, "main", false),
    ]
}

fn with(extra: Vec<Record>, counters: &[(u32, u64)]) -> CountModel {
    let values = Record::Snapshot(snapshot(0, vec![counts(1, counters, &[])]));
    model(base().into_iter().chain(extra).chain([values]))
}

fn names(model: &CountModel) -> Vec<&'static str> {
    model
        .inconsistencies
        .iter()
        .map(Inconsistency::name)
        .collect()
}

#[test]
fn totals_below_zero_are_shown_as_they_are() {
    let model = with(vec![], &[(1, 5), (2, 2)]);
    assert_eq!(
        (model.sites[0].total.count, model.sites[0].total.bytes),
        (-1, -24)
    );
    assert_eq!(model.total.count, -1);
    assert_eq!(
        names(&model),
        [
            "negative-site",
            "negative-site",
            "negative-thread",
            "negative-thread"
        ]
    );
}

#[test]
fn sums_over_64_bits_are_held_and_said() {
    let extra = vec![counter(3, INCREMENT, &[(1, i32::MAX, Unit::Count)])];
    let model = with(extra, &[(3, u64::MAX)]);
    assert_eq!(model.sites[0].total.count, i64::MAX);
    assert_eq!(names(&model), ["overflow"]);
    let extra = vec![counter(3, INCREMENT, &[(1, i32::MIN, Unit::Count)])];
    assert_eq!(with(extra, &[(3, u64::MAX)]).sites[0].total.count, i64::MIN);
}

#[test]
fn a_size_beside_byte_counters() {
    let extra = vec![counter(3, CounterRole::Amount, &[(1, 1, Unit::Bytes)])];
    let model = with(extra, &[(1, 2), (3, 99)]);
    assert_eq!(model.sites[0].total.bytes, 48);
    let [Inconsistency::SizeAndByteCounters { bytes: 99, .. }] = model.inconsistencies[..] else {
        panic!("{:?}", model.inconsistencies);
    };
}

#[test]
fn more_on_the_heap_than_executed() {
    let extra = vec![counter(3, INCREMENT, &[(1, 1, Unit::MaterializedCount)])];
    assert_eq!(
        names(&with(extra, &[(1, 2), (3, 3)])),
        ["more-materialized-than-executed"]
    );
}

#[test]
fn definitions_that_differ() {
    let extra = vec![
        site(1, 1, 4, Some("LNode;")),
        site(1, 1, 5, Some("LNode;")),
        size(1, 24),
        size(1, 32),
        Record::Run(Run::default()),
        Record::Run(Run {
            pid: 3,
            ..Run::default()
        }),
    ];
    let model = with(extra, &[(1, 1)]);
    assert_eq!(names(&model), ["several-runs", "redefined", "two-sizes"]);
    assert_eq!((model.sites[0].bci, model.sites[0].total.bytes), (4, 24));
}

#[test]
fn values_of_what_is_not_introduced_stay_in_the_totals() {
    let records = [
        counter(1, INCREMENT, &[(70, 1, Unit::Count)]),
        site(2, 60, 4, None),
        method(3, 50, "lost"),
        site(3, 3, 4, None),
        counter(2, INCREMENT, &[(2, 1, Unit::Count), (3, 1, Unit::Count)]),
    ];
    let keys = [key(71, Some(40), None, 5, 80), key(2, None, None, 1, 16)];
    let values = snapshot(0, vec![counts(9, &[(1, 10), (2, 1), (33, 4)], &keys)]);
    let model = model(records.into_iter().chain([Record::Snapshot(values)]));
    assert_eq!((model.total.count, model.total.bytes), (18, 96));
    assert_eq!(model.completeness.bytes_unknown, 12);
    let unknown = |what, times, first| Inconsistency::Unknown { what, times, first };
    assert_eq!(
        model.inconsistencies,
        [
            unknown("class", 1, 50),
            unknown("method", 1, 60),
            unknown("site", 2, 70),
            unknown("call site", 1, 40),
            unknown("counter", 1, 33),
            unknown("thread", 1, 9),
        ]
    );
    let row = model.sites.last().unwrap();
    assert_eq!(
        (&*model.method(row.method).class, row.total.count),
        ("?", 15)
    );
    assert_eq!(model.threads[0].name, "thread9");
}

#[test]
fn totals_that_go_back() {
    let keys = |count| [key(1, None, None, count, 0)];
    let snapshots = [
        snapshot(4, vec![counts(1, &[(1, 9)], &keys(5))]),
        snapshot(3, vec![counts(1, &[(1, 7)], &keys(1))]),
    ];
    let model = model(base().into_iter().chain(snapshots.map(Record::Snapshot)));
    assert_eq!(
        names(&model),
        ["snapshot-order", "counter-went-back", "keyed-went-back"]
    );
    assert_eq!(model.sites[0].total.count, 8, "the last values count");
}

#[test]
fn every_sentence_is_one_line() {
    let extra = vec![
        call(1, 99, 3, "x"),
        counter(3, INCREMENT, &[(8, i32::MIN, Unit::Count)]),
    ];
    let model = with(extra, &[(2, u64::MAX), (3, u64::MAX), (77, 1)]);
    assert!(model.inconsistencies.len() > 4);
    for found in &model.inconsistencies {
        let text = found.to_string();
        assert!(!text.contains('\n') && text.len() > 20, "{text}");
    }
}
