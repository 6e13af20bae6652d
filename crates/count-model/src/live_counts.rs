//! Totals of a running program, summed again at each look: per site, type, thread,
//! package, call of the application, context and maker of memory outside of the heap.
//!
//! ```text
//! define(record) ..                      what the trace says; more comes while the program loads classes
//! begin(), counter(..) .., keyed(..) ..  the values at a moment, where they can be read
//! begin(), said()                        where not: those of the last snapshot in the trace
//! rows(kind)                             totals; a row keeps its position for good
//! ```

mod finished_run;

use ducktrack_trace_format::{
    CallSite, CallSiteId, Cause, ClassId, ContextId, CounterId, MethodId, OffHeapFrame,
    OffHeapMaker, Record, Site, SiteId, Term, ThreadId, Unit,
};
use rustc_hash::FxHashMap;

use crate::live_rows::{KINDS, LiveKind, LiveName, LiveRow, LiveTable};
use crate::off_heap::blamed_frame;
use crate::said_values::SaidValues;
use crate::{Tally, stable_class, stable_descriptor};

/// Counters have smaller numbers than this: a block has room for no more.
const MOST_COUNTERS: usize = 1 << 20;

/// The subject of a counter.
#[derive(Clone, Debug)]
enum Meaning {
    /// Objects and bytes of sites.
    Sites(Vec<Term>),
    /// One of the four figures of a call; the position of its row.
    Call(usize, CallFigure),
    /// One of the four figures of a maker of memory outside of the heap; the position of its row.
    OffHeap(usize, OffHeapFigure),
}

/// In the order of the counters of an [`OffHeapMaker`].
#[derive(Clone, Copy, Debug)]
enum OffHeapFigure {
    MadeBlocks,
    MadeBytes,
    ReleasedBlocks,
    ReleasedBytes,
}

impl OffHeapFigure {
    const ALL: [Self; 4] = [
        Self::MadeBlocks,
        Self::MadeBytes,
        Self::ReleasedBlocks,
        Self::ReleasedBytes,
    ];

    /// Adds blocks that were made, and takes off those that were released.
    fn add(self, live: &mut Tally, value: i64) {
        let (sum, value) = match self {
            Self::MadeBlocks => (&mut live.count, value),
            Self::MadeBytes => (&mut live.bytes, value),
            Self::ReleasedBlocks => (&mut live.count, -value),
            Self::ReleasedBytes => (&mut live.bytes, -value),
        };
        *sum = sum.saturating_add(value);
    }
}

/// In the order of a [`Cause`]'s counters.
#[derive(Clone, Copy, Debug)]
enum CallFigure {
    InclusiveObjects,
    InclusiveBytes,
    ChargedObjects,
    ChargedBytes,
}

impl CallFigure {
    const ALL: [Self; 4] = [
        Self::InclusiveObjects,
        Self::InclusiveBytes,
        Self::ChargedObjects,
        Self::ChargedBytes,
    ];

    fn of(self, row: &mut LiveRow) -> &mut i64 {
        match self {
            Self::InclusiveObjects => &mut row.inclusive.count,
            Self::InclusiveBytes => &mut row.inclusive.bytes,
            Self::ChargedObjects => &mut row.total.count,
            Self::ChargedBytes => &mut row.total.bytes,
        }
    }
}

