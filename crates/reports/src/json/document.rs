//! The keys of the JSON report, one struct per object. Unknown keys are ignored on reading.

use crate::amount_doc::AmountDoc;
use crate::ending::ValuesOf;
use crate::off_heap::row::OffHeapDoc;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::view::{Caller, Location};

/// The whole report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// Always `ducktrack-report`.
    pub format: String,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// The run and its VM.
    pub run: RunDoc,
    /// The filter of the report.
    pub filter: FilterDoc,
    /// The whole run.
    pub totals: TotalsDoc,
    /// The part that the filter keeps.
    pub selected: TotalsDoc,
    /// The kept part by way of allocating, largest first.
    pub kinds: Vec<KindDoc>,
    /// The VM's own count against the sites'.
    pub completeness: CompletenessDoc,
    /// Counter increments.
    pub increments: IncrementsDoc,
    /// The methods and classes that were left alone.
    pub refusals: RefusalsDoc,
    /// The cost of the agent.
    pub cost: CostDoc,
    /// The damage and the contradictions of the trace.
    pub damage: Vec<FindingDoc>,
    /// The agent's own list of its losses while recording.
    pub losses: Vec<String>,
    /// Notes that a reader must know.
    pub notes: Vec<String>,
    /// Whole call stacks; null where none were sampled.
    #[serde(default)]
    pub stacks: Option<StacksDoc>,
    /// The objects made from mark to mark, in order of time; empty without a mark.
    #[serde(default)]
    pub windows: Vec<RunWindowDoc>,
    /// The numbers are of these windows only (`--window`, `--from`, `--until`); null: of the whole run.
    #[serde(default, rename = "chosenWindows")]
    pub chosen_windows: Option<ChosenWindowsDoc>,
    /// The objects made by application code, and by other code that it calls; null where that was not recorded (`app=`), or the filter is
    /// for types or threads.
    #[serde(default)]
    pub caused: Option<CausedDoc>,
    /// Calls of application code that brought something, in the filter's order; empty where that was not recorded.
    #[serde(default)]
    pub causes: Vec<CauseDoc>,
    /// Memory outside of the heap by the line that made it, as in `report --off-heap`.
    #[serde(default)]
    pub off_heap: Vec<OffHeapDoc>,
    /// The sites, in the filter's order.
    pub sites: Vec<SiteDoc>,
}

/// Shares of callers, estimated from sampled call stacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StacksDoc {
    /// Samples in the trace.
    pub samples: u64,
    /// Samples that were dropped while the program ran.
    pub dropped: u64,
    /// Samples of objects that are counted at no place.
    pub unmatched: u64,
    /// Microseconds of CPU that sampling took of the program's threads.
    #[serde(default)]
    pub micros: u64,
    /// The part of all bytes made at places that have stacks, from 0 to 1.
    pub share: f64,
    /// Methods by the bytes that were made while they ran, largest first; at most 1000.
    pub methods: Vec<StackMethodDoc>,
}

/// The objects made while a method was on the stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StackMethodDoc {
    /// Class with dots.
    pub class: String,
    /// Method.
    pub method: String,
    /// Method descriptor.
    pub descriptor: String,
    /// Objects made by it and by what it calls: an estimate.
    pub count: i64,
    /// Their bytes: an estimate.
    pub bytes: i64,
    /// Objects made by its own lines.
    pub own_count: i64,
    /// Their bytes.
    pub own_bytes: i64,
    /// `bytes` as a part of all bytes, from 0 to 1.
    pub share: f64,
    /// Where that share really is in 95 of 100 runs: from, to.
    pub interval: [f64; 2],
}

/// The windows that a report is of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChosenWindowsDoc {
    /// Name of the mark with which each begins (`--window`).
    pub window: Option<String>,
    /// Name of the mark with which it begins (`--from`); null: with the recording.
    pub from: Option<String>,
    /// Name of the mark with which it ends (`--until`); null: with the run.
    pub until: Option<String>,
    /// How many there are.
    pub windows: u64,
    /// How long they are together, milliseconds.
    pub millis: u64,
}

