//! A small run whose every number is known: what the tests of reports and of the command read.
//!
//! | site | way | objects | bytes |
//! |---|---|---|---|
//! | `com.acme.Orders.total` @3 `java.lang.Long` | boxing | 1,000,000 (100,000 on the heap) | 16 each |
//! | `com.acme.Orders.total` @11 `java.lang.Object[]` | varargs | 50,000 | 24 each |
//! | `com.acme.Orders.filter` @8 `com.acme.Orders$$Lambda` | lambda | 30,000 | 16 each |
//! | `java.util.Arrays.copyOf` @14, several types | intrinsic | 6,000 + 2,000 + 40 by type and caller | |
//! | `com.acme.Grid.<init>` @1 `float[][]`, `float[]` | multianewarray | 10 + 20 | |
//! | `java.lang.StringBuilder.<init>` @5 `byte[]` | newarray, with lengths | 400 | 12,800 |
//! | `com.acme.<img src=x onerror=...>` @0 | new, a hostile name | 7 | 168 |
//! | `com.acme.Orders.never` @0 | never ran | 0 | 0 |

use ducktrack_trace_format::{
    AgentCost, AllocationKind, CallSite, CallSiteId, Class, ClassId, Context, ContextBlock,
    ContextId, Counter, CounterId, CounterRole, End, KeyedCount, Method, MethodId, ObjectLayout,
    Record, Refusal, Reinstrumented, Run, Site, SiteId, Snapshot, Term, Thread, ThreadCounts,
    ThreadId, Unit,
};

/// A class name that would end a script element and draw on a terminal, were it not escaped.
pub const HOSTILE: &str = "com/acme/</script><img src=x onerror=alert(1)>\u{1b}[31m";

/// All records of the run, in order.
pub fn records() -> Vec<Record> {
    records_with(1)
}

/// The same run with `factor` times the 800,000 objects that the main thread boxes in its loop.
pub fn records_with(factor: u64) -> Vec<Record> {
    let mut records = vec![Record::Run(run())];
    records.extend(classes());
    records.extend(methods());
    records.extend(calls());
    records.extend(sites());
    records.extend(counters());
    records.extend(refusals());
    records.push(Record::Snapshot(snapshot(factor)));
    records.push(Record::End(End {
        unix_millis: 1_700_000_012_400,
        cause: "exit".into(),
        losses: Vec::new(),
    }));
    records
}

/// The same run, in which the pool's objects were made in a request, and
/// a tenth of the main thread's in a request that executed a statement.
pub fn records_in_contexts() -> Vec<Record> {
    let context = |id, kind: &str, name: &str| {
        Record::Context(Context {
            id: ContextId(id),
            kind: kind.into(),
            name: name.into(),
        })
    };
    let block = |thread, contexts: &[u32]| {
        Record::ContextBlock(ContextBlock {
            thread: ThreadId(thread),
            contexts: contexts.iter().map(|id| ContextId(*id)).collect(),
        })
    };
    let mut records = records();
    let at = records.len() - 2;
    records.splice(
        at..at,
        [
            context(1, "http", "GET /orders/{id}"),
            context(2, "sql", "select * from orders"),
            Record::Thread(Thread {
                id: ThreadId(2),
                name: "(in contexts)".into(),
                folded: true,
            }),
            block(1, &[1]),
            block(2, &[1, 2]),
        ],
    );
    for record in &mut records {
        if let Record::Snapshot(snapshot) = record {
            in_a_statement(snapshot);
        }
    }
    records
}

/// A tenth of the main thread's loop was executed in a block of contexts.
fn in_a_statement(snapshot: &mut Snapshot) {
    let mut executed = ThreadCounts {
        thread: ThreadId(2),
        vm_allocated_bytes: Some(0),
        counters: Vec::new(),
        keyed: Vec::new(),
    };
    let main = snapshot.threads.first_mut().expect("the main thread");
    for (id, value) in &mut main.counters {
        let part = *value / 10;
        *value -= part;
        executed.counters.push((*id, part));
    }
    snapshot.threads.push(executed);
}

