//! A run of three collections whose every object is known, written with the agent's own writers.
//!
//! Sites: `Shop.order` makes `com.acme.Order` of 24 bytes, `Shop.price` boxes `java.lang.Long` of 16, `Shop.read` makes `byte[]`.
//! Everything is allocated by `main`, and ends at the addresses that follow each other in eden.
//!
//! | epoch | allocated | the collection that ends it |
//! |---|---|---|
//! | 0 | 3 orders, 2 longs, a `byte[]` of 40 bytes; the VM makes a `java.lang.String` of 32 | 1, young: order 1 and 2, the `byte[]` and the string survive |
//! | 1 | 2 orders | 2, young: order 1 is promoted, order 2 and the `byte[]` die, one of the new orders and the string survive |
//! | 2 | nothing | 3, full: the promoted order dies, the other and the string survive |
//! | 3 | 1 long, 1 eliminated long | |

use std::path::Path;
use std::sync::Arc;

use ducktrack_trace_format::{
    AddressRange, AllocationKind, ArrayLayout, Class, ClassId, Collection, CollectionKind, Counter,
    CounterId, CounterRole, End, EventBlockHeader, EventFlags, EventWords, HeapClass, HeapClassId,
    HeapClassSize, Method, MethodId, MovesLevel, ObjectLayout, Record, Run, Site, SiteFacts,
    SiteId, Snapshot, Space, SpaceKind, Survivor, Term, Thread, ThreadCounts, ThreadCut, ThreadId,
    Unit,
};
use ducktrack_trace_writer::{
    Buffer, EventHost, EventLog, EventOptions, FlushOutcome, TraceDirectory, WriterOptions,
};

const ORDER: SiteId = SiteId(16);
const LONG: SiteId = SiteId(17);
const BYTES: SiteId = SiteId(18);
const ORDER_CLASS: HeapClassId = HeapClassId(1);
const BYTES_CLASS: HeapClassId = HeapClassId(2);
const STRING_CLASS: HeapClassId = HeapClassId(3);
const MAIN: ThreadId = ThreadId(0);

const EDEN: u64 = 0x1_0000_0000;
const FROM: u64 = 0x1_0100_0000;
const TO: u64 = 0x1_0180_0000;
const OLD: u64 = 0x2_0000_0000;
const PART: u64 = 0x80_0000;
/// Microseconds since 1970.
const START: u64 = 1_700_000_000_000_000;

/// Writes the trace into a new directory.
pub fn write(path: &Path) {
    write_with(path, true);
}

/// Writes the trace of the same run with `moves=off`.
pub fn write_without_moves(path: &Path) {
    write_with(path, false);
}

fn write_with(path: &Path, moves: bool) {
    write_definitions(path);
    let options = EventOptions {
        moves,
        pid: 4711,
        start_unix_millis: START / 1000,
        ..EventOptions::default()
    };
    let log = EventLog::start(path, options, Arc::new(Facts), Box::new(()), Arc::new(Host))
        .expect("event files");
    write_events(&log, moves);
    log.finish(end());
}

