//! A run whose every number is known, cut into windows and days.

use std::collections::BTreeMap;

use ducktrack_count_model::{CountModelBuilder, RunState};
use ducktrack_fleet::{
    Count, FleetError, Origin, Recording, RunFacts, Table, TableWriter, export, tables,
};
use ducktrack_test_support::sample_run;
use ducktrack_trace_format::{Record, Snapshot};

const TEN_MINUTES: u64 = 600_000;
const DAY: u64 = 86_400_000;

fn origin() -> Origin {
    Origin {
        service: "orders".into(),
        version: "1".into(),
        host: "web-1".into(),
        ..Origin::default()
    }
}

/// The sample run with looks at its counters at these moments, each at a part of the last values.
fn with_looks(at: &[u64]) -> Vec<Record> {
    let mut records = Vec::new();
    for record in sample_run::records() {
        let Record::Snapshot(last) = &record else {
            records.push(record);
            continue;
        };
        for (number, moment) in at.iter().enumerate() {
            let share = (number as u64 + 1, at.len() as u64 + 1);
            records.push(Record::Snapshot(part_of(last, share, *moment, number)));
        }
        let end = at.last().map_or(last.unix_millis, |last| last + 1_000);
        records.push(Record::Snapshot(Snapshot {
            sequence: 100,
            unix_millis: end,
            ..last.clone()
        }));
    }
    records
}

fn part_of(last: &Snapshot, (part, whole): (u64, u64), moment: u64, number: usize) -> Snapshot {
    let mut look = last.clone();
    look.sequence = u32::try_from(number).expect("small");
    look.unix_millis = moment;
    for thread in &mut look.threads {
        for (_, value) in &mut thread.counters {
            *value = *value * part / whole;
        }
        for keyed in &mut thread.keyed {
            keyed.count = keyed.count * part / whole;
            keyed.bytes = keyed.bytes * part / whole;
        }
    }
    look.vm_allocated_bytes = last.vm_allocated_bytes.map(|bytes| bytes * part / whole);
    look
}

/// All days of a run, and the objects and bytes that its report has.
fn facts(records: Vec<Record>) -> (RunFacts, i64, i64) {
    let mut recording = Recording::new(TEN_MINUTES);
    let mut days = Vec::new();
    for record in records {
        recording.fold(record);
        days.extend(recording.take_finished_days().days);
    }
    let (model, _) = recording.take_model();
    let mut facts = recording.finish_with(&model);
    days.append(&mut facts.days);
    facts.days = days;
    (facts, model.total.count, model.total.bytes)
}

#[test]
fn sums_over_windows_and_days_are_those_of_the_report() {
    let start = 1_700_000_000_000;
    let looks = [
        start + 1,
        start + TEN_MINUTES,
        start + DAY,
        start + DAY + 3,
        start + 3 * DAY,
    ];
    let (facts, objects, bytes) = facts(with_looks(&looks));
    assert!(facts.days.len() >= 3, "{} days", facts.days.len());
    let counts = || facts.days.iter().flat_map(|day| &day.counts);
    assert_eq!(counts().map(|row| row.objects).sum::<i64>(), objects);
    assert_eq!(counts().map(|row| row.bytes).sum::<i64>(), bytes);
    assert_eq!(
        counts().filter_map(|row| row.materialized).sum::<i64>(),
        100_000
    );
    for day in &facts.days {
        assert_eq!(
            day.counts.iter().map(|row| row.objects).sum::<i64>(),
            day.objects
        );
        assert_eq!(
            day.counts.iter().map(|row| row.bytes).sum::<i64>(),
            day.bytes
        );
        assert!(day.windows.iter().all(|window| window.start <= window.end));
    }
    let vm: i64 = facts.days.iter().filter_map(|day| day.vm_bytes).sum();
    assert_eq!(vm, 20_000_000);
    let states: Vec<Option<RunState>> = facts.days.iter().map(|day| day.state).collect();
    assert_eq!(states.last(), Some(&Some(RunState::Ended)));
    assert!(states.iter().rev().skip(1).all(Option::is_none));
    assert!(counts().all(|row| facts.places.contains_key(&row.site)));
    assert!(
        counts()
            .filter_map(|row| row.caller)
            .all(|call| facts.places.contains_key(&call))
    );
}