fn run() -> Run {
    Run {
        pid: 4711,
        start_unix_millis: 1_700_000_000_000,
        ready_after_millis: 120,
        agent_version: "0.1.0".into(),
        options: "record=materialized,record=lengths".into(),
        mode: "count".into(),
        counters: "path".into(),
        vm_name: "OpenJDK 64-Bit Server VM".into(),
        vm_version: "17.0.15+6".into(),
        java_version: "17.0.15".into(),
        java_home: "/usr/lib/jvm/17".into(),
        command: "com.acme.Main --orders 1000000".into(),
        collector: "G1".into(),
        attached: false,
        slot: "thread-padding".into(),
        layout: ObjectLayout {
            header: 12,
            array_base: [16; 5],
            reference: 4,
            alignment: 8,
        },
        notes: vec![
            "the reserved slot of JVMCI was taken; counters hang in the padding of Thread".into(),
        ],
    }
}

fn classes() -> impl Iterator<Item = Record> {
    [
        ("com/acme/Orders", "app", Some("Orders.java")),
        ("java/util/Arrays", "boot", Some("Arrays.java")),
        ("com/acme/Grid", "app", Some("Grid.java")),
        ("java/lang/StringBuilder", "boot", None),
        (HOSTILE, "app", None),
        ("java/util/ArrayList", "boot", Some("ArrayList.java")),
    ]
    .into_iter()
    .zip(0..)
    .map(|((name, loader, source_file), id)| {
        Record::Class(Class {
            id: ClassId(id),
            name: name.into(),
            loader: loader.into(),
            hidden: false,
            source_file: source_file.map(str::to_owned),
        })
    })
}

fn methods() -> impl Iterator<Item = Record> {
    [
        (0, "total", "(Ljava/util/List;)J"),
        (0, "filter", "(I)Ljava/util/List;"),
        (1, "copyOf", "([Ljava/lang/Object;I)[Ljava/lang/Object;"),
        (2, "<init>", "(II)V"),
        (3, "<init>", "()V"),
        (4, "run", "()V"),
        (0, "never", "()V"),
        (5, "grow", "(I)[Ljava/lang/Object;"),
    ]
    .into_iter()
    .zip(0..)
    .map(|((class, name, descriptor), id)| {
        Record::Method(Method {
            id: MethodId(id),
            class: ClassId(class),
            name: name.into(),
            descriptor: descriptor.into(),
        })
    })
}

fn calls() -> impl Iterator<Item = Record> {
    [(0, 21, Some(42)), (7, 5, Some(239))]
        .into_iter()
        .zip(0..)
        .map(|((method, bci, line), id)| {
            Record::CallSite(CallSite {
                id: CallSiteId(id),
                method: MethodId(method),
                bci,
                line,
                target: "java/util/Arrays.copyOf".into(),
            })
        })
}

fn sites() -> impl Iterator<Item = Record> {
    use AllocationKind::*;
    let fixed = [
        (0, 3, Some(40), Boxing, Some("Ljava/lang/Long;"), Some(16)),
        (
            0,
            11,
            Some(40),
            Varargs,
            Some("[Ljava/lang/Object;"),
            Some(24),
        ),
        (
            1,
            8,
            Some(51),
            Lambda,
            Some("Lcom/acme/Orders$$Lambda$14+0x00007f1c;"),
            Some(16),
        ),
        (2, 14, Some(3481), Intrinsic, None, None),
        (3, 1, Some(9), MultiNewArray, Some("[[F"), Some(24)),
        (3, 1, Some(9), MultiNewArray, Some("[F"), Some(32)),
        (4, 5, None, NewArray, Some("[B"), None),
        (5, 0, Some(1), New, Some("Lcom/acme/<b>;"), Some(24)),
        (6, 0, Some(70), New, Some("Ljava/lang/Object;"), Some(16)),
    ];
    fixed
        .into_iter()
        .zip(0..)
        .flat_map(|((method, bci, line, kind, ty, size), id)| {
            let site = Site {
                id: SiteId(id),
                method: MethodId(method),
                bci,
                line,
                kind,
                ty: ty.map(str::to_owned),
            };
            let size = size.map(|bytes| Record::SiteSize {
                site: SiteId(id),
                bytes,
            });
            [Some(Record::Site(site)), size].into_iter().flatten()
        })
}

/// What a counter adds to: (site, factor, unit).
type Meaning = Vec<(u32, i32, Unit)>;

