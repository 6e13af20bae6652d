//! The definitions of the naive machine's traces.

use ducktrack_count_model::{CountModel, CountModelBuilder, TraceNames};
use ducktrack_trace_format::{
    AllocationKind, CallSite, CallSiteId, CalledSite, Class, ClassId, Counter, CounterId,
    CounterRole, FIRST_CALLED_SITE, HeapClass, HeapClassId, HeapClassSize, Method, MethodId,
    ObjectLayout, Record, Run, Site, SiteId, Term, Thread, ThreadId, Unit,
};

/// Site, bytes (0: measured), type, and the class of its objects.
pub const SITES: [(u32, u32, Option<&str>, u32); 7] = [
    (16, 16, Some("La/Small;"), 0),
    (17, 40, Some("La/Large;"), 1),
    (18, 0, Some("[B"), 2),
    // The same type at another site.
    (19, 16, Some("La/Small;"), 0),
    // Only the event tells the type.
    (20, 0, None, 3),
    // An array of arrays and its elements.
    (21, 0, Some("[[B"), 5),
    (22, 0, Some("[B"), 2),
];

/// Place in [`SITES`] of arrays of arrays.
pub const OUTER: usize = 5;

/// Place in [`SITES`] of their elements.
pub const INNER: usize = 6;

/// Calls with the numbers 1 to `CALLERS` are introduced, each a row of the model.
pub const CALLERS: u32 = 2;

/// The number that stands for a site and a caller.
pub fn called_site(site: u32, caller: u32) -> SiteId {
    SiteId(FIRST_CALLED_SITE + site * 8 + caller)
}

/// Names of classes by id; a class is kept at `KLASS + id`.
pub const CLASSES: [(&str, HeapClassSize); 6] = [
    ("a/Small", HeapClassSize::Instance(16)),
    ("a/Large", HeapClassSize::Instance(40)),
    (
        "[B",
        HeapClassSize::Array {
            element: 1,
            base: 16,
        },
    ),
    (
        "[La/Small;",
        HeapClassSize::Array {
            element: 4,
            base: 16,
        },
    ),
    ("vm/Internal", HeapClassSize::PerObject),
    (
        "[[B",
        HeapClassSize::Array {
            element: 4,
            base: 16,
        },
    ),
];

/// The class of objects that the machine makes itself.
pub const INTERNAL: u32 = 4;

/// Address of class 0.
pub const KLASS: u64 = 0x7000;

/// The descriptor of a class.
pub fn descriptor(class: u32) -> String {
    let name = CLASSES[class as usize].0;
    match name.starts_with('[') {
        true => name.to_owned(),
        false => format!("L{name};"),
    }
}

/// The name of a thread.
pub fn thread_name(thread: u32) -> String {
    format!("worker {thread}")
}

/// Defines the method 0, `a.Main.main`, in which all sites are.
pub fn define_main(builder: &mut CountModelBuilder) {
    builder.fold(Record::Class(Class {
        id: ClassId(0),
        name: "a/Main".into(),
        loader: "app".into(),
        hidden: false,
        source_file: None,
    }));
    builder.fold(Record::Method(Method {
        id: MethodId(0),
        class: ClassId(0),
        name: "main".into(),
        descriptor: "()V".into(),
    }));
}

/// The model and the names of traces with this many threads.
pub fn names(threads: u32) -> (CountModel, TraceNames) {
    let mut builder = CountModelBuilder::new();
    let layout = ObjectLayout {
        header: 12,
        array_base: [16; 5],
        reference: 4,
        alignment: 8,
    };
    builder.fold(Record::Run(Run {
        layout,
        ..Run::default()
    }));
    define_main(&mut builder);
    for (at, (id, bytes, ty, _)) in SITES.into_iter().enumerate() {
        builder.fold(Record::Site(Site {
            id: SiteId(id),
            method: MethodId(0),
            bci: id as u16,
            line: None,
            kind: match at {
                OUTER | INNER => AllocationKind::MultiNewArray,
                _ => AllocationKind::New,
            },
            ty: ty.map(str::to_owned),
        }));
        if bytes > 0 {
            builder.fold(Record::SiteSize {
                site: SiteId(id),
                bytes,
            });
        }
    }
    for call in 1..=CALLERS {
        builder.fold(Record::CallSite(CallSite {
            id: CallSiteId(call),
            method: MethodId(0),
            bci: call as u16,
            line: None,
            target: "java/util/Arrays.copyOf".into(),
        }));
        for (site, ..) in SITES {
            builder.fold(Record::CalledSite(CalledSite {
                id: called_site(site, call),
                site: SiteId(site),
                caller: CallSiteId(call),
            }));
        }
    }
    // What a site without size and type makes is measured where it runs: it has a counter of bytes.
    builder.fold(Record::Counter(Counter {
        id: CounterId(0),
        role: CounterRole::Amount,
        version: 0,
        terms: vec![Term {
            site: SiteId(20),
            factor: 1,
            unit: Unit::Bytes,
        }],
    }));
    for (id, (name, size)) in CLASSES.into_iter().enumerate() {
        builder.fold(Record::HeapClass(HeapClass {
            id: HeapClassId(id as u32),
            name: name.into(),
            size,
            klass: KLASS + id as u64,
            fields: Vec::new(),
        }));
    }
    for thread in 0..threads {
        builder.fold(Record::Thread(Thread {
            id: ThreadId(thread),
            name: thread_name(thread),
            folded: false,
        }));
    }
    builder.finish_trace()
}