/// A part of a run, from a mark to the next one or to the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunWindowDoc {
    /// Name of the mark that it begins with; null: it begins with the recording.
    pub name: Option<String>,
    /// Milliseconds from the start of the recording.
    #[serde(rename = "startMillis")]
    pub start_millis: u64,
    /// How long it is.
    pub millis: u64,
    /// Objects made by all threads.
    pub objects: i64,
    /// Their bytes.
    pub bytes: i64,
}

/// Own and caused; each object is in one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CausedDoc {
    /// Which code is the application's: patterns of class names.
    pub application: Vec<String>,
    /// The objects made by its own code.
    pub own: AmountDoc,
    /// The objects charged to its calls, together.
    pub charged: AmountDoc,
    /// The objects of the whole run that are charged to no call of the application.
    pub no_call: AmountDoc,
}

/// A call from application code into other code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CauseDoc {
    /// The class that calls, with dots.
    pub class: String,
    /// Its method.
    pub method: String,
    /// Method descriptor.
    pub descriptor: String,
    /// Bytecode index of the call.
    pub bci: u16,
    /// Source line of the call.
    pub line: Option<u16>,
    /// Source file.
    pub source_file: Option<String>,
    /// The method that is called.
    pub target: String,
    /// Objects made while the call was under way, in a recursion once.
    pub objects: i64,
    /// Their bytes.
    pub bytes: i64,
    /// Objects that other code made while it was the innermost call of the application.
    #[serde(rename = "chargedObjects")]
    pub charged_objects: i64,
    /// Their bytes.
    #[serde(rename = "chargedBytes")]
    pub charged_bytes: i64,
}

impl AmountDoc {
    pub(crate) fn of_type(ty: &TypeDoc) -> Self {
        Self {
            count: ty.count,
            bytes: ty.bytes,
        }
    }
}

/// Sums over sites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TotalsDoc {
    /// Sites that executed at least once.
    pub sites: u64,
    /// Objects executed.
    pub count: i64,
    /// Bytes executed.
    pub bytes: i64,
    /// The objects that reached the heap, over the sites for which that was recorded.
    pub materialized: Option<AmountDoc>,
    /// The allocations executed there that did not reach the heap.
    pub eliminated: Option<AmountDoc>,
}

/// One allocation site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SiteDoc {
    /// Class with dots; parts that differ from run to run are removed.
    pub class: String,
    /// Method.
    pub method: String,
    /// Method descriptor.
    pub descriptor: String,
    /// Bytecode index in the class file as loaded without the agent.
    pub bci: u16,
    /// Source line.
    pub line: Option<u16>,
    /// Source file.
    pub source_file: Option<String>,
    /// The type; null where it differs from one execution to the next (then see `types`).
    #[serde(rename = "type")]
    pub ty: Option<String>,
    /// The way of allocating.
    pub kind: String,
    /// Objects executed.
    pub count: i64,
    /// Bytes executed.
    pub bytes: i64,
    /// Objects of `count` whose bytes are not known and not in `bytes`.
    pub size_unknown: i64,
    /// The objects that reached the heap; null when not recorded.
    pub materialized: Option<AmountDoc>,
    /// By type, largest first; sums to `count` and `bytes`.
    pub types: Vec<TypeDoc>,
    /// By blamed caller, largest first; empty when no caller is known, else sums to `count` and `bytes`.
    pub context: Vec<ContextDoc>,
    /// By thread, largest first.
    pub threads: Vec<ThreadDoc>,
    /// Array lengths, when recorded.
    pub lengths: Vec<LengthDoc>,
}

/// One type's part of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TypeDoc {
    /// The type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Objects.
    pub count: i64,
    /// Bytes.
    pub bytes: i64,
}

/// A caller to blame; all null stands for "no tracked call was under way".
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallerDoc {
    /// The caller's class.
    pub class: Option<String>,
    /// The caller's method.
    pub method: Option<String>,
    /// The caller's method descriptor.
    pub descriptor: Option<String>,
    /// Bytecode index of the call.
    pub bci: Option<u16>,
    /// Source line of the call.
    pub line: Option<u16>,
    /// The caller's source file.
    #[serde(default)]
    pub source_file: Option<String>,
    /// The tracked method that is called.
    pub target: Option<String>,
}

