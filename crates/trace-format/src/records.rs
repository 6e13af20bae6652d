//! The records of a trace directory: what the agent states, one statement per record.
//!
//! A *dictionary* record introduces something once and gives it an id (class, method, site, counter, thread);
//! a *snapshot* record states values. Ids are dense, per trace, and never reused. All strings are UTF-8
//! (modified UTF-8 of class files is converted by the agent, lone surrogates become U+FFFD).
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
//! | 26 | [`StaticField`] | | | |
//!
//! The order of variants and fields is the order of bytes (see [`RecordStream`](crate::RecordStream)): within a format version variants
//! may only be added at the end of [`Record`], and nothing else may change.

use serde::{Deserialize, Serialize};

use crate::stack_records::{StackDefinitions, StackSamples};
use crate::trial::Trial;
use crate::witness_event::ReferenceLayout;

pub use crate::application::Application;
pub use crate::ids::{
    CallSiteId, ClassId, CounterId, HeapClassId, MethodId, SiteId, StackId, StackMethodId,
    StackTypeId, ThreadId,
};

/// One statement of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Record {
    /// The first record of every file: which run this is.
    Run(Run),
    /// Introduces a class.
    Class(Class),
    /// Introduces a method.
    Method(Method),
    /// Introduces an allocation site.
    Site(Site),
    /// Introduces a counter and says what one increment of it means.
    Counter(Counter),
    /// Introduces a call site of a tracked method.
    CallSite(CallSite),
    /// The size of the objects of a fixed-size site, as the VM lays the class out. May come long after the site.
    SiteSize {
        /// Which site.
        site: SiteId,
        /// Bytes of one object, header and padding included.
        bytes: u32,
    },
    /// Introduces (or renames) a thread.
    Thread(Thread),
    /// A class or method that was left as it was, and why.
    Refusal(Refusal),
    /// A method was given a new version because its hot path was measured (or moved).
    Reinstrumented(Reinstrumented),
    /// Values at one moment.
    Snapshot(Snapshot),
    /// The agent's last word: nothing follows. A file without it was cut.
    End(End),
    /// Introduces a class of objects in the heap.
    HeapClass(HeapClass),
    /// Something the reader of a report must know that was found after the first [`Run`] was written: one sentence.
    Note(String),
    /// Where the objects of a class have their fields.
    HeapLayout(HeapLayout),
    /// One number for a site and the caller that is to blame.
    CalledSite(CalledSite),
    /// Introduces what sampled stacks are made of.
    StackDefinitions(StackDefinitions),
    /// How often stacks were sampled.
    StackSamples(StackSamples),
    /// Which class the mapped counters mean by an address.
    ClassAddress(ClassAddress),
    /// Values of a thread that has ended, taken out of the mapped counters.
    FoldedBlock(FoldedBlock),
    /// How large the heap may become.
    HeapLimits(HeapLimits),
    /// What a trial of `ducktrack impact` came to.
    Trial(Trial),
    /// Which code is the application's.
    Application(Application),
    /// A call from application code into other code, and the counters of what it brings.
    Cause(Cause),
    /// What references are that records of `mode=witness` have.
    ReferenceLayout(ReferenceLayout),
    /// The number by which records of `mode=witness` name a method.
    CalledMethod(CalledMethod),
    /// The number by which records of `mode=witness` name a static field.
    StaticField(StaticField),
}

/// The number of a method in records of calls. A method may have several: a class that is loaded anew has others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalledMethod {
    /// In the records.
    pub number: u32,
    /// The method.
    pub method: MethodId,
}

/// The number of a static field as the code of one class names it. A field may have several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StaticField {
    /// In the records.
    pub number: u32,
    /// The class that the code names, in the internal form; the field may be inherited.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its type as a descriptor.
    pub descriptor: String,
}

/// How large the heap may become, as the VM has decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapLimits {
    /// `MaxHeapSize` (-Xmx), bytes.
    pub max_bytes: u64,
    /// `MaxNewSize`, bytes; with G1 a bound that it seldom reaches. `None`: the VM does not say.
    pub max_young_bytes: Option<u64>,
}

