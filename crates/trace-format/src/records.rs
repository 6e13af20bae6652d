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
//!
//! The order of variants and fields is the order of the bytes (see [`RecordStream`](crate::RecordStream)). Within a format version,
//! variants may only be added at the end of [`Record`], and nothing else may change.

use serde::{Deserialize, Serialize};

use crate::stack_records::{StackDefinitions, StackSamples};
use crate::trial::Trial;
use crate::witness_event::ReferenceLayout;

pub use crate::application::Application;
pub use crate::ids::{
    CallSiteId, ClassId, CounterId, HeapClassId, MethodId, SiteId, StackId, StackMethodId,
    StackTypeId, ThreadId,
};

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
}

/// The number of a method in records of calls. A method may have several: a class that is loaded again gets new ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalledMethod {
    /// Number in the records.
    pub number: u32,
    /// The method.
    pub method: MethodId,
}

/// The number of a static field, as the code of one class refers to it. A field may have several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaticField {
    /// Number in the records.
    pub number: u32,
    /// The class named in the code (internal name); the field may be inherited.
    pub class: String,
    /// Name of the field.
    pub name: String,
    /// Type of the field as a descriptor.
    pub descriptor: String,
}

/// The limits of the heap's size that the VM has chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapLimits {
    /// `MaxHeapSize` (-Xmx), bytes.
    pub max_bytes: u64,
    /// `MaxNewSize`, bytes; with G1 a limit that it rarely reaches. `None` if the VM does not report it.
    pub max_young_bytes: Option<u64>,
}

/// Four counters of a call. They have no terms. The first two count objects and bytes that everything under the call allocated (in a
/// recursion once). The other two count those that are charged to the call, because it was the innermost call of the application when other
/// code allocated them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// The call. Several records may name it, because each version of its method has its own counters.
    pub call: CallSiteId,
    /// The first of its four counters.
    pub first: CounterId,
}

/// The run, the VM and its object layout.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Process id of the JVM.
    pub pid: u32,
    /// When the agent was loaded, milliseconds since 1970.
    pub start_unix_millis: u64,
    /// Milliseconds from `start_unix_millis` until counting was ready; earlier allocations are not counted.
    pub ready_after_millis: u64,
    /// Version of the agent.
    pub agent_version: String,
    /// The agent's options as given.
    pub options: String,
    /// `count` (later also `trace` and `witness`).
    pub mode: String,
    /// `path` or `site`.
    pub counters: String,
    /// `java.vm.name`.
    pub vm_name: String,
    /// `java.vm.version`.
    pub vm_version: String,
    /// `java.version`.
    pub java_version: String,
    /// `java.home`.
    pub java_home: String,
    /// Main class or jar with arguments, as in `sun.java.command`.
    pub command: String,
    /// `Serial`, `Parallel`, `G1`, `ZGC`, `Shenandoah`, or what the VM calls it.
    pub collector: String,
    /// True if loaded by `jcmd PID JVMTI.agent_load`: everything before is missing.
    pub attached: bool,
    /// How threads find their counter blocks: `jvmci-reserved`, `thread-padding`, `eetop-hash`.
    pub slot: String,
    /// The object layout of this VM.
    pub layout: ObjectLayout,
    /// Sentences that readers of a report must know (`could not ...`); [`Record::Note`] adds to them.
    pub notes: Vec<String>,
}

/// Sizes in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectLayout {
    /// Bytes of an object without fields, before alignment: 8, 12 or 16.
    pub header: u8,
    /// Offsets of the first element in arrays with elements of 1, 2, 4, 8 bytes, and of references.
    pub array_base: [u8; 5],
    /// Bytes of a reference in an object: 4 or 8.
    pub reference: u8,
    /// Objects start and end at multiples of this.
    pub alignment: u8,
}

/// A class as loaded by one class loader.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Class {
    /// Its id.
    pub id: ClassId,
    /// Internal name, `java/util/HashMap$Node`. Hidden classes keep the VM's own name (`Main$$Lambda+0x...`).
    pub name: String,
    /// `boot`, `platform`, `app`, or the loader's class name and a number.
    pub loader: String,
    /// True for hidden (on old VMs: anonymous) classes.
    pub hidden: bool,
    /// The `SourceFile` attribute.
    pub source_file: Option<String>,
}

