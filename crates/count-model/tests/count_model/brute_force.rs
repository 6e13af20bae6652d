//! Random records against sums that are done in the most direct way: every value of every thread, term by term.

use std::collections::BTreeMap;

use ducktrack_count_model::{CountModel, CountModelBuilder, SiteRow, Tally, ThreadIndex};
use ducktrack_trace_format::{
    CounterId, CounterRole, KeyedCount, Record, Snapshot, ThreadCounts, ThreadId, Unit,
};
use proptest::prelude::*;

use crate::record_builder::{call, class, counter, key, method, site, size, snapshot, thread};

const SITES: u32 = 8;
const COUNTERS: u32 = 12;
const THREADS: u32 = 4;

/// Site, factor, unit.
type TermPlan = (u32, i32, Unit);

/// Thread, site, caller, type.
type KeyPlan = (u32, u32, Option<u32>, Option<String>);

/// A trace: which sites have sizes, what counters mean, and values of several moments.
#[derive(Clone, Debug)]
struct Plan {
    sizes: Vec<Option<u32>>,
    counters: Vec<(CounterRole, Vec<TermPlan>)>,
    moments: Vec<Moment>,
}

#[derive(Clone, Debug)]
struct Moment {
    threads: Vec<ThreadCounts>,
    shared: Vec<(CounterId, u64)>,
    /// The snapshot is written in two parts.
    split: bool,
}

