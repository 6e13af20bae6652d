//! The records of a trace directory: each one defines something or states values.
//!
//! A *dictionary* record defines something once and gives it an id (class, method, site, counter, thread); a
//! *snapshot* record states values. Ids are dense, belong to one trace, and are never reused. All strings are UTF-8
//! (the agent converts the modified UTF-8 of class files; lone surrogates become U+FFFD).
//!
//! | tag | record | | tag | record |
//! |---|---|---|---|---|
//! | 0 | [`Run`] | | 6 | [`Record::SiteSize`] |
//! | 1 | [`Class`] | | 7 | [`Thread`] |
//! | 2 | [`Method`] | | 8 | [`Refusal`] |
//! | 3 | [`Site`] | | 9 | [`Reinstrumented`] |
//! | 4 | [`Counter`] | | 10 | [`Snapshot`] |
//! | 5 | [`CallSite`] | | 11 | [`End`] |
//! | 12 | [`HeapClass`] | | 13 | [`Record::Note`] |
//! | 14 | [`HeapLayout`] | | 15 | [`CalledSite`] |
//! | 16 | [`StackDefinitions`] | | 17 | [`StackSamples`] |
//! | 18 | [`ClassAddress`] | | 19 | [`FoldedBlock`] |
//! | 20 | [`HeapLimits`] | | 21 | [`Trial`] |
//! | 22 | [`Application`] | | 23 | [`Cause`] |
//! | 24 | [`ReferenceLayout`] | | 25 | [`CalledMethod`] |
//! | 26 | [`StaticField`] | | 27 | [`Record::Shutdown`] |
//! | 28 | [`OutOfMemory`] | | 29 | [`BytecodeFacts`] |
//! | 30 | [`CountedCall`] | | 31 | [`CallTerms`] |
//! | 32 | [`VarargsMethod`] | | 33 | [`Context`] |
//! | 34 | [`ContextBlock`] | | 35 | [`ContextExecutions`] |
//! | 36 | [`OffHeapMaker`] | | 37 | [`Record::FoldedExecutions`] |
//!
//! The order of variants and fields is the order of the bytes (see [`RecordStream`](crate::RecordStream)). Within a format version,
//! variants may only be added at the end of [`Record`], and nothing else may change.

mod code;
mod code_facts;
mod context;
mod counter;
mod heap_class;
mod off_heap;
mod run;
mod run_mode;
mod snapshot;

use serde::{Deserialize, Serialize};

use crate::stack_records::{StackDefinitions, StackSamples};
use crate::trial::Trial;
use crate::witness_event::ReferenceLayout;

pub use crate::application::Application;
pub use crate::ids::{
    CallSiteId, ClassId, ContextId, CounterId, HeapClassId, MethodId, SiteId, StackId,
    StackMethodId, StackTypeId, ThreadId,
};
pub use code::{
    CallSite, CalledMethod, CalledSite, Class, Method, Refusal, Reinstrumented, Site, StaticField,
};
pub use code_facts::{BytecodeFacts, CallTerms, CountedCall, MethodName, VarargsMethod};
pub use context::{
    Context, ContextBlock, ContextExecutions, ExecutionObjects, LargestExecution, execution_bucket,
    execution_bucket_range,
};
pub use counter::{Cause, Counter, CounterRole, Term};
pub use heap_class::{HeapClass, HeapClassSize, HeapField, HeapLayout};
pub use off_heap::{OffHeapFrame, OffHeapMaker};
pub use run::{AgentCost, End, HeapLimits, ObjectLayout, Run};
pub use run_mode::RunMode;
pub use snapshot::{ClassAddress, FoldedBlock, KeyedCount, Snapshot, Thread, ThreadCounts};

/// One record of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Record {
    /// Describes the run; the first record of every file.
    Run(Run),
    /// Defines a class.
    Class(Class),
    /// Defines a method.
    Method(Method),
    /// Defines an allocation site.
    Site(Site),
    /// Defines a counter and the meaning of one increment.
    Counter(Counter),
    /// Defines a call site of a tracked method.
    CallSite(CallSite),
    /// The size of the objects of a fixed-size site in the VM's layout. May come long after the site.
    SiteSize {
        /// The site.
        site: SiteId,
        /// Bytes of one object, header and padding included.
        bytes: u32,
    },
    /// Defines (or renames) a thread.
    Thread(Thread),
    /// A class or method that was not instrumented, and why.
    Refusal(Refusal),
    /// A method got a new version after its hot path was measured (or had changed).
    Reinstrumented(Reinstrumented),
    /// Values at one moment.
    Snapshot(Snapshot),
    /// The end record: nothing follows. A file without it is not complete.
    End(End),
    /// Defines a class of objects in the heap.
    HeapClass(HeapClass),
    /// One sentence that readers of a report must know, found after the first [`Run`] was written.
    Note(String),
    /// The field offsets of a class's objects.
    HeapLayout(HeapLayout),
    /// One number for a site together with the caller to blame.
    CalledSite(CalledSite),
    /// Defines the methods, types and frames of sampled stacks.
    StackDefinitions(StackDefinitions),
    /// How often stacks were sampled.
    StackSamples(StackSamples),
    /// The class at an address that the mapped counters use.
    ClassAddress(ClassAddress),
    /// Values of an ended thread, taken out of the mapped counters.
    FoldedBlock(FoldedBlock),
    /// The limits of the heap's size.
    HeapLimits(HeapLimits),
    /// The result of a trial of `ducktrack impact`.
    Trial(Trial),
    /// The patterns that define the application's code.
    Application(Application),
    /// A call from application code into other code, and the counters of what it allocates.
    Cause(Cause),
    /// How references in records of `mode=full` are encoded.
    ReferenceLayout(ReferenceLayout),
    /// The number of a method in records of `mode=full`.
    CalledMethod(CalledMethod),
    /// The number of a static field in records of `mode=full`.
    StaticField(StaticField),
    /// The VM begins to shut down: `java.lang.Shutdown` begins, because the last thread has ended, or by `System.exit` or a signal.
    Shutdown {
        /// When, microseconds since 1970.
        unix_micros: u64,
    },
    /// The VM threw an `OutOfMemoryError`.
    OutOfMemory(OutOfMemory),
    /// Facts about a site that its bytecode has.
    BytecodeFacts(BytecodeFacts),
    /// Defines a call whose executions are counted.
    CountedCall(CountedCall),
    /// The executed calls that a counter stands for.
    CallTerms(CallTerms),
    /// A method that takes a variable number of arguments.
    VarargsMethod(VarargsMethod),
    /// Defines a context.
    Context(Context),
    /// The contexts for which the values of a thread count.
    ContextBlock(ContextBlock),
    /// The executions of a context.
    ContextExecutions(ContextExecutions),
    /// Defines a maker of memory outside of the heap.
    OffHeapMaker(OffHeapMaker),
    /// The executions of a context that no block in `counters.mapped` has, as its folded blocks count for others by now; and
    /// its largest so far. A later record of the same context replaces this one. Only needed for a trace without an end.
    FoldedExecutions(ContextExecutions),
}

/// An `OutOfMemoryError` of the VM, the first of its kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutOfMemory {
    /// When, milliseconds since 1970.
    pub unix_millis: u64,
    /// The exhausted resource, in the VM's words: `Java heap space`.
    pub what: String,
}