/// Four counters of a call, which have no terms: objects and bytes that the call has brought inclusive of all that ran in it, in a recursion once; objects
/// and bytes that are charged to it, because it was the innermost call of the application and other code made them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// The call. Several records may name it: each version of its method has counters of its own.
    pub call: CallSiteId,
    /// The first of its counters.
    pub first: CounterId,
}

/// The run, the VM and its object layout.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Process id of the JVM.
    pub pid: u32,
    /// When the agent was loaded, milliseconds since 1970.
    pub start_unix_millis: u64,
    /// Milliseconds from `start_unix_millis` until counting was ready; what ran before is not counted.
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
    /// Main class or jar with arguments, as `sun.java.command` has it.
    pub command: String,
    /// `Serial`, `Parallel`, `G1`, `ZGC`, `Shenandoah`, or what the VM calls it.
    pub collector: String,
    /// True when loaded by `jcmd PID JVMTI.agent_load`: everything before is missing.
    pub attached: bool,
    /// Where a thread's counter block hangs: `jvmci-reserved`, `thread-padding`, `eetop-hash`.
    pub slot: String,
    /// How this VM lays objects out.
    pub layout: ObjectLayout,
    /// Things the reader of a report must know (`could not ...`), each one sentence; [`Record::Note`] adds to them.
    pub notes: Vec<String>,
}

/// Sizes in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectLayout {
    /// Of an object without fields, unaligned: 8, 12 or 16.
    pub header: u8,
    /// Where array elements of 1, 2, 4, 8 bytes and of references start.
    pub array_base: [u8; 5],
    /// Of a reference in an object: 4 or 8.
    pub reference: u8,
    /// Objects start and end at multiples of this.
    pub alignment: u8,
}

/// A class as loaded by one loader.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Class {
    /// Its id from now on.
    pub id: ClassId,
    /// Internal form, `java/util/HashMap$Node`. Hidden classes keep the VM's own name (`Main$$Lambda+0x...`).
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
    /// Its id from now on.
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
    /// Its id from now on.
    pub id: SiteId,
    /// The method it is in.
    pub method: MethodId,
    /// Bytecode index in the class file as loaded without the agent.
    pub bci: u16,
    /// Source line.
    pub line: Option<u16>,
    /// The way of allocating.
    pub kind: AllocationKind,
    /// What is allocated, as a descriptor (`Ljava/lang/String;`, `[I`, `[[J`); for the levels of a `multianewarray`
    /// each level is a site of its own. `None` where only the run tells (see [`KeyedCount::ty`]).
    pub ty: Option<String>,
}

/// A class of objects in the heap, as the VM lays them out. Event files name classes by these ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapClass {
    /// Its id from now on.
    pub id: HeapClassId,
    /// As a descriptor without `L` and `;` (`java/lang/String`); arrays as descriptors (`[I`, `[Ljava/lang/String;`).
    pub name: String,
    /// How large its objects are.
    pub size: HeapClassSize,
    /// Where the VM keeps the class; a class that is unloaded gives its address free for another, which gets another id.
    pub klass: u64,
    /// Fields of its objects, those of its superclasses included; empty where a [`HeapLayout`] has them or they are not known.
    pub fields: Vec<HeapField>,
}

/// How large the objects of a class are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HeapClassSize {
    /// All have this many bytes.
    Instance(u32),
    /// Arrays with elements of this many bytes.
    Array {
        /// Bytes of an element.
        element: u8,
        /// Where the elements start.
        base: u8,
    },
    /// Each object has its own size.
    PerObject,
}

/// Where the objects of a class have their fields. A class without this record, and without fields in its [`HeapClass`], has a layout that is not known.
///
/// Example: objects of `class Point3 extends Point { byte z; }`, where `Point` has two `int`, have `x` at 12, `y` at 16 (from the layout of `Point`) and
/// `z` at 20 (from this one).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapLayout {
    /// The class; introduced before.
    pub class: HeapClassId,
    /// The class whose fields its objects have as well; `None` for `java/lang/Object`.
    pub superclass: Option<HeapClassId>,
    /// The fields that the class itself declares, or the VM adds to it, ascending by offset. Static ones are not in the objects.
    pub fields: Vec<HeapField>,
}

