//! The answer of count mode: plain tables that reports read.

use ducktrack_trace_format::{
    AgentCost, Damage, End, HeapLimits, OutOfMemory, ProcessState, Run, Trial,
};

use crate::{
    CallIndex, CallRow, Causes, ChosenWindows, Completeness, ContextIndex, ContextRow,
    CountedCallRow, FieldLayouts, Inconsistency, Increments, MethodIndex, MethodRow, OffHeapRow,
    RefusalGroup, ReinstrumentedRow, SampledStacks, SiteIndex, SiteRow, Tally, ThreadIndex,
    ThreadRow, UnendedRun, WindowRow,
};

/// The cause of a snapshot that a mark makes begins with this.
const MARK: &str = "mark ";

/// A trace of count mode at its last whole snapshot, added up. Made by [`CountModelBuilder`](crate::CountModelBuilder).
///
/// All tables are in the order in which the trace introduces things; indices are positions in them.
#[derive(Clone, Debug, PartialEq)]
pub struct CountModel {
    /// The run, the VM and its object layout, with the agent's notes. Default values when the trace does not say.
    pub run: Run,
    /// Methods that have sites or calls of tracked methods.
    pub methods: Vec<MethodRow>,
    /// Allocation sites.
    pub sites: Vec<SiteRow>,
    /// Calls of tracked methods.
    pub calls: Vec<CallRow>,
    /// Threads.
    pub threads: Vec<ThreadRow>,
    /// What threads were doing, where that was recorded (`contexts=`).
    pub contexts: Vec<ContextRow>,
    /// The allocations executed from mark to mark; empty without a mark.
    pub windows: Vec<WindowRow>,
    /// The counts are of these windows only; `None`: of the whole run.
    pub chosen_windows: Option<ChosenWindows>,
    /// Allocations of calls of the application, if the run measured them.
    pub causes: Causes,
    /// Calls of JDK methods that make objects, in code that is not the JDK's: those that were executed.
    pub counted_calls: Vec<CountedCallRow>,
    /// Memory outside of the heap, by the stack that made it.
    pub off_heap: Vec<OffHeapRow>,
    /// All sites together.
    pub total: Tally,
    /// What the agent made for itself; in no total.
    pub of_agent: Tally,
    /// The balance against the VM's own numbers.
    pub completeness: Completeness,
    /// The increments that counting has cost.
    pub increments: Increments,
    /// The methods and classes that were left alone, by reason, most sites first.
    pub refusals: Vec<RefusalGroup>,
    /// Methods that got a new version, in order of time.
    pub reinstrumented: Vec<ReinstrumentedRow>,
    /// The cost of the agent itself.
    pub cost: AgentCost,
    /// All whole snapshots, in order. The values of this model are those of the last.
    pub snapshots: Vec<SnapshotRow>,
    /// The agent's last word, with its losses. `None`: the trace has not ended properly.
    pub end: Option<End>,
    /// How the run stands, if it has not ended properly and the reader knows.
    pub unended: Option<UnendedRun>,
    /// The damage that the reader found in the files.
    pub damage: Vec<FileDamage>,
    /// Contradictions inside the trace.
    pub inconsistencies: Vec<Inconsistency>,
    /// Sampled call stacks; empty where none were sampled.
    pub stacks: SampledStacks,
    /// How large the heap may become; `None`: the trace does not say.
    pub heap_limits: Option<HeapLimits>,
    /// When the VM began to shut down, microseconds since 1970; `None`: it did not, or the trace does not say.
    pub shutdown_micros: Option<u64>,
    /// The first `OutOfMemoryError` of the VM of each kind.
    pub out_of_memory: Vec<OutOfMemory>,
    /// The result of a trial of `ducktrack impact`.
    pub trial: Option<Trial>,
    /// The counts are sums of events: the run could not write its own (mode trace).
    pub counts_events: bool,
    /// Where objects have their fields (mode trace).
    pub field_layouts: FieldLayouts,
}

impl CountModel {
    /// Names that were marked, with the time in microseconds since 1970, in order.
    pub fn marks(&self) -> Vec<(&str, u64)> {
        let snapshots = self.snapshots.iter();
        let marks = snapshots.filter_map(|snapshot| {
            let name = snapshot.cause.strip_prefix(MARK)?;
            Some((name, snapshot.unix_millis.saturating_mul(1_000)))
        });
        marks.collect()
    }

    /// The row of a method.
    ///
    /// # Panics
    /// When the index is of another model.
    pub fn method(&self, index: MethodIndex) -> &MethodRow {
        &self.methods[index.get()]
    }

    /// The row of a site. Panics as [`CountModel::method`].
    pub fn site(&self, index: SiteIndex) -> &SiteRow {
        &self.sites[index.get()]
    }

    /// The row of a call. Panics as [`CountModel::method`].
    pub fn call(&self, index: CallIndex) -> &CallRow {
        &self.calls[index.get()]
    }

    /// The row of a context. Panics as [`CountModel::method`].
    pub fn context(&self, index: ContextIndex) -> &ContextRow {
        &self.contexts[index.get()]
    }

    /// The row of a thread. Panics as [`CountModel::method`].
    pub fn thread(&self, index: ThreadIndex) -> &ThreadRow {
        &self.threads[index.get()]
    }

    /// All sites with their indices.
    pub fn indexed_sites(&self) -> impl Iterator<Item = (SiteIndex, &SiteRow)> {
        self.sites
            .iter()
            .enumerate()
            .map(|(index, row)| (SiteIndex(index), row))
    }

    /// All methods with their indices.
    pub fn indexed_methods(&self) -> impl Iterator<Item = (MethodIndex, &MethodRow)> {
        self.methods
            .iter()
            .enumerate()
            .map(|(index, row)| (MethodIndex(index), row))
    }

    /// The damage without that which the files of every JVM have as long as it runs.
    pub fn real_damage(&self) -> impl Iterator<Item = &FileDamage> {
        let state = self.unended.as_ref().map(|unended| unended.facts.process);
        let is_running = state == Some(ProcessState::Running);
        let damage = self.damage.iter();
        damage.filter(move |found| !(is_running && found.is_of_running()))
    }

    /// The losses that the agent noted, each one sentence.
    pub fn losses(&self) -> &[String] {
        self.end.as_ref().map_or(&[], |end| &end.losses)
    }

    /// True when nothing is known to be missing: the trace ended properly, nothing was lost, damaged or contradictory.
    pub fn is_sound(&self) -> bool {
        self.end.is_some()
            && self.losses().is_empty()
            && self.damage.is_empty()
            && self.inconsistencies.is_empty()
    }
}

/// The outline of one snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotRow {
    /// Its number.
    pub sequence: u32,
    /// When, milliseconds since 1970.
    pub unix_millis: u64,
    /// `interval`, `exit`, `signal`, `demand`.
    pub cause: String,
    /// The VM's own count of bytes since counting was ready.
    pub vm_allocated_bytes: Option<u64>,
}

/// Damage, and the file it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDamage {
    /// Path of the file.
    pub file: String,
    /// The finding.
    pub damage: Damage,
}

impl FileDamage {
    /// The files of a JVM that runs have no end, and their last block may be half written.
    pub fn is_of_running(&self) -> bool {
        matches!(self.damage, Damage::NoEnd { .. } | Damage::Cut { .. })
    }
}
