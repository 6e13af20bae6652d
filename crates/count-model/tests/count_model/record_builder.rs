//! Records in few words.

use ducktrack_count_model::{CountModel, CountModelBuilder};
use ducktrack_trace_format::{
    AllocationKind, CallSite, CallSiteId, Class, ClassId, Counter, CounterId, CounterRole,
    KeyedCount, Method, MethodId, Record, Site, SiteId, Snapshot, Term, Thread, ThreadCounts,
    ThreadId, Unit,
};

pub(crate) fn class(id: u32, name: &str, loader: &str) -> Record {
    Record::Class(Class {
        id: ClassId(id),
        name: name.into(),
        loader: loader.into(),
        hidden: false,
        source_file: None,
    })
}

pub(crate) fn method(id: u32, class: u32, name: &str) -> Record {
    Record::Method(Method {
        id: MethodId(id),
        class: ClassId(class),
        name: name.into(),
        descriptor: "()V".into(),
    })
}

pub(crate) fn site(id: u32, method: u32, bci: u16, ty: Option<&str>) -> Record {
    Record::Site(Site {
        id: SiteId(id),
        method: MethodId(method),
        bci,
        line: Some(bci + 100),
        kind: AllocationKind::New,
        ty: ty.map(str::to_owned),
    })
}

pub(crate) fn size(site: u32, bytes: u32) -> Record {
    Record::SiteSize {
        site: SiteId(site),
        bytes,
    }
}

pub(crate) fn counter(id: u32, role: CounterRole, terms: &[(u32, i32, Unit)]) -> Record {
    let term = |&(site, factor, unit): &(u32, i32, Unit)| Term {
        site: SiteId(site),
        factor,
        unit,
    };
    Record::Counter(Counter {
        id: CounterId(id),
        role,
        version: 0,
        terms: terms.iter().map(term).collect(),
    })
}

pub(crate) fn call(id: u32, method: u32, bci: u16, target: &str) -> Record {
    Record::CallSite(CallSite {
        id: CallSiteId(id),
        method: MethodId(method),
        bci,
        line: None,
        target: target.into(),
    })
}

pub(crate) fn thread(id: u32, name: &str, folded: bool) -> Record {
    Record::Thread(Thread {
        id: ThreadId(id),
        name: name.into(),
        folded,
    })
}

pub(crate) fn key(
    site: u32,
    context: Option<u32>,
    ty: Option<&str>,
    count: u64,
    bytes: u64,
) -> KeyedCount {
    KeyedCount {
        site: SiteId(site),
        context: context.map(CallSiteId),
        ty: ty.map(str::to_owned),
        count,
        bytes,
    }
}

pub(crate) fn counts(thread: u32, counters: &[(u32, u64)], keyed: &[KeyedCount]) -> ThreadCounts {
    ThreadCounts {
        thread: ThreadId(thread),
        vm_allocated_bytes: None,
        counters: counters
            .iter()
            .map(|(id, value)| (CounterId(*id), *value))
            .collect(),
        keyed: keyed.to_vec(),
    }
}

pub(crate) fn snapshot(sequence: u32, threads: Vec<ThreadCounts>) -> Snapshot {
    Snapshot {
        sequence,
        cause: "interval".into(),
        threads,
        ..Snapshot::default()
    }
}

pub(crate) fn model(records: impl IntoIterator<Item = Record>) -> CountModel {
    let mut builder = CountModelBuilder::new();
    records.into_iter().for_each(|record| builder.fold(record));
    builder.finish()
}