/// A field of the objects of a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapField {
    /// Its name.
    pub name: String,
    /// Its type as a descriptor.
    pub descriptor: String,
    /// Where it is in the object, if known.
    pub offset: Option<u32>,
}

/// The way of allocating; `name()` gives the word that reports and JSON use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum AllocationKind {
    /// The `new` instruction.
    New,
    /// `newarray` and `anewarray`.
    NewArray,
    /// One level of a `multianewarray`.
    MultiNewArray,
    /// A lambda that captures, at its `invokedynamic`.
    Lambda,
    /// A method reference that captures, at its `invokedynamic`.
    MethodReference,
    /// String concatenation, at its `invokedynamic`.
    StringConcat,
    /// `Integer.valueOf` and its like.
    Boxing,
    /// The array of a call with variable arguments.
    Varargs,
    /// `clone` of an object or array.
    Clone,
    /// `java.lang.reflect.Array.newInstance`.
    ArrayReflection,
    /// `Constructor.newInstance` and `Class.newInstance`.
    Reflection,
    /// A method handle that makes an object.
    MethodHandle,
    /// `Unsafe.allocateInstance` and `allocateUninitializedArray`.
    UnsafeAllocate,
    /// An object that deserialization makes without a constructor of its class.
    Deserialization,
    /// `Arrays.copyOf` and its like, which C2 replaces.
    Intrinsic,
    /// Made by native code through JNI.
    Jni,
    /// Made by the VM for a native method: the arrays of a stack trace.
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

/// A counter's semantics in the sense of DuckTracks: what to add to which site when its word is one higher.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Counter {
    /// Its id from now on.
    pub id: CounterId,
    /// How its word grows.
    pub role: CounterRole,
    /// The method version this counter belongs to: 0 as first loaded, 1 after the first re-instrumentation, ...
    pub version: u16,
    /// What one more means; may be empty.
    pub terms: Vec<Term>,
}

/// How a counter's word grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CounterRole {
    /// By one each time (one executed counter increment).
    Increment,
    /// By one each time, there only to profile; it has no terms.
    Profile,
    /// By an amount (bytes of an array of computed length); not an increment in the paper's sense, listed apart.
    Amount,
}

/// One part of a counter's semantics: add `factor` times the word's growth to `unit` of `site`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    /// The site.
    pub site: SiteId,
    /// How much; below zero where a path corrects another.
    pub factor: i32,
    /// Of what.
    pub unit: Unit,
}

/// What a term adds to.
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
    /// Its id from now on.
    pub id: CallSiteId,
    /// The method that calls.
    pub method: MethodId,
    /// Bytecode index of the call in the class file as loaded without the agent.
    pub bci: u16,
    /// Source line of the call.
    pub line: Option<u16>,
    /// What is called, `java/util/Arrays.copyOf`.
    pub target: String,
}

/// A site together with the call of a tracked method that is to blame: events have this number in the place of the site's, and need not say the caller.
/// It stands ahead of the first event that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalledSite {
    /// The number that stands for both, [`FIRST_CALLED_SITE`](crate::FIRST_CALLED_SITE) or more; no site has it.
    pub id: SiteId,
    /// The site.
    pub site: SiteId,
    /// The caller.
    pub caller: CallSiteId,
}

/// A thread, or a fold of threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thread {
    /// Its id from now on.
    pub id: ThreadId,
    /// Its name. Finished threads are folded by name with runs of digits written `#`.
    pub name: String,
    /// True for the fold of finished threads.
    pub folded: bool,
}

/// A class or method that was left as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Class name in internal form.
    pub class: String,
    /// Name and descriptor; `None` when the whole class was left alone.
    pub method: Option<String>,
    /// A stable word, `method-too-large`.
    pub reason: String,
    /// Allocation sites that are not counted because of it.
    pub sites: u32,
}