/// A method of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Method {
    /// Its id.
    pub id: MethodId,
    /// The class that declares it.
    pub class: ClassId,
    /// Its name, `<init>` for a constructor.
    pub name: String,
    /// Its descriptor, `(I)V`.
    pub descriptor: String,
}

/// An allocation site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Site {
    /// Its id.
    pub id: SiteId,
    /// The method it is in.
    pub method: MethodId,
    /// Bytecode index in the class file as loaded without the agent.
    pub bci: u16,
    /// Source line.
    pub line: Option<u16>,
    /// How it allocates.
    pub kind: AllocationKind,
    /// The allocated type as a descriptor (`Ljava/lang/String;`, `[I`, `[[J`); each level of a `multianewarray` is a
    /// separate site. `None` if it is only known at run time (see [`KeyedCount::ty`]).
    pub ty: Option<String>,
}

/// A class of objects in the heap, with the VM's layout. Event files refer to classes by these ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapClass {
    /// Its id.
    pub id: HeapClassId,
    /// As a descriptor without `L` and `;` (`java/lang/String`); arrays as descriptors (`[I`, `[Ljava/lang/String;`).
    pub name: String,
    /// How large its objects are.
    pub size: HeapClassSize,
    /// Address of the class in the VM. After a class is unloaded, another class, with another id, may get its address.
    pub klass: u64,
    /// Fields of its objects, including inherited ones; empty if a [`HeapLayout`] has them or they are unknown.
    pub fields: Vec<HeapField>,
}

/// The sizes of the objects of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HeapClassSize {
    /// All have this many bytes.
    Instance(u32),
    /// Arrays with elements of this many bytes.
    Array {
        /// Bytes of an element.
        element: u8,
        /// Offset of the first element.
        base: u8,
    },
    /// Each object has its own size.
    PerObject,
}

/// The field offsets of a class's objects. The layout of a class without this record, and without fields in its [`HeapClass`], is unknown.
///
/// Example: objects of `class Point3 extends Point { byte z; }`, where `Point` has two `int`, have `x` at 12, `y` at 16 (from the layout of `Point`) and
/// `z` at 20 (from this one).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapLayout {
    /// The class; defined before.
    pub class: HeapClassId,
    /// The superclass, whose fields its objects have as well; `None` for `java/lang/Object`.
    pub superclass: Option<HeapClassId>,
    /// The instance fields that the class itself declares, or that the VM adds to it, ascending by offset.
    pub fields: Vec<HeapField>,
}

/// A field of the objects of a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapField {
    /// Name of the field.
    pub name: String,
    /// Type of the field as a descriptor.
    pub descriptor: String,
    /// Offset in the object, if known.
    pub offset: Option<u32>,
}

/// How a site allocates; `name()` returns the word used in reports and JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum AllocationKind {
    /// The `new` instruction.
    New,
    /// `newarray` and `anewarray`.
    NewArray,
    /// One level of a `multianewarray`.
    MultiNewArray,
    /// A capturing lambda, at its `invokedynamic`.
    Lambda,
    /// A capturing method reference, at its `invokedynamic`.
    MethodReference,
    /// String concatenation, at its `invokedynamic`.
    StringConcat,
    /// `Integer.valueOf` and similar methods.
    Boxing,
    /// The array of a call with variable arguments.
    Varargs,
    /// `clone` of an object or array.
    Clone,
    /// `java.lang.reflect.Array.newInstance`.
    ArrayReflection,
    /// `Constructor.newInstance` and `Class.newInstance`.
    Reflection,
    /// A method handle that creates an object.
    MethodHandle,
    /// `Unsafe.allocateInstance` and `allocateUninitializedArray`.
    UnsafeAllocate,
    /// An object that deserialization creates without a constructor of its class.
    Deserialization,
    /// `Arrays.copyOf` and similar methods, which C2 replaces.
    Intrinsic,
    /// Allocated by native code through JNI.
    Jni,
    /// Allocated by the VM for a native method: the arrays of a stack trace.
    Vm,
    /// An `invokedynamic` or other construct not named above.
    Other,
}

