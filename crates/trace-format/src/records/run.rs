//! The run, its end, and the agent's own costs.

use serde::{Deserialize, Serialize};

use super::run_mode::RunMode;

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
    /// The mode that ran: one that was refused continues as a lesser one.
    pub mode: RunMode,
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
    /// Sentences that readers of a report must know (`could not ...`); [`Record::Note`](crate::Record::Note) adds to them.
    pub notes: Vec<String>,
}

impl Run {
    /// The note of a run with deaths in a VM that lets equal strings share an array.
    pub const DEDUPLICATED_STRINGS: &str = "Deaths of arrays of strings: this VM lets equal strings share an array (-XX:+UseStringDeduplication), which no bytecode does; an array that is not shared any more died between the last collection that kept it and the next.";

    /// Whether the VM lets equal strings share an array.
    pub fn deduplicates_strings(&self) -> bool {
        self.notes
            .iter()
            .any(|note| note == Self::DEDUPLICATED_STRINGS)
    }
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

/// The limits of the heap's size that the VM has chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeapLimits {
    /// `MaxHeapSize` (-Xmx), bytes.
    pub max_bytes: u64,
    /// `MaxNewSize`, bytes; with G1 a limit that it rarely reaches. `None` if the VM does not report it.
    pub max_young_bytes: Option<u64>,
}

/// The cost of the agent itself so far.
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
    /// Failures and the losses that they caused, one sentence each. Empty if nothing was lost.
    pub losses: Vec<String>,
}

impl End {
    /// The cause at the end of a file that the next one continues.
    pub const ROTATED: &str = "rotated";

    /// Whether the trace goes on in the next file.
    #[must_use]
    pub fn is_rotation(&self) -> bool {
        self.cause == Self::ROTATED
    }
}