fn write_events(log: &EventLog, moves: bool) {
    let collect = |mut collection: Collection, survivors: Vec<Survivor>| {
        if moves {
            log.collection(collection, survivors);
        } else {
            collection.level = MovesLevel::Off;
            log.collection(collection, Vec::new());
        }
    };
    // Eden: orders end at 24, 48, 72, longs at 88, 104, the byte[] at 144, the VM's string at 176.
    let first = EventWords::new()
        .at(ORDER, EDEN + 24)
        .site(ORDER, 3)
        .site(ORDER, 3)
        .site(LONG, 2)
        .site(LONG, 2)
        .site(BYTES, 5);
    hand_over(log, 0, first, 1);
    let survivors = vec![
        Survivor::new(EDEN, FROM, 24, ORDER_CLASS),
        Survivor::new(EDEN + 24, FROM + 24, 24, ORDER_CLASS),
        Survivor::new(EDEN + 104, FROM + 48, 40, BYTES_CLASS),
        Survivor::new(EDEN + 144, FROM + 88, 32, STRING_CLASS),
    ];
    collect(
        collection(1, CollectionKind::Young, &[EDEN, TO], (FROM, 120), 0, 144),
        survivors,
    );
    let second = EventWords::new().cut(1).at(ORDER, EDEN + 24).site(ORDER, 3);
    hand_over(log, 1, second, 2);
    let survivors = vec![
        Survivor::new(EDEN + 24, TO, 24, ORDER_CLASS),
        Survivor::new(FROM, OLD, 24, ORDER_CLASS),
        Survivor::new(FROM + 88, TO + 24, 32, STRING_CLASS),
    ];
    collect(
        collection(2, CollectionKind::Young, &[EDEN, FROM], (TO, 56), 24, 48),
        survivors,
    );
    let survivors = vec![
        Survivor::new(TO, OLD, 24, ORDER_CLASS),
        Survivor::new(TO + 24, OLD + 24, 32, STRING_CLASS),
    ];
    collect(
        collection(
            3,
            CollectionKind::Full,
            &[EDEN, FROM, TO, OLD],
            (TO, 0),
            56,
            0,
        ),
        survivors,
    );
    let last = EventWords::new().cut(3).at(LONG, EDEN + 16).site(LONG, 0);
    hand_over(log, 3, last, 1);
}

fn hand_over(log: &EventLog, epoch: u32, words: EventWords, number: u64) {
    let begun = START + 100_000 * u64::from(epoch);
    let header = EventBlockHeader {
        thread: MAIN,
        epoch,
        begun: begun + number,
        handed_over: begun + 50_000,
        flags: EventFlags::CUT,
        last_top: 1,
    };
    let words = words.into_bytes();
    let words = words.into();
    let taken = log.buffer(Buffer { header, words });
    assert_eq!(taken, FlushOutcome::Taken);
}

/// A collection 100 ms after the one before, of 3 ms, a third of it the agent's.
fn collection(
    number: u32,
    kind: CollectionKind,
    collected: &[u64],
    (survivor, used): (u64, u64),
    old: u64,
    top: u64,
) -> Collection {
    let start = START + 100_000 * u64::from(number);
    let space = |kind, index, bottom, bytes| Space {
        kind,
        index,
        bottom,
        top: bottom + bytes,
    };
    let after = vec![
        space(SpaceKind::Old, 0, OLD, old),
        space(SpaceKind::Eden, 1, EDEN, 0),
        space(SpaceKind::Survivor, 2, survivor, used),
    ];
    let mut collected: Vec<AddressRange> = collected
        .iter()
        .map(|start| AddressRange {
            start: *start,
            end: *start + PART,
        })
        .collect();
    collected.sort_by_key(|range| range.start);
    Collection {
        number,
        vm_total: number,
        kind,
        cause: "Allocation Failure".into(),
        start_unix_micros: start,
        end_unix_micros: start + 3_000,
        walk_nanos: 1_000_000,
        level: MovesLevel::Exact,
        before: vec![space(SpaceKind::Eden, 1, EDEN, top + 32)],
        after,
        collected,
        cuts: vec![ThreadCut {
            thread: MAIN,
            top: if top == 0 { 0 } else { EDEN + top },
            last: if top == 0 { 1 } else { EDEN + top },
        }],
        ..Collection::default()
    }
}

fn write_definitions(path: &Path) {
    let directory = TraceDirectory::create(path).expect("a directory");
    let mut writer = directory.into_count_writer(WriterOptions::default());
    for record in definitions() {
        writer.define(&record).expect("definition");
    }
    writer.snapshot(&snapshot()).expect("snapshot");
    writer.finish(end()).expect("end");
}

fn end() -> End {
    End {
        unix_millis: START / 1000 + 400,
        cause: "exit".into(),
        losses: Vec::new(),
    }
}