impl AllocationKind {
    /// The word in JSON, CSV and text.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::NewArray => "newarray",
            Self::MultiNewArray => "multianewarray",
            Self::Lambda => "lambda",
            Self::MethodReference => "method-reference",
            Self::StringConcat => "string-concat",
            Self::Boxing => "boxing",
            Self::Varargs => "varargs",
            Self::Clone => "clone",
            Self::ArrayReflection => "array-reflection",
            Self::Reflection => "reflection",
            Self::MethodHandle => "method-handle",
            Self::UnsafeAllocate => "unsafe-allocate",
            Self::Deserialization => "deserialization",
            Self::Intrinsic => "intrinsic",
            Self::Jni => "jni",
            Self::Vm => "vm",
            Self::Other => "other",
        }
    }
}

/// A counter's semantics in the sense of DuckTracks: what to add to which site when the counter grows by one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counter {
    /// Its id.
    pub id: CounterId,
    /// How its word grows.
    pub role: CounterRole,
    /// The version of the method to which this counter belongs: 0 as first loaded, 1 after the first
    /// re-instrumentation, ...
    pub version: u16,
    /// The meaning of one increment; may be empty.
    pub terms: Vec<Term>,
}

/// How a counter's word grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CounterRole {
    /// By one for each execution of its increment.
    Increment,
    /// By one for each execution; used only for profiling, so it has no terms.
    Profile,
    /// By an amount (bytes of an array of computed length). Not an increment in the paper's sense, so reports list it
    /// separately.
    Amount,
}

/// One part of a counter's semantics: add `factor` times the counter's growth to `unit` of `site`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    /// The site.
    pub site: SiteId,
    /// The factor; negative where a path corrects another.
    pub factor: i32,
    /// The unit that it counts.
    pub unit: Unit,
}

/// The unit of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Unit {
    /// Objects executed.
    Count,
    /// Bytes of objects executed, where the site has no fixed size.
    Bytes,
    /// Objects that reached the heap (`materialized=on`).
    MaterializedCount,
    /// Bytes that reached the heap (`materialized=on`).
    MaterializedBytes,
    /// Arrays whose length n has `64 - leading_zeros(n) == k`: 0, 1, 2-3, 4-7, ...
    LengthBucket(u8),
}

/// A call of a tracked method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallSite {
    /// Its id.
    pub id: CallSiteId,
    /// The calling method.
    pub method: MethodId,
    /// Bytecode index of the call in the class file as loaded without the agent.
    pub bci: u16,
    /// Source line of the call.
    pub line: Option<u16>,
    /// The called method, `java/util/Arrays.copyOf`.
    pub target: String,
}

/// A site together with the call of a tracked method that is to blame. Events use this number instead of the site's and need not state the
/// caller. The record precedes the first event that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalledSite {
    /// The number for both, [`FIRST_CALLED_SITE`](crate::FIRST_CALLED_SITE) or more; no site has it.
    pub id: SiteId,
    /// The site.
    pub site: SiteId,
    /// The caller.
    pub caller: CallSiteId,
}

/// A thread, or a fold of threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thread {
    /// Its id.
    pub id: ThreadId,
    /// Its name. Ended threads are folded by name, with each run of digits written as `#`.
    pub name: String,
    /// True for a fold of ended threads.
    pub folded: bool,
}

/// A class or method that was not instrumented.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Class name in internal form.
    pub class: String,
    /// Name and descriptor; `None` if the whole class was not instrumented.
    pub method: Option<String>,
    /// A stable name, such as `method-too-large`.
    pub reason: String,
    /// Allocation sites that are therefore not counted.
    pub sites: u32,
}

/// A method that got a new version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reinstrumented {
    /// The method.
    pub method: MethodId,
    /// The new version.
    pub version: u16,
    /// Number of calls of the method so far.
    pub entries: u64,
    /// Increments per call before.
    pub before: f32,
    /// Predicted increments per call of the new version.
    pub after: f32,
}

