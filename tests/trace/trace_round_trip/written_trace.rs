//! A trace whose answer is known for every snapshot.

use ducktrack_trace_format::{
    AllocationKind, Class, ClassId, Counter, CounterId, CounterRole, End, Method, MethodId, Record,
    Run, Site, SiteId, Snapshot, Term, Thread, ThreadCounts, ThreadId, Unit,
};
use ducktrack_trace_writer::{CountWriter, WriteError};

const SITES: u32 = 500;
const THREADS: u32 = 5;

/// One method with many sites, one counter for each.
pub(crate) fn define_all(writer: &mut CountWriter) -> Result<(), WriteError> {
    writer.define(&Record::Run(Run {
        pid: std::process::id(),
        ..Run::default()
    }))?;
    writer.define(&Record::Class(Class {
        id: ClassId(0),
        name: "Main".into(),
        loader: "app".into(),
        hidden: false,
        source_file: None,
    }))?;
    writer.define(&Record::Method(Method {
        id: MethodId(0),
        class: ClassId(0),
        name: "run".into(),
        descriptor: "()V".into(),
    }))?;
    (0..SITES).try_for_each(|id| define_site(writer, id))?;
    (0..THREADS).try_for_each(|id| {
        writer.define(&Record::Thread(Thread {
            id: ThreadId(id),
            name: format!("worker-{id}"),
            folded: false,
        }))
    })
}

fn define_site(writer: &mut CountWriter, id: u32) -> Result<(), WriteError> {
    writer.define(&Record::Site(Site {
        id: SiteId(id),
        method: MethodId(0),
        bci: u16::try_from(id).unwrap_or(u16::MAX),
        line: None,
        kind: AllocationKind::New,
        ty: Some("LNode;".into()),
    }))?;
    writer.define(&Record::SiteSize {
        site: SiteId(id),
        bytes: 24,
    })?;
    writer.define(&Record::Counter(Counter {
        id: CounterId(id),
        role: CounterRole::Increment,
        version: 0,
        terms: vec![Term {
            site: SiteId(id),
            factor: 1,
            unit: Unit::Count,
        }],
    }))
}

/// In each round one thread has executed some counters once more.
fn word(round: u32, thread: u32, counter: u32) -> u64 {
    let rounds_of_thread = (round + THREADS - thread) / THREADS;
    u64::from(rounds_of_thread) * u64::from(counter % 7)
}

pub(crate) fn values(round: u32) -> Snapshot {
    let thread = |thread| ThreadCounts {
        thread: ThreadId(thread),
        vm_allocated_bytes: None,
        counters: (0..SITES)
            .map(|id| (CounterId(id), word(round, thread, id)))
            .collect(),
        keyed: vec![],
    };
    Snapshot {
        sequence: round,
        cause: "interval".into(),
        threads: (0..THREADS).map(thread).collect(),
        ..Snapshot::default()
    }
}

/// All objects after a round.
pub(crate) fn expected_objects(round: u32) -> i64 {
    let all = (0..THREADS).flat_map(|thread| (0..SITES).map(move |id| word(round, thread, id)));
    i64::try_from(all.sum::<u64>()).unwrap_or(i64::MAX)
}

pub(crate) fn finish(writer: &mut CountWriter) -> Result<(), WriteError> {
    writer.finish(End {
        unix_millis: 1,
        cause: "exit".into(),
        losses: vec![],
    })
}