/// Where the objects of a site are added.
#[derive(Clone, Copy, Debug)]
struct Positions {
    site: usize,
    ty: Option<usize>,
    package: usize,
    size: Option<u32>,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct LiveCounts {
    classes: FxHashMap<ClassId, String>,
    methods: FxHashMap<MethodId, (ClassId, String)>,
    sites: FxHashMap<SiteId, Site>,
    sizes: FxHashMap<SiteId, u32>,
    calls: FxHashMap<CallSiteId, CallSite>,
    counters: Vec<Option<Meaning>>,
    said: SaidValues,
    thread_names: FxHashMap<ThreadId, String>,
    positions: FxHashMap<SiteId, Positions>,
    thread_positions: FxHashMap<ThreadId, usize>,
    contexts: FxHashMap<ContextId, usize>,
    /// Rows of the contexts for which the values of a thread count.
    context_positions: FxHashMap<ThreadId, Vec<usize>>,
    tables: [LiveTable; KINDS],
}

impl LiveCounts {
    /// Takes a record of the trace; one that it had before changes nothing.
    pub fn define(&mut self, record: &Record) {
        match record {
            Record::Class(class) => {
                let name = stable_class(&class.name).into_owned();
                self.classes.insert(class.id, name);
            }
            Record::Method(method) => {
                self.methods
                    .insert(method.id, (method.class, method.name.clone()));
            }
            Record::Site(site) => {
                self.sites.insert(site.id, site.clone());
            }
            Record::SiteSize { site, bytes } => {
                self.sizes.insert(*site, *bytes);
                if let Some(positions) = self.positions.get_mut(site) {
                    positions.size = Some(*bytes);
                }
            }
            // Counters of calls have no terms: their meaning is in the record of the cause.
            Record::Counter(counter) if !counter.terms.is_empty() => {
                self.define_counter(counter.id, Meaning::Sites(counter.terms.clone()));
            }
            Record::CallSite(call) => {
                self.calls.insert(call.id, call.clone());
            }
            Record::Cause(cause) => self.define_cause(*cause),
            Record::OffHeapMaker(maker) => self.define_maker(maker),
            Record::Context(context) => {
                let name = LiveName::Context {
                    kind: context.kind.clone(),
                    name: context.name.clone(),
                };
                let row = self.tables[LiveKind::Contexts as usize].position(name);
                self.contexts.insert(context.id, row);
            }
            Record::ContextBlock(block) => {
                let rows = block.contexts.iter();
                let rows = rows.filter_map(|context| self.contexts.get(context).copied());
                self.context_positions.insert(block.thread, rows.collect());
            }
            Record::Snapshot(snapshot) => self.said.take(snapshot),
            Record::Thread(thread) => {
                let before = self.thread_names.insert(thread.id, thread.name.clone());
                if before.as_ref() != Some(&thread.name) {
                    self.thread_positions.remove(&thread.id);
                }
            }
            _ => {}
        }
    }

    fn define_counter(&mut self, id: CounterId, meaning: Meaning) {
        let index = id.0 as usize;
        if index >= MOST_COUNTERS {
            return;
        }
        if self.counters.len() <= index {
            self.counters.resize_with(index + 1, || None);
        }
        self.counters[index] = Some(meaning);
    }

    fn define_cause(&mut self, cause: Cause) {
        let call = self.calls.get(&cause.call);
        let method = call.and_then(|call| self.methods.get(&call.method));
        let class = method.and_then(|(class, _)| self.classes.get(class));
        let name = LiveName::Call {
            class: class.cloned().unwrap_or_default(),
            method: method.map(|(_, name)| name.clone()).unwrap_or_default(),
            line: call.and_then(|call| call.line),
            target: call.map(|call| call.target.clone()).unwrap_or_default(),
        };
        let row = self.tables[LiveKind::Calls as usize].position(name);
        for (offset, figure) in (0..).zip(CallFigure::ALL) {
            let id = CounterId(cause.first.0.saturating_add(offset));
            self.define_counter(id, Meaning::Call(row, figure));
        }
    }

    fn define_maker(&mut self, maker: &OffHeapMaker) {
        let blamed = blamed_frame(&maker.frames);
        let text = |of: fn(&OffHeapFrame) -> &String| blamed.map(of).cloned().unwrap_or_default();
        let name = LiveName::OffHeap {
            kind: maker.kind,
            class: text(|frame| &frame.class),
            method: text(|frame| &frame.method),
            line: blamed.and_then(|frame| frame.line),
        };
        let row = self.tables[LiveKind::OffHeap as usize].position(name);
        for (offset, figure) in (0..).zip(OffHeapFigure::ALL) {
            let id = CounterId(maker.first.0.saturating_add(offset));
            self.define_counter(id, Meaning::OffHeap(row, figure));
        }
    }

    /// All totals are 0: the values of another moment come.
    pub fn begin(&mut self) {
        self.tables.iter_mut().for_each(LiveTable::zero);
    }

    /// The values of the last snapshot; false where there is none.
    pub fn said(&mut self) -> bool {
        let said = std::mem::take(&mut self.said);
        for (thread, values) in &said.threads {
            for (id, value) in &values.counters {
                self.counter(*thread, id.0 as usize, *value);
            }
            for ((site, _, ty), amounts) in &values.keyed {
                self.keyed(*thread, *site, ty.as_deref(), *amounts);
            }
        }
        self.said = said;
        !self.said.is_empty()
    }