fn definitions() -> Vec<Record> {
    let mut records = vec![Record::Run(run())];
    records.push(Record::Class(Class {
        id: ClassId(0),
        name: "com/acme/Shop".into(),
        loader: "app".into(),
        hidden: false,
        source_file: Some("Shop.java".into()),
    }));
    let sites = [
        ("order", AllocationKind::New, "Lcom/acme/Order;", Some(24)),
        (
            "price",
            AllocationKind::Boxing,
            "Ljava/lang/Long;",
            Some(16),
        ),
        ("read", AllocationKind::NewArray, "[B", None),
    ];
    for ((name, kind, ty, size), at) in sites.into_iter().zip(0_u32..) {
        records.push(Record::Method(Method {
            id: MethodId(at),
            class: ClassId(0),
            name: name.into(),
            descriptor: "()V".into(),
        }));
        records.push(Record::Site(Site {
            id: SiteId(16 + at),
            method: MethodId(at),
            bci: 4,
            line: u16::try_from(10 + at).ok(),
            kind,
            ty: Some(ty.into()),
        }));
        records.extend(size.map(|bytes| Record::SiteSize {
            site: SiteId(16 + at),
            bytes,
        }));
        records.push(counter(at, CounterRole::Increment, 16 + at, Unit::Count));
    }
    records.push(counter(3, CounterRole::Amount, 18, Unit::Bytes));
    records.extend(heap_classes());
    records.push(Record::Thread(Thread {
        id: MAIN,
        name: "main".into(),
        folded: false,
    }));
    records
}

fn counter(id: u32, role: CounterRole, site: u32, unit: Unit) -> Record {
    Record::Counter(Counter {
        id: CounterId(id),
        role,
        version: 0,
        terms: vec![Term {
            site: SiteId(site),
            factor: 1,
            unit,
        }],
    })
}

fn heap_classes() -> [Record; 3] {
    let class = |id, name: &str, size| {
        Record::HeapClass(HeapClass {
            id,
            name: name.into(),
            size,
            klass: 0x8000 + u64::from(id.0) * 0x100,
            fields: Vec::new(),
        })
    };
    let bytes = HeapClassSize::Array {
        element: 1,
        base: 16,
    };
    [
        class(ORDER_CLASS, "com/acme/Order", HeapClassSize::Instance(24)),
        class(BYTES_CLASS, "[B", bytes),
        class(
            STRING_CLASS,
            "java/lang/String",
            HeapClassSize::Instance(32),
        ),
    ]
}

fn run() -> Run {
    Run {
        pid: 4711,
        start_unix_millis: START / 1000,
        agent_version: "0.1.0".into(),
        options: "mode=trace".into(),
        mode: "trace".into(),
        vm_name: "OpenJDK 64-Bit Server VM".into(),
        vm_version: "17.0.15+6".into(),
        java_version: "17.0.15".into(),
        command: "com.acme.Shop".into(),
        collector: "Serial".into(),
        layout: ObjectLayout {
            header: 12,
            array_base: [16; 5],
            reference: 4,
            alignment: 8,
        },
        ..Run::default()
    }
}

/// Executed: 5 orders, 4 longs (one eliminated), a `byte[]` of 40 bytes.
fn snapshot() -> Snapshot {
    Snapshot {
        sequence: 1,
        unix_millis: START / 1000 + 390,
        cause: "exit".into(),
        threads: vec![ThreadCounts {
            thread: MAIN,
            vm_allocated_bytes: Some(240),
            counters: vec![
                (CounterId(0), 5),
                (CounterId(1), 4),
                (CounterId(2), 1),
                (CounterId(3), 40),
            ],
            keyed: Vec::new(),
        }],
        vm_allocated_bytes: Some(240),
        ..Snapshot::default()
    }
}

#[derive(Clone, Copy)]
struct Facts;

impl SiteFacts for Facts {
    fn fixed_bytes(&self, site: SiteId) -> Option<u32> {
        match site {
            ORDER => Some(24),
            LONG => Some(16),
            _ => None,
        }
    }

    fn is_measured(&self, site: SiteId) -> bool {
        site == BYTES
    }

    fn array_layout(&self, _site: SiteId) -> Option<ArrayLayout> {
        None
    }
}

struct Host;

impl EventHost for Host {
    fn want_collection(&self) {}

    fn say(&self, line: &str) {
        panic!("the writer complains: {line}");
    }
}
