//! One run in every format: sums are those of the profile, every number names something.

use ducktrack_count_model::{
    CountModel, CountModelBuilder, OffHeapFrame, OffHeapKind, OffHeapRow, Tally,
};
use ducktrack_exports::{Export, firefox, pprof, speedscope};
use ducktrack_profile::{Profile, profile};
use ducktrack_trace_format::{
    AllocationKind, Class, ClassId, KeyedCount, Method, MethodId, Record, SampleSums, Site, SiteId,
    Snapshot, StackDefinitions, StackId, StackMethod, StackMethodId, StackNode, StackRow,
    StackSamples, StackType, StackTypeId, Thread, ThreadCounts, ThreadId,
};
use serde_json::Value;

/// More than a weight of the Firefox Profiler holds.
const LARGE: u64 = 5_000_000_000;

/// `Main.main:1` calls `Main.make:2`, which makes `byte[]` in two threads; one of them is sampled.
fn model() -> CountModel {
    let mut records = vec![Record::Class(Class {
        id: ClassId(0),
        name: "a/Main".into(),
        loader: "app".into(),
        hidden: false,
        source_file: None,
    })];
    for (id, name) in [(1, "main"), (2, "make")] {
        records.push(Record::Method(Method {
            id: MethodId(id),
            class: ClassId(0),
            name: name.into(),
            descriptor: "()V".into(),
        }));
    }
    records.push(Record::Site(Site {
        id: SiteId(16),
        method: MethodId(2),
        bci: 3,
        line: Some(2),
        kind: AllocationKind::NewArray,
        ty: Some("[B".into()),
    }));
    records.push(Record::StackDefinitions(definitions()));
    records.push(Record::StackSamples(StackSamples {
        rows: vec![StackRow {
            stack: StackId(1),
            ty: StackTypeId(0),
            thread: ThreadId(1),
            sums: SampleSums::of_sample(100, 0),
        }],
        ..StackSamples::default()
    }));
    for (id, name) in [(1, "main"), (2, "pool; 1")] {
        records.push(Record::Thread(Thread {
            id: ThreadId(id),
            name: name.into(),
            folded: false,
        }));
    }
    records.push(Record::Snapshot(Snapshot {
        threads: vec![counts(1, 7, LARGE), counts(2, 3, 300)],
        ..Snapshot::default()
    }));
    let mut builder = CountModelBuilder::new();
    records.into_iter().for_each(|record| builder.fold(record));
    builder.finish()
}

fn definitions() -> StackDefinitions {
    let method = |id, name: &str| StackMethod {
        id: StackMethodId(id),
        class: "a/Main".into(),
        name: name.into(),
        descriptor: "()V".into(),
    };
    let node = |id, parent: Option<u32>| StackNode {
        id: StackId(id),
        parent: parent.map(StackId),
        method: StackMethodId(id),
        line: Some(u16::try_from(id).unwrap() + 1),
    };
    StackDefinitions {
        methods: vec![method(0, "main"), method(1, "make")],
        types: vec![StackType {
            id: StackTypeId(0),
            descriptor: "[B".into(),
        }],
        nodes: vec![node(0, None), node(1, Some(0))],
    }
}

fn counts(thread: u32, count: u64, bytes: u64) -> ThreadCounts {
    ThreadCounts {
        thread: ThreadId(thread),
        vm_allocated_bytes: Some(bytes),
        counters: Vec::new(),
        keyed: vec![KeyedCount {
            site: SiteId(16),
            context: None,
            ty: None,
            count,
            bytes,
        }],
    }
}

fn export<'a>(profile: &'a Profile, live: Option<&'a [Tally]>) -> Export<'a> {
    Export {
        profile,
        live,
        off_heap: None,
        name: "a.Main",
        pid: 4711,
        start_unix_millis: 1_700_000_000_000,
        duration_millis: 2_000,
    }
}

fn numbers(value: &Value) -> Vec<i64> {
    let all = value.as_array().expect("an array");
    all.iter()
        .map(|number| number.as_i64().expect("a number"))
        .collect()
}