    /// The value of a thread's counter.
    pub fn counter(&mut self, thread: ThreadId, id: usize, value: u64) {
        // Taken and put back, so that the tables can change meanwhile.
        let Some(meaning) = self.counters.get_mut(id).and_then(Option::take) else {
            return;
        };
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        match &meaning {
            Meaning::Sites(terms) => self.add_terms(thread, terms, value),
            Meaning::Call(row, figure) => {
                let rows = &mut self.tables[LiveKind::Calls as usize].rows;
                if let Some(row) = rows.get_mut(*row) {
                    let sum = figure.of(row);
                    *sum = sum.saturating_add(value);
                }
            }
            Meaning::OffHeap(row, figure) => {
                let rows = &mut self.tables[LiveKind::OffHeap as usize].rows;
                if let Some(row) = rows.get_mut(*row) {
                    figure.add(&mut row.total, value);
                }
            }
        }
        self.counters[id] = Some(meaning);
    }

    fn add_terms(&mut self, thread: ThreadId, terms: &[Term], value: i64) {
        for term in terms {
            let amount = value.saturating_mul(term.factor.into());
            let bytes = Tally {
                count: 0,
                bytes: amount,
            };
            match term.unit {
                Unit::Count => self.add_objects(thread, term.site, None, amount, 0),
                Unit::Bytes => self.add(thread, term.site, None, bytes),
                _ => {}
            }
        }
    }

    /// A thread's objects of a site that are filed by class or caller; bytes 0: not measured.
    pub fn keyed(
        &mut self,
        thread: ThreadId,
        site: SiteId,
        ty: Option<&str>,
        (count, bytes): (u64, u64),
    ) {
        let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        self.add_objects(thread, site, ty, signed(count), signed(bytes));
    }

    /// Totals by what the kind says. Rows are in no order, and only become more.
    pub fn rows(&self, kind: LiveKind) -> &[LiveRow] {
        &self.tables[kind as usize].rows
    }

    /// All together.
    pub fn total(&self) -> Tally {
        self.rows(LiveKind::Threads)
            .iter()
            .map(|row| row.total)
            .sum()
    }

    /// Objects whose bytes are given, or follow from the size of the site's objects.
    fn add_objects(
        &mut self,
        thread: ThreadId,
        site: SiteId,
        ty: Option<&str>,
        count: i64,
        bytes: i64,
    ) {
        let bytes = match bytes {
            0 => {
                let size = self.place(site).size.unwrap_or(0);
                count.saturating_mul(size.into())
            }
            bytes => bytes,
        };
        self.add(thread, site, ty, Tally { count, bytes });
    }

    fn add(&mut self, thread: ThreadId, site: SiteId, ty: Option<&str>, tally: Tally) {
        let positions = self.place(site);
        let row_of_thread = self.thread_place(thread);
        let [sites, types, threads, packages, _, contexts, _] = &mut self.tables;
        let ty = match ty {
            Some(ty) => Some(types.position(LiveName::Type(stable_descriptor(ty)))),
            None => positions.ty,
        };
        sites.add(positions.site, tally);
        if let Some(ty) = ty {
            types.add(ty, tally);
        }
        threads.add(row_of_thread, tally);
        packages.add(positions.package, tally);
        for row in self.context_positions.get(&thread).into_iter().flatten() {
            contexts.add(*row, tally);
        }
    }

    fn place(&mut self, site: SiteId) -> Positions {
        if let Some(positions) = self.positions.get(&site) {
            return *positions;
        }
        let positions = self.new_place(site);
        self.positions.insert(site, positions);
        positions
    }

    fn new_place(&mut self, id: SiteId) -> Positions {
        let site = self.sites.get(&id);
        let method = site.and_then(|site| self.methods.get(&site.method));
        let class = method.and_then(|(class, _)| self.classes.get(class));
        let class = class.cloned().unwrap_or_default();
        let ty = site
            .and_then(|site| site.ty.as_deref())
            .map(stable_descriptor);
        let package = class.rsplit_once('/').map_or("", |(package, _)| package);
        let package = LiveName::Package(package.to_owned());
        let name = LiveName::Site {
            class,
            method: method.map(|(_, name)| name.clone()).unwrap_or_default(),
            line: site.and_then(|site| site.line),
            ty: ty.clone(),
        };
        let [sites, types, _, packages, ..] = &mut self.tables;
        Positions {
            site: sites.position(name),
            ty: ty.map(|ty| types.position(LiveName::Type(ty))),
            package: packages.position(package),
            size: self.sizes.get(&id).copied(),
        }
    }