fn unit() -> impl Strategy<Value = Unit> {
    prop_oneof![
        4 => Just(Unit::Count),
        1 => Just(Unit::Bytes),
        1 => Just(Unit::MaterializedCount),
        1 => Just(Unit::MaterializedBytes),
        1 => (0_u8..5).prop_map(Unit::LengthBucket),
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    let role = prop_oneof![
        Just(CounterRole::Increment),
        Just(CounterRole::Profile),
        Just(CounterRole::Amount)
    ];
    let terms = prop::collection::vec((0..SITES, -4_i32..8, unit()), 0..5);
    let size = prop::option::of((1_u32..20).prop_map(|words| words * 8));
    (
        prop::collection::vec(size, SITES as usize),
        prop::collection::vec((role, terms), COUNTERS as usize),
        prop::collection::vec(moment(), 1..5),
    )
        .prop_map(|(sizes, counters, moments)| Plan {
            sizes,
            counters,
            moments,
        })
}

fn moment() -> impl Strategy<Value = Moment> {
    let words =
        || prop::collection::btree_map((0..COUNTERS).prop_map(CounterId), 0_u64..1_000_000, 0..8);
    let ty = prop::sample::select(vec![None, Some("LA;"), Some("[J")]);
    let keyed = prop::collection::vec(
        (
            0..SITES,
            prop::option::of(0_u32..2),
            ty,
            0_u64..1_000,
            0_u64..9_000,
        )
            .prop_map(|(site, context, ty, count, bytes)| key(site, context, ty, count, bytes)),
        0..6,
    );
    let thread = (words(), keyed, prop::option::of(0_u64..1_000_000));
    let threads = prop::collection::btree_map(0..THREADS, thread, 0..THREADS as usize);
    (threads, words(), any::<bool>()).prop_map(|(threads, shared, split)| Moment {
        threads: threads
            .into_iter()
            .map(|(id, (counters, keyed, vm_allocated_bytes))| ThreadCounts {
                thread: ThreadId(id),
                vm_allocated_bytes,
                counters: counters.into_iter().collect(),
                keyed,
            })
            .collect(),
        shared: shared.into_iter().collect(),
        split,
    })
}

/// The records in an order that is as unhelpful as the format allows: sizes and threads last.
fn records(plan: &Plan) -> Vec<Record> {
    let mut records = vec![
        class(0, "Main", "app"),
        method(0, 0, "run"),
        call(0, 0, 1, "a"),
        call(1, 0, 2, "b"),
    ];
    records.extend((0..SITES).map(|id| {
        site(
            id,
            0,
            u16::try_from(id).unwrap(),
            (id % 3 > 0).then_some("LA;"),
        )
    }));
    for (id, (role, terms)) in plan.counters.iter().enumerate() {
        records.push(counter(u32::try_from(id).unwrap(), *role, terms));
    }
    for (number, moment) in plan.moments.iter().enumerate() {
        records.extend(snapshots(u32::try_from(number).unwrap(), moment));
    }
    for (id, bytes) in plan.sizes.iter().enumerate() {
        records.extend(bytes.map(|bytes| size(u32::try_from(id).unwrap(), bytes)));
    }
    records.extend((0..THREADS).map(|id| thread(id, &format!("t{id}"), id == 3)));
    records
}

fn snapshots(number: u32, moment: &Moment) -> Vec<Record> {
    let whole = Snapshot {
        shared: moment.shared.clone(),
        ..snapshot(number, moment.threads.clone())
    };
    if !moment.split {
        return vec![Record::Snapshot(whole)];
    }
    let first = Snapshot {
        threads: moment.threads.iter().take(1).cloned().collect(),
        more: true,
        ..whole.clone()
    };
    let last = Snapshot {
        threads: moment.threads.iter().skip(1).cloned().collect(),
        shared: vec![],
        ..whole
    };
    vec![Record::Snapshot(first), Record::Snapshot(last)]
}

/// The last value of everything, thread `THREADS` being the shared block.
#[derive(Default)]
struct LastValues {
    words: BTreeMap<(u32, u32), u64>,
    keyed: BTreeMap<KeyPlan, (u64, u64)>,
}

fn last_values(plan: &Plan) -> LastValues {
    let mut last = LastValues::default();
    for moment in &plan.moments {
        last.words.extend(
            moment
                .shared
                .iter()
                .map(|(id, value)| ((THREADS, id.0), *value)),
        );
        for counts in &moment.threads {
            let thread = counts.thread.0;
            last.words.extend(
                counts
                    .counters
                    .iter()
                    .map(|(id, value)| ((thread, id.0), *value)),
            );
            for KeyedCount {
                site,
                context,
                ty,
                count,
                bytes,
            } in &counts.keyed
            {
                let key = (thread, site.0, context.map(|id| id.0), ty.clone());
                last.keyed.insert(key, (*count, *bytes));
            }
        }
    }
    last
}

/// The expected counts of one site, for the threads that `wanted` accepts.
fn expected(plan: &Plan, last: &LastValues, site: u32, wanted: impl Fn(u32) -> bool) -> Expected {
    let mut sum = Expected::default();
    let mut byte_terms = 0_i64;
    let mut counted = 0_i64;
    let has = |units: &[Unit]| {
        let mut terms = plan.counters.iter().flat_map(|(_, terms)| terms);
        terms.any(|(at, _, unit)| *at == site && units.contains(unit))
    };
    for ((_, id), word) in last.words.iter().filter(|((thread, _), _)| wanted(*thread)) {
        for (at, factor, unit) in &plan.counters[*id as usize].1 {
            let amount = i64::try_from(*word).unwrap() * i64::from(*factor);
            match unit {
                _ if *at != site => {}
                Unit::Count => counted += amount,
                Unit::Bytes => byte_terms += amount,
                Unit::MaterializedCount => sum.materialized.count += amount,
                Unit::MaterializedBytes => sum.materialized.bytes += amount,
                Unit::LengthBucket(bucket) => *sum.lengths.entry(*bucket).or_default() += amount,
                Unit::Calls => {}
            }
        }
    }
    sum.counted = counted;
    sum.total.count = counted;
    match plan.sizes[site as usize] {
        Some(size) => sum.total.bytes = counted * i64::from(size),
        None if has(&[Unit::Bytes]) => sum.total.bytes = byte_terms,
        None => sum.unknown = counted,
    }
    for ((_, at, ..), (count, bytes)) in last
        .keyed
        .iter()
        .filter(|((thread, ..), _)| wanted(*thread))
    {
        let (count, bytes) = (
            i64::try_from(*count).unwrap(),
            i64::try_from(*bytes).unwrap(),
        );
        match plan.sizes[site as usize] {
            _ if *at != site => continue,
            Some(size) if bytes == 0 => sum.total.bytes += count * i64::from(size),
            None if bytes == 0 => sum.unknown += count,
            _ => sum.total.bytes += bytes,
        }
        sum.total.count += count;
    }
    sum.measured = has(&[Unit::MaterializedCount, Unit::MaterializedBytes]);
    sum.lengths.retain(|_, count| *count != 0);
    sum
}

#[derive(Debug, Default)]
struct Expected {
    total: Tally,
    counted: i64,
    unknown: i64,
    measured: bool,
    materialized: Tally,
    lengths: BTreeMap<u8, i64>,
}

fn check_site(row: &SiteRow, expected: &Expected, has_size: bool) -> Result<(), TestCaseError> {
    prop_assert_eq!(row.total, expected.total);
    prop_assert_eq!(row.bytes_unknown, expected.unknown);
    prop_assert_eq!(
        row.parts.iter().map(|part| part.tally).sum::<Tally>(),
        expected.total
    );
    prop_assert_eq!(
        row.threads.iter().map(|part| part.tally).sum::<Tally>(),
        expected.total
    );
    check_parts(row)?;
    prop_assert_eq!(row.materialized.is_some(), expected.measured);
    let materialized = row.materialized.unwrap_or_default();
    prop_assert_eq!(materialized.count, expected.materialized.count);
    if !has_size {
        prop_assert_eq!(materialized.bytes, expected.materialized.bytes);
    }
    let lengths: BTreeMap<u8, i64> = row
        .lengths
        .iter()
        .map(|entry| (entry.bucket, entry.count))
        .collect();
    prop_assert_eq!(&lengths, &expected.lengths);
    Ok(())
}

/// A part is the sum of its threads, and a thread of the row is the sum of it in all parts.
fn check_parts(row: &SiteRow) -> Result<(), TestCaseError> {
    let mut threads: BTreeMap<ThreadIndex, Tally> = BTreeMap::new();
    for part in &row.parts {
        let sum: Tally = part.threads.iter().map(|thread| thread.tally).sum();
        prop_assert_eq!(part.tally, sum);
        for thread in &part.threads {
            *threads.entry(thread.thread).or_default() += thread.tally;
        }
    }
    threads.retain(|_, tally| !tally.is_zero());
    let of_row = row
        .threads
        .iter()
        .map(|thread| (thread.thread, thread.tally));
    prop_assert_eq!(threads, of_row.collect::<BTreeMap<_, _>>());
    Ok(())
}

fn check_threads(model: &CountModel, plan: &Plan, last: &LastValues) -> Result<(), TestCaseError> {
    let name = |id| {
        if id == THREADS {
            "shared".to_owned()
        } else {
            format!("t{id}")
        }
    };
    for id in 0..=THREADS {
        let total: Tally = (0..SITES)
            .map(|site| expected(plan, last, site, |thread| thread == id).total)
            .sum();
        let row = model.threads.iter().find(|row| row.name == name(id));
        prop_assert_eq!(row.map_or(Tally::default(), |row| row.total), total);
    }
    Ok(())
}

fn check_increments(
    model: &CountModel,
    plan: &Plan,
    last: &LastValues,
) -> Result<(), TestCaseError> {
    let sum = |wanted: &dyn Fn(CounterRole, bool) -> bool| -> u64 {
        let of = |id: u32| &plan.counters[id as usize];
        let counts =
            |terms: &[TermPlan]| terms.is_empty() || terms.iter().any(|term| term.2 == Unit::Count);
        let words = last
            .words
            .iter()
            .filter(|((_, id), _)| wanted(of(*id).0, counts(&of(*id).1)));
        words.map(|(_, word)| word).sum()
    };
    let increments = model.increments;
    prop_assert_eq!(
        increments.executed,
        sum(&|role, counts| role == CounterRole::Increment && counts)
    );
    prop_assert_eq!(
        increments.extra,
        sum(&|role, counts| role == CounterRole::Increment && !counts)
    );
    prop_assert_eq!(
        increments.profile,
        sum(&|role, _| role == CounterRole::Profile)
    );
    let keyed: u64 = last.keyed.values().map(|(count, _)| count).sum();
    prop_assert_eq!(increments.keyed, keyed);
    let counted: i64 = (0..SITES)
        .map(|site| expected(plan, last, site, |_| true).counted)
        .sum();
    prop_assert_eq!(increments.one_per_site, counted);
    prop_assert_eq!(model.methods[0].one_per_site, counted);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn all_sums_agree(plan in plan()) {
        let mut builder = CountModelBuilder::new();
        records(&plan).into_iter().for_each(|record| builder.fold(record));
        let model = builder.finish();
        let last = last_values(&plan);
        let mut total = Tally::default();
        for id in 0..SITES {
            let expected = expected(&plan, &last, id, |_| true);
            check_site(&model.sites[id as usize], &expected, plan.sizes[id as usize].is_some())?;
            total += expected.total;
        }
        prop_assert_eq!(model.total, total);
        prop_assert_eq!(model.completeness.executed, total);
        let negative = model.sites.iter().any(|row| row.total.count < 0);
        let found = model.inconsistencies.iter().any(|found| found.to_string().starts_with("count of site"));
        prop_assert_eq!(negative, found);
        check_threads(&model, &plan, &last)?;
        check_increments(&model, &plan, &last)?;
    }
}