/// Values at one moment. A thread, counter or key that is not named keeps its value from the previous snapshot (at
/// first 0). Values are totals since the start, not differences.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Its number, ascending.
    pub sequence: u32,
    /// When, milliseconds since 1970.
    pub unix_millis: u64,
    /// `interval`, `exit`, `signal`, `demand`.
    pub cause: String,
    /// Values of threads with a block of their own.
    pub threads: Vec<ThreadCounts>,
    /// Counters of threads that had no block of their own yet; lost updates may make them too small.
    pub shared: Vec<(CounterId, u64)>,
    /// Bytes allocated by all Java threads since counting was ready, by the VM's own count, ended threads included.
    pub vm_allocated_bytes: Option<u64>,
    /// Bytes allocated before counting was ready, by the VM's own count.
    pub before_ready_bytes: Option<u64>,
    /// What the agent itself cost so far.
    pub cost: AgentCost,
    /// True if further parts of this snapshot follow (with the same `sequence`), because one record would have been
    /// too large. All parts together are one snapshot, which counts only when the part with `false` is there.
    pub more: bool,
}

/// Values of one thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThreadCounts {
    /// The thread.
    pub thread: ThreadId,
    /// Bytes allocated by this thread since counting was ready, by the VM's own count. `None`: as in the previous
    /// snapshot.
    pub vm_allocated_bytes: Option<u64>,
    /// Values of counters.
    pub counters: Vec<(CounterId, u64)>,
    /// Counts by key.
    pub keyed: Vec<KeyedCount>,
}

/// Counts that depend on run-time data: the class of the object, or the caller to blame. They ADD to the counts from
/// the site's counters (each execution of a site is counted either by counters or by keys).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyedCount {
    /// The site.
    pub site: SiteId,
    /// The caller to blame. `None` if unknown (no tracked call was active).
    pub context: Option<CallSiteId>,
    /// The class of the object as a descriptor, if [`Site::ty`] does not determine it.
    pub ty: Option<String>,
    /// Objects.
    pub count: u64,
    /// Bytes. 0 with a count that is not 0 means that they were not measured; the site's fixed size then applies, if
    /// it has one.
    pub bytes: u64,
}

/// The class at an address in the keyed entries of `counters.mapped`. If the address is named again, it means another class from then on:
/// the first was unloaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassAddress {
    /// Address of the class in the VM.
    pub klass: u64,
    /// The class as a descriptor.
    pub descriptor: String,
}

/// The values of a thread without a block, or of all threads with its row, when their block was given to another thread. They are totals; a
/// later record of the same thread replaces this one. Only needed for a trace without an end: snapshots have these values too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoldedBlock {
    /// Number of the block in `counters.mapped`.
    pub block: u32,
    /// The block's generation; the values include those of this generation and earlier ones.
    pub generation: u32,
    /// The values.
    pub counts: ThreadCounts,
}

/// What the agent itself cost so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentCost {
    /// Classes that were offered to the agent.
    pub classes_seen: u32,
    /// Classes that were changed.
    pub classes_rewritten: u32,
    /// Methods that were changed.
    pub methods_rewritten: u32,
    /// Time spent on rewriting classes, summed over all threads.
    pub rewrite_micros: u64,
    /// Code bytes of changed methods as loaded.
    pub bytecode_bytes_before: u64,
    /// Code bytes of changed methods after the change.
    pub bytecode_bytes_after: u64,
    /// Counters in use.
    pub counters: u32,
    /// Resident memory of the agent.
    pub memory_bytes: u64,
    /// Methods that got a new version.
    pub reinstrumented_methods: u32,
    /// Time spent on snapshots.
    pub snapshot_micros: u64,
}

/// The end record of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// When the trace ended, milliseconds since 1970.
    pub unix_millis: u64,
    /// `exit`, `signal`, `detach`.
    pub cause: String,
    /// What failed and what was lost because of it, one sentence each. Empty if nothing was lost.
    pub losses: Vec<String>,
}