    fn thread_place(&mut self, thread: ThreadId) -> usize {
        if let Some(position) = self.thread_positions.get(&thread) {
            return *position;
        }
        let name = match self.thread_names.get(&thread) {
            Some(name) => name.clone(),
            None => "(shared)".to_owned(),
        };
        let threads = &mut self.tables[LiveKind::Threads as usize];
        let position = threads.position(LiveName::Thread(name));
        self.thread_positions.insert(thread, position);
        position
    }
}

#[cfg(test)]
mod tests {
    use ducktrack_trace_format::{
        AllocationKind, Class, Counter, CounterRole, Method, OffHeapKind, Snapshot, Thread,
        ThreadCounts,
    };

    use super::*;

    fn defined() -> LiveCounts {
        let mut counts = LiveCounts::default();
        let site = |id, ty: Option<&str>| {
            Record::Site(Site {
                id: SiteId(id),
                method: MethodId(1),
                bci: 0,
                line: Some(7),
                kind: AllocationKind::New,
                ty: ty.map(str::to_owned),
            })
        };
        let term = |site, factor, unit| Term {
            site: SiteId(site),
            factor,
            unit,
        };
        for record in [
            Record::Class(Class {
                id: ClassId(1),
                name: "com/acme/Shop".into(),
                loader: "app".into(),
                hidden: false,
                source_file: None,
            }),
            Record::Method(Method {
                id: MethodId(1),
                class: ClassId(1),
                name: "sell".into(),
                descriptor: "()V".into(),
            }),
            site(16, Some("Lcom/acme/Order;")),
            site(17, None),
            Record::SiteSize {
                site: SiteId(16),
                bytes: 24,
            },
            Record::Counter(Counter {
                id: CounterId(64),
                role: CounterRole::Increment,
                version: 0,
                terms: vec![term(16, 2, Unit::Count)],
            }),
            Record::Thread(Thread {
                id: ThreadId(1),
                name: "main".into(),
                folded: false,
            }),
        ] {
            counts.define(&record);
        }
        counts
    }

    fn totals(counts: &LiveCounts, kind: LiveKind) -> Vec<(i64, i64)> {
        let rows = counts.rows(kind).iter();
        rows.map(|row| (row.total.count, row.total.bytes)).collect()
    }

    #[test]
    fn values_are_added_up_by_site_type_thread_and_package() {
        let mut counts = defined();
        for round in 1..=3 {
            counts.begin();
            counts.counter(ThreadId(1), 64, 10 * round);
            counts.keyed(ThreadId(1), SiteId(17), Some("[I"), (round, 100));
            let (sold, keyed) = (
                20 * i64::try_from(round).unwrap(),
                i64::try_from(round).unwrap(),
            );
            let expected = [(sold, 24 * sold), (keyed, 100)];
            assert_eq!(totals(&counts, LiveKind::Sites), expected);
            assert_eq!(totals(&counts, LiveKind::Types), expected);
            let sum = (sold + keyed, 24 * sold + 100);
            assert_eq!(totals(&counts, LiveKind::Threads), [sum]);
            assert_eq!(totals(&counts, LiveKind::Packages), [sum]);
        }
        let name = &counts.rows(LiveKind::Packages)[0].name;
        assert_eq!(*name, LiveName::Package("com/acme".into()));
    }

    #[test]
    fn calls_of_the_application_have_what_is_charged_to_them_and_all_that_ran_in_them() {
        let mut counts = defined();
        counts.define(&Record::CallSite(CallSite {
            id: CallSiteId(3),
            method: MethodId(1),
            bci: 5,
            line: Some(9),
            target: "java/util/Arrays.copyOf".into(),
        }));
        // Two versions of one method: one call.
        for first in [100, 200] {
            counts.define(&Record::Cause(Cause {
                call: CallSiteId(3),
                first: CounterId(first),
            }));
            for offset in 0..4 {
                counts.define(&Record::Counter(Counter {
                    id: CounterId(first + offset),
                    role: CounterRole::Amount,
                    version: 0,
                    terms: Vec::new(),
                }));
            }
        }
        counts.begin();
        for (offset, value) in [(0, 7), (1, 700), (2, 5), (3, 500)] {
            counts.counter(ThreadId(1), 100 + offset, value);
            counts.counter(ThreadId(2), 200 + offset, value);
        }
        let [row] = counts.rows(LiveKind::Calls) else {
            panic!("{:?}", counts.rows(LiveKind::Calls));
        };
        let of = |tally: Tally| (tally.count, tally.bytes);
        assert_eq!((of(row.total), of(row.inclusive)), ((10, 1000), (14, 1400)));
        assert_eq!(counts.total().count, 0);
    }