/// Counter n counts what is in row n.
fn counters() -> impl Iterator<Item = Record> {
    use CounterRole::{Amount, Increment, Profile};
    use Unit::{Bytes, Count, LengthBucket, MaterializedBytes, MaterializedCount};
    let rows: Vec<(CounterRole, Meaning)> = vec![
        (Increment, vec![(0, 2, Count), (1, 1, Count)]),
        (Increment, vec![(0, 1, Count)]),
        (Increment, vec![(2, 1, Count)]),
        (Increment, vec![(4, 1, Count), (5, 2, Count)]),
        (Increment, vec![(6, 1, Count)]),
        (Amount, vec![(6, 1, Bytes)]),
        (Increment, vec![(7, 1, Count)]),
        (Profile, vec![]),
        (Increment, vec![(0, 1, MaterializedCount)]),
        (Amount, vec![(0, 1, MaterializedBytes)]),
        (Increment, vec![(6, 1, LengthBucket(5))]),
        (Increment, vec![(6, 1, LengthBucket(0))]),
    ];
    rows.into_iter().zip(0..).map(|((role, terms), id)| {
        Record::Counter(Counter {
            id: CounterId(id),
            role,
            version: 0,
            terms: terms
                .into_iter()
                .map(|(site, factor, unit)| Term {
                    site: SiteId(site),
                    factor,
                    unit,
                })
                .collect(),
        })
    })
}

fn refusals() -> impl Iterator<Item = Record> {
    let refusal = |class: &str, method: Option<&str>, reason: &str, sites| {
        Record::Refusal(Refusal {
            class: class.into(),
            method: method.map(str::to_owned),
            reason: reason.into(),
            sites,
        })
    };
    let reinstrumented = Reinstrumented {
        method: MethodId(0),
        version: 1,
        entries: 5_000,
        before: 3.0,
        after: 1.0,
    };
    [
        refusal("com/acme/Parser", Some("parse(I)V"), "method-too-large", 31),
        refusal("com/acme/Legacy", None, "unsupported-frame", 4),
        Record::Thread(Thread {
            id: ThreadId(0),
            name: "main".into(),
            folded: false,
        }),
        Record::Thread(Thread {
            id: ThreadId(1),
            name: "pool-#-thread-#".into(),
            folded: true,
        }),
        Record::Reinstrumented(reinstrumented),
    ]
    .into_iter()
}

fn snapshot(factor: u64) -> Snapshot {
    let keyed = |context: Option<u32>, ty: &str, count, bytes| KeyedCount {
        site: SiteId(3),
        context: context.map(CallSiteId),
        ty: Some(ty.into()),
        count,
        bytes,
    };
    let main = ThreadCounts {
        thread: ThreadId(0),
        vm_allocated_bytes: Some(18_000_000),
        counters: [
            (0, 50_000),
            (1, 800_000 * factor),
            (2, 30_000),
            (3, 10),
            (4, 400),
            (5, 12_800),
            (6, 7),
            (7, 5_000),
            (8, 90_000),
            (9, 1_440_000),
            (10, 390),
            (11, 10),
        ]
        .map(|(id, value)| (CounterId(id), value))
        .to_vec(),
        keyed: vec![
            keyed(Some(0), "[Ljava/lang/String;", 6_000, 480_000),
            keyed(Some(1), "[Ljava/lang/Object;", 2_000, 160_000),
            keyed(None, "[Ljava/lang/Object;", 40, 3_200),
        ],
    };
    let pool = ThreadCounts {
        thread: ThreadId(1),
        vm_allocated_bytes: Some(2_000_000),
        counters: [(1, 100_000), (8, 10_000), (9, 160_000)]
            .map(|(id, value)| (CounterId(id), value))
            .to_vec(),
        keyed: Vec::new(),
    };
    Snapshot {
        sequence: 3,
        more: false,
        unix_millis: 1_700_000_012_345,
        cause: "exit".into(),
        threads: vec![main, pool],
        shared: vec![(CounterId(6), 0)],
        vm_allocated_bytes: Some(20_000_000),
        before_ready_bytes: Some(1_234_567),
        cost: AgentCost {
            classes_seen: 812,
            classes_rewritten: 640,
            methods_rewritten: 2_345,
            rewrite_micros: 187_654,
            bytecode_bytes_before: 1_000_000,
            bytecode_bytes_after: 1_090_000,
            counters: 3_210,
            memory_bytes: 12_582_912,
            reinstrumented_methods: 1,
            snapshot_micros: 950,
        },
    }
}