/// One caller's part of a site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextDoc {
    /// Who.
    #[serde(flatten)]
    pub caller: CallerDoc,
    /// Objects.
    pub count: i64,
    /// Bytes.
    pub bytes: i64,
    /// The same by type; types that only the run knows are told apart by caller too.
    #[serde(default)]
    pub types: Vec<TypeDoc>,
}

impl ContextDoc {
    pub(crate) fn of(caller: Option<&Caller>, part: AmountDoc, types: Vec<TypeDoc>) -> Self {
        Self {
            caller: CallerDoc::of(caller),
            count: part.count,
            bytes: part.bytes,
            types,
        }
    }
}

impl CallerDoc {
    pub(crate) fn of(caller: Option<&Caller>) -> Self {
        let at = caller.map(|caller| &caller.location);
        Self {
            class: at.map(|at| at.class.clone()),
            method: at.map(|at| at.method.clone()),
            descriptor: at.map(|at| at.descriptor.clone()),
            bci: at.map(|at| at.bci),
            line: at.and_then(|at| at.line),
            source_file: at.and_then(|at| at.source_file.clone()),
            target: caller.map(|caller| caller.target.clone()),
        }
    }

    /// `None` stands for no caller.
    pub(crate) fn known(&self) -> Option<Caller> {
        let location = Location {
            class: self.class.clone()?,
            method: self.method.clone()?,
            descriptor: self.descriptor.clone()?,
            bci: self.bci?,
            line: self.line,
            source_file: self.source_file.clone(),
            reads_alike: false,
        };
        let target = self.target.clone()?;
        Some(Caller { location, target })
    }
}

/// One thread's part of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadDoc {
    /// Thread name.
    pub name: String,
    /// Objects.
    pub count: i64,
    /// Bytes.
    pub bytes: i64,
}

/// Arrays of one range of lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LengthDoc {
    /// Shortest.
    pub low: u64,
    /// Longest.
    pub high: u64,
    /// Arrays.
    pub count: i64,
}

/// One way of allocating.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KindDoc {
    /// The way.
    pub kind: String,
    /// Objects.
    pub count: i64,
    /// Bytes.
    pub bytes: i64,
}

/// The filter of the report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FilterDoc {
    /// Packages or classes.
    pub only: Vec<String>,
    /// Types.
    #[serde(rename = "type")]
    pub types: Vec<String>,
    /// Threads.
    pub thread: Vec<String>,
    /// Contexts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<String>,
    /// Rows shown; null for all.
    pub top: Option<u64>,
    /// `bytes` or `count`.
    pub sort: String,
}

/// The run and its VM.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunDoc {
    /// The trace directory as given.
    pub trace: String,
    /// Process id.
    pub pid: u32,
    /// Main class or jar with arguments.
    pub command: String,
    /// The VM's name and version.
    pub vm: String,
    /// The Java version.
    pub java_version: String,
    /// Garbage collector.
    pub collector: String,
    /// Version of the agent.
    pub agent_version: String,
    /// Options of the agent.
    pub options: String,
    /// Mode of recording.
    pub mode: String,
    /// `path` or `site`.
    pub counters: String,
    /// Where a thread's counters hang.
    pub slot: String,
    /// Loaded into a running VM.
    pub attached: bool,
    /// Milliseconds since 1970.
    pub start_unix_millis: u64,
    /// Milliseconds from the start to the snapshot.
    pub duration_millis: Option<u64>,
    /// Milliseconds from the start until counting was ready.
    pub ready_after_millis: u64,
    /// Number of the snapshot that the values are from.
    pub snapshot: Option<u32>,
    /// Why that snapshot was taken.
    pub snapshot_cause: Option<String>,
    /// How the recording ended; null when the trace was cut.
    pub ended: Option<String>,
    /// Whether the JVM `ended`, is `running`, was `killed`, or `unknown`.
    #[serde(default)]
    pub state: String,
    /// Of which moment the numbers are: the `end`, the `counters` of each thread's last instruction, the `events` of a trace, the last
    /// `snapshot`, or `none`.
    #[serde(default)]
    pub values: ValuesOf,
    /// Threads whose counts a kill lost, or would lose.
    #[serde(default)]
    pub private_threads: Vec<String>,
    /// The reasons of the VM for each `OutOfMemoryError`, as sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub out_of_memory: Vec<String>,
}