    #[test]
    fn memory_outside_of_the_heap_is_what_is_not_released() {
        let mut counts = defined();
        let frame = |class: &str| OffHeapFrame {
            class: class.to_owned(),
            method: "get".to_owned(),
            line: Some(3),
        };
        counts.define(&Record::OffHeapMaker(OffHeapMaker {
            kind: OffHeapKind::Direct,
            first: CounterId(70),
            frames: vec![frame("java/nio/ByteBuffer"), frame("com/acme/Pool")],
        }));
        counts.begin();
        for (id, value) in [(70, 5), (71, 5000), (72, 2), (73, 2000)] {
            counts.counter(ThreadId(0), id, value);
        }
        assert_eq!(totals(&counts, LiveKind::OffHeap), [(3, 3000)]);
        let LiveName::OffHeap { class, .. } = &counts.rows(LiveKind::OffHeap)[0].name else {
            panic!("{:?}", counts.rows(LiveKind::OffHeap));
        };
        assert_eq!(class, "com/acme/Pool");
        assert_eq!(counts.total().count, 0);
    }

    #[test]
    fn objects_in_contexts_count_in_one_of_each_kind() {
        let mut counts = defined();
        let context = |id, kind: &str, name: &str| {
            Record::Context(ducktrack_trace_format::Context {
                id: ContextId(id),
                kind: kind.to_owned(),
                name: name.to_owned(),
            })
        };
        let block = |thread, contexts: &[u32]| {
            Record::ContextBlock(ducktrack_trace_format::ContextBlock {
                thread: ThreadId(thread),
                contexts: contexts.iter().map(|id| ContextId(*id)).collect(),
            })
        };
        for record in [
            context(1, "http", "GET /orders"),
            context(2, "sql", "select"),
            block(5, &[1]),
            block(6, &[1, 2]),
        ] {
            counts.define(&record);
        }
        counts.begin();
        for (thread, value) in [(1, 100), (5, 10), (6, 1)] {
            counts.counter(ThreadId(thread), 64, value);
        }
        assert_eq!(totals(&counts, LiveKind::Contexts), [(22, 528), (2, 48)]);
        assert_eq!(counts.total().count, 222);
    }

    #[test]
    fn snapshots_say_what_changed() {
        let mut counts = defined();
        assert!(!counts.said());
        let snapshot = |counters: &[(u32, u64)], shared: &[(u32, u64)]| {
            let ids = |all: &[(u32, u64)]| {
                let ids = all.iter().map(|(id, value)| (CounterId(*id), *value));
                ids.collect::<Vec<_>>()
            };
            Record::Snapshot(Snapshot {
                threads: vec![ThreadCounts {
                    thread: ThreadId(1),
                    vm_allocated_bytes: None,
                    counters: ids(counters),
                    keyed: Vec::new(),
                }],
                shared: ids(shared),
                ..Snapshot::default()
            })
        };
        counts.define(&snapshot(&[(64, 3)], &[(64, 1)]));
        counts.define(&snapshot(&[(64, 5)], &[]));
        for _ in 0..2 {
            counts.begin();
            assert!(counts.said());
            // Two objects of 24 bytes for each.
            assert_eq!(totals(&counts, LiveKind::Sites), [(12, 288)]);
        }
    }

    #[test]
    fn numbers_out_of_any_range_do_no_harm() {
        let mut counts = defined();
        counts.define(&Record::Counter(Counter {
            id: CounterId(u32::MAX),
            role: CounterRole::Increment,
            version: 0,
            terms: Vec::new(),
        }));
        counts.counter(ThreadId(9), usize::MAX, u64::MAX);
        counts.counter(ThreadId(9), 64, u64::MAX);
        counts.keyed(ThreadId(9), SiteId(u32::MAX), None, (u64::MAX, u64::MAX));
        assert!(counts.total().count > 0);
    }
}
