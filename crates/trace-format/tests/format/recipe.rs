//! The content of the golden trace: all kinds of records, all variants of every enum, both kinds of blocks.

use ducktrack_trace_format::{
    AgentCost, AllocationKind, BlockKind, CallSite, CallSiteId, Class, ClassId, Compression,
    Counter, CounterId, CounterRole, End, FileHeader, KeyedCount, Method, MethodId, ObjectLayout,
    Record, Refusal, Reinstrumented, Run, Site, SiteId, Snapshot, Term, Thread, ThreadCounts,
    ThreadId, Unit, encode_block, push_record,
};

/// All kinds in the order of the format.
pub(crate) const KINDS: [AllocationKind; 18] = [
    AllocationKind::New,
    AllocationKind::NewArray,
    AllocationKind::MultiNewArray,
    AllocationKind::Lambda,
    AllocationKind::MethodReference,
    AllocationKind::StringConcat,
    AllocationKind::Boxing,
    AllocationKind::Varargs,
    AllocationKind::Clone,
    AllocationKind::ArrayReflection,
    AllocationKind::Reflection,
    AllocationKind::MethodHandle,
    AllocationKind::UnsafeAllocate,
    AllocationKind::Deserialization,
    AllocationKind::Intrinsic,
    AllocationKind::Jni,
    AllocationKind::Vm,
    AllocationKind::Other,
];

/// The blocks of the trace.
pub(crate) fn blocks() -> Vec<(BlockKind, Vec<Record>)> {
    vec![
        (BlockKind::DEFINITIONS, vec![run()]),
        (BlockKind::DEFINITIONS, definitions()),
        (BlockKind::VALUES, vec![first_part(), last_part()]),
        (BlockKind::DEFINITIONS, late_definitions()),
        (
            BlockKind::VALUES,
            vec![Record::Snapshot(Snapshot::default())],
        ),
        (BlockKind::END, vec![end()]),
    ]
}

/// The whole file.
pub(crate) fn file(compression: Compression) -> Vec<u8> {
    file_of(&blocks(), compression)
}

/// A file of these blocks.
pub(crate) fn file_of(blocks: &[(BlockKind, Vec<Record>)], compression: Compression) -> Vec<u8> {
    let mut file = FileHeader::current().encode().to_vec();
    for (sequence, (kind, records)) in (0..).zip(blocks) {
        let mut content = Vec::new();
        for record in records {
            push_record(record, &mut content).unwrap();
        }
        encode_block(*kind, sequence, &content, compression, &mut file).unwrap();
    }
    file
}

fn run() -> Record {
    Record::Run(Run {
        pid: 4_711,
        start_unix_millis: 1_763_700_000_000,
        ready_after_millis: 187,
        agent_version: "0.1.0".into(),
        options: "out=/tmp/x".into(),
        mode: "count".into(),
        counters: "path".into(),
        vm_name: "OpenJDK 64-Bit Server VM".into(),
        vm_version: "25.0.3+9".into(),
        java_version: "25.0.3".into(),
        java_home: "/opt/jdk".into(),
        command: "Main größe 1".into(),
        collector: "G1".into(),
        attached: true,
        slot: "jvmci-reserved".into(),
        layout: ObjectLayout {
            header: 12,
            array_base: [16, 16, 16, 16, 16],
            reference: 4,
            alignment: 8,
        },
        notes: vec!["one".into(), "two".into()],
    })
}

fn definitions() -> Vec<Record> {
    let mut records = vec![
        Record::Class(Class {
            id: ClassId(0),
            name: "Main$$Lambda+0x0000000800c03000".into(),
            loader: "app".into(),
            hidden: true,
            source_file: Some("Main.java".into()),
        }),
        Record::Method(Method {
            id: MethodId(70_000),
            class: ClassId(0),
            name: "run".into(),
            descriptor: "()V".into(),
        }),
        Record::CallSite(CallSite {
            id: CallSiteId(3),
            method: MethodId(70_000),
            bci: 9,
            line: None,
            target: "java/util/Arrays.copyOf".into(),
        }),
        Record::Thread(Thread {
            id: ThreadId(1),
            name: "pool-#".into(),
            folded: true,
        }),
    ];
    records.extend((0..).zip(KINDS).map(|(id, kind)| {
        Record::Site(Site {
            id: SiteId(id),
            method: MethodId(70_000),
            bci: u16::MAX,
            line: Some(300),
            kind,
            ty: (id % 2 == 0).then(|| "[Ljava/lang/String;".to_owned()),
        })
    }));
    records.extend(counters());
    records
}

fn counters() -> Vec<Record> {
    let term = |factor, unit| Term {
        site: SiteId(1),
        factor,
        unit,
    };
    let units = [
        term(1, Unit::Count),
        term(-2, Unit::Bytes),
        term(i32::MIN, Unit::MaterializedCount),
        term(i32::MAX, Unit::MaterializedBytes),
        term(0, Unit::LengthBucket(64)),
    ];
    let roles = [
        CounterRole::Increment,
        CounterRole::Profile,
        CounterRole::Amount,
    ];
    let counter = |(id, role)| {
        Record::Counter(Counter {
            id: CounterId(id),
            role,
            version: 2,
            terms: units.to_vec(),
        })
    };
    (0..).zip(roles).map(counter).collect()
}

fn first_part() -> Record {
    Record::Snapshot(Snapshot {
        sequence: 1,
        unix_millis: 1_763_700_000_500,
        cause: "interval".into(),
        threads: vec![],
        shared: vec![(CounterId(1), u64::MAX)],
        vm_allocated_bytes: Some(1 << 40),
        before_ready_bytes: None,
        cost: cost(),
        more: true,
    })
}

fn last_part() -> Record {
    Record::Snapshot(Snapshot {
        sequence: 1,
        cause: "exit".into(),
        threads: vec![ThreadCounts {
            thread: ThreadId(1),
            vm_allocated_bytes: Some(0),
            counters: (0..200)
                .map(|id| (CounterId(id), u64::from(id) * 1_000))
                .collect(),
            keyed: vec![KeyedCount {
                site: SiteId(2),
                context: Some(CallSiteId(3)),
                ty: Some("LA;".into()),
                count: 127,
                bytes: 128,
            }],
        }],
        ..Snapshot::default()
    })
}

fn cost() -> AgentCost {
    AgentCost {
        classes_seen: 1,
        classes_rewritten: 2,
        methods_rewritten: 3,
        rewrite_micros: 4,
        bytecode_bytes_before: 5,
        bytecode_bytes_after: 6,
        counters: 7,
        memory_bytes: 8,
        reinstrumented_methods: 9,
        snapshot_micros: 10,
    }
}

fn late_definitions() -> Vec<Record> {
    vec![
        Record::SiteSize {
            site: SiteId(0),
            bytes: 24,
        },
        Record::Refusal(Refusal {
            class: "a/B".into(),
            method: Some("m()V".into()),
            reason: "method-too-large".into(),
            sites: 12,
        }),
        Record::Reinstrumented(Reinstrumented {
            method: MethodId(70_000),
            version: 1,
            entries: 10_000,
            before: 2.5,
            after: 1.0,
        }),
    ]
}

fn end() -> Record {
    Record::End(End {
        unix_millis: 1_763_700_001_000,
        cause: "exit".into(),
        losses: vec!["1 snapshots could not be written".into()],
    })
}
