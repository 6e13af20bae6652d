use std::collections::BTreeMap;

use ducktrack_trace_format::{
    BlockHeader, CounterId, FileHeader, JournalBlock, KeyedCount, RecordStream, Refusal, SiteId,
    ThreadCounts, ThreadId, decode_content,
};

use super::*;
use crate::memory_disk::MemoryDisk;
use crate::snapshot_parts::snapshot_parts;

/// All records of a file that must consist of whole blocks, numbered from 0.
fn records_of(bytes: &[u8]) -> Vec<Record> {
    FileHeader::decode(bytes).unwrap();
    let mut records = Vec::new();
    let mut rest = &bytes[FileHeader::LENGTH..];
    let mut sequence = 0;
    while !rest.is_empty() {
        let header = BlockHeader::decode(rest).unwrap();
        assert_eq!(header.sequence, sequence);
        let end = BlockHeader::LENGTH + header.stored_length as usize;
        let content = decode_content(&header, &rest[BlockHeader::LENGTH..end]).unwrap();
        records.extend(RecordStream::new(&content).map(Result::unwrap));
        rest = &rest[end..];
        sequence += 1;
    }
    records
}

fn refusal(number: u32) -> Record {
    Record::Refusal(Refusal {
        class: format!("a/B{number}"),
        method: None,
        reason: "own-class".into(),
        sites: number,
    })
}

fn complete(sequence: u32, value: u64) -> Snapshot {
    let thread = |id: u32| ThreadCounts {
        thread: ThreadId(id),
        vm_allocated_bytes: Some(value * 100),
        counters: (0..50)
            .map(|counter| (CounterId(counter), value + u64::from(counter)))
            .collect(),
        keyed: vec![KeyedCount {
            site: SiteId(3),
            context: None,
            ty: Some("[I".into()),
            count: value,
            bytes: value * 16,
        }],
    };
    Snapshot {
        sequence,
        cause: "interval".into(),
        threads: vec![thread(1), thread(2)],
        shared: vec![(CounterId(1), value)],
        vm_allocated_bytes: Some(value * 200),
        ..Snapshot::default()
    }
}

fn last_word() -> End {
    End {
        unix_millis: 1,
        cause: "exit".into(),
        losses: vec!["a loss of the agent".into()],
    }
}

fn small_options() -> WriterOptions {
    WriterOptions {
        compression: Compression::Off,
        block_bytes: 100,
        part_bytes: 400,
        waiting_bytes: 5_000,
        compact_over: u64::MAX,
    }
}

fn writer_on(disk: &MemoryDisk, options: WriterOptions) -> CountWriter {
    writer_with_journal(disk, &MemoryDisk::default(), options)
}

fn writer_with_journal(
    disk: &MemoryDisk,
    journal: &MemoryDisk,
    options: WriterOptions,
) -> CountWriter {
    let journal = journal.clone();
    CountWriter::new(
        TraceFile::start(Box::new(disk.clone()), Compression::Off).unwrap(),
        DefinitionsJournal::new(Box::new(move || Ok(Box::new(journal.clone())))),
        options,
    )
}

/// The numbered records of a journal.
fn journal_records(bytes: &[u8]) -> Vec<(u64, Record)> {
    let mut records = Vec::new();
    let mut rest = bytes.get(FileHeader::LENGTH..).unwrap_or_default();
    while !rest.is_empty() {
        let header = BlockHeader::decode(rest).unwrap();
        let end = BlockHeader::LENGTH + header.stored_length as usize;
        let content = decode_content(&header, &rest[BlockHeader::LENGTH..end]).unwrap();
        let block = JournalBlock::decode(&content).unwrap();
        let stream = RecordStream::new(block.records).map(Result::unwrap);
        records.extend((block.first..).zip(stream));
        rest = &rest[end..];
    }
    records
}

