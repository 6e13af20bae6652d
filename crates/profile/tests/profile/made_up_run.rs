//! Generated runs whose truth is known: the allocations of each stack, and the samples of them.

use ducktrack_count_model::{CountModel, CountModelBuilder};
use ducktrack_trace_format::{
    AllocationKind, CallSite, CallSiteId, Class, ClassId, KeyedCount, Method, MethodId, Record,
    SampleSums, Site, SiteId, Snapshot, StackDefinitions, StackId, StackMethod, StackMethodId,
    StackNode, StackRow, StackSamples, StackType, StackTypeId, Thread, ThreadCounts, ThreadId,
};

/// Pseudo-random numbers, the same in every run of the tests.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 to 1.
    pub(crate) fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// A run under construction. Method `m` is `Class.m<m>()V`; its site (number `16 + m`) is at line `m` and allocates `byte[]`.
#[derive(Default)]
pub(crate) struct MadeUpRun {
    keyed: Vec<(u32, KeyedCount)>,
    stacks: Vec<Vec<u32>>,
    samples: Vec<StackRow>,
    calls: Vec<CallSite>,
}

impl MadeUpRun {
    /// Adds a stack, given by the methods of its frames, outermost first.
    pub(crate) fn stack(&mut self, methods: &[u32]) -> usize {
        self.stacks.push(methods.to_vec());
        self.stacks.len() - 1
    }

    /// Adds a call to blame in a method (at its line).
    pub(crate) fn call(&mut self, method: u32) -> CallSiteId {
        let id = CallSiteId(u32::try_from(self.calls.len()).unwrap() + 1);
        self.calls.push(CallSite {
            id,
            method: MethodId(method),
            bci: 7,
            line: Some(u16::try_from(method).unwrap()),
            target: "Class.library".into(),
        });
        id
    }

    /// Adds an amount to the site of a method in a thread.
    pub(crate) fn made(
        &mut self,
        thread: u32,
        method: u32,
        context: Option<CallSiteId>,
        amount: (u64, u64),
    ) {
        let keyed = KeyedCount {
            site: SiteId(16 + method),
            context,
            ty: None,
            count: amount.0,
            bytes: amount.1,
        };
        self.keyed.push((thread, keyed));
    }

    /// Adds a sample of an object of this many bytes on a stack.
    pub(crate) fn sampled(&mut self, thread: u32, stack: usize, size: u64, interval: u64) {
        self.samples.push(StackRow {
            stack: StackId(0),
            ty: StackTypeId(0),
            thread: ThreadId(thread),
            sums: SampleSums::of_sample(size, interval),
        });
        self.samples.last_mut().unwrap().stack = StackId(u32::try_from(stack).unwrap());
    }

    pub(crate) fn model(self) -> CountModel {
        let mut builder = CountModelBuilder::new();
        self.records()
            .into_iter()
            .for_each(|record| builder.fold(record));
        let model = builder.finish();
        assert!(
            model.inconsistencies.is_empty(),
            "{:?}",
            model.inconsistencies
        );
        model
    }

    fn records(self) -> Vec<Record> {
        let mut methods: Vec<u32> = self.stacks.iter().flatten().copied().collect();
        methods.extend(self.keyed.iter().map(|(_, keyed)| keyed.site.0 - 16));
        methods.extend(self.calls.iter().map(|call| call.method.0));
        methods.sort_unstable();
        methods.dedup();
        let mut records = vec![Record::Class(Class {
            id: ClassId(0),
            name: "Class".into(),
            loader: "app".into(),
            hidden: false,
            source_file: None,
        })];
        for method in &methods {
            records.push(Record::Method(Method {
                id: MethodId(*method),
                class: ClassId(0),
                name: format!("m{method}"),
                descriptor: "()V".into(),
            }));
            records.push(Record::Site(Site {
                id: SiteId(16 + method),
                method: MethodId(*method),
                bci: 1,
                line: Some(u16::try_from(*method).unwrap()),
                kind: AllocationKind::NewArray,
                ty: Some("[B".into()),
            }));
        }
        records.extend(self.calls.iter().cloned().map(Record::CallSite));
        let (definitions, leaves) = definitions(&methods, &self.stacks);
        records.push(Record::StackDefinitions(definitions));
        let rows = self.samples.iter().map(|row| StackRow {
            stack: leaves[usize::try_from(row.stack.0).unwrap()],
            ..*row
        });
        records.push(Record::StackSamples(StackSamples {
            rows: rows.collect(),
            ..StackSamples::default()
        }));
        let mut threads: Vec<u32> = self.keyed.iter().map(|(thread, _)| *thread).collect();
        threads.sort_unstable();
        threads.dedup();
        let counts = |thread: u32| ThreadCounts {
            thread: ThreadId(thread),
            vm_allocated_bytes: Some(0),
            counters: Vec::new(),
            keyed: (self.keyed.iter())
                .filter(|(of, _)| *of == thread)
                .map(|(_, keyed)| keyed.clone())
                .collect(),
        };
        records.extend(threads.iter().map(|thread| {
            Record::Thread(Thread {
                id: ThreadId(*thread),
                name: format!("t{thread}"),
                folded: false,
            })
        }));
        records.push(Record::Snapshot(Snapshot {
            threads: threads.iter().map(|thread| counts(*thread)).collect(),
            ..Snapshot::default()
        }));
        records
    }
}

/// The tree of the stacks, and the node of each one's top frame.
fn definitions(methods: &[u32], stacks: &[Vec<u32>]) -> (StackDefinitions, Vec<StackId>) {
    let mut made = StackDefinitions {
        methods: methods
            .iter()
            .map(|method| StackMethod {
                id: StackMethodId(*method),
                class: "Class".into(),
                name: format!("m{method}"),
                descriptor: "()V".into(),
            })
            .collect(),
        types: vec![StackType {
            id: StackTypeId(0),
            descriptor: "[B".into(),
        }],
        nodes: Vec::new(),
    };
    let mut leaves = Vec::new();
    for stack in stacks {
        let mut parent = None;
        for method in stack {
            let id = StackId(u32::try_from(made.nodes.len()).unwrap());
            made.nodes.push(StackNode {
                id,
                parent,
                method: StackMethodId(*method),
                line: Some(u16::try_from(*method).unwrap()),
            });
            parent = Some(id);
        }
        leaves.push(parent.unwrap());
    }
    (made, leaves)
}
