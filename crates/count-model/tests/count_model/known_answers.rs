//! Small traces whose answers are worked out by hand.

use ducktrack_count_model::{CountModelBuilder, LengthBucket, Tally, ThreadKind};
use ducktrack_trace_format::{
    AgentCost, CounterId, CounterRole, Damage, End, MethodId, MissingEnd, ProcessState, Record,
    Refusal, Reinstrumented, Run, Snapshot, Unit,
};

use crate::record_builder::{
    call, class, counter, counts, key, method, model, site, size, snapshot, thread,
};

const INCREMENT: CounterRole = CounterRole::Increment;

fn tally(count: i64, bytes: i64) -> Tally {
    Tally { count, bytes }
}

/// One method: site 1 of 24 bytes on every path, site 2 (arrays) only on the side path.
/// Counter 1 is the hot path, counter 2 the side path that corrects it, counter 3 the bytes of the arrays.
fn two_paths() -> Vec<Record> {
    vec![
        class(1, "Main", "app"),
        method(1, 1, "run"),
        site(1, 1, 4, Some("LNode;")),
        site(2, 1, 19, Some("[I")),
        counter(1, INCREMENT, &[(1, 2, Unit::Count)]),
        counter(2, INCREMENT, &[(1, -1, Unit::Count), (2, 1, Unit::Count)]),
        counter(3, CounterRole::Amount, &[(2, 1, Unit::Bytes)]),
        counter(4, CounterRole::Profile, &[]),
        size(1, 24),
        thread(1, "main", false),
        thread(2, "pool-#-thread-#", true),
    ]
}

#[test]
fn counters_are_translated_by_their_semantics() {
    let threads = vec![
        counts(1, &[(1, 100), (2, 30), (3, 1_200), (4, 7)], &[]),
        counts(2, &[(1, 10)], &[]),
    ];
    let model = model(
        two_paths()
            .into_iter()
            .chain([Record::Snapshot(snapshot(0, threads))]),
    );
    // Site 1: 2 * 110 - 30 = 190 of 24 bytes. Site 2: 30 arrays of 1200 bytes together.
    assert_eq!(model.sites[0].total, tally(190, 4_560));
    assert_eq!(model.sites[1].total, tally(30, 1_200));
    assert_eq!(model.total, tally(220, 5_760));
    let names: Vec<_> = model
        .threads
        .iter()
        .map(|row| (row.name.as_str(), row.kind, row.total))
        .collect();
    assert_eq!(
        names,
        [
            ("main", ThreadKind::Live, tally(200, 5_280)),
            ("pool-#-thread-#", ThreadKind::Folded, tally(20, 480)),
        ]
    );
    let split: Vec<_> = model.sites[0]
        .threads
        .iter()
        .map(|part| part.tally.count)
        .collect();
    assert_eq!(split, [170, 20]);
    assert_eq!(
        (model.sites[0].line, model.sites[0].bci, model.sites[0].size),
        (Some(104), 4, Some(24))
    );
    let increments = model.increments;
    assert_eq!(
        (increments.executed, increments.profile, increments.extra),
        (140, 7, 0)
    );
    assert_eq!(
        (increments.one_per_site, increments.amount_counters),
        (220, 1)
    );
    assert_eq!(
        (model.methods[0].increments, model.methods[0].one_per_site),
        (140, 220)
    );
    assert!(
        model.inconsistencies.is_empty(),
        "{:?}",
        model.inconsistencies
    );
    assert!(!model.is_sound(), "no end record");
}

#[test]
fn later_snapshots_name_only_what_changed() {
    let mut builder = CountModelBuilder::new();
    two_paths()
        .into_iter()
        .for_each(|record| builder.fold(record));
    let first = vec![
        counts(1, &[(1, 100), (2, 30)], &[]),
        counts(2, &[(1, 10)], &[]),
    ];
    builder.fold(Record::Snapshot(snapshot(0, first)));
    let early = builder.clone();
    builder.fold(Record::Snapshot(snapshot(
        1,
        vec![counts(1, &[(1, 101)], &[])],
    )));
    assert_eq!((early.snapshots(), builder.snapshots()), (1, 2));
    assert_eq!(early.finish().sites[0].total.count, 190);
    let model = builder.finish();
    assert_eq!(model.sites[0].total.count, 192);
    assert_eq!(
        model
            .snapshots
            .iter()
            .map(|row| row.sequence)
            .collect::<Vec<_>>(),
        [0, 1]
    );
    assert!(model.inconsistencies.is_empty());
}