/// At every moment a reader that skips the records which the file has finds each definition once.
#[test]
fn what_is_secured_is_in_the_file_or_in_the_journal_once() {
    let (disk, journal) = (MemoryDisk::default(), MemoryDisk::default());
    let mut writer = writer_with_journal(&disk, &journal, small_options());
    for number in 0..40 {
        writer.define(&refusal(number)).unwrap();
        let secured = number % 3 != 1;
        if secured {
            writer.secure().unwrap();
        }
        if number == 20 {
            writer.snapshot(&complete(0, 5)).unwrap();
        }
        let in_file = records_of(&disk.bytes());
        let mut all: Vec<Record> = in_file
            .into_iter()
            .filter(|record| matches!(record, Record::Refusal(_)))
            .collect();
        let known = all.len() as u64;
        let later = journal_records(&journal.bytes()).into_iter();
        all.extend(
            later
                .filter(|(at, _)| *at >= known)
                .map(|(_, record)| record),
        );
        let expected: Vec<Record> = (0..=number).map(refusal).collect();
        if secured {
            assert_eq!(all, expected);
        } else {
            assert!(expected.starts_with(&all));
        }
    }
    writer.finish(last_word()).unwrap();
    assert_eq!(
        writer.secure().map_err(|error| error.to_string()),
        Err(WriteError::Ended.to_string())
    );
}

/// The process was killed after the file got a block and before the journal began anew: the numbers say so.
#[test]
fn a_journal_that_lags_behind_the_file_doubles_nothing() {
    let (disk, journal) = (MemoryDisk::default(), MemoryDisk::default());
    let mut writer = writer_with_journal(&disk, &journal, small_options());
    writer.define(&refusal(0)).unwrap();
    writer.define(&refusal(1)).unwrap();
    writer.secure().unwrap();
    let lagging = journal.bytes();
    writer.flush().unwrap();
    let known = records_of(&disk.bytes()).len() as u64;
    let later = journal_records(&lagging).into_iter();
    assert_eq!(
        (known, later.filter(|(at, _)| *at >= known).count()),
        (2, 0)
    );
    assert_eq!(journal_records(&journal.bytes()), []);
}

/// Values of counters, keys and threads after all whole snapshots, folded without the code of the model.
#[derive(Debug, Default, PartialEq)]
struct Values {
    counters: BTreeMap<(u32, u32), u64>,
    keyed: BTreeMap<(u32, u32, String), (u64, u64)>,
    vm: BTreeMap<u32, u64>,
    shared: BTreeMap<u32, u64>,
}

impl Values {
    fn apply(&mut self, snapshot: &Snapshot) {
        for thread in &snapshot.threads {
            let id = thread.thread.0;
            self.counters.extend(
                thread
                    .counters
                    .iter()
                    .map(|(counter, value)| ((id, counter.0), *value)),
            );
            for key in &thread.keyed {
                let name = format!("{:?} {:?}", key.context, key.ty);
                self.keyed
                    .insert((id, key.site.0, name), (key.count, key.bytes));
            }
            self.vm
                .extend(thread.vm_allocated_bytes.map(|bytes| (id, bytes)));
        }
        self.shared.extend(
            snapshot
                .shared
                .iter()
                .map(|(counter, value)| (counter.0, *value)),
        );
    }

    fn without_zeros(mut self) -> Self {
        self.counters.retain(|_, value| *value != 0);
        self.keyed.retain(|_, value| *value != (0, 0));
        self.vm.retain(|_, value| *value != 0);
        self.shared.retain(|_, value| *value != 0);
        self
    }

    fn of(snapshot: &Snapshot) -> Self {
        let mut values = Self::default();
        values.apply(snapshot);
        values.without_zeros()
    }

    /// The values that the records of a file give; the parts of a snapshot count when the last one is there.
    fn written(records: &[Record]) -> Self {
        let mut values = Self::default();
        let mut parts = Vec::new();
        for record in records {
            if let Record::Snapshot(part) = record {
                parts.push(part);
                if !part.more {
                    parts.drain(..).for_each(|part| values.apply(part));
                }
            }
        }
        assert!(parts.is_empty(), "half a snapshot stayed in the file");
        values.without_zeros()
    }
}

fn definitions(records: &[Record]) -> Vec<&Record> {
    records
        .iter()
        .filter(|record| matches!(record, Record::Refusal(_)))
        .collect()
}

