//! The size of a process and day: 5,000 sites that are active in every window of ten minutes.

use std::path::Path;
use std::process::Command;

use ducktrack_fleet::{Origin, Recording, TablePipe, TableWriter, tables};
use ducktrack_test_support::sample_run;
use ducktrack_trace_format::{
    AllocationKind, Class, ClassId, Counter, CounterId, CounterRole, Method, MethodId, Record,
    Site, SiteId, Snapshot, Term, Thread, ThreadCounts, ThreadId, Unit,
};

const SITES: u32 = 5_000;
const WINDOWS: u64 = 144;
const TEN_MINUTES: u64 = 600_000;
const MOST_BYTES: u64 = 7_000_000;

/// Numbers that nobody has chosen.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn definitions() -> Vec<Record> {
    let mut records = vec![Record::Thread(Thread {
        id: ThreadId(0),
        name: "main".into(),
        folded: false,
    })];
    for id in 0..SITES {
        let class = id / 8;
        if id % 8 == 0 {
            records.push(Record::Class(Class {
                id: ClassId(class),
                name: format!("com/acme/part{}/Service{class}", class % 40),
                loader: "app".into(),
                hidden: false,
                source_file: Some(format!("Service{class}.java")),
            }));
        }
        records.push(Record::Method(Method {
            id: MethodId(id),
            class: ClassId(class),
            name: format!("step{id}"),
            descriptor: "(Ljava/lang/String;)V".into(),
        }));
        records.push(Record::Site(Site {
            id: SiteId(id),
            method: MethodId(id),
            bci: 7,
            line: Some(40),
            kind: AllocationKind::New,
            ty: Some("Ljava/lang/Object;".into()),
        }));
        let bytes = 16 + 8 * (id % 12);
        records.push(Record::SiteSize {
            site: SiteId(id),
            bytes,
        });
        records.push(Record::Counter(Counter {
            id: CounterId(id),
            role: CounterRole::Increment,
            version: 0,
            terms: vec![Term {
                site: SiteId(id),
                factor: 1,
                unit: Unit::Count,
            }],
        }));
    }
    records
}

/// Each site has a rate between 1 and a million objects a window, and deviates from it by a fifth.
fn snapshots(start: u64, last: &Snapshot) -> Vec<Record> {
    let mut random = Random(88_172_645_463_325_252);
    let rates: Vec<u64> = (0..SITES)
        .map(|_| {
            let digits = 1 + random.below(6) as u32;
            1 + random.below(10_u64.pow(digits))
        })
        .collect();
    let mut values = vec![0; SITES as usize];
    let windows = 1..=WINDOWS;
    windows
        .map(|window| {
            for (value, rate) in values.iter_mut().zip(&rates) {
                *value += 1 + rate * (80 + random.below(41)) / 100;
            }
            let counters = (0..SITES).map(CounterId).zip(values.iter().copied());
            Record::Snapshot(Snapshot {
                sequence: u32::try_from(window).expect("small"),
                unix_millis: start + window * TEN_MINUTES - 1,
                threads: vec![ThreadCounts {
                    thread: ThreadId(0),
                    vm_allocated_bytes: Some(window * 1_000_000_000),
                    counters: counters.collect(),
                    keyed: Vec::new(),
                }],
                shared: Vec::new(),
                ..last.clone()
            })
        })
        .collect()
}

#[test]
fn a_process_and_day_takes_at_most_7_mb() {
    let sample = sample_run::records();
    let start = 1_700_006_400_000;
    let mut run = sample.iter().find_map(|record| match record {
        Record::Run(run) => Some(run.clone()),
        _ => None,
    });
    let last = sample.iter().find_map(|record| match record {
        Record::Snapshot(snapshot) => Some(snapshot.clone()),
        _ => None,
    });
    let mut run = run.take().expect("a run");
    run.start_unix_millis = start;
    let mut recording = Recording::new(TEN_MINUTES);
    recording.fold(Record::Run(run));
    let all = definitions()
        .into_iter()
        .chain(snapshots(start, &last.expect("a snapshot")));
    all.for_each(|record| recording.fold(record));
    let facts = recording.finish();
    let origin = Origin {
        service: "orders".into(),
        version: "1".into(),
        host: "web-1".into(),
        ..Origin::default()
    };
    let files = tables(&origin, &facts, None).expect("tables");
    let counts: usize = files
        .iter()
        .filter(|file| file.path.contains("/counts/"))
        .map(|file| file.rows())
        .sum();
    assert!(counts > 700_000, "{counts} rows");
    let root = tempfile::tempdir().expect("a folder");
    let root = root.path().to_str().expect("a path");
    let mut reach = Command::new(env!("CARGO_BIN_EXE_ducktrack-reach"));
    reach.args([env!("CARGO_PKG_VERSION"), "tables", root]);
    let mut pipe = TablePipe::start(reach, root).expect("a pipe");
    let bytes: u64 = files
        .iter()
        .map(|table| pipe.write(table).expect("a file"))
        .sum();
    for table in &files {
        assert!(Path::new(root).join(&table.path).is_file());
    }
    println!("{counts} rows of counts, {bytes} bytes of all tables");
    assert!(bytes <= MOST_BYTES, "{bytes} bytes");
}
