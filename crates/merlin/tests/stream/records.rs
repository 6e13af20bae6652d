//! Every record comes back from bytes and from text as it was.

use ducktrack_merlin::{
    Allocation, BlockReader, Definition, MethodId, ObjectId, Reading, Record, RootKind, SiteId,
    SlotId, StreamWriter, ThreadId, TypeId, WriteError, record_to_text, records_from_text,
};
use proptest::prelude::*;

fn object() -> impl Strategy<Value = ObjectId> {
    let ids = prop_oneof![1..200_u64, 1..ObjectId::LIMIT, Just(ObjectId::LIMIT - 1)];
    ids.prop_map(|id| ObjectId::new(id).expect("within the limit"))
}

fn name() -> impl Strategy<Value = String> {
    "[a-zA-Z<>$.é ]{0,12}".prop_map(|name| name.trim().to_owned())
}

pub(crate) fn record() -> impl Strategy<Value = Record> {
    let some = || prop::option::of(object());
    let reading = (
        any::<Option<u16>>(),
        any::<Option<u16>>(),
        any::<Option<u16>>(),
    );
    prop_oneof![
        (
            object(),
            any::<u64>(),
            prop::option::of(0..1_u64 << 40),
            any::<u32>(),
            any::<u32>()
        )
            .prop_map(|(object, bytes, length, ty, site)| {
                Record::Allocation(Allocation {
                    object,
                    bytes,
                    length,
                    ty: TypeId(ty),
                    site: SiteId(site),
                })
            }),
        (some(), any::<u32>(), some(), some()).prop_map(|(source, slot, old, new)| {
            Record::Update {
                source,
                slot: SlotId(slot),
                old,
                new,
            }
        }),
        (some(), any::<u32>(), some()).prop_map(|(source, slot, new)| Record::Store {
            source,
            slot: SlotId(slot),
            new
        }),
        object().prop_map(Record::Use),
        (0..4_usize, object()).prop_map(|(kind, object)| Record::Root {
            kind: RootKind::ALL[kind],
            object
        }),
        (any::<u32>(), some()).prop_map(|(method, receiver)| Record::Entry {
            method: MethodId(method),
            receiver
        }),
        (any::<u32>(), some()).prop_map(|(method, receiver)| Record::Exit {
            method: MethodId(method),
            receiver
        }),
        (any::<u32>(), some(), some()).prop_map(|(method, receiver, exception)| {
            Record::ExceptionalExit {
                method: MethodId(method),
                receiver,
                exception,
            }
        }),
        any::<u32>().prop_map(|thread| Record::Thread(ThreadId(thread))),
        (any::<u16>(), reading).prop_map(|(advance, (bytes, calls, micros))| Record::Tick {
            advance: advance.into(),
            reading: Reading {
                bytes: bytes.map(u64::from),
                calls: calls.map(u64::from),
                micros: micros.map(u64::from)
            },
        }),
        (any::<u64>(), any::<bool>())
            .prop_map(|(number, complete)| Record::Collection { number, complete }),
        object().prop_map(Record::Dead),
        object().prop_map(Record::Kept),
        (
            object(),
            prop::option::of(0..40_u64),
            prop::option::of(0..40_u64)
        )
            .prop_map(|(object, used, lost)| Record::Stamp { object, used, lost }),
        (any::<u32>(), object()).prop_map(|(slot, target)| Record::Reference {
            slot: SlotId(slot),
            target
        }),
        Just(Record::CollectionEnd),
        (name(), name())
            .prop_map(|(key, value)| Definition::Fact {
                key: format!("k{}", key.replace(' ', "")),
                value
            })
            .prop_map(define),
        (any::<u32>(), name())
            .prop_map(|(ty, name)| Definition::Type {
                ty: TypeId(ty),
                name
            })
            .prop_map(define),
        (any::<u32>(), name(), name(), name())
            .prop_map(|(method, class, name, file)| Definition::Method {
                method: MethodId(method),
                class,
                name,
                file
            })
            .prop_map(define),
        (any::<u32>(), any::<u32>(), any::<u32>(), any::<u32>())
            .prop_map(|(site, method, line, caller)| Definition::Site {
                site: SiteId(site),
                method: MethodId(method),
                line,
                caller: SiteId(caller)
            })
            .prop_map(define),
        (any::<u32>(), name())
            .prop_map(|(thread, name)| Definition::Thread {
                thread: ThreadId(thread),
                name
            })
            .prop_map(define),
    ]
}

fn define(definition: Definition) -> Record {
    Record::Definition(Box::new(definition))
}

pub(crate) fn read_all(bytes: &[u8]) -> Vec<Record> {
    let mut reader = BlockReader::new(bytes).expect("our header");
    let mut records = Vec::new();
    while let Some(block) = reader.next_block().expect("our blocks") {
        records.extend(block.decode().expect("our records").records);
    }
    records
}

proptest! {
    #[test]
    fn records_come_back(records in prop::collection::vec((record(), any::<bool>()), 0..60)) {
        let mut writer = StreamWriter::new(Vec::new()).expect("memory");
        let mut written = Vec::new();
        for (record, ends_block) in records {
            match writer.write(&record) {
                Ok(()) => written.push(record),
                // A clock that went back or a stamp in the future: left out, and the stream stays good.
                Err(WriteError::ClockWentBack(_) | WriteError::FutureStamp(_)) => {}
                Err(error) => panic!("{error}"),
            }
            if ends_block {
                writer.end_block().expect("memory");
            }
        }
        let bytes = writer.finish().expect("memory");
        prop_assert_eq!(&read_all(&bytes), &written);
        let text: String = written.iter().map(|record| record_to_text(record) + "\n").collect();
        prop_assert_eq!(records_from_text(&text).expect("our text"), written);
    }
}

#[test]
fn a_record_that_is_left_out_changes_no_clock() {
    let tick = |bytes, calls| Record::Tick {
        advance: 1,
        reading: Reading {
            bytes: Some(bytes),
            calls,
            micros: None,
        },
    };
    let mut writer = StreamWriter::new(Vec::new()).expect("memory");
    writer.write(&tick(10, Some(5))).expect("a good record");
    let refused = writer.write(&tick(90, Some(4)));
    assert!(matches!(refused, Err(WriteError::ClockWentBack(1))));
    writer.write(&tick(20, Some(6))).expect("a good record");
    let records = read_all(&writer.finish().expect("memory"));
    assert_eq!(records, [tick(10, Some(5)), tick(20, Some(6))]);
}

#[test]
fn lines_that_are_no_records_are_named() {
    let fault = |text: &str| records_from_text(text).expect_err("no record").to_string();
    assert_eq!(
        fault("# fine\n\nuse 1\nmove 1 2\n"),
        "line 4: not the name of a record: move 1 2"
    );
    assert_eq!(
        fault("use 0"),
        "line 1: a number is missing or out of range: use 0"
    );
    assert_eq!(
        fault("set 1.0 = 2"),
        "line 1: a word is missing: set 1.0 = 2"
    );
}

#[test]
fn names_of_any_length_fit_into_a_block() {
    let mut writer = StreamWriter::new(Vec::new()).expect("memory");
    let name = "é".repeat(3_000_000);
    writer
        .write(&define(Definition::Type {
            ty: TypeId(1),
            name,
        }))
        .expect("a good record");
    let records = read_all(&writer.finish().expect("memory"));
    let name = "é".repeat(2048);
    assert_eq!(
        records,
        [define(Definition::Type {
            ty: TypeId(1),
            name
        })]
    );
}