/// The VM's own count against the sites'.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompletenessDoc {
    /// `executed` (then `explained_*` is an upper bound) or `materialized` (exact).
    pub basis: String,
    /// Bytes executed.
    pub executed_bytes: i64,
    /// Bytes that reached the heap.
    pub materialized_bytes: Option<i64>,
    /// Bytes by the VM's own count.
    pub vm_bytes: Option<i64>,
    /// Of these, explained by sites.
    pub explained_bytes: Option<i64>,
    /// The same in percent.
    pub explained_percent: Option<f64>,
    /// Of these, explained by no site.
    pub rest_bytes: Option<i64>,
    /// Executed and not on the heap; a lower bound when `basis` is `executed`.
    pub eliminated_bytes: Option<i64>,
    /// Bytes by the VM's own count before counting was ready.
    pub before_ready_bytes: Option<u64>,
    /// Objects counted where updates may be lost.
    pub shared_objects: i64,
    /// Objects whose bytes are not known and in no sum.
    pub size_unknown_objects: i64,
    /// Sites that are not counted.
    pub refused_sites: u64,
    /// Per thread.
    pub threads: Vec<ThreadCompletenessDoc>,
}

/// One thread's completeness.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadCompletenessDoc {
    /// Name.
    pub name: String,
    /// `live`, `folded` (stands for threads that have ended) or `shared` (the block before a thread has its own).
    pub kind: String,
    /// Bytes executed.
    pub executed_bytes: i64,
    /// Bytes by the VM's own count.
    pub vm_bytes: Option<i64>,
}

/// Counter increments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IncrementsDoc {
    /// Increments that count allocations.
    pub executed: u64,
    /// The increments that one counter per site would have executed.
    pub one_per_site: i64,
    /// The share that `executed` saves against `one_per_site`.
    pub saved_percent: Option<f64>,
    /// Increments that only measured frequencies.
    pub profiling: u64,
    /// Increments that only served lengths, bytes or materialized objects.
    pub extra: u64,
    /// Objects counted by key (type or caller) instead of by counters; in neither number.
    pub keyed_objects: u64,
    /// How often a method got a new version for its measured hot path.
    pub reinstrumented: u64,
}

/// The methods and classes that were left alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefusalsDoc {
    /// Sites that are not counted.
    pub sites: u64,
    /// By reason, most sites first.
    pub by_reason: Vec<ReasonDoc>,
}

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReasonDoc {
    /// The stable word.
    pub reason: String,
    /// Whole classes.
    pub classes: u64,
    /// Single methods.
    pub methods: u64,
    /// Sites.
    pub sites: u64,
    /// Each of them.
    pub list: Vec<RefusalDoc>,
}

/// One class or method that was left alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefusalDoc {
    /// Class.
    pub class: String,
    /// Method name and descriptor; null for the whole class.
    pub method: Option<String>,
    /// Sites.
    pub sites: u32,
}

/// Something wrong with the trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FindingDoc {
    /// The file; null when the trace as a whole contradicts itself.
    pub file: Option<String>,
    /// A stable word.
    pub name: String,
    /// One sentence.
    pub text: String,
}

/// The cost of the agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CostDoc {
    /// Classes that came by.
    pub classes_seen: u32,
    /// Classes that got counters.
    pub classes_rewritten: u32,
    /// Methods that got counters.
    pub methods_rewritten: u32,
    /// Time in the rewriter.
    pub rewrite_micros: u64,
    /// Bytecode before.
    pub bytecode_bytes_before: u64,
    /// Bytecode after.
    pub bytecode_bytes_after: u64,
    /// Counters per thread.
    pub counters: u32,
    /// Resident memory.
    pub memory_bytes: u64,
    /// Time in snapshots.
    pub snapshot_micros: u64,
}