#[test]
fn everything_arrives_in_order() {
    let disk = MemoryDisk::default();
    let mut writer = writer_on(&disk, WriterOptions::default());
    writer.define(&refusal(1)).unwrap();
    writer.snapshot(&complete(0, 5)).unwrap();
    writer.define(&refusal(2)).unwrap();
    writer.snapshot(&complete(1, 5)).unwrap();
    writer.finish(last_word()).unwrap();
    assert_eq!(writer.bytes_written(), disk.bytes().len() as u64);
    let records = records_of(&disk.bytes());
    let unchanged = Snapshot {
        threads: vec![],
        shared: vec![],
        ..complete(1, 5)
    };
    let expected = [
        refusal(1),
        Record::Snapshot(complete(0, 5)),
        refusal(2),
        Record::Snapshot(unchanged),
        Record::End(last_word()),
    ];
    assert_eq!(records, expected);
}

#[test]
fn nothing_follows_the_end() {
    let mut writer = writer_on(&MemoryDisk::default(), small_options());
    writer.finish(last_word()).unwrap();
    assert!(matches!(writer.define(&refusal(1)), Err(WriteError::Ended)));
    assert!(matches!(
        writer.snapshot(&complete(0, 1)),
        Err(WriteError::Ended)
    ));
    assert!(matches!(writer.flush(), Err(WriteError::Ended)));
    assert!(matches!(writer.finish(last_word()), Err(WriteError::Ended)));
}

/// `kill -9` is a writer that is forgotten: the file must hold the last snapshot and all before it.
#[test]
fn after_a_kill_the_last_snapshot_is_there() {
    let disk = MemoryDisk::default();
    let mut writer = writer_on(&disk, small_options());
    for number in 0..5 {
        writer.define(&refusal(number)).unwrap();
        writer
            .snapshot(&complete(number, u64::from(number) * 3))
            .unwrap();
        let records = records_of(&disk.bytes());
        assert_eq!(
            Values::written(&records),
            Values::of(&complete(number, u64::from(number) * 3))
        );
        assert_eq!(definitions(&records).len(), number as usize + 1);
    }
    std::mem::forget(writer);
}

#[test]
fn a_dropped_writer_brings_what_waits_to_the_file() {
    let disk = MemoryDisk::default();
    let mut writer = writer_on(&disk, WriterOptions::default());
    writer.define(&refusal(1)).unwrap();
    drop(writer);
    assert_eq!(records_of(&disk.bytes()), [refusal(1)]);
}

/// The disk is full after every possible number of bytes, in turn, and has room again before the end.
#[test]
fn a_full_disk_at_every_byte_loses_no_value_and_no_definition() {
    let whole = run_on_disk_with(None, false).0.len();
    for capacity in FileHeader::LENGTH..whole {
        for truncate_fails in [false, true] {
            let (bytes, losses) = run_on_disk_with(Some(capacity), truncate_fails);
            let records = records_of(&bytes);
            assert_eq!(
                Values::written(&records),
                Values::of(&complete(3, 40)),
                "capacity {capacity}"
            );
            let expected: Vec<Record> = (0..8).map(refusal).collect();
            assert!(
                definitions(&records).into_iter().eq(&expected),
                "capacity {capacity}"
            );
            let Some(Record::End(end)) = records.last() else {
                panic!("no end");
            };
            assert_eq!(end.losses[1..], losses);
        }
    }
}

/// Four snapshots on a disk that is full until the last; gives the file and the losses.
fn run_on_disk_with(capacity: Option<usize>, truncate_fails: bool) -> (Vec<u8>, Vec<String>) {
    let disk = MemoryDisk::default();
    let mut writer = writer_on(&disk, small_options());
    disk.set(|state| (state.capacity, state.truncate_fails) = (capacity, truncate_fails));
    let mut failures = 0;
    for number in 0..3 {
        for definition in [2 * number, 2 * number + 1] {
            failures += u32::from(writer.define(&refusal(definition)).is_err());
        }
        failures += u32::from(
            writer
                .snapshot(&complete(number, u64::from(number) * 7))
                .is_err(),
        );
        if !truncate_fails {
            records_of(&disk.bytes());
        }
    }
    disk.set(|state| (state.capacity, state.truncate_fails) = (None, false));
    (6..8).for_each(|definition| writer.define(&refusal(definition)).unwrap());
    writer.snapshot(&complete(3, 40)).unwrap();
    let losses = writer.losses();
    assert_eq!(losses.is_empty(), failures == 0);
    writer.finish(last_word()).unwrap();
    (disk.bytes(), losses)
}

