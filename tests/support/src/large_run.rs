//! A made-up run with as many sites as a large server has: skewed like real ones (few sites make most), with callers to
//! blame, several types at one site, lengths, heap counts and threads. The same for every run of the tests.

use ducktrack_trace_format::{
    AgentCost, AllocationKind, CallSite, CallSiteId, Class, ClassId, Counter, CounterId,
    CounterRole, End, KeyedCount, Method, MethodId, Record, Refusal, Run, Site, SiteId, Snapshot,
    Term, Thread, ThreadCounts, ThreadId, Unit,
};

/// Sites per method, methods per class, classes per package.
const SITES: u32 = 4;
const METHODS: u32 = 5;
const CLASSES: u32 = 25;

const WORDS: [&str; 12] = [
    "Order", "Session", "Token", "Parser", "Index", "Cache", "Row", "Codec", "Buffer", "Route",
    "Event", "Frame",
];
const VERBS: [&str; 8] = [
    "load", "parse", "merge", "encode", "apply", "resolve", "append", "<init>",
];
const KINDS: [(AllocationKind, &str, u32); 8] = [
    (AllocationKind::New, "Lcom/acme/model/OrderLine;", 32),
    (AllocationKind::NewArray, "[B", 64),
    (AllocationKind::Boxing, "Ljava/lang/Long;", 16),
    (AllocationKind::StringConcat, "Ljava/lang/String;", 24),
    (AllocationKind::Lambda, "Lcom/acme/Fn$$Lambda;", 16),
    (AllocationKind::Varargs, "[Ljava/lang/Object;", 24),
    (AllocationKind::New, "Ljava/util/HashMap$Node;", 32),
    (AllocationKind::MultiNewArray, "[[D", 80),
];

/// Numbers that look random and are the same each time (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// A run with this many sites.
pub fn records(sites: u32) -> Vec<Record> {
    let mut records = vec![Record::Run(run())];
    let methods = sites / SITES;
    for class in 0..methods.div_ceil(METHODS) {
        records.push(class_record(class));
    }
    for method in 0..methods {
        records.push(method_record(method));
    }
    for call in 0..100.min(methods) {
        records.push(Record::CallSite(CallSite {
            id: CallSiteId(call),
            method: MethodId(call * 7 % methods),
            bci: 40,
            line: Some(120),
            target: "java/util/Arrays.copyOf".into(),
        }));
    }
    for site in 0..sites {
        records.extend(site_records(site));
    }
    records.extend(ends(sites));
    records
}

fn run() -> Run {
    Run {
        pid: 4711,
        start_unix_millis: 1_700_000_000_000,
        ready_after_millis: 310,
        agent_version: "0.1.0".into(),
        options: "record=materialized,record=lengths".into(),
        mode: "count".into(),
        counters: "path".into(),
        vm_name: "OpenJDK 64-Bit Server VM".into(),
        vm_version: "21.0.8+9".into(),
        java_version: "21.0.8".into(),
        command: "shop-server.jar --port 8080".into(),
        collector: "G1".into(),
        ..Run::default()
    }
}

/// Every fifth package is of the JDK, so that there is something to filter out.
fn class_record(class: u32) -> Record {
    let package = class / CLASSES;
    let word = WORDS[(class % 12) as usize];
    let name = match package % 5 {
        0 => format!("java/util/p{package}/{word}Map{class}"),
        1 => format!("org/example/lib{package}/{word}Support{class}"),
        _ => format!("com/acme/p{package}/{word}Service{class}"),
    };
    Record::Class(Class {
        id: ClassId(class),
        source_file: Some(format!("{word}Service{class}.java")),
        name,
        loader: "app".into(),
        hidden: false,
    })
}

fn method_record(method: u32) -> Record {
    Record::Method(Method {
        id: MethodId(method),
        class: ClassId(method / METHODS),
        name: format!(
            "{}{}",
            VERBS[(method % 8) as usize].trim_matches(['<', '>']),
            method % METHODS
        ),
        descriptor: "(Ljava/lang/String;I)V".into(),
    })
}

fn site_records(site: u32) -> Vec<Record> {
    let (kind, ty, size) = KINDS[(site.wrapping_mul(2_654_435_761) >> 13) as usize % KINDS.len()];
    let keyed = site.is_multiple_of(50);
    let kind = if keyed {
        AllocationKind::Intrinsic
    } else {
        kind
    };
    let mut records = vec![Record::Site(Site {
        id: SiteId(site),
        method: MethodId(site / SITES),
        bci: (site % SITES * 9 + 3) as u16,
        line: Some((site / 7 % 900 + 10) as u16),
        kind,
        ty: (!keyed).then(|| ty.to_owned()),
    })];
    if keyed {
        return records;
    }
    records.push(Record::SiteSize {
        site: SiteId(site),
        bytes: size,
    });
    for (at, (role, unit)) in [
        (CounterRole::Increment, Unit::Count),
        (CounterRole::Increment, Unit::MaterializedCount),
        (CounterRole::Amount, Unit::MaterializedBytes),
        (CounterRole::Increment, Unit::LengthBucket(4)),
        (CounterRole::Increment, Unit::LengthBucket(7)),
    ]
    .into_iter()
    .enumerate()
    {
        records.push(Record::Counter(Counter {
            id: CounterId(site * 5 + at as u32),
            role,
            version: 0,
            terms: vec![Term {
                site: SiteId(site),
                factor: 1,
                unit,
            }],
        }));
    }
    records
}