#[test]
fn speedscope_has_a_profile_for_each_measure_and_thread() {
    let profile = profile(&model());
    let live: Vec<Tally> = profile
        .rows
        .iter()
        .map(|_| Tally {
            count: 1,
            bytes: 20,
        })
        .collect();
    let text = speedscope(&export(&profile, Some(&live))).expect("JSON");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let frames = document["shared"]["frames"]
        .as_array()
        .expect("frames")
        .len();
    let mut sums = Vec::new();
    for one in document["profiles"].as_array().expect("profiles") {
        let weights = numbers(&one["weights"]);
        let samples = one["samples"].as_array().expect("samples");
        assert_eq!(samples.len(), weights.len());
        assert!(
            samples
                .iter()
                .flat_map(numbers)
                .all(|at| usize::try_from(at).unwrap() < frames)
        );
        assert_eq!(one["endValue"].as_i64(), Some(weights.iter().sum()));
        sums.push((
            one["name"].as_str().expect("a name").to_owned(),
            weights.iter().sum::<i64>(),
        ));
    }
    let large = i64::try_from(LARGE).unwrap();
    let expected = [
        ("allocated objects", 10),
        ("allocated bytes", large + 300),
        ("live objects", 2),
        ("live bytes", 40),
        ("main: allocated bytes", large),
        ("pool; 1: allocated bytes", 300),
    ];
    assert_eq!(sums, expected.map(|(name, sum)| (name.to_owned(), sum)));
    let names: Vec<&str> = document["shared"]["frames"]
        .as_array()
        .expect("frames")
        .iter()
        .map(|frame| frame["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["byte[]", "a.Main.make:2", "a.Main.main:1"]);
}

#[test]
fn memory_outside_of_the_heap_has_its_own_measures() {
    let frame = |method: &str, line: u16| OffHeapFrame {
        class: "a/Main".into(),
        method: method.into(),
        line: Some(line),
    };
    let tally = |count: i64, bytes: i64| Tally { count, bytes };
    let maker = OffHeapRow {
        kind: OffHeapKind::Direct,
        frames: vec![frame("allocate", 9), frame("main", 1)],
        made: tally(5, 500),
        released: tally(2, 200),
    };
    let (profile, off_heap) = profile(&model()).with_off_heap(&[maker]);
    let export = Export {
        off_heap: Some(&off_heap),
        ..export(&profile, None)
    };
    let text = speedscope(&export).expect("JSON");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let profiles = document["profiles"].as_array().expect("profiles");
    let sums = profiles.iter().map(|one| one["endValue"].as_i64());
    let large = i64::try_from(LARGE).unwrap();
    let expected = [10, large + 300, 3, 300].map(Some);
    assert_eq!(sums.take(4).collect::<Vec<_>>(), expected);
    let names = document["shared"]["frames"].as_array().expect("frames");
    let last = names.iter().rev().take(2).map(|frame| &frame["name"]);
    // `main` is the frame that the sampled stacks have.
    assert_eq!(
        last.collect::<Vec<_>>(),
        ["a.Main.allocate:9", "direct-buffer"]
    );
}

#[test]
fn firefox_splits_what_a_weight_cannot_hold() {
    let profile = profile(&model());
    let text = firefox(&export(&profile, None)).expect("JSON");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let threads = document["threads"].as_array().expect("threads");
    let sums: Vec<(&str, i64)> = threads
        .iter()
        .map(|thread| {
            let weights = numbers(&thread["samples"]["weight"]);
            let kind = thread["samples"]["weightType"].as_str().expect("a word");
            (kind, weights.iter().sum())
        })
        .collect();
    let large = i64::try_from(LARGE).unwrap();
    assert_eq!(
        sums,
        [
            ("samples", 7),
            ("samples", 3),
            ("bytes", large),
            ("bytes", 300)
        ]
    );
}

#[test]
fn pprof_is_gzipped_and_has_texts_for_everything() {
    let profile = profile(&model());
    let bytes = pprof(&export(&profile, None)).expect("bytes");
    assert_eq!(bytes.get(..2), Some(&[0x1f, 0x8b][..]));
    let mut plain = Vec::new();
    let mut decoder = flate2::read::GzDecoder::new(&bytes[..]);
    std::io::Read::read_to_end(&mut decoder, &mut plain).expect("gzip");
    for text in [
        "alloc_space",
        "a.Main.make",
        "byte[]",
        "pool; 1",
        "a.Main.make:2",
    ] {
        let found = plain
            .windows(text.len())
            .any(|window| window == text.as_bytes());
        assert!(found, "{text}");
    }
}