/// A class more does not write all classes again.
#[test]
fn a_full_disk_is_tried_again_only_when_twice_as_much_waits_or_later() {
    let (disk, journal) = (MemoryDisk::default(), MemoryDisk::default());
    journal.set(|state| state.capacity = Some(FileHeader::LENGTH));
    let options = WriterOptions {
        block_bytes: 1 << 20,
        waiting_bytes: 1 << 20,
        ..small_options()
    };
    let mut writer = writer_with_journal(&disk, &journal, options);
    for number in 0..2000 {
        writer.define(&refusal(number)).unwrap();
        assert!(writer.secure().is_err());
    }
    let losses = writer.losses();
    let attempts = losses[0].split(' ').next().expect("a number");
    let attempts: u32 = attempts.parse().expect("a number");
    assert!((1..=40).contains(&attempts), "{losses:?}");
    journal.set(|state| state.capacity = None);
    writer.snapshot(&complete(0, 5)).unwrap();
    writer.secure().unwrap();
}

#[test]
fn a_full_waiting_room_drops_and_says_so() {
    let disk = MemoryDisk::default();
    let mut writer = writer_on(&disk, small_options());
    disk.set(|state| state.capacity = Some(0));
    let results: Vec<bool> = (0..1_000)
        .map(|number| writer.define(&refusal(number)).is_ok())
        .collect();
    assert!(results.iter().filter(|ok| !**ok).count() > 500);
    disk.set(|state| state.capacity = None);
    writer.finish(last_word()).unwrap();
    let records = records_of(&disk.bytes());
    assert!(definitions(&records).len() < 500);
    assert!(
        writer
            .losses()
            .iter()
            .any(|loss| loss.contains("were dropped")),
        "{:?}",
        writer.losses()
    );
}

#[test]
fn a_deleted_file_that_cannot_be_restored_is_an_error_and_a_loss() {
    let disk = MemoryDisk::default();
    let mut writer = writer_on(&disk, small_options());
    disk.set(|state| state.restore_fails = true);
    assert!(matches!(
        writer.snapshot(&complete(0, 1)),
        Err(WriteError::Restore { .. })
    ));
    assert!(writer.losses()[0].starts_with("1 snapshots could not be written"));
}

#[test]
fn a_long_file_is_made_short_and_keeps_definitions_and_values() {
    let disk = MemoryDisk::default();
    let options = WriterOptions {
        compact_over: 6_000,
        ..small_options()
    };
    let mut writer = writer_on(&disk, options);
    let mut longest = 0;
    for number in 0..200 {
        writer.define(&refusal(number)).unwrap();
        let values = complete(number, u64::from(number) * 11);
        writer.snapshot(&values).unwrap();
        let records = records_of(&disk.bytes());
        assert_eq!(Values::written(&records), Values::of(&values));
        let expected: Vec<Record> = (0..=number).map(refusal).collect();
        assert!(definitions(&records).into_iter().eq(&expected));
        longest = longest.max(disk.bytes().len());
    }
    assert!(longest < 40_000, "{longest}");
    writer.finish(last_word()).unwrap();
    assert!(writer.losses().is_empty());
}

#[test]
fn a_short_file_that_cannot_be_made_leaves_the_long_one() {
    let disk = MemoryDisk::default();
    let options = WriterOptions {
        compact_over: 6_000,
        ..small_options()
    };
    let mut writer = writer_on(&disk, options);
    disk.set(|state| state.successor_fails = true);
    for number in 0..50 {
        let values = complete(number, u64::from(number));
        writer.snapshot(&values).unwrap();
        assert_eq!(
            Values::written(&records_of(&disk.bytes())),
            Values::of(&values)
        );
    }
    let snapshots = records_of(&disk.bytes());
    let wholes = snapshots
        .iter()
        .filter(|record| matches!(record, Record::Snapshot(part) if !part.more));
    assert_eq!(wholes.count(), 50);
}