fn values(sites: u32) -> (Vec<(CounterId, u64)>, Vec<KeyedCount>, u64) {
    let mut numbers = Numbers(42);
    let (mut counters, mut keyed, mut heap) = (Vec::new(), Vec::new(), 0);
    for site in 0..sites {
        // Few sites make most: the count falls with the cube of a random rank.
        let rank = numbers.below(1000) + 1;
        let count = 4_000_000_000 / (rank * rank * rank) + numbers.below(90) + 1;
        if site % 50 == 0 {
            for (at, ty) in ["[Ljava/lang/String;", "[Ljava/lang/Object;", "[B"]
                .iter()
                .enumerate()
            {
                let count = count >> (at * 2);
                let bytes = count * 48;
                let call = (site / 50 + at as u32 * 11) % 100;
                let context = (at < 2).then_some(CallSiteId(call));
                heap += bytes;
                keyed.push(KeyedCount {
                    site: SiteId(site),
                    context,
                    ty: Some((*ty).into()),
                    count,
                    bytes,
                });
            }
            continue;
        }
        let (_, ty, size) = KINDS[(site.wrapping_mul(2_654_435_761) >> 13) as usize % KINDS.len()];
        let on_heap = count - count * numbers.below(100) / 100;
        heap += on_heap * u64::from(size);
        let id = |at| CounterId(site * 5 + at);
        counters.extend([
            (id(0), count),
            (id(1), on_heap),
            (id(2), on_heap * u64::from(size)),
        ]);
        if ty.starts_with('[') {
            counters.extend([(id(3), count / 3), (id(4), count - count / 3)]);
        }
    }
    (counters, keyed, heap)
}

fn ends(sites: u32) -> Vec<Record> {
    let (counters, keyed, heap) = values(sites);
    let thread = |id: u32, name: &str, folded| {
        Record::Thread(Thread {
            id: ThreadId(id),
            name: name.into(),
            folded,
        })
    };
    let refusal = |class: String, reason: &str, sites| {
        Record::Refusal(Refusal {
            class,
            method: Some("run()V".into()),
            reason: reason.into(),
            sites,
        })
    };
    let vm = heap + heap / 400;
    let counts = |id, share: u64, keyed| ThreadCounts {
        thread: ThreadId(id),
        vm_allocated_bytes: Some(vm / share),
        counters: counters
            .iter()
            .map(|(id, value)| (*id, value / share))
            .collect(),
        keyed,
    };
    vec![
        thread(0, "main", false),
        thread(1, "http-nio-#-exec-#", true),
        refusal("com/acme/p2/Tables".into(), "method-too-large", 12),
        refusal("com/acme/p3/Legacy".into(), "jsr-with-frames", 3),
        Record::Snapshot(Snapshot {
            sequence: 9,
            more: false,
            unix_millis: 1_700_000_090_000,
            cause: "exit".into(),
            threads: vec![counts(0, 1, keyed), counts(1, 3, Vec::new())],
            shared: Vec::new(),
            vm_allocated_bytes: Some(vm + vm / 3),
            before_ready_bytes: Some(3_456_789),
            cost: AgentCost {
                classes_seen: 5_120,
                classes_rewritten: 4_020,
                methods_rewritten: 21_000,
                rewrite_micros: 612_000,
                bytecode_bytes_before: 9_000_000,
                bytecode_bytes_after: 9_810_000,
                counters: 31_000,
                memory_bytes: 22_000_000,
                reinstrumented_methods: 14,
                snapshot_micros: 5_400,
            },
        }),
        Record::End(End {
            unix_millis: 1_700_000_090_100,
            cause: "exit".into(),
            losses: Vec::new(),
        }),
    ]
}

/// A run of one site whose every name tries to become markup or script.
pub fn hostile() -> Vec<Record> {
    let evil = "</script><img src=x onerror=document.documentElement.dataset.owned=1>";
    let mut records = vec![
        Record::Run(Run {
            command: evil.into(),
            options: evil.into(),
            notes: vec![evil.into()],
            ..Run::default()
        }),
        Record::Class(Class {
            id: ClassId(0),
            name: evil.into(),
            loader: evil.into(),
            hidden: false,
            source_file: Some(evil.into()),
        }),
        Record::Method(Method {
            id: MethodId(0),
            class: ClassId(0),
            name: evil.into(),
            descriptor: evil.into(),
        }),
        Record::Site(Site {
            id: SiteId(0),
            method: MethodId(0),
            bci: 0,
            line: Some(1),
            kind: AllocationKind::New,
            ty: Some(format!("L{evil};")),
        }),
        Record::SiteSize {
            site: SiteId(0),
            bytes: 16,
        },
        Record::Counter(Counter {
            id: CounterId(0),
            role: CounterRole::Increment,
            version: 0,
            terms: vec![Term {
                site: SiteId(0),
                factor: 1,
                unit: Unit::Count,
            }],
        }),
        Record::Thread(Thread {
            id: ThreadId(0),
            name: evil.into(),
            folded: false,
        }),
        Record::Refusal(Refusal {
            class: evil.into(),
            method: Some(evil.into()),
            reason: evil.into(),
            sites: 1,
        }),
    ];
    records.push(Record::Snapshot(Snapshot {
        cause: evil.into(),
        threads: vec![ThreadCounts {
            thread: ThreadId(0),
            vm_allocated_bytes: Some(100),
            counters: vec![(CounterId(0), 5)],
            keyed: Vec::new(),
        }],
        vm_allocated_bytes: Some(100),
        ..Snapshot::default()
    }));
    records.push(Record::End(End {
        unix_millis: 0,
        cause: evil.into(),
        losses: vec![evil.into()],
    }));
    records
}