#[test]
fn a_thread_that_ended_moves_its_values_into_the_fold() {
    let first = vec![counts(1, &[(1, 100)], &[]), counts(2, &[(1, 10)], &[])];
    let second = vec![counts(1, &[(1, 0)], &[]), counts(2, &[(1, 110)], &[])];
    let snapshots = [snapshot(0, first), snapshot(1, second)].map(Record::Snapshot);
    let model = model(two_paths().into_iter().chain(snapshots));
    assert_eq!(model.sites[0].total.count, 220);
    assert_eq!(model.threads.len(), 1, "a thread without values has no row");
    assert!(
        model.inconsistencies.is_empty(),
        "{:?}",
        model.inconsistencies
    );
}

#[test]
fn parts_of_a_snapshot_count_together_or_not_at_all() {
    let part = |sequence, value, more| {
        let threads = vec![counts(1, &[(1, value)], &[])];
        Record::Snapshot(Snapshot {
            more,
            ..snapshot(sequence, threads)
        })
    };
    let second = Record::Snapshot(snapshot(0, vec![counts(2, &[(1, 5)], &[])]));
    let whole = [part(0, 7, true), second, part(1, 90, true)];
    let model = model(two_paths().into_iter().chain(whole));
    assert_eq!(model.sites[0].total.count, 24);
    assert_eq!(model.snapshots.len(), 1);
    let found: Vec<_> = model
        .inconsistencies
        .iter()
        .map(|found| found.name())
        .collect();
    assert_eq!(found, ["partial-snapshot"]);
}

#[test]
fn keyed_counts_are_split_by_caller_and_type() {
    let records = [
        class(1, "Main", "app"),
        method(1, 1, "run"),
        method(2, 1, "caller"),
        site(1, 1, 4, Some("[I")),
        site(2, 1, 9, None),
        site(3, 1, 12, Some("LPair;")),
        size(3, 32),
        counter(1, INCREMENT, &[(1, 1, Unit::Count)]),
        counter(2, CounterRole::Amount, &[(1, 8, Unit::Bytes)]),
        call(5, 2, 3, "java/util/Arrays.copyOf"),
        thread(1, "main", false),
    ];
    let keys = [
        key(1, Some(5), None, 10, 400),
        key(2, None, Some("LA;"), 3, 48),
        key(2, Some(5), Some("LA;"), 2, 32),
        key(2, None, Some("LProxy$$Lambda$7+0x0f;"), 1, 16),
        key(2, None, Some("LProxy$$Lambda$8+0x1f;"), 4, 64),
        key(3, None, None, 6, 0),
    ];
    let values = snapshot(0, vec![counts(1, &[(1, 2), (2, 10)], &keys)]);
    let model = model(records.into_iter().chain([Record::Snapshot(values)]));
    let parts = |index: usize| -> Vec<(Option<usize>, Option<&str>, Tally)> {
        let row = &model.sites[index];
        assert_eq!(
            row.parts.iter().map(|part| part.tally).sum::<Tally>(),
            row.total
        );
        let part = |part: &'_ ducktrack_count_model::SitePart| part.context.map(|call| call.get());
        row.parts
            .iter()
            .map(|p| (part(p), p.ty.as_deref(), p.tally))
            .collect()
    };
    assert_eq!(
        parts(0),
        [
            (None, Some("[I"), tally(2, 80)),
            (Some(0), Some("[I"), tally(10, 400))
        ]
    );
    assert_eq!(
        parts(1),
        [
            (None, Some("LA;"), tally(3, 48)),
            (None, Some("LProxy$$Lambda;"), tally(5, 80)),
            (Some(0), Some("LA;"), tally(2, 32)),
        ]
    );
    assert_eq!(parts(2), [(None, Some("LPair;"), tally(6, 192))]);
    assert_eq!(model.calls[0].total, tally(12, 432));
    assert_eq!(&*model.method(model.calls[0].method).name, "caller");
    assert_eq!(
        (model.increments.keyed, model.increments.one_per_site),
        (26, 2)
    );
    assert!(
        model.inconsistencies.is_empty(),
        "{:?}",
        model.inconsistencies
    );
}