#[test]
fn large_snapshots_go_in_parts_that_together_say_the_same() {
    let snapshot = complete(4, 9);
    for limit in [1, 30, 100, 400, 2_000, 100_000] {
        let parts = snapshot_parts(snapshot.clone(), limit);
        let mut values = Values::default();
        parts.iter().for_each(|part| values.apply(part));
        assert_eq!(values, Values::of(&snapshot));
        let (last, others) = parts.split_last().unwrap();
        assert!(!last.more && others.iter().all(|part| part.more && part.sequence == 4));
        for part in &parts {
            let mut content = Vec::new();
            push_record(&Record::Snapshot(part.clone()), &mut content).unwrap();
            assert!(
                content.len() < limit + 150,
                "a part of {} bytes",
                content.len()
            );
        }
    }
}

proptest::proptest! {
    /// Folding the written deltas gives back the values, for threads, counters and keys that come and go.
    #[test]
    fn deltas_fold_back_to_the_values(rounds in proptest::collection::vec(random_values(), 1..6), fail in 0_usize..6) {
        let mut delta = SnapshotDelta::new();
        let mut written = Values::default();
        let count = rounds.len();
        for (round, snapshot) in rounds.iter().enumerate() {
            let changed = delta.changed(snapshot);
            proptest::prop_assert!(changed.threads.len() <= 4);
            // A round that fails is not remembered, so the next one must carry its changes.
            if round == fail && round + 1 < count {
                continue;
            }
            written.apply(&changed);
            delta.remember(snapshot);
            proptest::prop_assert!(delta.changed(snapshot).threads.is_empty());
        }
        proptest::prop_assert_eq!(written.without_zeros(), Values::of(rounds.last().unwrap()));
    }
}

#[test]
fn of_values_given_twice_the_last_counts() {
    let mut twice = complete(0, 5);
    twice.shared = vec![
        (CounterId(2), 9),
        (CounterId(1), 3),
        (CounterId(2), 4),
        (CounterId(7), 1),
        (CounterId(7), 0),
    ];
    let changed = SnapshotDelta::new().changed(&twice);
    assert_eq!(changed.shared, [(CounterId(1), 3), (CounterId(2), 4)]);
}

fn random_values() -> impl proptest::strategy::Strategy<Value = Snapshot> {
    use proptest::prelude::*;
    let counters = || prop::collection::btree_map((0_u32..6).prop_map(CounterId), 0_u64..4, 0..6);
    let keyed = prop::collection::btree_map((0_u32..3, 0_u8..3), (0_u64..3, 0_u64..3), 0..5);
    let thread = (counters(), keyed, prop::option::of(0_u64..4));
    let threads = prop::collection::btree_map(0_u32..4, thread, 0..4);
    (threads, counters()).prop_map(|(threads, shared)| Snapshot {
        threads: threads
            .into_iter()
            .map(|(id, (counters, keyed, vm))| ThreadCounts {
                thread: ThreadId(id),
                // The VM reports it either every time or never.
                vm_allocated_bytes: Some(vm.unwrap_or(0)),
                counters: counters.into_iter().collect(),
                keyed: keyed
                    .into_iter()
                    .map(|((site, ty), value)| random_key(site, ty, value))
                    .collect(),
            })
            .collect(),
        shared: shared.into_iter().collect(),
        ..Snapshot::default()
    })
}

fn random_key(site: u32, ty: u8, (count, bytes): (u64, u64)) -> KeyedCount {
    KeyedCount {
        site: SiteId(site),
        context: (ty == 2).then_some(ducktrack_trace_format::CallSiteId(7)),
        ty: (ty > 0).then(|| "[J".to_owned()),
        count,
        bytes,
    }
}