/// A method that was given a new version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reinstrumented {
    /// Which method.
    pub method: MethodId,
    /// The new version.
    pub version: u16,
    /// Entries of the method so far.
    pub entries: u64,
    /// Increments per entry before.
    pub before: f32,
    /// Increments per entry as predicted for the new version.
    pub after: f32,
}

/// Values at one moment. A thread, counter or key that is not named has the value of the snapshot before (at first: 0);
/// values are totals since the start, not differences.
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
    /// Increments of threads that had no block of their own yet: may be short by lost updates.
    pub shared: Vec<(CounterId, u64)>,
    /// The VM's own count of bytes allocated by all Java threads since counting was ready, dead threads included.
    pub vm_allocated_bytes: Option<u64>,
    /// The same before counting was ready.
    pub before_ready_bytes: Option<u64>,
    /// What the agent itself has cost so far.
    pub cost: AgentCost,
    /// True: further parts of this snapshot follow (same `sequence`), because one record would have been too large.
    /// The values of all parts count together, and only once the part with `false` is there. The writer splits.
    pub more: bool,
}

/// Values of one thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThreadCounts {
    /// Which thread.
    pub thread: ThreadId,
    /// The VM's own count for this thread since counting was ready. `None`: as in the snapshot before.
    pub vm_allocated_bytes: Option<u64>,
    /// Words of counters.
    pub counters: Vec<(CounterId, u64)>,
    /// Counts by key.
    pub keyed: Vec<KeyedCount>,
}

/// Counts that only the run can file: by the class of the object, or by the caller that is to blame.
/// They ADD to what the site's counters say (a site is counted either by counters or by keys at any one execution).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyedCount {
    /// Which site.
    pub site: SiteId,
    /// The caller to blame. `None`: not known (no tracked call was under way).
    pub context: Option<CallSiteId>,
    /// The class of the object as a descriptor, where [`Site::ty`] does not say.
    pub ty: Option<String>,
    /// Objects.
    pub count: u64,
    /// Bytes; 0 beside a count that is not 0: not measured; then the site's fixed size says it, if it has one.
    pub bytes: u64,
}

/// Which class the keyed entries of `counters.mapped` mean by an address. An address that is named again means another class from then on: the
/// first was unloaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassAddress {
    /// Where the VM keeps the class.
    pub klass: u64,
    /// The class as a descriptor.
    pub descriptor: String,
}

/// The values of a thread without a block, or of all threads that had its row, at the moment at which their block went to another thread. They are totals; a
/// later record of the same thread takes the place of this one. Of use for a trace without an end only: snapshots have these values, too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoldedBlock {
    /// Number of the block in `counters.mapped`.
    pub block: u32,
    /// Its generation; what the block has of this generation and earlier ones is in the values.
    pub generation: u32,
    /// The values.
    pub counts: ThreadCounts,
}

/// What the agent itself has cost so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentCost {
    /// Classes that were offered to the agent.
    pub classes_seen: u32,
    /// Classes that were changed.
    pub classes_rewritten: u32,
    /// Methods that were changed.
    pub methods_rewritten: u32,
    /// Time spent on changing classes, all threads together.
    pub rewrite_micros: u64,
    /// Code bytes of changed methods as loaded.
    pub bytecode_bytes_before: u64,
    /// Code bytes of changed methods after the change.
    pub bytecode_bytes_after: u64,
    /// Counters in use.
    pub counters: u32,
    /// Memory of the agent that is resident.
    pub memory_bytes: u64,
    /// Methods that were given a new version.
    pub reinstrumented_methods: u32,
    /// Time spent on snapshots.
    pub snapshot_micros: u64,
}

/// The agent's last word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// When, milliseconds since 1970.
    pub unix_millis: u64,
    /// `exit`, `signal`, `detach`.
    pub cause: String,
    /// Things that went wrong and what was lost by it, each one sentence. Empty when nothing did.
    pub losses: Vec<String>,
}