#[test]
fn generated_classes_share_rows() {
    let mut records = vec![
        class(1, "Main$$Lambda$14+0x0001", "app"),
        class(2, "Main$$Lambda$15+0x0002", "app"),
        class(
            3,
            "jdk/internal/reflect/GeneratedConstructorAccessor7",
            "DelegatingClassLoader 7",
        ),
        class(
            4,
            "jdk/internal/reflect/GeneratedConstructorAccessor8",
            "DelegatingClassLoader 8",
        ),
        class(5, "Main", "app"),
        class(6, "Main", "web 2"),
    ];
    for id in 1..=6 {
        records.push(method(id, id, "apply"));
        records.push(site(id, id, 4, Some("LNode;")));
        records.push(size(id, if id == 4 { 48 } else { 16 }));
        records.push(counter(id, INCREMENT, &[(id, 1, Unit::Count)]));
    }
    let values: Vec<(u32, u64)> = (1..=6).map(|id| (id, 10_u64.pow(id))).collect();
    records.push(thread(1, "main", false));
    records.push(Record::Snapshot(snapshot(0, vec![counts(1, &values, &[])])));
    let model = model(records);
    let rows: Vec<_> = model
        .sites
        .iter()
        .map(|row| {
            (
                &*model.method(row.method).class,
                row.merged,
                row.size,
                row.total,
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("Main$$Lambda", 2, Some(16), tally(110, 1_760)),
            (
                "jdk/internal/reflect/GeneratedConstructorAccessor#",
                2,
                None,
                tally(11_000, 16_000 + 480_000)
            ),
            ("Main", 1, Some(16), tally(100_000, 1_600_000)),
            ("Main", 1, Some(16), tally(1_000_000, 16_000_000)),
        ]
    );
    assert_eq!(&*model.methods[1].loader, "DelegatingClassLoader #");
    assert!(model.methods[1].generated && !model.methods[2].generated);
}

#[test]
fn unknown_sizes_lengths_and_materialized_objects_are_visible() {
    let records = [
        class(1, "Main", "app"),
        method(1, 1, "run"),
        site(1, 1, 4, Some("LLate;")),
        site(2, 1, 9, Some("[B")),
        site(3, 1, 12, Some("LNever;")),
        size(1, 16),
        site(4, 1, 20, Some("LSizeless;")),
        counter(1, INCREMENT, &[(1, 1, Unit::Count)]),
        counter(2, INCREMENT, &[(1, 1, Unit::MaterializedCount)]),
        counter(
            3,
            INCREMENT,
            &[(2, 1, Unit::Count), (2, 1, Unit::LengthBucket(3))],
        ),
        counter(4, INCREMENT, &[(2, 1, Unit::LengthBucket(0))]),
        counter(5, CounterRole::Amount, &[(2, 1, Unit::Bytes)]),
        counter(6, INCREMENT, &[(3, 1, Unit::Count)]),
        counter(7, INCREMENT, &[(4, 1, Unit::Count)]),
        thread(1, "main", false),
    ];
    let values = [(1, 50), (2, 20), (3, 8), (4, 2), (5, 256), (7, 9)];
    let values = snapshot(0, vec![counts(1, &values, &[])]);
    let model = model(records.into_iter().chain([Record::Snapshot(values)]));
    assert_eq!(model.sites[0].materialized, Some(tally(20, 320)));
    assert_eq!(model.sites[0].total, tally(50, 800));
    let bucket = |bucket, count| LengthBucket { bucket, count };
    assert_eq!(model.sites[1].lengths, [bucket(0, 2), bucket(3, 8)]);
    assert_eq!(model.sites[1].lengths[1].range(), (4, 7));
    assert_eq!(
        (model.sites[2].bytes_unknown, model.sites[3].bytes_unknown),
        (0, 9)
    );
    assert_eq!(model.sites[3].total, tally(9, 0));
    assert_eq!(model.completeness.bytes_unknown, 9);
    assert!(!model.completeness.materialized_everywhere);
    assert_eq!(
        (model.increments.executed, model.increments.extra),
        (67, 22)
    );
    assert!(
        model.inconsistencies.is_empty(),
        "{:?}",
        model.inconsistencies
    );
}

#[test]
fn the_balance_names_the_rest() {
    let threads = vec![counts(1, &[(1, 50)], &[])];
    let values = Snapshot {
        shared: vec![(CounterId(1), 2)],
        vm_allocated_bytes: Some(3_000),
        before_ready_bytes: Some(777),
        cost: AgentCost {
            counters: 4,
            ..AgentCost::default()
        },
        ..snapshot(0, threads)
    };
    let refusal = |reason: &str, method: Option<&str>, sites| {
        Record::Refusal(Refusal {
            class: "B".into(),
            method: method.map(str::to_owned),
            reason: reason.into(),
            sites,
        })
    };
    let rest = [
        refusal("too-large", Some("m()V"), 3),
        refusal("broken", None, 5),
        refusal("too-large", Some("n()V"), 4),
        Record::Snapshot(values),
    ];
    let model = model(two_paths().into_iter().chain(rest));
    let balance = model.completeness;
    // 104 objects of 24 bytes, four of them from the shared block.
    assert_eq!(
        (balance.executed, balance.shared),
        (tally(104, 2_496), tally(4, 96))
    );
    assert_eq!(
        (balance.vm_bytes, balance.before_ready_bytes),
        (Some(3_000), Some(777))
    );
    assert_eq!(balance.gap_bytes(), Some(504));
    assert_eq!(balance.share(), Some(0.832));
    assert_eq!(balance.refused_sites, 12);
    assert_eq!(
        model.threads.last().map(|row| row.kind),
        Some(ThreadKind::Shared)
    );
    assert_eq!(model.cost.counters, 4);
    let groups: Vec<_> = model
        .refusals
        .iter()
        .map(|group| {
            (
                group.reason.as_str(),
                group.classes,
                group.methods,
                group.sites,
            )
        })
        .collect();
    assert_eq!(groups, [("too-large", 0, 2, 7), ("broken", 1, 0, 5)]);
}

#[test]
fn run_end_damage_and_new_versions_are_carried() {
    let mut builder = CountModelBuilder::new();
    let run = Run {
        pid: 7,
        notes: vec!["early".into()],
        ..Run::default()
    };
    builder.fold(Record::Run(run.clone()));
    builder.fold(Record::Run(run.clone()));
    for late in ["late", "early", "late"] {
        builder.fold(Record::Note(late.into()));
    }
    two_paths()
        .into_iter()
        .for_each(|record| builder.fold(record));
    for id in [1, 9] {
        builder.fold(Record::Reinstrumented(Reinstrumented {
            method: MethodId(id),
            version: 1,
            entries: 1_000,
            before: 2.5,
            after: 1.0,
        }));
    }
    builder.fold(Record::End(End {
        unix_millis: 3,
        cause: "exit".into(),
        losses: vec!["the disk was full".into()],
    }));
    builder.damage("ducktrack.trace", Damage::NoEnd { at: 9 });
    let model = builder.finish();
    assert_eq!((model.run.pid, model.inconsistencies.len()), (7, 0));
    assert_eq!(model.run.notes, ["early", "late"]);
    let methods: Vec<_> = model
        .reinstrumented
        .iter()
        .map(|row| row.method.map(|m| m.get()))
        .collect();
    assert_eq!(methods, [Some(0), None]);
    assert_eq!(model.losses(), ["the disk was full"]);
    assert_eq!(model.damage[0].damage.at(), Some(9));
    assert!(!model.is_sound());
}

#[test]
fn a_jvm_that_runs_is_not_damaged() {
    for (process, expected) in [
        (ProcessState::Running, 1),
        (ProcessState::Gone, 3),
        (ProcessState::Unknown, 3),
    ] {
        let mut builder = CountModelBuilder::new();
        builder.unended(MissingEnd {
            process,
            ..MissingEnd::default()
        });
        builder.damage("ducktrack.trace", Damage::NoEnd { at: 9 });
        builder.damage("ducktrack.trace", Damage::Cut { at: 7, present: 2 });
        let reason = "checksum".into();
        builder.damage(
            "ducktrack.trace",
            Damage::CorruptBlock {
                at: 3,
                index: 0,
                skipped: 4,
                reason,
            },
        );
        let model = builder.finish();
        assert_eq!(model.real_damage().count(), expected, "{process:?}");
    }
}