#[test]
fn objects_have_the_contexts_that_they_were_made_in() {
    let mut builder = CountModelBuilder::new();
    for record in sample_run::records_in_contexts() {
        builder.fold(record);
    }
    let model = builder.finish();
    let (facts, objects, bytes) = facts(sample_run::records_in_contexts());
    let counts = || facts.days.iter().flat_map(|day| &day.counts);
    assert_eq!(counts().map(|row| row.objects).sum::<i64>(), objects);
    assert_eq!(counts().map(|row| row.bytes).sum::<i64>(), bytes);
    assert_eq!(facts.contexts.len(), 2);
    let mut outside: Vec<_> = counts().filter(|row| row.context.is_none()).collect();
    outside.retain(|row| row.objects > 0);
    assert!(!outside.is_empty());
    for context in &model.contexts {
        let is_in = |row: &&Count| {
            let parts = row.context.and_then(|id| facts.contexts.get(&id));
            parts.is_some_and(|parts| parts.contains(&context.named()))
        };
        let inside: Vec<&Count> = counts().filter(is_in).collect();
        let sum = |of: fn(&Count) -> i64| inside.iter().map(|row| of(row)).sum::<i64>();
        assert!(context.total.count > 0);
        assert_eq!(sum(|row| row.objects), context.total.count);
        assert_eq!(sum(|row| row.bytes), context.total.bytes);
    }
    let files = tables(&origin(), &facts, None).expect("tables");
    let names = files.iter().find(|file| file.path.contains("/contexts/"));
    assert_eq!(names.expect("the dictionary").rows(), 3);
}

/// A line that moves changes the line of a site, and nothing else of it.
#[test]
fn a_site_is_the_same_where_lines_have_moved() {
    let moved = sample_run::records()
        .into_iter()
        .map(|record| match record {
            Record::Site(mut site) => {
                site.line = site.line.map(|line| line + 7);
                site.bci += 2;
                Record::Site(site)
            }
            other => other,
        });
    let (before, ..) = facts(sample_run::records());
    let (after, ..) = facts(moved.collect());
    let ids = |facts: &RunFacts| facts.places.keys().copied().collect::<Vec<_>>();
    assert_eq!(ids(&before), ids(&after));
    let counts = |facts: &RunFacts| facts.days[0].counts.clone();
    assert_eq!(counts(&before), counts(&after));
    assert_ne!(before.places, after.places);
}

#[test]
fn two_sites_of_one_method_and_type_are_two() {
    let (facts, ..) = facts(sample_run::records());
    let mut names: Vec<_> = facts
        .places
        .values()
        .map(|place| {
            (
                &place.class,
                &place.method,
                &place.ty,
                place.how,
                place.ordinal,
            )
        })
        .collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}

/// Tables in the order in which they were written.
#[derive(Default)]
struct Memory {
    tables: BTreeMap<String, Table>,
    written: usize,
    /// The process is killed after this many tables.
    most: Option<usize>,
}

impl TableWriter for Memory {
    fn write(&mut self, table: &Table) -> Result<u64, FleetError> {
        if self.most == Some(self.written) {
            return Err(FleetError::Store {
                place: table.path.clone(),
                reason: "killed".into(),
            });
        }
        self.written += 1;
        self.tables.insert(table.path.clone(), table.clone());
        Ok(1)
    }
}

/// However far an export comes: no row of `runs` without the counts and sites that it stands for, and the next export makes it whole.
#[test]
fn a_killed_export_leaves_no_run_without_its_facts() {
    let looks = [1_700_000_000_000 + DAY, 1_700_000_000_000 + 2 * DAY];
    let (facts, ..) = facts(with_looks(&looks));
    let mut whole = Memory::default();
    export(&mut whole, &origin(), &facts, None).expect("an export");
    for most in 0..whole.written {
        let mut store = Memory {
            most: Some(most),
            ..Memory::default()
        };
        export(&mut store, &origin(), &facts, None).expect_err("killed");
        for run in store.tables.keys().filter(|path| path.contains("/runs/")) {
            let counts = run.replace("/runs/", "/counts/");
            assert!(store.tables.contains_key(&counts), "{run} without {counts}");
            let mut paths = store.tables.keys();
            assert!(paths.any(|path| path.contains("/sites/")));
        }
        store.most = None;
        export(&mut store, &origin(), &facts, None).expect("an export");
        assert_eq!(store.tables, whole.tables);
    }
}

#[test]
fn what_is_missing_is_in_the_last_day() {
    let killed = sample_run::records();
    let killed = killed
        .into_iter()
        .filter(|record| !matches!(record, Record::End(_)));
    let (facts, objects, _) = facts(killed.collect());
    let day = facts.days.last().expect("a day");
    assert_eq!((day.state, day.objects), (Some(RunState::Unknown), objects));
    assert!(
        day.lost
            .as_deref()
            .is_some_and(|lost| lost.contains("no end")),
        "{:?}",
        day.lost
    );
}

#[test]
fn paths_are_partitions() {
    let (facts, ..) = facts(sample_run::records());
    let files = tables(&origin(), &facts, None).expect("tables");
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert!(
        paths[0].starts_with("v1/sites/service=orders/web-1-"),
        "{paths:?}"
    );
    assert!(
        paths[1].starts_with("v1/counts/service=orders/date=2023-11-14/web-1-"),
        "{paths:?}"
    );
    assert!(
        paths[2].starts_with("v1/runs/service=orders/date=2023-11-14/web-1-"),
        "{paths:?}"
    );
    let bad = Origin {
        service: "../etc".into(),
        ..origin()
    };
    assert!(tables(&bad, &facts, None).is_err());
}
